// What was and what is, word by word. Built of text nodes: nothing of it is ever read as HTML.

const MOST = 1500;

function common(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i][j] = before[i] === after[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  return lengths;
}

/** [["same" | "del" | "ins", text], ...] */
export function diff(before, after) {
  const split = (text) => text.match(/\s+|[^\s]+/g) ?? [];
  const [a, b] = [split(before), split(after)];
  if (a.length > MOST || b.length > MOST || !a.length || !b.length) return [["del", before], ["ins", after]].filter(([, text]) => text);
  const lengths = common(a, b);
  const parts = [];
  const add = (kind, text) => {
    const last = parts.at(-1);
    if (last?.[0] === kind) last[1] += text; else parts.push([kind, text]);
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add("same", a[i]); i++; j++; }
    else if (i < a.length && (j >= b.length || lengths[i + 1][j] >= lengths[i][j + 1])) add("del", a[i++]);
    else add("ins", b[j++]);
  }
  return parts;
}

export function showDiff(place, before, after) {
  const parts = diff(before, after);
  if (parts.length === 2 && parts[0][0] === "del" && parts[1][0] === "ins") parts.splice(1, 0, ["same", " → "]);
  place.replaceChildren(...parts.map(([kind, text]) => {
    if (kind === "same") return document.createTextNode(text);
    const mark = document.createElement(kind);
    mark.textContent = text;
    return mark;
  }));
}
