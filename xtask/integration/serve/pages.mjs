// What users do in the playground.

import assert from "node:assert/strict";

import { eventually } from "./browser.mjs";

const text = (page, selector) => () => page.locator(selector).innerText();
const results = (page) => page.locator("#list > li");
const passed = (what) => console.log(`     ${what}`);

export async function checkSearch(browser, url) {
  await browser.visit(url, async (page) => {
    await page.getByLabel("Query", { exact: true }).fill("how are rankings fused");
    await eventually("results", () => results(page).count(), (count) => count === 5);
    await eventually("status", text(page, "#results-status"), (one) => / of \d+ results in \d+ ms/.test(one));
    const marked = await page.locator("#list mark").allInnerTexts();
    assert(marked.some((word) => word.toLowerCase() === "rankings"), `${marked}`);
    assert(!marked.includes("are"));
    assert((await page.locator("#list .score").first().innerText()).startsWith("Score "));

    await page.getByText("Native record").first().click();
    const record = page.locator("#list pre").first();
    await eventually("record", () => record.innerText(), (one) => one.includes('"document_id"'));

    await page.getByText("Why this rank").first().click();
    const why = page.locator("#list .why").first();
    const terms = await why.locator(".term th").allInnerTexts();
    assert(terms.some((term) => term.startsWith("rank")), `${terms}`);
    assert.equal(await why.locator("meter").first().getAttribute("value"), "1");

    await page.getByLabel("Top").fill("2");
    await eventually("two results", () => results(page).count(), (count) => count === 2);
    await page.getByLabel("Top").fill("999");
    await eventually("limit", text(page, "#form-problem"), (one) => one === "Top is from 1 to 50.");
    await page.getByLabel("Top").fill("5");

    await page.getByRole("button", { name: "Read on" }).first().click();
    const whole = page.locator("#list .document").first();
    await eventually("document", () => whole.innerText(), (one) => one.length > 1000);

    for (const kind of ["texts", "records"]) {
      await page.locator("#kind").selectOption(kind);
      await eventually(kind, () => results(page).count(), (count) => count === 5);
    }
    await page.locator("#kind").selectOption("results");

    const documents = async () =>
      (await page.locator("#list .link").allInnerTexts()).map((link) => link.split("#")[0]);
    const areDistinct = (all) => all.length > 1 && new Set(all).size === all.length;
    await page.getByLabel("Query", { exact: true }).fill("fusion");
    await eventually("chunks", documents, (all) => all.length === 5 && !areDistinct(all));
    await page.getByLabel("One result per document").check();
    await eventually("documents", documents, areDistinct);
    await page.getByLabel("One result per document").uncheck();
    await page.getByLabel("Query", { exact: true }).fill("how are rankings fused");

    await page.locator("#filters > summary").click();
    await page.getByLabel("Field").selectOption("path");
    await page.getByLabel("Operator").selectOption("contains");
    await page.getByLabel("Value").fill('vectors"\\');
    await page.getByRole("button", { name: "Add" }).click();
    assert.equal(await page.locator("#filter").inputValue(), 'path contains "vectors\\"\\\\"');
    await eventually("none", text(page, "#results-status"), (one) => one === "No results.");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Value").fill("vectors");
    await page.getByLabel("Value").press("Enter");
    await page.getByLabel("Field").selectOption("chunk");
    await page.getByLabel("Operator").selectOption("ge");
    await page.getByLabel("Value").fill("x");
    await page.getByLabel("Value").press("Enter");
    await eventually("type", text(page, "#filter-problem"), (one) => one.includes("expected integer"));
    await page.getByLabel("Value").fill("1");
    await page.getByLabel("Value").press("Enter");
    assert.equal(await page.locator("#filter").inputValue(), 'path contains "vectors" and chunk >= 1');
    await eventually("filtered", () => page.locator("#list .link").allInnerTexts(), (links) =>
      links.length > 0 && links.every((link) => link.includes("vectors")));
  });
  await browser.visit(url, async (page) => {
    await page.getByLabel("Query", { exact: true }).fill("fusion");
    await page.locator("#filters > summary").click();
    await page.locator("#filter").fill("path = ");
    await eventually("column", text(page, "#filter-problem"), (one) => one.startsWith("Column 7: "));
    await page.locator("#filter").fill("colour = 1");
    await eventually("field", text(page, "#filter-problem"), (one) => one.includes("path"));
    await page.locator("#filter").fill('path contains "x" or chunk = 1');
    await page.getByLabel("Field").selectOption("headings");
    await page.getByLabel("Operator").selectOption("exists");
    await page.getByRole("button", { name: "Add" }).click();
    assert.equal(await page.locator("#filter").inputValue(), '(path contains "x" or chunk = 1) and headings exists');
    await eventually("no problem", () => page.locator("#filter-problem").isHidden(), (hidden) => hidden);
  }, { statuses: [400] });
  await checkCosts(browser, url);
  passed("searches with kinds, filters, records and marked words");
}

