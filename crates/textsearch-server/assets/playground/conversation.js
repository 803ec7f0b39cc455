// Questions and their streamed answers. A citation opens its source beside the answer.

import { stream } from "./api.js";
import { reader } from "./reader.js";
import { appendText, byId, element, linkTo, show, textElement } from "./text.js";

/** The messages sent with a question, and their characters: the server takes some more. */
const MAX_MESSAGES = 20;
const MAX_CHARACTERS = 40_000;

const [turns, status, stopButton, panel] = ["turns", "conversation-status", "stop", "source-panel"].map(byId);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The messages of answered questions. */
let messages = [];
let controller = new AbortController();
/** The link whose source is shown. */
let opener;

/**
 * Asks, and shows the answer while it arrives. `hasDocuments` says whether the source's documents can
 * be read. Returns a problem that isn't shown.
 */
export async function ask(question, options, hasDocuments) {
  controller.abort();
  const own = new AbortController();
  controller = own;
  const turn = new Turn(question, hasDocuments ? options.source : undefined);
  status.textContent = "Answering";
  stopButton.hidden = false;
  try {
    const body = { question, ...options, ...(messages.length && { messages }) };
    await stream("/v1/answer", body, own.signal, (name, data) => turn.take(name, data));
    turn.end("The answer ended before it was complete.");
    return undefined;
  } catch (error) {
    if (own.signal.aborted) turn.end("Stopped. This question is not part of the conversation.");
    else turn.end(error.text ?? error.message);
    return own.signal.aborted ? undefined : error;
  } finally {
    if (controller === own) {
      stopButton.hidden = true;
      status.textContent = turn.summary;
    }
  }
}

/** Forgets the conversation. Its answers must not reach another source, or another tenant's model. */
export function startOver() {
  controller.abort();
  controller = new AbortController();
  stopButton.hidden = true;
  messages = [];
  turns.replaceChildren();
  status.replaceChildren();
  closeSource();
}

class Turn {
  #question;
  #answer = element("div", { class: "text answer", dir: "auto" });
  #queries = element("p", { class: "muted", hidden: "" });
  #note = element("p", { class: "problem", hidden: "" });
  #made;
  #documents;
  #isDone = false;
  summary = "Not answered";

  constructor(question, documents) {
    this.#question = question;
    this.#documents = documents;
    const asked = textElement("h3", question, { class: "asked" });
    this.#made = element("article", {}, asked, this.#queries, this.#answer, this.#note);
    turns.append(this.#made);
    this.#made.scrollIntoView({ block: "nearest" });
  }

  take(name, data) {
    if (name === "text") appendText(this.#answer, data.text);
    else if (name === "refusal") appendText(this.#answer, data.text);
    else if (name === "queries") this.#showQueries(data);
    else if (name === "error") this.end(data.detail ?? data.title);
    else if (name === "done") this.#finish(data);
  }

  /** Says why there is no answer, unless there is one. */
  end(reason) {
    if (this.#isDone) return;
    this.#isDone = true;
    show(this.#note, reason);
  }

  #showQueries({ queries, fallback }) {
    const texts = queries.map(({ text }) => text);
    if (fallback) show(this.#queries, `The question was not rewritten: ${fallback}`);
    else if (texts.some((text) => text !== this.#question)) show(this.#queries, `Searched for: ${texts.join(" · ")}`);
  }

  #finish({ answer, text, finish_reason: reason, sources, citations }) {
    if (!text.trim()) return this.end("The model said nothing.");
    if (answer === null) return this.end(`There is no complete answer: ${reason}.`);
    this.#isDone = true;
    remember(this.#question, text);
    const known = sources.map((source) => ({ ...source, documents: this.#documents }));
    showCited(this.#answer, text, citations, known);
    this.#made.append(listed(known));
    const unsupported = citations.filter(({ source }) => source === null).length;
    const doubt = unsupported ? `, ${counted(unsupported, "citation")} not among them` : "";
    this.summary = `Answered from ${counted(sources.length, "source")}${doubt}`;
    return undefined;
  }
}

function remember(question, answer) {
  messages.push({ role: "user", content: question }, { role: "assistant", content: answer });
  const isTooLong = () => messages.reduce((sum, { content }) => sum + content.length, 0) > MAX_CHARACTERS;
  while (messages.length > MAX_MESSAGES || (messages.length && isTooLong())) messages.splice(0, 2);
}

/**
 * Shows the answer with a link for each citation. Ranges count bytes. A citation by the provider has
 * no text of its own: its link follows the passage.
 */
function showCited(place, text, citations, sources) {
  const isModel = ({ kind }) => kind === "model";
  const placed = citations.map((each) => (isModel(each) ? { ...each, range: [each.range[1], each.range[1]] } : each));
  placed.sort((first, second) => first.range[0] - second.range[0]);
  const bytes = encoder.encode(text);
  const part = (start, end) => decoder.decode(bytes.subarray(start, end));
  place.replaceChildren();
  let end = 0;
  for (const { range: [start, stop], kind, source } of placed) {
    // One pair of brackets may cite several sources.
    const isRepeated = stop <= end;
    if (start < end && !isRepeated) continue;
    appendText(place, part(end, Math.max(start, end)));
    const cited = isRepeated ? "" : part(start, stop);
    const known = sources.find(({ number }) => number === source);
    if (known) place.append(citation(cited, kind, known));
    else if (cited || kind === "model") place.append(unsupported(cited));
    end = Math.max(end, stop);
  }
  appendText(place, part(end));
}

function citation(text, kind, source) {
  const label = kind === "link" ? (/^\[(.+)\]\(/s.exec(text)?.[1] ?? "") : "";
  return sourceLink(source, label ? `${label} [${source.number}]` : `[${source.number}]`);
}

function unsupported(text) {
  const mark = element("strong", {}, "not among the sources");
  return element("span", { class: "unsupported" }, textElement("span", text), " ", mark);
}

function listed(sources) {
  const items = sources.map((source) =>
    element("li", { value: source.number }, sourceLink(source, source.name ?? source.link ?? "No name")));
  const summary = element("summary", {}, counted(sources.length, "source"));
  return element("details", {}, summary, element("ol", {}, ...items));
}

function sourceLink(source, label) {
  const title = `Source ${source.number}: ${source.name ?? source.link ?? "no name"}`;
  const link = textElement("a", label, { href: "#source-panel", title });
  link.addEventListener("click", (event) => {
    // The fragment holds the state.
    event.preventDefault();
    openSource(source, link);
  });
  return link;
}

function openSource({ number, id, name, link, text, documents }, from) {
  opener = from;
  byId("source-title").replaceChildren(`[${number}] `, linkTo(link, name ?? "No name"));
  show(byId("source-link"), link);
  // A page that comes late must not reach the text of another source.
  const place = element("div", {
    class: "text", dir: "auto", tabindex: "0", role: "region", "aria-label": "Text of the source",
  });
  appendText(place, text ?? "The source has no text.");
  const shown = byId("source-text");
  shown.replaceChildren(place);
  if (documents && id) shown.append(reader(id, documents, place));
  panel.hidden = false;
  panel.scrollIntoView({ block: "nearest" });
  byId("source-title").focus();
}

function closeSource() {
  panel.hidden = true;
  if (opener?.isConnected) opener.focus();
  opener = undefined;
}

const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

stopButton.addEventListener("click", () => controller.abort());
byId("start-over").addEventListener("click", startOver);
byId("source-close").addEventListener("click", closeSource);
panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeSource();
});
