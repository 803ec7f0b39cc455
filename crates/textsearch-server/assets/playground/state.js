// The state that a link shares. It is in the URL's fragment, which browsers don't send to servers.

const NAMES = [
  "q", "source", "mode", "kind", "top", "per_document", "filter", "format", "template", "variables",
];

/** Reads the state from the URL. Missing values are undefined. */
export function readState() {
  const found = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(NAMES.map((name) => [name, found.get(name) ?? undefined]));
}

/** Writes the state to the URL, without a new entry in the history. */
export function writeState(state) {
  const parameters = new URLSearchParams();
  for (const name of NAMES) if (state[name]) parameters.set(name, state[name]);
  const hash = `#${parameters}`;
  if (hash === location.hash) return;
  try {
    history.replaceState(null, "", hash);
  } catch {
    // Some browsers limit how often the URL changes. The next change writes it.
  }
}
