"use strict";
// Sorting and filtering are extras: without JavaScript every table is still whole.
const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

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
  const key = (row) => row.cells[column].dataset.value;
  body.append(...[...body.rows].sort((a, b) => compareCells(key(a), key(b), sign)));
}

function filterRows(table, text, output) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const content = row.textContent.toLowerCase();
    row.hidden = !wanted.every((word) => content.includes(word));
    shown += !row.hidden;
  }
  const all = table.tBodies[0].rows.length;
  output.textContent = shown === all ? `${all} rows` : `${shown} of ${all} rows`;
}

for (const box of document.querySelectorAll(".table")) {
  const table = box.querySelector("table");
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, head));
    head.append(button);
  }
  const bar = document.createElement("div"), input = document.createElement("input");
  const output = document.createElement("output");
  bar.className = "bar";
  input.type = "search";
  input.placeholder = "Filter rows";
  input.setAttribute("aria-label", `Filter rows of: ${box.dataset.name}`);
  input.addEventListener("input", () => filterRows(table, input.value, output));
  bar.append(input, output);
  box.querySelector(".scroll").before(bar);
  filterRows(table, "", output);
}

addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
