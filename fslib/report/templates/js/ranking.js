// The ranking for a choice of question, measure, classifier and data sets, computed from the answers
// that the page carries. `data.values[question][measure][classifier][dataset][method]` is a number,
// null where the method failed (ranked last) and false where it does not run or is not asked.

/** Who is ranked on what, and how: the rules of fslib/compare/ranking.py. */
function rankingOf(data, choice) {
  const measure = (dataset) => (choice.measure === "" ? data.judge[dataset] : choice.measure);
  const value = (dataset, method) =>
    data.values[choice.question][measure(dataset)]?.[choice.classifier]?.[dataset]?.[method] ?? null;
  const all = data.methods.map((_, m) => m), everywhere = data.datasets.map((_, d) => d);
  const competes = (m) => data.competes[choice.question].includes(m);
  const finished = (d, m) => typeof value(d, m) === "number";
  const competitor = (m) => data.roles[m] === "competitor" && competes(m);
  let datasets = everywhere.filter((d) => choice.datasets.has(data.datasets[d]) &&
    all.some((m) => competitor(m) && finished(d, m)));
  const absent = (m) => datasets.filter((d) => value(d, m) === false);
  const methods = all.filter((m) => competes(m) && !absent(m).length);
  if (methods.length) {
    datasets = datasets.filter((d) => methods.some((m) => competitor(m) && finished(d, m)));
  }
  const sign = (d) => data.measures.find((known) => known.name === measure(d)).sign;
  const ranks = datasets.map((d) => rankValues(methods.map((m) => value(d, m)), sign(d)));
  const mean = (numbers) => (numbers.length ? sum(numbers) / numbers.length : null);
  const over = (table, m) => mean(datasets.map((d) => table?.[d]?.[m]).filter((v) => typeof v === "number"));
  const rows = all.map((m) => ({
    method: data.methods[m],
    yardstick: !competes(m) && data.roles[m] !== "competitor",
    ranks: Object.fromEntries(datasets.map((d, i) => [d, ranks[i][methods.indexOf(m)]])),
    values: Object.fromEntries(datasets.map((d) => [d, value(d, m)])),
    meanRank: methods.includes(m) ? mean(ranks.map((row) => row[methods.indexOf(m)])) : null,
    value: mean(datasets.map((d) => value(d, m)).filter((v) => typeof v === "number")),
    size: choice.question === "set" ? over(data.size, m) : null,
    stability: choice.question === "set" ? over(data.stability, m) : null,
    seconds: geometric(datasets.map((d) => data.seconds[d][m]).filter((v) => typeof v === "number")),
    finished: datasets.filter((d) => finished(d, m)).length,
    groups: "",
    note: noteOn(data, choice, m, competes(m), absent(m)),
  })).filter((row) => row.meanRank !== null || row.finished || row.note);
  const place = (row) => (row.meanRank === null ? Infinity : Number(row.meanRank.toFixed(10)));
  const byName = (a, b) => (a.method < b.method ? -1 : a.method > b.method ? 1 : 0);
  rows.sort((a, b) => a.yardstick - b.yardstick || (place(a) - place(b) || 0) ||
    (b.value ?? -Infinity) - (a.value ?? -Infinity) || byName(a, b));
  const ranked = rows.filter((row) => row.meanRank !== null);
  const test = datasets.length > 1 && methods.length > 1
    ? { ...friedman(ranks), cd: criticalDifference(methods.length, datasets.length, data.alpha) } : null;
  if (test) {
    groupLetters(ranked.map((row) => row.meanRank), test.cd).forEach((l, i) => { ranked[i].groups = l; });
  }
  return { rows, ranked, datasets, test };
}

function geometric(numbers) {
  const logs = numbers.map((v) => Math.log(Math.max(v, 1e-6)));
  return logs.length ? Math.exp(sum(logs) / logs.length) : null;
}

function noteOn(data, choice, m, competes, absent) {
  if (competes) return absent.length ? `does not run on ${absent.map((d) => data.datasets[d]).join(", ")}` : "";
  return data.roles[m] === "competitor" ? "gives a set: not asked for its order" : "yardstick";
}

function rankingSentence(data, { ranked, datasets, test }) {
  const things = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  if (!ranked.length) return "No method can be ranked on these data sets.";
  const first = `Over ${things(datasets.length, "data set")} and ${things(ranked.length, "method")}, ` +
    `${ranked[0].method} ranks best with a mean rank of ${ranked[0].meanRank.toFixed(2)}`;
  if (!test) return `${first}; a test needs two data sets and two methods.`;
  const p = test.p < 0.001 ? "< 0.001" : `= ${test.p.toFixed(3)}`;
  const apart = ranked[ranked.length - 1].meanRank - ranked[0].meanRank > test.cd;
  const verdict = test.p >= data.alpha ? "the differences between methods are not significant"
    : `the methods differ significantly${apart ? "" : ", though no two of them can be told apart"}`;
  return `${first}; ${verdict} (Friedman, χ² = ${shortNumber(test.chi2)}, p ${p}). ` +
    `Critical difference ${test.cd.toFixed(2)} (Nemenyi, ${100 * data.alpha} %).`;
}

/** A body cell: what is read, and what is sorted by. */
function cell(text, value, kind = "number") {
  return make("td", { class: kind || false, "data-value": value ?? "" }, text);
}

