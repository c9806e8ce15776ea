// Answers sent from the list, and the undo of any: the same routes as the forms', answered in JSON.
import { toast } from "./toast.js";
import { refresh } from "./live.js";

/** POST a form's fields; {ok, ...} or {ok: false, head, text}. A lost connection is a refusal that says so. */
async function post(path, fields) {
  try {
    const response = await fetch(path, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { Accept: "application/json", "X-CSRF-Token": document.body.dataset.csrf },
      credentials: "same-origin",
    });
    return await response.json();
  } catch {
    return { ok: false, head: "No answer from the console", text: "Look whether it was taken before you try again." };
  }
}

/** A key of 128 random bits: crypto.randomUUID is there only over https and on this machine. */
function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Answer one review; true if it was taken. The toast counts down until it leaves, with its undo. */
export async function decide(id, fields, title) {
  const told = await post(`/reviews/${id}/decide`, { ...fields, key: freshKey() });
  if (told.ok) {
    toast(`${told.said}: ${title}`, { seconds: told.undo_s || 4, countdown: told.undo_s > 0,
      action: told.undo_s > 0 ? { label: "Undo", run: () => undo(id, title) } : null });
  } else {
    toast([told.head, told.text].filter(Boolean).join(". "), { seconds: 9,
      action: { label: "Open", run: () => location.assign(`/reviews/${id}`) } });
  }
  refresh();
  return Boolean(told.ok);
}

export async function undo(id, title) {
  const told = await post(`/reviews/${id}/undo`, {});
  toast(told.ok ? `Undone, nothing was sent: ${title}` : [told.head, told.text].filter(Boolean).join(". "));
  refresh();
}

export async function claim(id, what) {
  const told = await post(`/reviews/${id}/${what}`, {});
  if (!told.ok) toast([told.head, told.text].filter(Boolean).join(". "));
  refresh();
}
