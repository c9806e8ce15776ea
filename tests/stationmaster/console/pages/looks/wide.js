// By how much the page is wider than its window, and what reaches furthest.
() => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide <= 0) return null;
  const reach = (element) => element.getBoundingClientRect().right;
  const furthest = [...document.querySelectorAll("main *")].sort((a, b) => reach(b) - reach(a))[0];
  return [wide, furthest?.outerHTML.slice(0, 90)];
}
