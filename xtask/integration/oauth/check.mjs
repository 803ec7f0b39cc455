// MCP's official TypeScript SDK logs in and searches, and bad tokens are refused: node check.mjs SERVER PROVIDER jwt|opaque
import assert from "node:assert/strict";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [server, issuer, format] = process.argv.slice(2);
const REDIRECT = "http://127.0.0.1/callback";

/** Follows the login to its end, as a browser would. Returns the code. */
async function logIn(url, user) {
  url.searchParams.set("login_hint", user);
  const cookies = new Map();
  for (;;) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(set);
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    assert(location, `${response.status}: ${await response.text()}`);
    url = new URL(location, url);
    if (url.href.startsWith(REDIRECT)) return url.searchParams.get("code");
  }
}

/** Keeps what a login needs, in memory. */
class Login {
  redirectUrl = REDIRECT;
  clientMetadata = { client_name: "check", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" };
  clientInformation = () => this.client;
  saveClientInformation = (client) => void (this.client = client);
  tokens = () => this.kept;
  saveTokens = (tokens) => void (this.kept = tokens);
  redirectToAuthorization = (url) => void (this.url = url);
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
}

async function connected(user) {
  const login = new Login();
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(new URL(server), { authProvider: login });
    const client = new Client({ name: "check", version: "1" });
    return { transport, client, connected: client.connect(transport) };
  };
  const first = await connect();
  await assert.rejects(first.connected, UnauthorizedError);
  await first.transport.finishAuth(await logIn(login.url, user));
  const second = await connect();
  await second.connected;
  return { client: second.client, token: login.kept.access_token, scope: login.kept.scope };
}

async function searched(client) {
  const { tools } = await client.listTools();
  assert(tools.some((tool) => tool.name === "search"), JSON.stringify(tools));
  return JSON.stringify(await client.callTool({ name: "search", arguments: { query: "launches" } }));
}

async function post(token, path = "/v1/search") {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(new URL(path, server), { method: "POST", headers, body: JSON.stringify({ query: "launches" }) });
}

const acme = await connected("acme");
const globex = await connected("globex");
assert.equal(acme.scope, "textsearch:search");
const own = await searched(acme.client);
const other = await searched(globex.client);
assert(own.includes("acme-plan") && !own.includes("globex-plan"), own);
assert(other.includes("globex-plan") && !other.includes("acme-plan"), other);
console.log("     the TypeScript SDK logs in, lists tools and searches; another organisation sees other documents");

assert.equal((await post(acme.token)).status, 200);
const lacking = await post(acme.token, "/v1/prompt");
assert.equal(lacking.status, 403);
assert.match(lacking.headers.get("www-authenticate"), /error="insufficient_scope"/);

if (format === "opaque") {
  assert.equal((await post(acme.token.slice(1))).status, 401);
  console.log("     the provider is asked about tokens that aren't JWTs");
  process.exit(0);
}

const now = Math.floor(Date.now() / 1000);
const claims = { iss: issuer, aud: server, sub: "ann", exp: now + 300, scope: "textsearch:search", org: "acme" };
const mint = async (changes) =>
  (await fetch(`${issuer}/mint`, { method: "POST", body: JSON.stringify({ ...claims, ...changes }) })).text();
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const unsigned = `${encoded({ alg: "none", typ: "JWT" })}.${encoded(claims)}.`;
const refused = [
  ["expired", await mint({ exp: now - 120 }), 401],
  ["not valid yet", await mint({ nbf: now + 120 }), 401],
  ["another audience", await mint({ aud: "https://other.example" }), 401],
  ["another issuer", await mint({ iss: "https://other.example" }), 401],
  ["alg: none", unsigned, 401],
  ["no claim", await mint({ org: undefined }), 403],
  ["no scope", await mint({ scope: "openid" }), 403],
];
assert.equal((await post(await mint({}))).status, 200);
for (const [fault, token, status] of refused) assert.equal((await post(token)).status, status, fault);
console.log(`     refused: ${refused.map(([fault]) => fault).join(", ")}`);

await fetch(`${issuer}/rotate`, { method: "POST" });
// From one request for the keys to the next.
await new Promise((resolve) => setTimeout(resolve, 5000));
assert.equal((await post(await mint({}))).status, 200);
assert.equal((await post(acme.token)).status, 401);
console.log("     a new key is accepted at once, and a token of the old one refused");
process.exit(0);