function asText(value, kind) {
  if (value === null || value === undefined || value === false) return "–";
  if (kind === "percent") return `${(100 * value).toFixed(1)}\u00a0%`;
  if (kind === "seconds") {
    const [factor, unit] = value < 1 ? [1000, "ms"] : value < 120 ? [1, "s"] : value < 7200 ? [1 / 60, "min"] : [1 / 3600, "h"];
    return `${+(value * factor).toPrecision(3)}\u00a0${unit}`;
  }
  return value.toFixed(kind === "rank" ? 2 : kind === "one" ? 1 : 3);
}

/** How values of the chosen measure are written. */
function valueKind(data, choice) {
  const chosen = data.measures.find((m) => m.name === choice.measure);
  return (chosen?.percent ?? data.judgedInPercent) ? "percent" : "fixed";
}

function fillRankingTable(box, data, choice, found) {
  const kind = valueKind(data, choice);
  const rows = found.rows.map((row) => make("tr",
    { class: row.yardstick ? "yardstick" : false, "data-method": row.method },
    make("th", { scope: "row" }, row.method),
    cell(asText(row.meanRank, "rank"), row.meanRank),
    cell(row.groups, row.groups, ""),
    cell(asText(row.value, kind), row.value),
    cell(asText(row.size, "one"), row.size),
    cell(asText(row.stability, "fixed"), row.stability),
    cell(asText(row.seconds, "seconds"), row.seconds),
    cell(String(row.finished), row.finished),
    cell(row.note, row.note, "long")));
  box.querySelector("tbody").replaceChildren(...rows);
  filterRows(box);
}

/** Ranks and values of every method on every chosen data set, coloured from best to last. */
function fillRankGrid(box, data, choice, found) {
  const names = found.datasets.map((d) => data.datasets[d]), last = found.ranked.length;
  const kind = valueKind(data, choice);
  box.querySelector("thead").replaceChildren(make("tr", {}, make("th", { scope: "col" }, "method"),
    ...names.map((name) => make("th", { scope: "col", class: "number" }, name))));
  box.querySelector("tbody").replaceChildren(...found.ranked.map((row) => make("tr",
    { "data-method": row.method }, make("th", { scope: "row" }, row.method),
    ...found.datasets.map((d) => {
      const rank = row.ranks[d], share = last > 1 ? (last - rank) / (last - 1) : 1;
      return make("td", { class: "number heat", style: `--share: ${share.toFixed(2)}`,
        "data-value": rank, title: `${row.method} on ${data.datasets[d]}: ${asText(row.values[d], kind)}` },
      String(rank));
    }))));
  filterRows(box);
}

/** Demšar's diagram, drawn as fslib/compare/diagram.py draws it. */
function diagramOf({ ranked, test }) {
  const n = ranked.length, half = Math.ceil(n / 2), groups = groupsWithin(ranked.map((r) => r.meanRank), test.cd);
  const line = 13, names = ranked.map((row) => (row.method.length > 22 ? `${row.method.slice(0, 21)}…` : row.method));
  const widest = (list) => 16 + 5.6 * Math.max(0, ...list.map((name) => name.length));
  const left = widest(names.slice(0, half)), right = widest(names.slice(half)), width = 295;
  const unit = Math.min((width - left - right) / (n - 1), (width - 20) / test.cd);
  const origin = left + (width - left - right - unit * (n - 1)) / 2;
  const x = (rank) => origin + (rank - 1) * unit, top = 3.8 * line, bars = 0.55 * groups.length + 0.9;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${top + (bars + half + 0.6) * line}`);
  const add = (parent, tag, attributes, text = "") => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = text;
    parent.append(node);
    return node;
  };
  const draw = (parent, points, stroke, wide) => add(parent, "path", { fill: "none", stroke,
    "stroke-width": wide, d: "M" + points.map(([px, py]) => `${px.toFixed(2)} ${(top + py * line).toFixed(2)}`).join("L") });
  const write = (parent, px, py, text, anchor, fill = "var(--ink)") => add(parent, "text",
    { x: px.toFixed(2), y: (top + py * line + 3).toFixed(2), "text-anchor": anchor, fill, "font-size": 8.5 }, text);
  draw(svg, [[x(1), 0], [x(n), 0]], "var(--ink)", 1);
  for (let tick = 1; tick <= n; tick += Math.ceil(16 / unit)) {
    draw(svg, [[x(tick), 0], [x(tick), -0.3]], "var(--ink)", 1);
    write(svg, x(tick), -0.8, tick, "middle", "var(--muted)");
  }
  const middle = (x(1) + x(n)) / 2, reach = (test.cd * unit) / 2;
  draw(svg, [[middle - reach, -2.1], [middle + reach, -2.1]], "var(--ink)", 1.4);
  write(svg, middle, -2.9, `critical difference ${test.cd.toFixed(2)}`, "middle");
  groups.forEach(([first, last], i) => draw(svg,
    [[x(ranked[first].meanRank) - 2, 0.5 + 0.55 * i], [x(ranked[last].meanRank) + 2, 0.5 + 0.55 * i]], "#0072b2", 3));
  ranked.forEach((row, i) => {
    const group = add(svg, "g", { "data-method": row.method }), onLeft = i < half;
    const y = bars + (onLeft ? i : n - 1 - i), side = onLeft ? x(1) - 7 : x(n) + 7;
    draw(group, [[x(row.meanRank), 0], [x(row.meanRank), y], [side, y]], "var(--muted)", 0.8);
    write(group, side + (onLeft ? -3 : 3), y, names[i], onLeft ? "end" : "start");
  });
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Mean ranks: ${ranked.map((r) => `${r.method} ${r.meanRank.toFixed(2)}`).join(", ")}`);
  return svg;
}
