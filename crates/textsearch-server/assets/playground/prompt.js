// The template, and the prompt rendered from it.

import { Channel } from "./api.js";
import { appendText, byId, element, linkTo, markInvalid, show, textElement } from "./text.js";

/** What the editor starts with. */
export const EXAMPLES = {
  handlebars: `{{#message role="system"}}
Answer from the results only. Cite each fact with its link.
{{/message}}
{{#message role="user"}}
{{#each (SearchPlugin-GetTextSearchResults query count=3)}}
{{Name}} ({{Link}})
{{Value}}

{{/each}}
Question: {{query}}
{{/message}}
`,
  "semantic-kernel": `<message role="system">
Answer from the results only.
</message>
<message role="user">
{{SearchPlugin.Search $query count='3'}}

Question: {{$query}}
</message>
`,
};

const FUNCTIONS = [
  ["Search", "the texts of the results"],
  ["GetTextSearchResults", "results with Name, Value and Link"],
  ["GetSearchResults", "results as JSON, with scores"],
  ["GetRecords", "native records, with all fields"],
];

const channel = new Channel();
const template = byId("template");
const problemPlace = byId("template-problem");
const status = byId("prompt-status");

/** Renders, and shows the prompt or why there is none. Returns a problem that isn't shown. */
export async function render(body) {
  if (!body.template.trim()) {
    channel.cancel();
    clear();
    status.textContent = "Write a template to see the prompt.";
    return undefined;
  }
  try {
    const rendered = await channel.send("/v1/prompt", body);
    if (rendered) showPrompt(rendered);
    return undefined;
  } catch (error) {
    byId("prompt").classList.add("stale");
    status.textContent = byId("rendered").hasChildNodes() ? "Not rendered; below is the last prompt" : "Not rendered";
    if (error.status !== 400 && error.status !== 413) return error;
    showTemplateProblem(error, body.template);
    return undefined;
  }
}

export const showPromptProblem = (message) => show(byId("prompt-problem"), message);

/** Lists the functions in the notation of the language. */
export function listFunctions(format, source) {
  const rows = FUNCTIONS.map(([name, purpose]) => {
    const call =
      format === "handlebars"
        ? `{{SearchPlugin-${name} query count=3}}`
        : `{{SearchPlugin.${name} $query count='3'}}`;
    return element("li", {}, element("code", {}, call), ` ${purpose}`);
  });
  const note = element("li", {}, "The same functions also exist under the source's name, ");
  note.append(textElement("code", source), ".");
  byId("functions").replaceChildren(...rows, note);
}

function clear() {
  showTemplateProblem(null);
  byId("prompt").classList.remove("stale");
  byId("rendered").replaceChildren();
  byId("calls-part").hidden = true;
  byId("sources-part").hidden = true;
}

function showPrompt({ text, messages, estimated_tokens: tokens, calls, sources }) {
  clear();
  const parts = messages ?? [{ role: "prompt", content: text }];
  const characters = parts.reduce((sum, { content }) => sum + [...content].length, 0);
  const number = (value) => value.toLocaleString("en");
  status.textContent = `About ${number(tokens)} tokens, ${number(characters)} characters`;
  byId("rendered").replaceChildren(
    ...parts.map(({ role, content }) => {
      const label = messages ? `Message: ${role}` : "Prompt text";
      const attributes = { tabindex: "0", role: "region", "aria-label": label };
      const shown = textElement("pre", content, attributes);
      if (!messages) return shown;
      return element("div", { class: "message" }, element("p", { class: "role" }, role), shown);
    }),
  );
  byId("calls-part").hidden = !calls.length;
  byId("calls").replaceChildren(...calls.map(call));
  byId("sources-part").hidden = !sources.length;
  byId("sources").replaceChildren(
    ...sources.map(({ number, name, link }) => {
      const made = element("li", { value: number }, linkTo(link, name || link || "No name"));
      if (link && name) made.append(" ", textElement("span", link, { class: "link" }));
      return made;
    }),
  );
}

function call({ function: name, arguments: given, results, milliseconds, error }) {
  const written = Object.entries(given).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const code = element("code", { dir: "ltr" });
  appendText(code, `${name}(${written.join(", ")})`);
  const noun = results === 1 ? "result" : "results";
  const outcome = error ? `failed: ${error}` : results === null ? "" : `${results} ${noun}, `;
  return element("li", {}, code, ` ${outcome}${milliseconds.toFixed(1)} ms`);
}

function showTemplateProblem(problem, text = "") {
  markInvalid(template, problem);
  show(problemPlace, null);
  if (!problem) return;
  problemPlace.hidden = false;
  const { line, column } = problem;
  const place = line ? `Line ${line}, column ${column ?? 1}: ` : "";
  problemPlace.append(textElement("p", `${place}${problem.text}`));
  const written = text.split("\n")[line - 1];
  if (!line || written === undefined) return;
  const [before, after] = around(written, column ?? 1);
  const excerpt = appendText(element("code", { class: "excerpt", dir: "ltr" }), before);
  excerpt.append(appendText(element("span", { class: "here" }), after.slice(0, 1) || " "));
  appendText(excerpt, after.slice(1));
  const go = element("button", { type: "button" }, "Go there");
  go.addEventListener("click", () => {
    const start = text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const at = start + [...written].slice(0, (column ?? 1) - 1).join("").length;
    template.focus();
    template.setSelectionRange(at, at);
  });
  problemPlace.append(element("div", { class: "row" }, excerpt, go));
}

/** The part of a line before a column, and the part from there on. Long lines are cut. */
function around(line, column) {
  const characters = [...line];
  const start = Math.max(0, column - 1 - 30);
  const before = (start ? "…" : "") + characters.slice(start, column - 1).join("");
  return [before, characters.slice(column - 1, column + 40).join("")];
}
