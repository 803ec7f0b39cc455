// Puts text into the page. Results are untrusted: they become text nodes, never markup, and their
// links open only over HTTP.

/** Characters that reorder, hide or break text. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gu;

const WORD = /[\p{L}\p{N}]+/gu;

/** Too frequent to show where a text matches. */
const FREQUENT = new Set(
  "a an and are as at be by do does for from how i in is it of on or that the this to was what when where which who why with".split(" "),
);

/** Names more characters of a run than these only by their number. */
const NAMED = 4;

export const byId = (id) => document.getElementById(id);

/** Creates an element with attributes and children. A child is an element or a trusted text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Returns the stems of the words that are marked in results. */
export function termsOf(query) {
  const words = (query.toLowerCase().match(WORD) ?? []).filter((word) => !FREQUENT.has(word));
  return [...new Set(words.map(stem))];
}

/** Appends untrusted text: shows what is unseen, and marks the words that match. */
export function appendText(parent, text, terms = []) {
  const clean = String(text).replaceAll("\r\n", "\n");
  let end = 0;
  for (const { 0: run, index } of clean.matchAll(UNSEEN)) {
    appendMarked(parent, clean.slice(end, index), terms);
    parent.append(unseen(run));
    end = index + run.length;
  }
  appendMarked(parent, clean.slice(end), terms);
  return parent;
}

/** Creates an element that holds untrusted text, apart from the text around it. */
export function textElement(name, text, attributes = {}, terms = []) {
  return appendText(element(name, { dir: "auto", ...attributes }), text, terms);
}

/** Creates a link if `target` is one that browsers may open, else a text. */
export function linkTo(target, label, terms = []) {
  const url = webUrl(target);
  if (!url) return textElement("span", label, {}, terms);
  const attributes = { href: url, rel: "noopener noreferrer", target: "_blank" };
  return textElement("a", label, attributes, terms);
}

/** Marks an input as wrong, or as right. */
export function markInvalid(input, isInvalid) {
  if (isInvalid) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

/** Shows a message, or hides the place for it. */
export function show(place, message) {
  place.hidden = !message;
  place.replaceChildren();
  if (message) appendText(place, message);
}

function webUrl(target) {
  try {
    const url = new URL(target);
    return ["http:", "https:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

function unseen(run) {
  const characters = [...run];
  const names = characters
    .slice(0, NAMED)
    .map((one) => `U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
  if (characters.length > NAMED) names.push(`… ${characters.length} in all`);
  const title = "Characters that would be invisible, or change the order of the text";
  return element("span", { class: "unseen", title, dir: "ltr" }, names.join(" "));
}

function appendMarked(parent, text, terms) {
  let end = 0;
  if (terms.length) {
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (!terms.includes(stem(word.toLowerCase()))) continue;
      parent.append(text.slice(end, index), element("mark", {}, word));
      end = index + word.length;
    }
  }
  parent.append(text.slice(end));
}

/** Roughly as search engines compare words: `ranking` matches `ranked`. */
function stem(word) {
  const short = word.replace(/(ing|ings|ed|es|e|s)$/, "");
  return short.length >= 3 ? short : word;
}
