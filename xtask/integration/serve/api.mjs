// Validates the API's description, and calls the API with a client generated from it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { writeFile } from "node:fs/promises";

import SwaggerParser from "@apidevtools/swagger-parser";
import createClient from "openapi-fetch";
import openapiTypescript, { astToString } from "openapi-typescript";

export async function checkApi(url, full) {
  await validated(url);
  const document = await validated(full);

  // Members with a default may be left out of a request.
  const types = await openapiTypescript(structuredClone(document), { defaultNonNullable: false });
  await writeFile("api.d.ts", astToString(types));
  await writeFile("use.ts", USE);
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"];
  execFileSync(process.execPath, [compiler, ...options, "use.ts"], { stdio: "inherit" });

  const client = createClient({ baseUrl: url });
  const found = await client.POST("/v1/search", { body: { query: "fusion", top: 2 } });
  assert.equal(found.data.results.length, 2);
  const wrong = await client.POST("/v1/search", { body: { query: "fusion", top: 999 } });
  assert.deepEqual([wrong.error.status, wrong.error.field], [400, "top"]);
  const rendered = await client.POST("/v1/prompt", { body: { template: "{{docs-Search 'fusion' count=1}}" } });
  assert.equal(rendered.data.calls.length, 1);
  console.log("     a generated client compiles and searches");
}

async function validated(url) {
  const document = await (await fetch(`${url}/openapi.json`)).json();
  const api = await SwaggerParser.validate(structuredClone(document));
  const count = Object.keys(api.paths).length;
  console.log(`     a validator accepts the OpenAPI ${api.openapi} description of ${count} paths`);
  return document;
}

/** The types must allow what callers send and read. */
const USE = `
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const client = createClient<paths>({ baseUrl: "" });
const { data, error } = await client.POST("/v1/search", {
  body: { query: "fusion", top: 2, filter: "year >= 2020" },
});
const results: unknown[] | undefined = data?.results;
const status: number | undefined = error?.status;
console.log(results, status);
`;
