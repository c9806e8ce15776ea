// Forms: what is typed is checked at once, what was changed is shown beside what it was, and one press sends once.
import { showDiff } from "./diff.js";

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const dirty = new Set();
let sending = false;

/** Boxes to tick are one field, and their fieldset is its control. */
export const fieldsOf = (form) => [...form.querySelectorAll("[data-field]")].map((box) => ({
  box, control: box.localName === "fieldset" ? box : box.querySelector("[name^='field:']"),
})).filter(({ control }) => control);

const boxes = (control) => [...control.querySelectorAll("[type=checkbox]")];
const ticked = (control, key) => boxes(control).filter((box) => box[key]).map((box) => box.value).join("\n");
const textOf = (control) => control.localName === "fieldset" ? ticked(control, "checked") : control.value;
const drawn = (control) => control.localName === "fieldset" ? ticked(control, "defaultChecked") : control.defaultValue;

/** Back to what was there before anything was typed, also where the page was drawn with what somebody typed. */
export function restore(control) {
  const text = control.dataset.initial;
  if (text === undefined) return;
  if (control.localName !== "fieldset") control.value = text;
  else for (const box of boxes(control)) box.checked = text.split("\n").includes(box.value);
}

/** What the question proposed; after a refusal the page holds what was typed, and this beside it. */
function initial(control) {
  if (control.dataset.initial !== undefined) return control.dataset.initial;
  if (control.localName !== "select") return drawn(control);
  return ([...control.options].find((option) => option.defaultSelected) ?? control.options[0])?.value ?? "";
}

/** 640 and 640.00 are the same number. */
export function isChanged(control) {
  const [now, before] = [textOf(control), initial(control)].map((text) => text.replace(/\r\n?/g, "\n"));
  if (control.dataset.number && NUMBER.test(now.trim()) && NUMBER.test(before)) return Number(now) !== Number(before);
  return now !== before;
}

/** What is wrong with the text, or "". The server checks again, and more. */
function wrong(box, control) {
  const text = textOf(control).trim();
  if (!text) return "";
  if (control.dataset.number && !NUMBER.test(text)) return `is no number: write digits only, as in ${control.dataset.number === "integer" ? "42" : "42.50"}`;
  if (control.dataset.number === "integer" && /[.eE]/.test(text)) return "is no whole number: write digits only, as in 42";
  const [least, most] = [control.dataset.least, control.dataset.most];
  if (least !== undefined && Number(text) < Number(least)) return `is out of range: write ${least} or more`;
  if (most !== undefined && Number(text) > Number(most)) return `is out of range: write ${most} or less`;
  const kind = box.querySelector("[data-as]");
  if (control.hasAttribute("data-json") || kind?.value === "json") {
    try { JSON.parse(text); } catch (error) { return `is no JSON: ${error.message}`; }
  }
  return "";
}

export function check({ box, control }) {
  const message = wrong(box, control);
  control.setCustomValidity(message && `${box.dataset.label} ${message}`);
  const place = box.querySelector("[data-checked]");
  place.hidden = !message;
  place.textContent = message;
  // What the server refused stays marked until it is typed over.
  const refused = box.querySelector(":scope > .error:not([data-checked])");
  if (refused && textOf(control) !== drawn(control)) refused.hidden = true;
  control.setAttribute("aria-invalid", String(Boolean(message) || Boolean(refused && !refused.hidden)));
  box.classList.toggle("changed", isChanged(control));
}

function showChanges(form) {
  const list = fieldsOf(form).filter(({ control }) => isChanged(control));
  if (list.length) dirty.add(form); else dirty.delete(form);
  if (!form.hasAttribute("data-editable")) return;
  const button = form.querySelector("[data-primary]");
  button.value = list.length ? button.dataset.edit : "approve";
  button.textContent = list.length ? button.dataset.changed : button.dataset.plain;
  form.querySelector("[data-twin]").hidden = true; // the primary button says the same
  form.querySelector("[data-reset]").hidden = !list.length;
  const place = form.querySelector("[data-changes]");
  place.hidden = !list.length;
  place.querySelector("dl").replaceChildren(...list.flatMap(({ box, control }) => {
    const name = document.createElement("dt");
    name.textContent = box.dataset.label;
    const diff = document.createElement("dd");
    showDiff(diff, initial(control), textOf(control));
    return [name, diff];
  }));
}

function start(form) {
  const update = () => { fieldsOf(form).forEach(check); showChanges(form); };
  form.addEventListener("input", update);
  form.addEventListener("change", update);
  form.addEventListener("reset", () => setTimeout(() => {
    for (const { control } of fieldsOf(form)) restore(control);
    update();
  }));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(form.querySelector("button[name=decision]"));
  });
  update();
}

/** The first field that can be edited, its fold opened. */
export function firstField() {
  const field = document.querySelector("#answers [data-field] :is(input, textarea, select)");
  field?.closest("details")?.setAttribute("open", "");
  return field;
}

export const isDirty = () => dirty.size > 0;

/** Whether leaving the page would lose something of this form. */
export function setDirty(form, is) {
  if (is) dirty.add(form); else dirty.delete(form);
}

/** The question is closed: nothing can be sent, and what was typed stays to be copied. */
export function closeForms() {
  for (const button of document.querySelectorAll("#answers button")) button.disabled = true;
  document.getElementById("answers").setAttribute("data-closed", "");
  dirty.clear();
}

export function startForms() {
  for (const form of document.querySelectorAll("form[data-answer]")) start(form);
  for (const form of document.querySelectorAll("form[method=post]")) {
    form.addEventListener("submit", (event) => {
      if (event.submitter?.hasAttribute("data-stays")) return; // a download: the page stays
      if (sending) { event.preventDefault(); return; }
      sending = true;
      dirty.clear();
      // After the form's data was collected: a disabled button's own value would not be sent.
      setTimeout(() => form.querySelectorAll("button").forEach((button) => { button.disabled = true; }));
    });
  }
  addEventListener("beforeunload", (event) => { if (isDirty()) event.preventDefault(); });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    sending = false;
    document.querySelectorAll("form button").forEach((button) => { button.disabled = false; });
  });
}
