// The certified identity provider `oidc-provider`, with logins that need nobody: node provider.mjs jwt|opaque
//
// Prints `provider=URL`. A login names its user, who is also the organisation, in `login_hint`. For tests, `POST /mint` signs any claims and
// `POST /rotate` replaces the key.
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import Provider from "oidc-provider";

// The check reads only the first line.
console.info = console.warn = () => {};

const SCOPES = ["textsearch:search", "textsearch:answer"];

let issuer, key, provider, callback;

async function rotate() {
  const pair = await generateKeyPair("RS256", { extractable: true });
  key = { ...(await exportJWK(pair.privateKey)), kid: crypto.randomUUID(), alg: "RS256", use: "sig" };
  provider = new Provider(issuer, {
    clientDefaults: { application_type: "native", id_token_signed_response_alg: "RS256" },
    clients: [{ client_id: "search", client_secret: "a secret", redirect_uris: [], grant_types: [], response_types: [] }],
    cookies: { keys: ["integration"] },
    extraTokenClaims: (_, token) => ({ org: token.accountId }),
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: () => true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: SCOPES.join(" "),
          audience: resource,
          accessTokenTTL: 300,
          accessTokenFormat: process.argv[2],
          jwt: { sign: { alg: "RS256" } },
        }),
        useGrantedResource: () => true,
      },
    },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    jwks: { keys: [key] },
    scopes: ["openid", "offline_access", ...SCOPES],
  });
  provider.use(interact);
  callback = provider.callback();
}

/** Logs the user in, and consents to everything. */
async function interact(ctx, next) {
  if (!ctx.path.startsWith("/interaction/")) return next();
  const { prompt, params, session, grantId } = await provider.interactionDetails(ctx.req, ctx.res);
  ctx.respond = false;
  if (prompt.name === "login") {
    return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: params.login_hint } });
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  grant.addResourceScope(params.resource, params.scope);
  return provider.interactionFinished(ctx.req, ctx.res, { consent: { grantId: await grant.save() } });
}

async function mint(request, response) {
  let body = "";
  for await (const part of request) body += part;
  const token = new SignJWT(JSON.parse(body)).setProtectedHeader({ alg: "RS256", kid: key.kid, typ: "at+jwt" });
  response.end(await token.sign(key));
}

const server = createServer(async (request, response) => {
  if (request.url === "/mint") return mint(request, response);
  if (request.url === "/rotate") {
    await rotate();
    return response.end();
  }
  callback(request, response);
});
server.listen(0, "127.0.0.1", async () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  await rotate();
  console.log(`provider=${issuer}`);
});
