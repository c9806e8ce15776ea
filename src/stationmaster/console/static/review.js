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

/** What was fetched once, for a part that is put in place anew: {id: {as, nodes}}, the nodes as a promise. */
const kept = {};

/** Show here what another page shows; its link stays where it can't be fetched. */
async function load(id) {
  const { load: address, as } = find(`#${id}[data-load]`)?.dataset ?? {};
  if (!address) return;
  if (!kept[id] || kept[id].as !== as) kept[id] = { as, nodes: fetched(address, id) };
  const mine = kept[id];
  const nodes = await mine.nodes;
  const place = find(`#${id}[data-load]`);
  if (nodes && place?.dataset.as === as) place.replaceChildren(...nodes);
  if (!nodes && kept[id] === mine) delete kept[id];
}

async function fetched(address, id) {
  try {
    const response = await fetch(address, { headers: { "X-Part": "1" }, credentials: "same-origin" });
    if (!response.ok) return null;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector(`#${id}`);
    return fresh && [...fresh.childNodes];
  } catch {
    return null;
  }
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
  document.addEventListener("live:put", () => load("result"));
  find("#problem")?.focus();
  if (location.hash === "#edit") edit();
  if (location.hash === "#reject") reject();
  load("thread");
  load("result");
}
