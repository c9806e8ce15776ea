// A line at the foot of the page; with an undo it stays for as long as the answer can be called back.

const place = document.getElementById("toasts");
let current = null;

function button(label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}

/** Show `text` for some seconds. `action` is {label, run}; the function that is returned takes the toast away. */
export function toast(text, { seconds = 6, action = null, countdown = false } = {}) {
  const line = document.createElement("div");
  line.className = "toast";
  const words = document.createElement("p");
  words.textContent = text;
  line.append(words);
  const ends = Date.now() + seconds * 1000;
  const close = () => { clearInterval(timer); line.remove(); if (current?.line === line) current = null; };
  if (countdown) {
    const left = document.createElement("span");
    left.className = "seconds";
    left.setAttribute("aria-hidden", "true");
    const fuse = document.createElement("span");
    fuse.className = "fuse";
    line.append(left, fuse);
    fuse.animate([{ transform: "scaleX(1)" }, { transform: "scaleX(0)" }], { duration: seconds * 1000, fill: "forwards" });
  }
  const timer = setInterval(() => {
    const left = Math.ceil((ends - Date.now()) / 1000);
    if (left <= 0) return close();
    const shown = line.querySelector(".seconds");
    if (shown) shown.textContent = `${left} s`;
  }, 200);
  if (action) {
    const run = async () => { close(); await action.run(); };
    line.append(button(action.label, run));
    current?.close();
    current = { line, close, run };
  }
  place.append(line);
  return close;
}

/** Run the action of the newest toast that has one; false if there is none. */
export function runNewest() {
  if (!current) return false;
  current.run();
  return true;
}