/** Each search of an open world may cost money: none begins by itself. */
async function checkCosts(browser, url) {
  const asked = [];
  const before = async (page) => {
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.route("**/v1/capabilities", async (route) => {
      const response = await route.fetch();
      const capabilities = await response.json();
      capabilities.sources[0].open_world = true;
      await route.fulfill({ response, json: capabilities });
    });
  };
  await browser.visit(`${url}#q=fusion`, async (page) => {
    await page.getByLabel("Query", { exact: true }).fill("fusion of rankings");
    await page.waitForTimeout(400);
    assert(!asked.includes("/v1/search") && !asked.includes("/v1/prompt"), `${asked}`);
    await page.getByRole("button", { name: "Search" }).click();
    await eventually("results", () => results(page).count(), Boolean);
  }, { before });
}

export async function checkTemplate(browser, url) {
  await browser.visit(url, async (page) => {
    const template = page.getByLabel("Template text");
    const prompt = text(page, "#rendered");
    await page.getByLabel("Query", { exact: true }).fill("fusion");
    await eventually("prompt", prompt, (one) => one.includes("Question: fusion"));
    assert.deepEqual(await page.locator("#rendered .role").allInnerTexts(), ["system", "user"]);
    await eventually("tokens", text(page, "#prompt-status"), (one) => /^About [\d,]+ tokens/.test(one));
    assert.match(await text(page, "#calls")(), /SearchPlugin-GetTextSearchResults\(.*"fusion".*\) 3 results/);
    assert.equal(await page.locator("#sources li").count(), 3);

    // As typed, key by key; responses to earlier keys don't win.
    await template.fill("");
    await template.pressSequentially("Ask {{query}} kindly", { delay: 15 });
    await eventually("typed", prompt, (one) => one === "Ask fusion kindly");
    await page.getByText("Variables", { exact: true }).click();
    await page.getByLabel("Variables as JSON").fill('{ "tone": "terse", "query": "mine" }');
    await template.fill("{{tone}} {{query}}");
    await eventually("variables", prompt, (one) => one === "terse mine");
    await page.getByLabel("Variables as JSON").fill("{ tone");
    await eventually("invalid", () => page.locator("#variables-problem").isVisible(), (shown) => shown);
    await page.getByLabel("Variables as JSON").fill("");

    await template.fill("one\n  {{#each}}");
    const problem = text(page, "#template-problem");
    await eventually("problem", problem, (one) => /^Line \d+, column \d+: /.test(one));
    assert.equal(await template.getAttribute("aria-invalid"), "true");
    await template.fill("one\ntwo {{Search-Plugin 'x'}}{{SearchPlugin-None}}");
    await eventually("position", problem, (one) => one.startsWith("Line 2, column "));
    await page.getByRole("button", { name: "Go there" }).click();
    const at = await template.evaluate((area) => area.selectionStart);
    assert(at >= 4, `${at}`);

    await page.locator("#format").selectOption("semantic-kernel");
    await eventually("other language", prompt, (one) => one.includes("Question: fusion"));
    await template.fill("{{SearchPlugin.Search $query count='1'}}|{{$query}}");
    await eventually("edited", prompt, (one) => one.endsWith("|fusion"));
    await page.locator("#format").selectOption("handlebars");
    assert.match(await template.inputValue(), /^one\n/);
  }, { statuses: [400] });
  await browser.visit(url, async (page) => {
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    let isFirst = true;
    await page.route("**/v1/prompt", async (route) => {
      if (isFirst) {
        isFirst = false;
        await held;
      }
      await route.continue().catch(() => {});
    });
    const template = page.getByLabel("Template text");
    await template.fill("first");
    await page.getByRole("button", { name: "Render" }).click();
    await template.fill("second");
    await eventually("second", text(page, "#rendered"), (one) => one === "second");
    release();
    await page.waitForTimeout(200);
    assert.equal(await text(page, "#rendered")(), "second");
  });
  passed("templates render as typed; late responses are dropped; errors have lines and columns");
}

export async function checkShare(browser, url) {
  const link = await browser.visit(url, async (page) => {
    await page.getByLabel("Query", { exact: true }).fill("ranking & 100 % \u{1f50d}");
    await page.getByLabel("Top").fill("3");
    await page.locator("#kind").selectOption("texts");
    await page.getByLabel("One result per document").check();
    await page.locator("#filters > summary").click();
    await page.locator("#filter").fill('path contains "guide"');
    await page.locator("#format").selectOption("semantic-kernel");
    await page.getByLabel("Template text").fill("Say {{$query}}\n{{$tone}}");
    await page.getByText("Variables", { exact: true }).click();
    await page.getByLabel("Variables as JSON").fill('{"tone":"#?&"}');
    await page.getByRole("button", { name: "Copy link" }).click();
    await eventually("copied", text(page, "#copied"), (one) => one !== "");
    return page.url();
  });
  assert(new URL(link).search === "" && link.includes("#"), link);
  await browser.visit(link, async (page) => {
    await eventually("prompt", text(page, "#rendered"), (one) => one === "Say ranking & 100 % \u{1f50d}\n#?&");
    await eventually("results", () => results(page).count(), (count) => count === 3);
    assert.equal(await page.locator("#filter").inputValue(), 'path contains "guide"');
    assert.equal(await page.locator("#kind").inputValue(), "texts");
    assert(await page.getByLabel("One result per document").isChecked());
    assert.equal(page.url(), link);
  });
  passed("a link restores everything");
}

