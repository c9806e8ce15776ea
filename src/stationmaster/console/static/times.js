// Ages and countdowns go on while the page stands open; clock times are shown in the reader's own zone.

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });

/** `40 s`, `12 min`, `3 h`, `5 d`: as the server says it. */
export function span(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  return whole < 172800 ? `${Math.floor(whole / 3600)} h` : `${Math.floor(whole / 86400)} d`;
}

function seconds(element, attribute = "datetime") {
  return (Date.now() - Date.parse(element.getAttribute(attribute))) / 1000;
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function due(element) {
  const late = seconds(element);
  element.dataset.urgency = late >= 0 ? "overdue" : late > -3600 ? "soon" : "later";
  say(element, late >= 0 ? `Overdue ${span(late)}` : `in ${span(-late)}`);
}

export function showTimes(root = document) {
  for (const element of root.querySelectorAll("time[data-span]")) say(element, span(seconds(element)));
  for (const element of root.querySelectorAll("time[data-ago]")) {
    const past = seconds(element);
    say(element, past < 5 ? "just now" : `${span(past)} ago`);
  }
  for (const element of root.querySelectorAll("time.due")) due(element);
  for (const element of root.querySelectorAll("[data-countdown]")) {
    const left = -seconds(element, "data-countdown");
    say(element, left > 0 ? `${Math.ceil(left)} s` : "a moment");
    if (left <= 0) element.closest("form")?.querySelector("button")?.setAttribute("disabled", "");
  }
}

export function localTimes(root = document) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    if (element.closest(".step-at")) say(element, CLOCK.format(at));
    element.title = element.title.startsWith("Asked") ? `Asked ${WHOLE.format(at)}` : WHOLE.format(at);
  }
}

export function startTimes() {
  localTimes();
  showTimes();
  setInterval(showTimes, 1000);
}
