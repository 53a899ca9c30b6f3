// Sorting, filtering and taking tables home are extras: without JavaScript every table is whole.

const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** An element with attributes and children; `on…` attributes are listeners. */
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** What a cell is sorted and exported by; its text where nothing else is said. */
function cellValue(cell) { return cell.dataset.value ?? cell.textContent.trim(); }

function compareCells(a, b, sign) {
  if (a === "" || b === "") return (a === "") - (b === ""); // missing values stay last
  const x = Number(a), y = Number(b);
  return sign * (Number.isNaN(x) || Number.isNaN(y) ? words.compare(a, b) : x - y);
}

function sortBy(table, head) {
  const ascending = head.getAttribute("aria-sort") !== "ascending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = table.tBodies[0], column = head.cellIndex, sign = ascending ? 1 : -1;
  const key = (row) => cellValue(row.cells[column]);
  body.append(...[...body.rows].sort((a, b) => compareCells(key(a), key(b), sign)));
}

function filterRows(box) {
  const wanted = box.querySelector(".bar input").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [...box.querySelector("tbody").rows];
  for (const row of rows) {
    const matches = (content) => wanted.every((word) => content.includes(word));
    row.hidden = row.classList.contains("unchosen") ||
      (wanted.length > 0 && !matches(row.textContent.toLowerCase()));
  }
  const shown = rows.filter((row) => !row.hidden).length;
  const said = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
  box.querySelector(".bar output").textContent = said;
}

/** Heads and visible rows of a table; cells as text, or as the values behind the text. */
function tableCells(table, asValues) {
  const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
  const heads = [...table.tHead.rows].map((row) => spread(row, (cell) => cell.textContent.trim()));
  const body = rows.map((row) =>
    spread(row, (cell) => (asValues ? cellValue(cell) : cell.textContent.trim().replace(/\s+/g, " "))));
  return { heads, body };
}

/** Cells of a row; a cell over several columns is repeated, so that columns stay under heads. */
function spread(row, text) {
  return [...row.cells].flatMap((cell) => Array(cell.colSpan).fill(text(cell)));
}

function tableAsCsv(table) {
  const { heads, body } = tableCells(table, true);
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [...heads, ...body].map((row) => row.map(quoted).join(",") + "\n").join("");
}

function tableAsLatex(table) {
  const { heads, body } = tableCells(table, false);
  const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
    "−": "$-$", "±": "$\\pm$", "≈": "$\\approx$", "≠": "$\\neq$", "–": "--", "<": "$<$", ">": "$>$" };
  const escaped = (text) => text.replace(/[\\~^−±≈≠–<>]|[&%$#_{}]/g, (c) => special[c] ?? `\\${c}`);
  const lines = (rows) => rows.map((row) => row.map(escaped).join(" & ") + " \\\\").join("\n");
  const numeric = [...(table.tBodies[0].rows[0]?.cells ?? [])].flatMap((cell) =>
    Array(cell.colSpan).fill(cell.classList.contains("number") ? "r" : "l"));
  return `\\begin{tabular}{${numeric.join("")}}\n\\hline\n${lines(heads)}\n\\hline\n` +
    `${lines(body)}\n\\hline\n\\end{tabular}\n`;
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function fileName(text, ending) {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "") + ending;
}

function equipTable(box) {
  const table = box.querySelector("table"), name = box.dataset.name;
  for (const head of table.dataset.sort === "no" ? [] : table.tHead.rows[0].cells) {
    head.replaceChildren(make("button", { type: "button", onclick: () => sortBy(table, head) },
      ...head.childNodes));
  }
  const save = (label, ending, type, written) => make("button",
    { type: "button", class: "quiet-button", "aria-label": `Download as ${label}: ${name}`,
      onclick: () => download(fileName(name, ending), type, written(table)) }, label);
  box.querySelector(".scroll").before(make("div", { class: "bar" },
    make("input", { type: "search", placeholder: "Filter rows",
      "aria-label": `Filter rows of: ${name}`, oninput: () => filterRows(box) }),
    make("output"),
    save("CSV", ".csv", "text/csv", tableAsCsv), save("LaTeX", ".tex", "text/x-tex", tableAsLatex)));
  filterRows(box);
}