export async function checkHostile(browser, url) {
  const state = new URLSearchParams({
    q: "zebra",
    template: "{{#each (SearchPlugin-GetTextSearchResults query count=9)}}{{Name}} {{Value}} {{Link}}\n{{/each}}",
  });
  for (const kind of ["results", "records", "texts"]) {
    state.set("kind", kind);
    await browser.visit(`${url}#${state}`, async (page) => {
      await eventually("hostile results", () => results(page).count(), (count) => count >= 3);
      await eventually("hostile prompt", text(page, "#rendered"), (one) => one.includes("onerror"));
      for (const one of await page.locator("#list summary").all()) await one.click();
      await eventually("records", () => page.locator("#list pre").allInnerTexts(), (all) => all.every(Boolean));
      const shown = await page.locator("main").innerText();
      assert(shown.includes("<img src=x onerror="), "markup is shown as text");
      assert(shown.includes("U+202E") && shown.includes("U+E0041"), "hidden characters are named");
      assert(!/[\u202e\u200b\u{e0041}]/u.test(shown), "hidden characters are replaced");
      const found = await page.evaluate(() => ({
        elements: document.querySelectorAll("main :is(img, script, iframe, svg, object, style, base, meta)").length,
        links: [...document.querySelectorAll("main a")].map((a) => [a.protocol, a.rel]),
        pwned: window.pwned ?? null,
      }));
      assert.deepEqual([found.elements, found.pwned], [0, null]);
      for (const [protocol, rel] of found.links) {
        assert(["http:", "https:"].includes(protocol), protocol);
        assert.equal(rel, "noopener noreferrer");
      }
      if (kind === "results") assert(found.links.length > 0, "a good link is a link");
    });
  }
  // A link from a stranger.
  const attack = new URLSearchParams({
    q: "<img src=x onerror=window.pwned=1>\u202e", source: "__proto__", kind: "constructor", mode: "<b>",
    top: "-1e9", filter: "<script>", format: "toString", template: "</textarea><script>window.pwned=1</script>",
    variables: '{"__proto__":{"pwned":1}}',
  });
  await browser.visit(`${url}#${attack}`, async (page) => {
    await eventually("prompt", text(page, "#rendered"), (one) => one.includes("<script>"));
    assert.equal(await page.evaluate(() => window.pwned ?? null), null);
  }, { statuses: [400] });
  passed("hostile documents and links do nothing");
}

export async function checkKeyboard(browser, url) {
  await browser.visit(url, async (page) => {
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
    const order = [];
    const tabTo = async (id) => {
      for (let steps = 0; steps < 40; steps++) {
        await page.keyboard.press("Tab");
        order.push(await focused());
        const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
        assert.notEqual(ring, "none", `${order.at(-1)} shows no focus`);
        if (order.at(-1) === id) return;
      }
      assert.fail(`${id} is not reached: ${order}`);
    };
    await tabTo("query");
    await page.keyboard.type("fusion");
    await page.keyboard.press("Enter");
    await eventually("results", () => results(page).count(), (count) => count === 5);
    for (const id of ["source", "mode", "kind", "top", "live", "template"]) await tabTo(id);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Keys: {{query}}");
    await page.keyboard.press("Control+Enter");
    await eventually("prompt", text(page, "#rendered"), (one) => one === "Keys: fusion");
    await page.keyboard.press("Tab");
    assert.notEqual(await focused(), "template", "Tab leaves the editor");
  });
  await browser.visit(url, async (page) => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "results");
    assert.equal(new URL(page.url()).hash, "");
  });
  passed("works with the keyboard alone");
}

export async function checkAccess(browser, url, token) {
  await browser.visit(`${url}#q=fusion`, async (page) => {
    const field = page.getByLabel("Token");
    await field.fill("wrong-wrong-wrong-wrong");
    await field.press("Enter");
    await eventually("refused", text(page, "#access-problem"), (one) => one.includes("doesn't know"));
    await field.fill(token);
    await field.press("Enter");
    await eventually("results", () => results(page).count(), (count) => count === 5);
    await page.getByRole("button", { name: "Copy link" }).click();
    const kept = await page.evaluate(() => JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie]));
    assert(!kept.includes(token), "the token is kept outside the page");
    assert(!(await page.content()).includes(token), "the token is in the page");
    await page.reload();
    await eventually("asked again", () => field.isVisible(), (shown) => shown);
  }, { statuses: [401] });
  passed("the token stays in the page's memory");
}
