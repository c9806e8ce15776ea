// Try it: the message goes to both sides at once, and what they say appears as it comes. A failure to stream is told;
// the form itself works without this script.

function piece(side, node) {
  const heard = side.querySelector("[data-heard]");
  const last = heard.lastElementChild;
  if (last?.dataset.node === node) return last.querySelector(".piece-text");
  const made = document.createElement("div");
  made.className = "piece";
  made.dataset.node = node;
  const name = Object.assign(document.createElement("p"), { className: "piece-node", textContent: node });
  const text = Object.assign(document.createElement("p"), { className: "piece-text" });
  made.append(name, text);
  heard.append(made);
  return text;
}

function end(side, state, words) {
  const ending = side.querySelector("[data-ending]");
  ending.dataset.state = state;
  ending.textContent = words;
  side.removeAttribute("data-busy");
}

function tell(sides, event) {
  const side = sides.get(event.side);
  if (!side) return;
  if (event.kind === "text") piece(side, event.node).textContent += event.text;
  if (event.kind === "step") {
    const steps = side.querySelector("[data-steps]");
    steps.textContent += steps.textContent.trim() ? ` → ${event.node}` : event.node;
  }
  if (event.kind === "ended") end(side, event.state, event.words);
}

function clear(side) {
  side.querySelector("[data-heard]").replaceChildren();
  side.querySelector("[data-steps]").textContent = "";
  const ending = side.querySelector("[data-ending]");
  ending.textContent = "";
  delete ending.dataset.state;
  side.setAttribute("data-busy", "");
}

async function* lines(body) {
  let rest = "";
  for await (const chunk of chunks(body.pipeThrough(new TextDecoderStream()))) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    yield* parts.filter(Boolean).map(JSON.parse);
  }
}

/** Not every browser iterates over a stream. */
async function* chunks(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function send(form, sides) {
  const button = form.querySelector("button.primary");
  button.disabled = true;
  sides.forEach(clear);
  try {
    const response = await fetch(form.dataset.stream, {
      method: "POST", body: new URLSearchParams(new FormData(form)), credentials: "same-origin",
      headers: { Accept: "application/json", "X-CSRF-Token": document.body.dataset.csrf },
    });
    if (!response.ok || !response.headers.get("content-type").startsWith("application/x-ndjson")) {
      const told = response.headers.get("content-type")?.startsWith("application/json") ? await response.json() : {};
      throw new Error(told.text ?? `The console answered ${response.status}.`);
    }
    for await (const event of lines(response.body)) tell(sides, event);
    for (const side of sides.values()) if (side.hasAttribute("data-busy")) end(side, "failed", "It broke off: send it again.");
  } catch (error) {
    for (const side of sides.values()) if (side.hasAttribute("data-busy")) end(side, "failed", error.message);
  } finally {
    button.disabled = false;
  }
}

export function startTrial() {
  const form = document.querySelector("form[data-stream]");
  if (!form) return;
  const sides = new Map([...document.querySelectorAll("[data-side].side")].map((side) => [side.dataset.side, side]));
  // Before the handler that lets a form be sent once: this one may be sent again and again.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!form.querySelector("button.primary").disabled) send(form, sides);
  }, { capture: true });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
