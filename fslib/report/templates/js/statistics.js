// Ranks over data sets and whether they differ: the tests of fslib/compare/statistics.py, for any
// choice of data sets. Pure functions; a test holds them against the Python values.

/** Ranks of values, 1 is best; ties share their mean rank, null (failed) comes last. */
function rankValues(values, sign) {
  const keys = values.map((v) => (v === null ? Infinity : -sign * Number(v.toFixed(10))));
  return keys.map((key) => {
    const better = keys.filter((other) => other < key).length;
    const equal = keys.filter((other) => other === key).length;
    return better + (equal + 1) / 2;
  });
}

/** Friedman's chi-squared and Iman and Davenport's F with its p value; one row of ranks per data set. */
function friedman(ranks) {
  const n = ranks.length, k = ranks[0].length, middle = (k + 1) / 2;
  const spread = sum(ranks.flat().map((r) => (r - middle) ** 2));
  if (spread === 0) return { chi2: 0, f: 0, p: 1 };
  const totals = ranks[0].map((_, j) => sum(ranks.map((row) => row[j])));
  const chi2 = ((k - 1) * sum(totals.map((t) => (t - n * middle) ** 2))) / spread;
  const rest = n * (k - 1) - chi2;
  if (rest <= 1e-9) return { chi2, f: Infinity, p: 0 };
  const f = ((n - 1) * chi2) / rest;
  return { chi2, f, p: fTail(f, k - 1, (k - 1) * (n - 1)) };
}

/** Nemenyi's smallest significant difference of mean ranks. */
function criticalDifference(methods, datasets, alpha) {
  let low = 0, high = 20;
  for (let i = 0; i < 60; i++) {
    const q = (low + high) / 2;
    if (rangeProbability(q, methods) < 1 - alpha) low = q;
    else high = q;
  }
  return (low / Math.SQRT2) * Math.sqrt((methods * (methods + 1)) / (6 * datasets));
}

/** Largest runs [first, last] of neighbours in sorted mean ranks that span at most a difference. */
function groupsWithin(means, difference) {
  const runs = [];
  means.forEach((mean, first) => {
    const last = means.findLastIndex((other) => other <= mean + difference + 1e-12);
    if (last > first && (!runs.length || last > runs.at(-1)[1])) runs.push([first, last]);
  });
  return runs;
}

/** A letter per group, joined for each method; a method in no group has a letter of its own. */
function groupLetters(means, difference) {
  const runs = groupsWithin(means, difference);
  means.forEach((_, i) => {
    if (!runs.some(([first, last]) => first <= i && i <= last)) runs.push([i, i]);
  });
  runs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const letter = (i) => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] ?? `(${i})`;
  return means.map((_, i) =>
    runs.map(([first, last], j) => (first <= i && i <= last ? letter(j) : "")).join(""));
}

function sum(numbers) { return numbers.reduce((a, b) => a + b, 0); }

/** P(range of k standard normal values <= q): k times the integral of phi(z) (Phi(z) - Phi(z - q))^(k-1). */
function rangeProbability(q, k) {
  const steps = 400, from = -8, to = 8 + q, h = (to - from) / steps;
  let total = 0;
  for (let i = 0; i <= steps; i++) {
    const z = from + i * h, weight = i === 0 || i === steps ? 1 : i % 2 ? 4 : 2; // Simpson
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    total += weight * density * (normal(z) - normal(z - q)) ** (k - 1);
  }
  return (k * total * h) / 3;
}

/** The standard normal distribution function, by its series and, in the tails, a continued fraction. */
function normal(z) {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(z) > 5) {
    const x = Math.abs(z);
    let fraction = x;
    for (let i = 40; i > 0; i--) fraction = x + i / fraction;
    return z > 0 ? 1 - density / fraction : density / fraction;
  }
  let term = z, series = z;
  for (let i = 3; Math.abs(term) > 1e-17; i += 2) series += term *= (z * z) / i;
  return 0.5 + density * series;
}

/** P(F > f) with a and b degrees of freedom. */
function fTail(f, a, b) { return incompleteBeta(b / (b + a * f), b / 2, a / 2); }

/** The regularised incomplete beta function, by Lentz's continued fraction. */
function incompleteBeta(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const tiny = 1e-300, guard = (v) => (Math.abs(v) < tiny ? tiny : v);
  let c = 1, d = 1 / guard(1 - ((a + b) * x) / (a + 1)), fraction = d;
  for (let m = 1; m < 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const step of [even, odd]) {
      d = 1 / guard(1 + step * d);
      c = guard(1 + step / c);
      change = c * d;
      fraction *= change;
    }
    if (Math.abs(change - 1) < 1e-15) break;
  }
  const front = a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b);
  return (Math.exp(front) * fraction) / a;
}

/** log Γ(x) by Lanczos's approximation. */
function logGamma(x) {
  const c = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7];
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x + 6.5, series = sum(c.map((v, i) => (i ? v / (x - 1 + i) : v)));
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}
