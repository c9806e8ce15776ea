// What can be touched and is smaller than 24 px in one direction (WCAG 2.2, 2.5.8); links in running text are exempt.
() => [...document.querySelectorAll("a, button, select, summary, input:not([type=hidden])")].filter((element) => {
  const exempt = element.closest(".skip, .prose, .timeline, .lead, .meta, p:not(.back, .next, .brand)");
  if (exempt || !element.checkVisibility({ visibilityProperty: true })) return false;
  const box = (element.matches(".title") ? element.closest("tr") : element).getBoundingClientRect();
  return box.height < 24 || box.width < 24;
}).map((element) => element.outerHTML.slice(0, 90))
