// A browser whose pages may not complain.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

/** No first-run pages and no requests of the browser's own. */
const ARGUMENTS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

export class Browser {
  static async launch(program) {
    const made = new Browser();
    made.folder = await mkdtemp(join(tmpdir(), "textsearch-browser-"));
    made.context = await made.#context(program, {});
    made.program = program;
    return made;
  }

  #context(program, options) {
    return chromium.launchPersistentContext(this.folder, {
      executablePath: program,
      args: ARGUMENTS.split(" "),
      viewport: { width: 1440, height: 900 },
      ...options,
    });
  }

  /** Opens a page, runs `work`, and fails if the page logged an error or sent data elsewhere. */
  async visit(url, work, options = {}) {
    const page = await this.context.newPage();
    if (options.colorScheme) await page.emulateMedia({ colorScheme: options.colorScheme });
    if (options.viewport) await page.setViewportSize(options.viewport);
    const complaints = [];
    page.on("console", (message) => {
      const expected = (options.statuses ?? []).some((one) => message.text().includes(`status of ${one}`));
      if (["error", "warning"].includes(message.type()) && !expected) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    const { origin } = new URL(url);
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== origin) complaints.push(`request: ${request.url()}`);
      const path = request.url().slice(origin.length);
      // The id of a document is in the path, and the rest is no text of a user.
      if (/[?#]/.test(path) && !path.startsWith("/v1/documents") && !request.isNavigationRequest())
        complaints.push(`query in ${request.url()}`);
    });
    await page.addInitScript(() => {
      window.violations = [];
      document.addEventListener("securitypolicyviolation", (event) => {
        window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
      });
    });
    await options.before?.(page);
    await page.goto(url);
    const result = await work(page);
    complaints.push(...(await page.evaluate(() => window.violations)));
    assert.deepEqual(complaints, []);
    await page.close();
    return result;
  }

  async close() {
    await this.context.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Waits until `read` returns something that `accepts`. */
export async function eventually(what, read, accepts) {
  let found;
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    found = await read();
    if (accepts(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return assert.fail(`${what}: ${JSON.stringify(found)}`);
}
