// Connects the inputs with the server, the page and the URL.

import { debounce, request, setToken } from "./api.js";
import { ask, startOver } from "./conversation.js";
import { offerFields, onFilter, showFilterProblem, summarize } from "./filter.js";
import { EXAMPLES, listFunctions, render, showPromptProblem } from "./prompt.js";
import { search, showSearchProblem } from "./search.js";
import { readState, writeState } from "./state.js";
import { byId, element, markInvalid, show } from "./text.js";

/** Long enough to type a word, short enough to feel immediate. */
const PAUSE = 200;

const [query, source, mode, kind, top, perDocument, filter, live] = [
  "query", "source", "mode", "kind", "top", "per-document", "filter", "live",
].map(byId);
const [format, template, variables] = ["format", "template", "variables"].map(byId);

let capabilities;
/** The template of each language, while the other is shown. */
const templates = { ...EXAMPLES };
let language = "handlebars";
/** The source of the conversation. */
let conversed;

const chosenSource = () => capabilities.sources.find(({ name }) => name === source.value);

async function start() {
  try {
    capabilities = await request("/v1/capabilities");
  } catch (problem) {
    if (problem.status === 401) return askForToken();
    show(byId("form-problem"), problem.text ?? problem.message);
    return undefined;
  }
  byId("access").hidden = true;
  offer();
  load();
  return undefined;
}

function askForToken(message) {
  byId("access").hidden = false;
  show(byId("access-problem"), message);
  byId("token").focus();
}

/** Offers what the server has. */
function offer() {
  const { sources, kinds, limits, version, template_formats: formats } = capabilities;
  byId("server").textContent = `Version ${version}`;
  options(source, sources.map(({ name }) => name));
  options(kind, kinds, "results");
  options(format, formats);
  top.max = limits.max_top;
  byId("conversation").hidden = !capabilities.answers || !may("answer");
  // Each search of the web may cost something.
  live.checked = !sources.some(({ open_world: isOpen }) => isOpen);
  if (!sources.length) show(byId("form-problem"), "The server has no source to search.");
  offerSource();
}

function offerSource() {
  const chosen = chosenSource();
  if (chosen?.name !== conversed) startOver();
  conversed = chosen?.name;
  const before = mode.value;
  const modes = chosen?.modes ?? [];
  options(mode, modes, modes.includes(before) ? before : undefined);
  offerFields(chosen?.fields ?? []);
  listFunctions(format.value, source.value);
}

function options(select, values, chosen) {
  select.replaceChildren(...values.map((value) => element("option", { value }, value)));
  if (chosen && values.includes(chosen)) select.value = chosen;
}

function select(field, value) {
  if (value && [...field.options].some((option) => option.value === value)) field.value = value;
}

/** Takes the state of the URL. */
function load() {
  const state = readState();
  select(source, state.source);
  offerSource();
  select(mode, state.mode);
  select(kind, state.kind);
  select(format, state.format);
  query.value = state.q ?? "";
  if (state.top) top.value = state.top;
  perDocument.checked = state.per_document === "true";
  filter.value = state.filter ?? "";
  language = format.value;
  if (state.template) templates[language] = state.template;
  template.value = templates[language];
  variables.value = state.variables ?? "";
  if (filter.value) byId("filters").open = true;
  if (variables.value) variables.closest("details").open = true;
  listFunctions(language, source.value);
  summarize();
  if (live.checked) update();
}

function save() {
  const isExample = template.value === EXAMPLES[format.value];
  writeState({
    q: query.value,
    source: capabilities.sources.length > 1 ? source.value : "",
    mode: mode.selectedIndex > 0 ? mode.value : "",
    kind: kind.value === "results" ? "" : kind.value,
    top: top.value === top.defaultValue ? "" : top.value,
    per_document: perDocument.checked ? "true" : "",
    filter: filter.value.trim(),
    format: format.selectedIndex > 0 ? format.value : "",
    template: isExample ? "" : template.value,
    variables: variables.value.trim(),
  });
}

const may = (right) => capabilities.rights.includes(right);

