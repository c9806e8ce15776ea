// Keyboard triage of the list: j and k move, Enter opens, a/e/r answer; filters apply as they are set.
import { onKey } from "./keys.js";
import { claim, decide } from "./send.js";
import { runNewest, toast } from "./toast.js";

const LAST = "inbox:last";
const rows = () => [...document.querySelectorAll("tr[data-row]")];
const link = (row) => row.querySelector(".title");
let selected = null;
let known = new Set();

function select(row, { focus = true } = {}) {
  for (const other of rows()) other.toggleAttribute("data-selected", other === row);
  selected = row?.dataset.row ?? null;
  if (!row) return;
  sessionStorage.setItem(LAST, selected);
  if (focus) link(row).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function current() {
  return rows().find((row) => row.dataset.row === selected) ?? null;
}

function move(step) {
  const all = rows();
  if (!all.length) return false;
  const at = all.indexOf(current());
  select(all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))]);
}

function open(hash = "") {
  const row = current();
  if (!row) return false;
  location.assign(link(row).href + hash);
}

function leave(row) {
  const all = rows();
  const at = all.indexOf(row);
  row.setAttribute("data-leaving", "");
  select(all[at + 1] ?? all[at - 1] ?? null);
}

/** Answer the row's review: it leaves the list at once, and is back if the answer was not taken, whatever went wrong. */
async function answer(row, fields) {
  leave(row);
  let taken = false;
  try {
    taken = await decide(row.dataset.row, { ...fields, digest: row.dataset.digest }, link(row).textContent);
  } catch (error) {
    toast(`Not sent: ${error.message}`);
  }
  if (!taken) row.removeAttribute("data-leaving");
}

async function approve() {
  const row = current();
  if (!row || row.dataset.state !== "open" || row.hasAttribute("data-leaving")) return Boolean(row);
  if (row.hasAttribute("data-careful")) {
    toast("High risk, or two people: open it to approve", { action: { label: "Open", run: () => location.assign(link(row).href) } });
    return;
  }
  await answer(row, { decision: "approve" });
}

function reject() {
  const row = current();
  if (!row || row.dataset.state !== "open") return Boolean(row);
  const dialog = document.getElementById("reject-dialog");
  dialog.dataset.row = row.dataset.row;
  dialog.querySelector("[data-asked]").textContent = link(row).textContent;
  dialog.querySelector("textarea").value = "";
  dialog.querySelector("[data-error]").hidden = true;
  dialog.showModal();
  dialog.querySelector("textarea").focus();
}

function startReject() {
  const dialog = document.getElementById("reject-dialog");
  const text = dialog.querySelector("textarea");
  const error = dialog.querySelector("[data-error]");
  const send = async () => {
    if (!text.value.trim()) {
      error.textContent = "Say why: the graph is told, and so is whoever reads the history.";
      error.hidden = false;
      text.focus();
      return;
    }
    dialog.close();
    const row = rows().find((found) => found.dataset.row === dialog.dataset.row);
    if (!row) return;
    await answer(row, { decision: "reject", reason: text.value });
  };
  dialog.querySelector("[data-send]").addEventListener("click", send);
  text.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(); });
}

function startFilters() {
  const form = document.getElementById("filters");
  const apply = () => {
    const filled = [...new FormData(form)].filter(([, value]) => value !== "");
    const query = new URLSearchParams(filled).toString();
    location.assign(query ? `/?${query}` : "/");
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); apply(); });
  for (const input of form.querySelectorAll("select, .amount input")) input.addEventListener("change", apply);
  form.querySelector("[type=search]").addEventListener("search", apply);
}

function markFresh() {
  for (const row of rows()) if (!known.has(row.dataset.row)) row.classList.add("fresh");
  known = new Set(rows().map((row) => row.dataset.row));
  const row = current();
  if (row) row.setAttribute("data-selected", "");
  else selected = null;
}

export function startInbox() {
  known = new Set(rows().map((row) => row.dataset.row));
  onKey("j", () => move(1));
  onKey("k", () => move(-1));
  onKey("Enter", (event) => (event.target.closest("a, button, summary") ? false : open()));
  onKey("e", () => open("#edit"));
  onKey("a", () => { if (!current()) return false; approve(); });
  onKey("r", reject);
  onKey("u", runNewest);
  onKey("c", () => {
    const row = current();
    if (!row) return false;
    claim(row.dataset.row, row.hasAttribute("data-mine") ? "release" : "claim");
  });
  document.addEventListener("focusin", (event) => {
    const row = event.target.closest?.("tr[data-row]");
    if (row && row.dataset.row !== selected) select(row, { focus: false });
  });
  document.addEventListener("live:put", markFresh);
  const last = rows().find((row) => row.dataset.row === sessionStorage.getItem(LAST));
  if (last && performance.getEntriesByType("navigation")[0]?.type === "back_forward") select(last);
  startReject();
  startFilters();
}
