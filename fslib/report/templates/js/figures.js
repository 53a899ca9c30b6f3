// Figures are drawn beforehand. Their marks carry the names of methods (data-method, data-band) and
// their axes the limits (data-axes), so that values can be read back from what is drawn.

const SVG = "http://www.w3.org/2000/svg";

/** Marks of a panel in the figure's own units, with the method of each. */
function marksOf(panel) {
  panel.marks ??= [...panel.querySelectorAll("[data-method]")].flatMap((group) => {
    const line = group.querySelector(":scope > path");
    const points = line
      ? [...line.getAttribute("d").matchAll(/[ML]\s*(-?[\d.]+)[ ,](-?[\d.]+)/g)].map((m) => [+m[1], +m[2]])
      : [...group.querySelectorAll("use")].map((u) => [+u.getAttribute("x"), +u.getAttribute("y")]);
    return points.map(([x, y]) => ({ method: group.dataset.method, x, y }));
  });
  return panel.marks;
}

/** Values at a point of a panel: each axis is [scale, low, high, label]. */
function readBack(panel, point) {
  const area = panel.querySelector("path").getBBox(); // matplotlib draws the panel's ground first
  const shares = [(point.x - area.x) / area.width, 1 - (point.y - area.y) / area.height];
  return JSON.parse(panel.dataset.axes).map(([scale, low, high, label], i) => {
    const value = scale === "log" ? low * (high / low) ** shares[i] : low + shares[i] * (high - low);
    return { label, value };
  });
}

function nearestMark(svg, event) {
  const panel = event.target.closest?.("[data-axes]");
  if (!panel) return null;
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const far = (mark) => Math.hypot(mark.x - at.x, mark.y - at.y);
  const lit = svg.closest(".study").querySelector(".on") ? (m) => highlighted.has(m.method) : () => true;
  const mark = marksOf(panel).filter(lit).reduce((a, b) => (a && far(a) <= far(b) ? a : b), null);
  return mark && far(mark) < 14 ? { panel, mark } : null;
}

function shortNumber(value) {
  const digits = Math.abs(value) >= 1 && Math.abs(value - Math.round(value)) < 0.005 ? 0 : 3;
  return Math.abs(value) >= 1 ? String(+value.toFixed(digits)) : String(+value.toPrecision(3));
}

function equipFigure(figure, tip) {
  const svg = figure.querySelector("svg"), caption = figure.querySelector("figcaption");
  svg.addEventListener("pointermove", (event) => {
    const found = nearestMark(svg, event);
    tip.hidden = !found;
    if (!found) return;
    const values = readBack(found.panel, found.mark).filter((axis) => axis.label);
    tip.textContent = `${found.mark.method}: ` +
      values.map((axis) => `${axis.label} ${shortNumber(axis.value)}`).join(", ");
    tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.clientY + 14}px`;
  });
  svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  svg.addEventListener("click", (event) => {
    const method = event.target.closest("[data-method]")?.dataset.method ?? nearestMark(svg, event)?.mark.method;
    if (method) toggleMethod(method);
  });
  const name = svg.getAttribute("aria-label");
  caption.append(" ", make("button", { type: "button", class: "quiet-button",
    "aria-label": `Download as SVG: ${name}`,
    onclick: () => download(fileName(figure.dataset.name, ".svg"), "image/svg+xml",
      standaloneSvg(figure.querySelector("svg"))) }, "SVG"));
}

/** The figure as a file of its own, with the light colours and a font in place of the page's. */
function standaloneSvg(svg) {
  const light = { "--card": "#ffffff", "--ink": "#1d2430", "--muted": "#5b6573", "--rule": "#c9d0d9",
    "--crowd": "#98a1ad" };
  const own = svg.cloneNode(true);
  own.style.fontFamily = "DejaVu Sans, sans-serif";
  const text = new XMLSerializer().serializeToString(own);
  return `<?xml version="1.0" encoding="utf-8"?>\n` +
    text.replace(/var\((--\w+)\)/g, (whole, name) => light[name] ?? whole);
}

const highlighted = new Set();

/** Show a method, or no longer, in every figure and table of the page. */
function toggleMethod(method) {
  if (!highlighted.delete(method)) highlighted.add(method);
  showHighlights();
  writeAddress();
}

function showHighlights() {
  document.body.classList.toggle("highlighting", highlighted.size > 0);
  const concerned = highlighted.size ? "[data-method], [data-band]" : ".on"; // all, or what was lit
  for (const node of document.querySelectorAll(concerned)) {
    const on = highlighted.has(node.dataset.method ?? node.dataset.band);
    node.classList.toggle("on", on);
    if (node.matches("button")) node.setAttribute("aria-pressed", on);
    if (on && node.matches("[data-axes] > g")) node.parentNode.append(node); // above the others
  }
}
