// How the playground looks, to people and to assistive technology.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { eventually } from "./browser.mjs";
import { converse } from "./conversation.mjs";

const LIMIT = 200;
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SHOWN = "#q=how+are+rankings+fused&top=4&variables=%7B%22tone%22%3A%22terse%22%7D";

export async function checkFirstPaint(browser, url) {
  const times = [];
  for (let round = 0; round < 7; round++) {
    const time = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    times.push(await browser.visit(url, (page) => eventually("paint", () => page.evaluate(time), Boolean)));
  }
  const rounded = times.map(Math.round);
  const median = rounded.toSorted((a, b) => a - b)[3];
  console.log(`     first paint after ${median} ms (${rounded.join(", ")}), limit ${LIMIT} ms`);
  assert(median < LIMIT);
}

export async function checkAccessibility(browser, url, closed, answering) {
  const minor = new Set();
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [{ width: 1440, height: 900 }, { width: 1000, height: 900 }, { width: 360, height: 800 }]) {
      const look = { colorScheme, viewport };
      await browser.visit(`${url}${SHOWN}&filter=path+exists`, async (page) => {
        await ready(page);
        await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
        await audit(page, minor, `${colorScheme}, ${viewport.width} pixels`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert(overflow <= 0, `${overflow} pixels too wide at ${viewport.width}`);
      }, look);
    }
    const problems = `${url}#q=zebra&filter=path+%3D&template=%7B%7B%23each&variables=`;
    await browser.visit(problems, async (page) => {
      await eventually("problems", () => page.locator(".problem:visible").count(), (count) => count === 2);
      await audit(page, minor, `${colorScheme}, problems`);
    }, { colorScheme, statuses: [400] });
    await browser.visit(`${url}#q=zebra&top=9`, async (page) => {
      await eventually("hidden characters", () => page.locator(".unseen").count(), Boolean);
      await audit(page, minor, `${colorScheme}, hidden characters`);
    }, { colorScheme });
    for (const width of [1280, 400]) {
      await browser.visit(answering, async (page) => {
        const overflow = await converse(page);
        assert(overflow <= 0, `${overflow} pixels too wide at ${width}`);
        await audit(page, minor, `${colorScheme}, conversation, ${width} pixels`);
      }, { colorScheme, viewport: { width, height: 800 } });
    }
    await browser.visit(closed, async (page) => {
      await eventually("form", () => page.getByLabel("Token").isVisible(), Boolean);
      await audit(page, minor, `${colorScheme}, token`);
    }, { colorScheme, statuses: [401] });
  }
  const others = minor.size ? `; minor or moderate: ${[...minor].join(", ")}` : ", nor a lesser one";
  console.log(`     axe finds no serious or critical violation in light and dark${others}`);
}

export async function takeScreenshots(browser, url, folder) {
  for (const colorScheme of ["light", "dark"]) {
    const look = { colorScheme, viewport: { width: 1280, height: 840 } };
    const path = join(folder, `playground-${colorScheme}.png`);
    await browser.visit(`${url}#q=weighted+fusion`, async (page) => {
      await ready(page);
      await page.screenshot({ path });
    }, look);
    console.log(`     wrote ${path}`);
  }
}

async function ready(page) {
  await eventually("results", () => page.locator("#list > li").count(), Boolean);
  await eventually("prompt", () => page.locator("#calls li").count(), Boolean);
}

async function audit(page, minor, where) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  violations.filter((one) => !grave.includes(one)).forEach(({ id }) => minor.add(id));
  const described = grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
  assert.deepEqual(described, [], where);
}