async function runSearch() {
  soonSearch.cancel();
  const isOpen = chosenSource()?.open_world;
  const problem = !top.checkValidity()
    ? { field: "top", text: `Top is from ${top.min} to ${top.max}.` }
    : may("search")
      ? await search({
          query: query.value,
          source: source.value,
          mode: mode.value,
          kind: kind.value,
          top: top.valueAsNumber,
          per_document: perDocument.checked,
          filter: filter.value.trim() || null,
          include_total_count: !isOpen,
        }, chosenSource()?.documents)
      : { text: "The token lacks the right to search." };
  const inFilter = problem?.kind === "invalid-filter";
  showFilterProblem(inFilter ? problem : null);
  show(byId("form-problem"), problem?.field === "top" ? problem.text : null);
  const isOther = problem && !inFilter && problem.field !== "top";
  showSearchProblem(isOther ? problem.text ?? problem.message : null);
  checkAccess(problem);
}

async function runRender() {
  soonRender.cancel();
  if (!may("prompt")) {
    showPromptProblem("The token lacks the right to render prompts.");
    return;
  }
  const given = readVariables();
  if (!given) return;
  const body = { template: template.value, format: format.value, source: source.value };
  const problem = await render({ ...body, arguments: { query: query.value, ...given } });
  showPromptProblem(problem ? problem.text ?? problem.message : null);
  checkAccess(problem);
}

/** The token may have been revoked since. */
function checkAccess(problem) {
  if (problem?.status === 401) askForToken("The server no longer takes this token.");
}

function readVariables() {
  const place = byId("variables-problem");
  try {
    const read = JSON.parse(variables.value.trim() || "{}");
    const isObject = read !== null && typeof read === "object" && !Array.isArray(read);
    if (!isObject) throw new Error("expected an object such as { \"tone\": \"friendly\" }");
    show(place, null);
    markInvalid(variables, false);
    return read;
  } catch (error) {
    show(place, error.message);
    markInvalid(variables, true);
    return null;
  }
}

async function runAsk() {
  const field = byId("question");
  const question = field.value.trim();
  if (!question) return;
  field.value = "";
  const options = { source: source.value, ...(top.checkValidity() && { top: top.valueAsNumber }) };
  checkAccess(await ask(question, options, chosenSource()?.documents));
}

const soonSearch = debounce(PAUSE, runSearch);
const soonRender = debounce(PAUSE, runRender);
const soonSave = debounce(PAUSE, save);

function update() {
  runSearch();
  runRender();
}

/** After a change of an input, runs `work` if the user wants that. */
function changed(...work) {
  if (!capabilities) return;
  summarize();
  soonSave();
  if (live.checked) work.forEach((one) => one());
}

byId("query-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!capabilities) return;
  save();
  update();
});
byId("query-form").noValidate = true;
query.addEventListener("input", () => changed(soonSearch, soonRender));
source.addEventListener("change", () => {
  offerSource();
  changed(runSearch, runRender);
});
for (const one of [mode, kind, perDocument]) one.addEventListener("change", () => changed(runSearch));
top.addEventListener("input", () => changed(soonSearch));
onFilter(() => changed(soonSearch));
format.addEventListener("change", () => {
  templates[language] = template.value;
  language = format.value;
  template.value = templates[language];
  listFunctions(language, source.value);
  changed(runRender);
});
for (const one of [template, variables]) {
  one.addEventListener("input", () => changed(soonRender));
  one.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) runRender();
  });
}
byId("question-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (capabilities) runAsk();
});
byId("render").addEventListener("click", () => capabilities && runRender());
live.addEventListener("change", () => changed(update));

byId("share").addEventListener("click", async () => {
  if (capabilities) save();
  let message = "Copied";
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {
    // Without HTTPS, browsers let no page write to the clipboard.
    message = "Copy the link from the address bar";
  }
  byId("copied").textContent = message;
  setTimeout(() => byId("copied").replaceChildren(), 4000);
});

byId("access").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("token");
  setToken(field.value.trim());
  startOver();
  field.value = "";
  request("/v1/capabilities").then(
    () => start().then(() => query.focus()),
    (problem) => {
      setToken("");
      askForToken(problem.status === 401 ? "The server doesn't know this token." : problem.text);
    },
  );
});

document.querySelector(".skip").addEventListener("click", (event) => {
  // The fragment holds the state.
  event.preventDefault();
  byId("results").focus();
});

addEventListener("hashchange", () => capabilities && load());

start();
