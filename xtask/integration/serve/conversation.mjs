// The conversation of the playground, with a scripted model.

import assert from "node:assert/strict";
import { join } from "node:path";

import { eventually } from "./browser.mjs";

const QUESTION = "how are rankings fused";

const status = (page) => () => page.locator("#conversation-status").innerText();
const focused = (page) => page.evaluate(() => document.activeElement.id);

export async function checkConversation(browser, url, withoutModel) {
  await browser.visit(withoutModel, async (page) => {
    await eventually("page", () => page.locator("#source option").count(), Boolean);
    assert(await page.locator("#conversation").isHidden());
  });
  await checkFollowUp(browser, url);
  await checkReading(browser, url);
  await checkStartingOver(browser, url);
  await checkEmptyAnswer(browser, url);
  await checkStop(browser, url);
  await checkHostileAnswer(browser, url);
  console.log("     a conversation has follow-ups, sources and marks; hostile answers do nothing");
}

/** Asks with the keyboard alone, and opens a source beside the answer. */
async function checkFollowUp(browser, url) {
  const bodies = [];
  const before = (page) => page.on("request", (request) => {
    if (request.url().endsWith("/v1/answer")) bodies.push(request.postDataJSON());
  });
  await browser.visit(url, async (page) => {
    await page.getByLabel("Question").focus();
    await page.keyboard.type(QUESTION);
    await page.keyboard.press("Enter");
    await eventually("answer", status(page), (one) => /^Answered from \d sources$/.test(one));
    const citation = page.locator(".answer a").first();
    assert.match(await citation.innerText(), /\[1\]$/);
    await citation.focus();
    await page.keyboard.press("Enter");
    assert.equal(await focused(page), "source-title");
    assert.match(await page.locator("#source-title").innerText(), /^\[1\] ./);
    assert.match(await page.locator("#source-link").innerText(), /^docs\/guide\/.+\.md/);
    assert((await page.locator("#source-text").innerText()).length > 100);
    await page.keyboard.press("Escape");
    assert(await page.locator("#source-panel").isHidden());
    assert(await citation.evaluate((one) => one === document.activeElement), "the focus comes back");

    await page.getByLabel("Question").fill("and by default?");
    await page.getByRole("button", { name: "Ask" }).click();
    await eventually("second answer", () => page.locator("#turns details").count(), (count) => count === 2);
    const [first, second] = bodies;
    assert.equal(first.messages, undefined);
    assert.deepEqual(second.messages.map(({ role }) => role), ["user", "assistant"]);
    assert.equal(second.messages[0].content, QUESTION);

    await page.getByRole("button", { name: "Start over" }).click();
    assert.equal(await page.locator("#turns").innerText(), "");
  }, { before });
}

/** The real server reads the document of each source. A page that comes late stays with its own source. */
async function checkReading(browser, url) {
  await browser.visit(url, async (page) => {
    await converse(page);
    const shown = () => page.locator("#source-text").innerText();
    const readOn = page.locator("#source-panel").getByRole("button", { name: "Read on" });
    const passage = await shown();
    const path = (await page.locator("#source-link").innerText()).split("#")[0];
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.url().includes("/v1/documents/")),
      readOn.click(),
    ]);
    const { document } = await response.json();
    assert.equal(document.Id, path);
    await eventually("document", shown, (one) => one.length > 1000 && one !== passage);

    await page.locator("#turns summary").click();
    const other = page.locator("#turns li a").nth(1);
    await page.locator("#turns li a").first().click();
    await page.route("**/v1/documents/**", async (route) => {
      await held;
      await route.continue();
    });
    await readOn.click();
    assert(await readOn.isDisabled(), "two clicks read one page");
    await other.click();
    const before = await shown();
    const late = page.waitForResponse((one) => one.url().includes("/v1/documents/"));
    release();
    await (await late).finished();
    await page.waitForTimeout(100);
    assert.equal(await shown(), before);
  });
}

/** Answers reach neither another source nor another token's model. */
async function checkStartingOver(browser, url) {
  const turns = (page) => page.locator("#turns article").count();
  const before = (page) => page.route("**/v1/capabilities", async (route) => {
    const response = await route.fetch();
    const capabilities = await response.json();
    capabilities.sources.push({ ...capabilities.sources[0], name: "other" });
    await route.fulfill({ response, json: capabilities });
  });
  await browser.visit(url, async (page) => {
    await converse(page);
    await page.locator("#live").uncheck();
    await page.locator("#source").selectOption("other");
    assert.equal(await turns(page), 0);
    assert(await page.locator("#source-panel").isHidden());
    await page.locator("#source").selectOption({ index: 0 });

    await converse(page);
    await page.route("**/v1/answer", (route) => route.fulfill({ status: 401, json: { title: "no" } }));
    await page.getByLabel("Question").fill("with a revoked token");
    await page.getByLabel("Question").press("Enter");
    await eventually("form", () => page.getByLabel("Token").isVisible(), Boolean);
    assert.equal(await turns(page), 2);
    await page.getByLabel("Token").fill("another-token");
    await page.getByLabel("Token").press("Enter");
    assert.equal(await turns(page), 0);
  }, { before, statuses: [401] });
}

