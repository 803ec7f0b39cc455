// Builds a filter as text from the fields and operators that the source declares.

import { byId, element, markInvalid, show } from "./text.js";

const SYMBOLS = { eq: "=", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=" };
const NAMES = { ...SYMBOLS, starts_with: "starts with", in: "is one of" };
/** They join filters; conditions have the others. */
const JOINERS = ["and", "or", "not"];
const KEYWORDS = ["and", "or", "not", "in", "contains", "starts_with", "exists", "true", "false"];

const field = byId("field");
const operator = byId("operator");
const value = byId("value");
const filter = byId("filter");

let fields = [];

/** Offers the fields of a source. */
export function offerFields(offered) {
  const before = field.value;
  fields = offered;
  field.replaceChildren(...fields.map(({ name }) => element("option", { value: name }, name)));
  if (fields.some(({ name }) => name === before)) field.value = before;
  byId("filters").hidden = fields.length === 0;
  offerOperators();
}

/** Calls `changed` whenever the filter may be another. */
export function onFilter(changed) {
  field.addEventListener("change", offerOperators);
  operator.addEventListener("change", describe);
  value.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add(changed);
  });
  byId("add").addEventListener("click", () => add(changed));
  byId("clear").addEventListener("click", () => {
    filter.value = "";
    filter.focus();
    changed();
  });
  filter.addEventListener("input", changed);
}

/** Shows the filter also where it is folded. */
export function summarize() {
  byId("filter-summary").textContent = filter.value.trim() || "none";
  byId("joiner-label").hidden = !filter.value.trim();
}

export function showFilterProblem(problem) {
  markInvalid(filter, problem);
  if (problem) byId("filters").open = true;
  const place = problem?.column ? `Column ${problem.column}: ` : "";
  show(byId("filter-problem"), problem && `${place}${problem.text}`);
}

function add(changed) {
  const chosen = fields.find(({ name }) => name === field.value);
  if (!chosen) return;
  const written = condition(chosen, operator.value, value.value);
  if (written.problem) {
    showFilterProblem({ text: written.problem });
    value.focus();
    return;
  }
  const before = filter.value.trim();
  const joiner = byId("joiner").value;
  if (!before) filter.value = written.text;
  else if (joiner === "or") filter.value = `${before} or ${written.text}`;
  else filter.value = `${/\bor\b/i.test(before) ? `(${before})` : before} ${joiner} ${written.text}`;
  value.value = "";
  value.focus();
  changed();
}

function condition({ name, schema }, operator, text) {
  const quoted = /^[A-Za-z_][\w.-]*$/.test(name) && !KEYWORDS.includes(name.toLowerCase());
  const left = quoted ? name : `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
  if (operator === "exists") return { text: `${left} exists` };
  const texts = operator === "in" ? text.split(",").map((one) => one.trim()) : [text];
  const values = [];
  for (const one of texts) {
    const literal = literalOf(typeOf(schema), schema, one);
    if (literal === null) return { problem: `${name}: expected ${typeOf(schema)}, found "${one}"` };
    values.push(literal);
  }
  const right = operator === "in" ? `[${values.join(", ")}]` : values[0];
  return { text: `${left} ${SYMBOLS[operator] ?? operator} ${right}` };
}

/** Writes a value as filters do, or returns null if it has another type. */
function literalOf(type, schema, text) {
  const trimmed = text.trim();
  if (type === "boolean") return ["true", "false"].includes(trimmed) ? trimmed : null;
  if (type === "number" || type === "integer") {
    const number = Number(trimmed);
    const fits = type === "number" ? Number.isFinite(number) : Number.isInteger(number);
    return trimmed && fits ? String(number) : null;
  }
  const isDate = ["date", "date-time"].includes(schema?.format ?? schema?.items?.format);
  return `${isDate ? "date " : ""}${JSON.stringify(text)}`;
}

/** The type of one value. Lists are compared by their elements. */
function typeOf(schema) {
  const types = [schema?.type].flat().filter((type) => type && type !== "null");
  return types[0] === "array" ? typeOf(schema.items) : (types[0] ?? "string");
}

function offerOperators() {
  const chosen = fields.find(({ name }) => name === field.value);
  const before = operator.value;
  const offered = (chosen?.operators ?? []).filter((name) => !JOINERS.includes(name));
  operator.replaceChildren(
    ...offered.map((name) => element("option", { value: name }, NAMES[name] ?? name)),
  );
  if (offered.includes(before)) operator.value = before;
  describe();
}

function describe() {
  const chosen = fields.find(({ name }) => name === field.value);
  byId("value-label").hidden = operator.value === "exists";
  value.placeholder = operator.value === "in" ? "a, b, c" : typeOf(chosen?.schema);
  byId("field-help").textContent = chosen?.description ?? "";
}
