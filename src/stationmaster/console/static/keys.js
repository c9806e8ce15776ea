// Keys that work on every page; pages add their own. Nothing is caught while somebody types.

const handlers = new Map();

/** Let `key` do something; the function returns false if it had nothing to do. */
export function onKey(key, act) {
  handlers.set(key, act);
}

export function typing(target) {
  return target.closest("input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]") !== null;
}

export function startKeys() {
  const keys = document.getElementById("keys");
  const open = () => keys.showModal();
  for (const button of document.querySelectorAll("[data-open-keys]")) {
    button.hidden = false;
    button.addEventListener("click", open);
  }
  onKey("?", open);
  onKey("i", () => location.assign(document.querySelector("[data-back]")?.href ?? "/"));
  onKey("/", () => {
    const search = document.querySelector("input[type=search]");
    search?.focus();
    search?.select();
    return Boolean(search);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && typing(event.target) && !document.querySelector("dialog[open]")) event.target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat && !"jk".includes(event.key)) return;
    if (typing(event.target) || document.querySelector("dialog[open]")) return;
    const act = handlers.get(event.key);
    if (act && act(event) !== false) event.preventDefault();
  });
}
