// Calls the server. The token lives here, in memory.

let token = "";

export const setToken = (value) => {
  token = value;
};

/** An error that the server explains, or that kept the page from reaching it. */
export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail ?? body?.title ?? `the server responded with status ${status}`);
    this.status = status;
    /** Such as `invalid-filter`. */
    this.kind = body?.type?.split("#")[1];
    this.field = body?.field;
    this.allowed = body?.allowed ?? [];
    this.line = body?.line;
    this.column = body?.column;
  }

  /** The message with the values that would be right. */
  get text() {
    const missing = this.allowed.filter((value) => !this.message.includes(value));
    const allowed = missing.length ? `; allowed: ${missing.join(", ")}` : "";
    return `${this.message}${allowed}`;
  }
}

async function send(path, body, signal) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const options = { headers, signal, cache: "no-store", credentials: "omit", redirect: "error" };
  if (body !== undefined) {
    options.method = "POST";
    options.body = JSON.stringify(body);
    headers["Content-Type"] = "application/json";
  }
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { detail: "the server can't be reached" });
  }
}

export async function request(path, body, signal) {
  const response = await send(path, body, signal);
  const read = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return null;
  });
  if (!response.ok || read === null) throw new Problem(response.status, read);
  return read;
}

/** Calls `take` with the name and the data of each server-sent event of the response. */
export async function stream(path, body, signal, take) {
  const response = await send(path, body, signal);
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => null));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const lines of events) {
      const fields = Object.fromEntries(lines.split("\n").map((line) => line.split(/: ?(.*)/s)));
      if (fields.data) take(fields.event, JSON.parse(fields.data));
    }
  }
}

/** Sends one request at a time: a new one cancels the one before. */
export class Channel {
  #controller = new AbortController();

  cancel() {
    this.#controller.abort();
  }

  /** Returns the response, or undefined if it is no longer wanted. */
  async send(path, body) {
    this.cancel();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const response = await request(path, body, controller.signal);
      return controller.signal.aborted ? undefined : response;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    }
  }
}

/** Calls `work` once nothing has happened for some milliseconds. */
export function debounce(milliseconds, work) {
  let timer;
  const start = () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
  start.cancel = () => clearTimeout(timer);
  return start;
}
