// Texts and edges whose contrast is below WCAG 2 AA: against the nearest backgrounds, put over one another.
() => {
  const parse = (text) => {
    parse.canvas ??= Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
      .getContext("2d", { willReadFrequently: true });
    parse.canvas.clearRect(0, 0, 1, 1);
    parse.canvas.fillStyle = text;
    parse.canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = parse.canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((m, n) => n - m);
    return (x + 0.05) / (y + 0.05);
  };
  const poor = [];
  const tell = (what, element, found) => poor.push([what, element.outerHTML.slice(0, 90), +found.toFixed(2)]);
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.disabled) continue;
    const style = getComputedStyle(element);
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const field = element.matches("input:not([type=hidden]), select, textarea");
    if (own || field) {
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
      const behind = ground(element);
      const found = ratio(over(parse(style.color), behind), behind);
      if (found < (large ? 3 : 4.5)) tell("text", element, found);
    }
    if (field || element.matches("button:not(.quiet), .dot")) {
      const behind = ground(element.parentElement);
      const found = Math.max(ratio(parse(style.borderTopColor), behind), ratio(ground(element), behind));
      if (found < 3) tell("edge", element, found);
    }
  }
  return poor;
}
