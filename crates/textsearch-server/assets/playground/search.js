// The results of a search.

import { Channel, request } from "./api.js";
import { explanation } from "./explain.js";
import { reader } from "./reader.js";
import { appendText, byId, element, linkTo, show, termsOf, textElement } from "./text.js";

const NAMES = ["Name", "name", "title", "Title", "id", "Id"];
const TEXTS = ["Value", "text", "snippet", "description", "content"];
const LINKS = ["Link", "link", "url", "Url"];

/** Longer texts are shown on demand. */
const LONG = 400;

const channel = new Channel();
const status = byId("results-status");
const list = byId("list");

/**
 * Searches, and shows the results or why there are none. `isReadable` says whether the source's documents can
 * be read.
 */
export async function search(body, isReadable) {
  if (!body.query.trim()) {
    channel.cancel();
    showResults([], body);
    status.textContent = "Type a query to search.";
    return undefined;
  }
  const begun = performance.now();
  list.setAttribute("aria-busy", "true");
  try {
    const explain = body.kind !== "texts";
    const found = await channel.send("/v1/search", { ...body, explain });
    if (!found) return undefined;
    showResults(found.results, body, isReadable);
    status.textContent = summary(found, performance.now() - begun);
    return undefined;
  } catch (error) {
    showResults([], body);
    status.textContent = "Not searched";
    return error;
  }
}

/** Shows a problem that no input has caused. */
export const showSearchProblem = (message) => show(byId("results-problem"), message);

function showResults(results, body, isReadable = false) {
  list.removeAttribute("aria-busy");
  const terms = termsOf(body.query);
  const records = new Records(body, results);
  const source = isReadable ? body.source : undefined;
  list.replaceChildren(...results.map((result, index) => item(result, index, terms, records, source)));
}

function summary({ results, total_count: total, truncated }, milliseconds) {
  const noun = results.length === 1 ? "result" : "results";
  let count = `${results.length}`;
  if (total?.exact !== undefined) count += ` of ${total.exact}`;
  if (total?.estimated !== undefined) count += ` of about ${total.estimated}`;
  const cut = truncated ? ", others are too large to return" : "";
  return results.length ? `${count} ${noun} in ${Math.round(milliseconds)} ms${cut}` : `No results${cut}.`;
}

function item(result, index, terms, records, source) {
  const isText = typeof result === "string";
  const pick = (names) => names.map((name) => result[name]).find((one) => typeof one === "string");
  const [name, text, link] = isText
    ? [undefined, result, undefined]
    : [pick(NAMES), pick(TEXTS), pick(LINKS)];
  const head = element("div", { class: "head" });
  if (!isText) {
    head.append(element("h3", {}, linkTo(link, name || "No name", terms)));
    const score = result.Score;
    if (typeof score === "number") {
      const shown = score.toPrecision(3);
      head.append(element("span", { class: "score", title: `Score ${score}` }, `Score ${shown}`));
    }
  }
  const made = element("li", {}, head);
  if (link) made.append(textElement("p", link, { class: "link" }));
  if (text) made.append(body(text, terms));
  const why = isText ? undefined : explanation(result.Explanation);
  if (why) made.append(why);
  const id = result.Id ?? result.id ?? link;
  if (source !== undefined && typeof id === "string") {
    const place = element("div", { class: "text document", dir: "auto", tabindex: "-1" });
    made.append(place, reader(id, source, place));
  }
  made.append(records.disclosure(index));
  return made;
}

function body(text, terms) {
  if (text.length <= LONG) return textElement("p", text, { class: "text" }, terms);
  const made = element("div", { class: "text", dir: "auto" });
  const shown = element("span");
  appendText(shown, `${text.slice(0, LONG)}…`, terms);
  const more = element("button", { type: "button", class: "quiet" }, "Show all");
  more.addEventListener("click", () => {
    shown.replaceChildren();
    appendText(shown, text, terms);
    more.remove();
    shown.tabIndex = -1;
    shown.focus();
  });
  made.append(shown, " ", more);
  return made;
}

/** The native records of a page of results, asked for when the first is opened. */
class Records {
  #found;
  #body;

  constructor(body, results) {
    this.#body = { ...body, kind: "records", include_total_count: false };
    if (body.kind === "records") this.#found = Promise.resolve({ results });
  }

  disclosure(index) {
    const content = element("pre", { tabindex: "0", role: "region", "aria-label": `Native record of result ${index + 1}` });
    const details = element("details", {}, element("summary", {}, "Native record"), content);
    details.addEventListener("toggle", () => {
      if (details.open && !content.hasChildNodes()) this.#fill(content, index);
    });
    return details;
  }

  async #fill(content, index) {
    this.#found ??= request("/v1/search", this.#body);
    try {
      const record = (await this.#found).results[index];
      if (content.hasChildNodes()) return;
      appendText(content, record === undefined ? "no longer found" : JSON.stringify(record, null, 2));
    } catch (error) {
      this.#found = undefined;
      content.textContent = error.text ?? error.message;
    }
  }
}
