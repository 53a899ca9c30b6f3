// What a visitor may choose, and the address that keeps the choice:
// #<anchor>&<study>.question=order&<study>.data=wine,lucas&method=jmi

const studies = new Map(); // study id → { data, choice, own }

function ownChoice(data) {
  return { question: "set", measure: "", classifier: "all", datasets: new Set(data.datasets) };
}

function isOwn(data, choice) {
  return choice.question === "set" && choice.measure === "" && choice.classifier === "all" &&
    choice.datasets.size === data.datasets.length;
}

/** What each part of the choice may be. */
function options(data) {
  return { question: ["set", "order"], classifier: data.classifiers,
    measure: ["", ...data.measures.map((m) => m.name)] };
}

/** Everything of a study that follows from its choice. */
function showStudy(id) {
  const { data, choice } = studies.get(id), article = document.getElementById(id);
  const found = rankingOf(data, choice), own = isOwn(data, choice);
  article.querySelector(".outcome").textContent = rankingSentence(data, found);
  fillRankingTable(article.querySelector(".table.ranking"), data, choice, found);
  fillRankGrid(article.querySelector(".table.rank-grid"), data, choice, found);
  for (const figure of article.querySelectorAll("figure.of-own-choice")) figure.hidden = !own;
  const live = article.querySelector("figure.live");
  live.hidden = own || !found.test;
  if (!live.hidden) live.querySelector("svg").replaceWith(diagramOf(found));
  for (const node of article.querySelectorAll("[data-dataset]")) {
    const chosen = choice.datasets.has(node.dataset.dataset);
    if (node.matches("tr")) node.classList.toggle("unchosen", !chosen);
    else node.hidden = !chosen;
  }
  for (const box of article.querySelectorAll(".table")) if (box.querySelector("tr[data-dataset]")) filterRows(box);
  showHighlights();
}

/** The form that makes the choice. */
function choiceForm(id) {
  const { data, choice } = studies.get(id), changed = () => { showStudy(id); writeAddress(); };
  const menu = (label, name, options) => make("label", {}, label, make("select",
    { name, onchange: (event) => { choice[name] = event.target.value; changed(); } },
    ...options.map(([value, text]) => make("option", { value }, text))));
  const boxes = data.datasets.map((name) => make("label", { class: "tick" }, make("input",
    { type: "checkbox", name: "datasets", value: name, onchange: (event) => {
      choice.datasets[event.target.checked ? "add" : "delete"](name);
      changed();
    } }), name));
  const all = (names) => () => { choice.datasets = new Set(names); fillForm(id); changed(); };
  return [
    menu("Question", "question", [["set", "1. How good is the set it gives you?"], ["order", "2. How good is its order?"]]),
    menu("Measure", "measure", [["", "as the study judges"], ...data.measures.map((m) => [m.name, m.title])]),
    menu("Classifier", "classifier", data.classifiers.map((c) => [c, c === "all" ? "mean of all" : c])),
    make("fieldset", {}, make("legend", {}, "Data sets"),
      make("button", { type: "button", class: "quiet-button", onclick: all(data.datasets) }, "all"),
      make("button", { type: "button", class: "quiet-button", onclick: all([]) }, "none"), ...boxes),
    make("p", { class: "quiet small" }, "Ranking, ranks and diagram follow this choice. The other " +
      "sections show the chosen data sets, with all classifiers, as the study was judged."),
    make("fieldset", {}, make("legend", {}, "Highlight"), ...data.methods.map((name) => make("button",
      { type: "button", class: "method", "data-method": name, "aria-pressed": "false",
        onclick: () => toggleMethod(name) }, name))),
  ];
}

function fillForm(id) {
  const { choice } = studies.get(id), form = document.querySelector(`form[data-study="${id}"]`);
  for (const name of ["question", "measure", "classifier"]) form.elements[name].value = choice[name];
  for (const box of form.querySelectorAll("[name=datasets]")) box.checked = choice.datasets.has(box.value);
}

function writeAddress() {
  const parts = [location.hash.slice(1).split("&")[0]];
  for (const [id, { data, choice }] of studies) {
    const number = id.replace("study-", ""), own = ownChoice(data);
    for (const name of ["question", "measure", "classifier"]) {
      if (choice[name] !== own[name]) parts.push(`${number}.${name}=${encodeURIComponent(choice[name])}`);
    }
    if (choice.datasets.size !== data.datasets.length) {
      parts.push(`${number}.data=${[...choice.datasets].map(encodeURIComponent).join(",")}`);
    }
  }
  for (const method of highlighted) parts.push(`method=${encodeURIComponent(method)}`);
  history.replaceState(null, "", parts.length > 1 || parts[0] ? `#${parts.join("&")}` : location.pathname);
}

function readAddress() {
  const [anchor, ...parts] = location.hash.slice(1).split("&");
  highlighted.clear();
  for (const study of studies.values()) study.choice = Object.assign(study.choice, ownChoice(study.data));
  for (const part of parts) {
    const [key, text = ""] = part.split("="), [number, name] = key.split(".");
    const study = studies.get(`study-${number}`);
    if (key === "method") highlighted.add(decodeURIComponent(text));
    else if (study && name === "data") {
      const wanted = text.split(",").map(decodeURIComponent);
      study.choice.datasets = new Set(study.data.datasets.filter((d) => wanted.includes(d)));
    } else if (study && options(study.data)[name]?.includes(decodeURIComponent(text))) {
      study.choice[name] = decodeURIComponent(text);
    }
  }
  for (const id of studies.keys()) { fillForm(id); showStudy(id); }
  showHighlights();
  if (parts.length) document.getElementById(anchor)?.scrollIntoView();
}

for (const box of document.querySelectorAll(".table")) equipTable(box);
const tip = make("div", { class: "tip", role: "status", hidden: "" });
document.body.append(tip);
for (const figure of document.querySelectorAll("figure")) equipFigure(figure, tip);
for (const script of document.querySelectorAll("script[type='application/json']")) {
  const id = script.dataset.study, data = JSON.parse(script.textContent);
  studies.set(id, { data, choice: ownChoice(data) });
  const form = document.querySelector(`form[data-study="${id}"]`);
  form.append(...choiceForm(id));
  form.hidden = false;
  document.getElementById(id).querySelector(".table.rank-grid").hidden = false;
}
readAddress();
addEventListener("hashchange", () => {
  // A link to a section has no choice in it: the choice made stays.
  if (location.hash.includes("&") || !location.hash) readAddress();
  else writeAddress();
});
document.addEventListener("click", (event) => {
  const cell = event.target.closest("tbody th, tbody td"), method = cell?.parentNode.dataset.method;
  if (method && cell.textContent === method) toggleMethod(method);
});
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
