// Live: server-sent events say that something changed, then the page's live parts are fetched again. Without
// events the same is done every few seconds. A hidden tab holds no connection: browsers allow only six a host.
import { localTimes, showTimes } from "./times.js";

const POLL_MS = 5000;
const SETTLE_MS = 120;
const RETRY_EVENTS_MS = 30000;
const state = document.getElementById("live-state");
let source = null;
let polling = null;
let settling = null;
let running = false;
let again = false;

function say(tone, word) {
  if (state.dataset.tone === tone && state.textContent === word) return;
  const dot = document.createElement("span");
  dot.className = "dot";
  dot.setAttribute("aria-hidden", "true");
  state.dataset.tone = tone;
  state.hidden = false;
  state.replaceChildren(dot, document.createTextNode(word));
}

/** Fetch this page again and put its live parts in place. Calls while one is under way make one more, not many. */
export async function refresh() {
  if (running) { again = true; return; }
  running = true;
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    if (response.redirected && new URL(response.url).pathname.startsWith("/sign-in")) return signedOut();
    if (response.ok) put(new DOMParser().parseFromString(await response.text(), "text/html"));
  } catch {
    say("failed", "Offline: trying again");
    poll();
  } finally {
    running = false;
    if (again) { again = false; soon(); }
  }
}

function put(fresh) {
  for (const part of document.querySelectorAll("[id^=live-]:not(#live-state)")) {
    const next = fresh.getElementById(part.id);
    if (!next) continue;
    localTimes(next);
    showTimes(next);
    if (next.innerHTML === part.innerHTML) continue;
    const focused = part.contains(document.activeElement) ? keyOf(document.activeElement) : null;
    part.replaceChildren(...next.childNodes);
    if (focused) part.querySelector(focused)?.focus({ preventScroll: true });
  }
  document.title = fresh.title;
  document.dispatchEvent(new CustomEvent("live:put", { detail: fresh }));
}

/** How to find the focused element again in the part's next version. */
function keyOf(element) {
  const row = element.closest("[data-row]");
  if (row) return `[data-row="${CSS.escape(row.dataset.row)}"] a`;
  if (element.id) return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute("href");
  return href ? `[href="${CSS.escape(href)}"]` : element.localName;
}

function signedOut() {
  stop();
  say("failed", "Signed out");
  const link = document.createElement("a");
  link.href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = "sign in";
  state.append(": ", link);
}

function soon() {
  clearTimeout(settling);
  settling = setTimeout(refresh, SETTLE_MS);
}

function poll() {
  if (polling) return;
  polling = setInterval(refresh, POLL_MS);
  setTimeout(() => { if (polling && !document.hidden) listen(); }, RETRY_EVENTS_MS);
}

function listen() {
  source?.close();
  source = new EventSource(document.body.dataset.events);
  source.onopen = () => {
    clearInterval(polling);
    polling = null;
    say("done", "Live");
    soon();
  };
  source.addEventListener("review", (event) => { if (JSON.parse(event.data).action !== "seen") soon(); });
  source.addEventListener("reload", soon);
  source.addEventListener("signed_out", signedOut);
  source.onerror = () => {
    say("moving", `Every ${POLL_MS / 1000} s`);
    poll();
  };
}

function stop() {
  source?.close();
  source = null;
  clearInterval(polling);
  polling = null;
}

export function startLive() {
  if (!document.hidden) listen();
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : (listen(), soon())));
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => { if (event.persisted) { listen(); soon(); } });
}
