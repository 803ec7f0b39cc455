// Why a result has its rank, as a table with bars.

import { element, textElement } from "./text.js";

/** Creates the table of `steps`, folded up; undefined without steps. */
export function explanation(steps) {
  if (!Array.isArray(steps) || !steps.length) return undefined;
  const max = Math.max(...steps.map((step) => step.Contribution ?? 0));
  const rows = steps.flatMap((step) => [stepRow(step, max), ...termRows(step.Terms ?? [])]);
  const table = element("table", {}, element("tbody", {}, ...rows));
  return element("details", { class: "why" }, element("summary", {}, "Why this rank"), table);
}

function stepRow(step, max) {
  const { Name: name, Rank: rank, RankBefore: rankBefore, Score: score, ScoreBefore: scoreBefore } = step;
  const notes = [];
  if (step.Weight !== undefined) notes.push(`\u00d7 ${number(step.Weight)}`);
  if (step.Contribution !== undefined) notes.push(`adds ${number(step.Contribution)}`);
  if (step.Detail) notes.push(step.Detail);
  // A factor is the share of the score that is left.
  const factor = scoreBefore === undefined ? undefined : step.Weight;
  const share = step.Contribution === undefined ? factor : step.Contribution / max;
  return row(
    String(name).replaceAll("_", " "),
    changed(rankBefore, rank, String),
    changed(scoreBefore, score, number),
    notes.join(", "),
    share,
  );
}

function termRows(terms) {
  return terms.map(({ Term: term, Weight: weight }) => {
    const made = row(term, "", "", `adds ${number(weight)}`, weight / terms[0].Weight);
    made.className = "term";
    return made;
  });
}

function row(name, rank, score, note, share) {
  const bar = element("td");
  if (share !== undefined) bar.append(element("meter", { min: 0, max: 1, value: share, title: number(share) }));
  return element(
    "tr", {},
    textElement("th", name, { scope: "row" }),
    textElement("td", rank && `rank ${rank}`),
    textElement("td", score && `score ${score}`),
    textElement("td", note),
    bar,
  );
}

function changed(before, after, shown) {
  if (before !== undefined && after !== undefined && before !== after) {
    return `${shown(before)} \u2192 ${shown(after)}`;
  }
  const value = after ?? before;
  return value === undefined ? "" : shown(value);
}

const number = (value) => value.toPrecision(3);
