// One review: keys for its answers, the thread's messages fetched beside it, and what happens when it is closed
// by somebody else while it stands open here.
import { onKey } from "./keys.js";
import { firstField, isDirty, closeForms } from "./form.js";

const find = (selector) => document.querySelector(selector);

function press(selector) {
  const button = find(`${selector}:not([disabled])`);
  button?.click();
  return Boolean(button);
}

function reject() {
  const way = find(".other[data-destructive]");
  if (!way) return false;
  way.open = true;
  const field = way.querySelector("textarea, input:not([type=hidden])") ?? way.querySelector("button");
  field.focus();
  way.scrollIntoView({ block: "nearest" });
}

function edit() {
  const field = firstField();
  if (!field) return false;
  field.focus();
  field.scrollIntoView({ block: "center" });
}

async function loadThread() {
  const place = find("#thread[data-load]");
  if (!place) return;
  try {
    const response = await fetch(place.dataset.load, { headers: { "X-Part": "1" }, credentials: "same-origin" });
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("#thread");
    if (fresh) place.replaceChildren(...fresh.childNodes);
  } catch { /* the link stays */ }
}

function closedMeanwhile(event) {
  const split = find("[data-review]");
  const state = event.detail.querySelector("[data-review]")?.dataset.state;
  if (!state || state === split.dataset.state) return;
  const wasOpen = split.dataset.state === "open";
  split.dataset.state = state;
  if (wasOpen && find("#answers")) {
    closeForms();
    find("#live-standing").scrollIntoView({ block: "nearest" });
  } else if (state === "open" && !isDirty()) {
    location.reload();
  }
}

export function startReview() {
  onKey("a", () => press("[data-primary]"));
  onKey("e", edit);
  onKey("r", reject);
  onKey("u", () => press("[data-undo]"));
  onKey("c", () => press("[data-claim]"));
  onKey("n", () => press("[data-next]"));
  document.addEventListener("live:put", closedMeanwhile);
  find("#problem")?.focus();
  if (location.hash === "#edit") edit();
  if (location.hash === "#reject") reject();
  loadThread();
}
