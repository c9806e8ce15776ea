// An assistant's settings: what was changed is marked as not saved and counted, and leaving the page asks first.
import { check, fieldsOf, isChanged, restore, setDirty } from "./form.js";

function start(form) {
  const count = form.querySelector("[data-count]");
  const reset = form.querySelector("[data-reset]");
  const update = () => {
    const fields = fieldsOf(form);
    fields.forEach(check);
    const changed = fields.filter(({ control }) => isChanged(control)).length;
    setDirty(form, changed > 0);
    count.textContent = changed ? `${changed} ${changed === 1 ? "setting is" : "settings are"} not saved` : "";
    reset.hidden = !changed;
  };
  form.addEventListener("input", update);
  form.addEventListener("change", update);
  form.addEventListener("reset", () => setTimeout(() => {
    for (const { control } of fieldsOf(form)) restore(control);
    update();
  }));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(form.querySelector("[data-primary]"));
  });
  update();
}

export function startSettings() {
  for (const form of document.querySelectorAll("form[data-settings]")) start(form);
}
