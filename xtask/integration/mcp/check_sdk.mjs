// The official TypeScript SDKs, of the newest revision and of those before, as clients of our server over HTTP.
import assert from "node:assert/strict";
import * as newest from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
for (const sdk of [newest, { Client, StreamableHTTPClientTransport }]) {
  const client = new sdk.Client({ name: "check", version: "1" });
  await client.connect(new sdk.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  // The client then checks structured content against the schemas.
  const { tools } = await client.listTools();
  assert(tools.some((tool) => tool.name === "fetch"), JSON.stringify(tools));
  const found = await client.callTool({ name: "search", arguments: { query: "apples" } });
  const [result] = found.structuredContent.results;
  assert.equal(result.title, "Fruit");
  const fetched = await client.callTool({ name: "fetch", arguments: { id: result.id } });
  assert.match(fetched.structuredContent.text, /Apples and pears/);
  const missing = await client.callTool({ name: "fetch", arguments: { id: "nothing" } });
  assert.equal(missing.isError, true);
  await client.close();
}
console.log("     the TypeScript SDKs over HTTP: search and fetch");
