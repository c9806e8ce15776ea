// What a checker of accessibility would object to first: names, ids, landmarks, headings, tables.
() => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const byIds = (element, attribute) => (element.getAttribute(attribute) ?? "").split(" ").filter(Boolean);
  const said = (id) => document.getElementById(id)?.textContent ?? "";
  const name = (element) => (
    element.getAttribute("aria-label") ||
    [...(element.labels ?? [])].map((label) => label.textContent).join(" ") ||
    byIds(element, "aria-labelledby").map(said).join(" ") ||
    element.textContent || "").trim();
  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, dialog, [role=region], nav";
  for (const element of all(controls)) if (!name(element)) found.push(`no name: ${element.outerHTML.slice(0, 90)}`);
  for (const element of all("section, aside"))
    if (!element.matches("[aria-labelledby], [aria-label]")) found.push(`no label: ${element.outerHTML.slice(0, 90)}`);
  for (const attribute of ["aria-describedby", "aria-labelledby"])
    for (const element of all(`[${attribute}]`))
      for (const id of byIds(element, attribute)) if (!document.getElementById(id)) found.push(`points nowhere: ${id}`);
  const ids = all("[id]").map((element) => element.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) found.push(`id twice: ${id}`);
  for (const landmark of ["main", "h1"]) if (all(landmark).length !== 1) found.push(`${landmark} is not there once`);
  const headings = all("h1, h2, h3, h4, h5, h6").filter((element) => !element.closest("dialog, .prose"));
  headings.map((element) => +element.tagName[1]).forEach((level, place, levels) => {
    if (place && level > levels[place - 1] + 1) found.push(`heading jumps to h${level}`);
  });
  for (const element of all("th")) if (!element.hasAttribute("scope")) found.push("th without scope");
  for (const element of all("[tabindex]")) if (element.tabIndex > 0) found.push("tabindex above 0");
  if (!document.documentElement.lang || !document.title.trim()) found.push("no language or title");
  return found;
}