/** The server takes no empty message. */
async function checkEmptyAnswer(browser, url) {
  const done = { answer: "", text: " ", finish_reason: "stop", sources: [], citations: [] };
  await browser.visit(url, async (page) => {
    const body = `event: done\ndata: ${JSON.stringify(done)}\n\n`;
    await page.route("**/v1/answer", (route) => route.fulfill({ contentType: "text/event-stream", body }));
    await page.getByLabel("Question").fill("nothing");
    await page.getByLabel("Question").press("Enter");
    await eventually("nothing", () => page.locator("#turns").innerText(), (one) => one.includes("The model said nothing."));
    await page.unroute("**/v1/answer");
    await converse(page);
  });
}

/** The stopped question is not part of the conversation. */
async function checkStop(browser, url) {
  let body;
  await browser.visit(url, async (page) => {
    await page.route("**/v1/answer", () => {});
    await page.getByLabel("Question").fill("never answered");
    await page.getByLabel("Question").press("Enter");
    await page.getByRole("button", { name: "Stop" }).click();
    await eventually("stopped", () => page.locator("#turns").innerText(), (one) => one.includes("Stopped."));
    await page.unroute("**/v1/answer");
    page.on("request", (request) => { body = request.postDataJSON(); });
    await page.getByLabel("Question").fill(QUESTION);
    await page.getByLabel("Question").press("Enter");
    await eventually("answer", status(page), (one) => one.startsWith("Answered"));
    assert.equal(body.messages, undefined);
  });
}

const HOSTILE = {
  answer: "", finish_reason: "stop",
  text: "Größe <img src=x onerror=window.pwned=1> [1] and ![x](https://evil.example/?q) \u202eend",
  sources: [{ number: 1, name: "<b>A</b>", link: "javascript:window.pwned=1", text: "<script>window.pwned=1</script>\u202e" }],
};
const bytes = (text) => new TextEncoder().encode(text).length;
const range = (part) => {
  const start = bytes(HOSTILE.text.slice(0, HOSTILE.text.indexOf(part)));
  return [start, start + bytes(part)];
};
HOSTILE.answer = HOSTILE.text;
HOSTILE.citations = [
  { kind: "number", target: "1", range: range("[1]"), source: 1 },
  { kind: "image", target: "https://evil.example/?q", range: range("![x](https://evil.example/?q)"), source: null },
];

async function checkHostileAnswer(browser, url) {
  const events = [["text", { text: HOSTILE.text }], ["done", HOSTILE]];
  const body = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(": alive\n\n");
  await browser.visit(url, async (page) => {
    await page.route("**/v1/answer", (route) => route.fulfill({ contentType: "text/event-stream", body }));
    await page.getByLabel("Question").fill("zebra");
    await page.getByLabel("Question").press("Enter");
    await eventually("answer", status(page), (one) => one === "Answered from 1 source, 1 citation not among them");
    const mark = await page.locator(".unsupported").innerText();
    assert.equal(mark, "![x](https://evil.example/?q) not among the sources");
    await page.locator(".answer a").click();
    const shown = await page.locator("#conversation").innerText();
    assert(shown.includes("Größe <img src=x onerror=") && shown.includes("<script>window.pwned=1</script>"));
    assert(shown.includes("U+202E") && !shown.includes("\u202e"));
    const found = await page.evaluate(() => ({
      elements: document.querySelectorAll("#conversation :is(img, script, b)").length,
      links: [...document.querySelectorAll("#conversation a")].map((a) => a.getAttribute("href")),
      pwned: window.pwned ?? null,
    }));
    assert.deepEqual(found, { elements: 0, links: ["#source-panel", "#source-panel"], pwned: null });
  });
}

/** Shows an answer with a source at this width, and returns the page's overflow. */
export async function converse(page) {
  await page.getByLabel("Question").fill(QUESTION);
  await page.getByLabel("Question").press("Enter");
  await eventually("answer", status(page), (one) => one.startsWith("Answered"));
  await page.locator(".answer a").first().click();
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

export async function takeConversationScreenshots(browser, url, folder) {
  for (const width of [1280, 400]) {
    const path = join(folder, `conversation-${width}.png`);
    await browser.visit(url, async (page) => {
      await converse(page);
      await page.locator("#conversation").screenshot({ path });
    }, { colorScheme: "light", viewport: { width, height: 840 } });
    console.log(`     wrote ${path}`);
  }
}
