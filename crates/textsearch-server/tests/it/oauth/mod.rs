//! Tokens of an identity provider.

pub(crate) mod provider;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use futures_util::future::join_all;
use http::{HeaderMap, StatusCode};
use reqwest::Method;
use ring::hmac;
use serde_json::{Value, json};
use textsearch_core::http::{
    HttpClient, HttpSettings, HttpTransport, TransportError, TransportRequest, TransportResponse,
};
use textsearch_server::{OAuthConfig, Right, Server, ServerConfig, ServerError};
use tokio::{
    net::TcpListener,
    time::{sleep, timeout},
};

use self::provider::{IdentityProvider, SigningKey, now, token};
use crate::support::{
    ADMIN, Answer, TestServer, searched_writer, send, services, start, tenants, values,
};

const KEY: &str = "key-1";

/// From one request for keys to the next.
const PAUSE: Duration = Duration::from_secs(5);

/// Keys are fetched again while requests go on.
const MAX_AGE: Duration = Duration::from_secs(600);

/// Requests wait for newer keys.
const MAX_IDLE: Duration = Duration::from_secs(1200);

/// Lets time pass for the keys, but not for tokens, which have dates.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time + Duration::from_millis(1)).await;
    tokio::time::resume();
}

const SEARCH_SCOPE: &str = "textsearch:search";

/// A provider with one key, and a server that takes its tokens beside its own.
struct Scene {
    provider: IdentityProvider,
    key: SigningKey,
    server: TestServer,
}

impl Scene {
    async fn start() -> Self {
        let filter = r#"Source = "{org}""#.parse().unwrap();
        Self::with(|config| config.with_tenant("org", filter)).await
    }

    async fn with(change: impl FnOnce(OAuthConfig) -> OAuthConfig) -> Self {
        let provider = IdentityProvider::start().await;
        let key = SigningKey::es256();
        provider.publish([(KEY, &key)]);
        let config = tenants().with_oauth(change(provider.config()));
        Self { server: start(services(), config).await, provider, key }
    }

    /// A token with changed claims.
    fn token(&self, changes: Value) -> String {
        self.key.sign(KEY, &self.provider.claims_with(changes))
    }

    async fn search(&self, token: &str) -> Answer {
        search(&self.server, token).await
    }

    /// Why the token is refused.
    async fn refusal(&self, token: &str) -> String {
        let answer = self.search(token).await;
        let challenge = answer.headers["www-authenticate"].to_str().unwrap().to_owned();
        assert!(challenge.ends_with(r#"error="invalid_token""#), "{challenge}");
        answer.problem(401)["detail"].as_str().unwrap().to_owned()
    }
}

async fn search(server: &TestServer, token: &str) -> Answer {
    let request = server.request(Method::POST, "/v1/search").bearer_auth(token);
    send(request.json(&json!({ "query": "anvils" }))).await
}

#[tokio::test]
async fn a_signed_token_searches() {
    let scene = Scene::start().await;
    assert_eq!(values(&scene.search(&scene.token(json!({}))).await.ok()).len(), 2);
    let key = SigningKey::eddsa();
    scene.provider.publish([("ed", &key)]);
    let server = start(services(), ServerConfig::new().with_oauth(scene.provider.config())).await;
    let token = key.sign("ed", &scene.provider.claims());
    assert_eq!(values(&search(&server, &token).await.ok()).len(), 3);
}

#[tokio::test]
async fn each_organisation_sees_its_own_documents() {
    let scene = Scene::start().await;
    for (org, count) in [("acme", 2), ("globex", 1), ("initech", 0)] {
        let answer = scene.search(&scene.token(json!({ "org": org }))).await.ok();
        assert_eq!(values(&answer).len(), count, "{org}");
    }
}

#[tokio::test]
async fn a_claim_is_no_syntax_of_filters() {
    let scene = Scene::start().await;
    let answer = scene.search(&scene.token(json!({ "org": r#"x" or Source != ""# }))).await.ok();
    assert_eq!(values(&answer).len(), 0);
}

#[tokio::test]
async fn a_missing_claim_is_refused() {
    let scene = Scene::start().await;
    for org in
        [json!(null), json!(""), json!(7), json!(["acme"]), json!("a\u{0}"), json!("x".repeat(300))]
    {
        let problem = scene.search(&scene.token(json!({ "org": org }))).await.problem(403);
        assert!(problem["detail"].as_str().unwrap().contains("claim `org`"), "{problem}");
    }
}

#[tokio::test]
async fn an_expired_token_is_refused() {
    let scene = Scene::start().await;
    let token = scene.token(json!({ "exp": now() - 61 }));
    assert_eq!(scene.refusal(&token).await, "the token has expired");
}

#[tokio::test]
async fn a_token_of_the_future_is_refused() {
    let scene = Scene::start().await;
    let token = scene.token(json!({ "nbf": now() + 100 }));
    assert_eq!(scene.refusal(&token).await, "the token isn't valid yet");
}

#[tokio::test]
async fn a_token_for_another_server_is_refused() {
    let scene = Scene::start().await;
    for audience in [json!("https://other.example"), json!(["a", "b"]), json!([])] {
        let refusal = scene.refusal(&scene.token(json!({ "aud": audience }))).await;
        assert_eq!(refusal, "the token is for another server: its `aud` isn't accepted");
    }
    let several = json!({ "aud": ["https://other.example", "https://search.example"] });
    scene.search(&scene.token(several)).await.ok();
}

#[tokio::test]
async fn a_token_of_another_issuer_is_refused() {
    let scene = Scene::start().await;
    let token = scene.token(json!({ "iss": "https://login.example" }));
    assert_eq!(scene.refusal(&token).await, "the token is from another issuer");
}

#[tokio::test]
async fn required_claims_must_be_there() {
    let scene = Scene::start().await;
    for claim in ["exp", "iss", "aud"] {
        let token = scene.token(json!({ claim: null }));
        assert_eq!(scene.refusal(&token).await, format!("the token has no valid claim `{claim}`"));
    }
}

/// Signed by a key that is in no file.
#[tokio::test]
async fn rsa_signatures_are_checked_with_keys_at_a_fixed_url() {
    let provider = IdentityProvider::start().await;
    let signed: Value = serde_json::from_str(include_str!("rsa.json")).unwrap();
    provider.publish_public(signed["jwk"].clone());
    let mut oauth = OAuthConfig::new("https://login.example", "https://search.example");
    oauth.jwks_url = Some(format!("{}/jwks", provider.issuer()));
    let server = start(services(), ServerConfig::new().with_oauth(oauth)).await;
    for algorithm in ["RS256", "PS256"] {
        let token = signed[algorithm].as_str().unwrap();
        search(&server, token).await.ok();
        let parts: Vec<&str> = token.split('.').collect();
        let other = if algorithm == "RS256" { "PS256" } else { "RS256" };
        let other = signed[other].as_str().unwrap().split('.').next().unwrap();
        let changed = [other, parts[1], parts[2]].join(".");
        let problem = search(&server, &changed).await.problem(401);
        assert_eq!(problem["detail"], "the token has a wrong signature");
    }
}

#[tokio::test]
async fn a_token_that_needs_an_extension_is_refused() {
    let scene = Scene::start().await;
    for extension in [json!({ "crit": ["b64"], "b64": true }), json!({ "b64": false })] {
        let mut header = json!({ "alg": "ES256", "kid": KEY });
        header.as_object_mut().unwrap().extend(extension.as_object().unwrap().clone());
        let token = scene.key.sign_with(&header, &scene.provider.claims());
        let expected = "the token needs an extension that the server doesn't know";
        assert_eq!(scene.refusal(&token).await, expected);
    }
}

#[tokio::test]
async fn an_unsigned_token_is_refused() {
    let scene = Scene::start().await;
    for algorithm in ["none", "None", "NONE"] {
        let header = json!({ "alg": algorithm, "typ": "JWT" });
        let token = token(&header, &scene.provider.claims(), |_| Vec::new());
        assert_eq!(scene.refusal(&token).await, "the token has an algorithm that isn't accepted");
    }
    assert_eq!(scene.provider.fetches(), 0);
}

/// The public key as the secret of an HMAC.
#[tokio::test]
async fn a_token_cannot_choose_another_algorithm() {
    let scene = Scene::start().await;
    let header = json!({ "alg": "HS256", "kid": KEY });
    let secret = hmac::Key::new(hmac::HMAC_SHA256, scene.key.public());
    let token = token(&header, &scene.provider.claims(), |message| {
        hmac::sign(&secret, message).as_ref().to_vec()
    });
    assert_eq!(scene.refusal(&token).await, "the token has an algorithm that isn't accepted");
}

#[tokio::test]
async fn a_changed_token_is_refused() {
    let scene = Scene::start().await;
    let signed = scene.token(json!({}));
    let other = scene.token(json!({ "org": "globex" }));
    let parts: Vec<&str> = signed.split('.').collect();
    let claims = other.split('.').nth(1).unwrap();
    let changed = [parts[0], claims, parts[2]].join(".");
    assert_eq!(scene.refusal(&changed).await, "the token has a wrong signature");
}

#[tokio::test]
async fn malformed_tokens_are_refused() {
    let scene = Scene::start().await;
    let signed = scene.token(json!({}));
    let long = format!("{signed}{}", "x".repeat(16 << 10));
    for token in ["", "x", "a.b", "a.b.c", "..", "é", &signed[1..], &long, &format!("{signed}.x")]
    {
        let request = scene.server.request(Method::POST, "/v1/search");
        let header = format!("Bearer {token}");
        send(request.header("authorization", header).json(&json!({}))).await.problem(401);
    }
}

#[tokio::test]
async fn an_unknown_key_is_refused() {
    let scene = Scene::start().await;
    let token = SigningKey::es256().sign("other", &scene.provider.claims());
    let expected = "the token has a key that is not one of the identity provider's";
    assert_eq!(scene.refusal(&token).await, expected);
    // The provider isn't asked again at once.
    assert_eq!(scene.refusal(&token).await, expected);
    assert_eq!(scene.provider.fetches(), 1);
}

#[tokio::test]
async fn a_new_key_replaces_the_old_one() {
    let scene = Scene::start().await;
    let old = scene.token(json!({}));
    scene.search(&old).await.ok();
    let key = SigningKey::es256();
    scene.provider.publish([("key-2", &key)]);
    let new = key.sign("key-2", &scene.provider.claims());
    // Only after the pause between two requests for keys.
    assert_eq!(scene.search(&new).await.status, 401);
    pass(PAUSE).await;
    scene.search(&new).await.ok();
    assert_eq!(scene.search(&old).await.status, 401);
}

/// Once the known keys are ten minutes old, beside a request.
#[tokio::test]
async fn a_provider_can_withdraw_all_keys() {
    let scene = Scene::start().await;
    scene.search(&scene.token(json!({}))).await.ok();
    scene.provider.publish([]);
    pass(MAX_AGE).await;
    scene.search(&scene.token(json!({ "sub": "bob" }))).await.ok();
    while scene.provider.fetches() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let refused = async || scene.search(&scene.token(json!({ "sub": "eve" }))).await.status == 401;
    while !refused().await {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_withdrawn_key_is_refused_after_an_idle_time() {
    let scene = Scene::start().await;
    scene.search(&scene.token(json!({}))).await.ok();
    let key = SigningKey::es256();
    scene.provider.publish([("key-2", &key)]);
    pass(MAX_IDLE).await;
    scene.refusal(&scene.token(json!({ "sub": "eve" }))).await;
    scene.search(&key.sign("key-2", &scene.provider.claims())).await.ok();
}

#[tokio::test]
async fn known_keys_outlive_a_provider_that_is_down() {
    let scene = Scene::start().await;
    scene.search(&scene.token(json!({}))).await.ok();
    scene.provider.stop();
    pass(MAX_IDLE).await;
    scene.search(&scene.token(json!({ "sub": "bob" }))).await.ok();
}

#[tokio::test]
async fn a_foreign_token_fetches_no_key() {
    let scene = Scene::start().await;
    for changes in
        [json!({ "iss": "https://login.example" }), json!({ "aud": "x" }), json!({ "exp": 1 })]
    {
        let token = SigningKey::es256().sign("other", &scene.provider.claims_with(changes));
        scene.refusal(&token).await;
    }
    assert_eq!(scene.provider.fetches(), 0);
}

#[tokio::test]
async fn few_requests_wait_for_a_silent_provider() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let issuer = format!("http://{}", silent.local_addr().unwrap());
    let mut config = tenants().with_oauth(OAuthConfig::new(&issuer, "https://search.example"));
    config.request_timeout = Duration::from_secs(2);
    let server = start(services(), config).await;
    let claims = json!({ "iss": issuer, "aud": "https://search.example", "exp": now() + 300 });
    let token = SigningKey::es256().sign(KEY, &claims);
    let answers = join_all((0..276).map(|_| search(&server, &token))).await;
    let count = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!([count(503), count(504)], [20, 256]);
}

#[tokio::test]
async fn a_thousand_requests_fetch_the_keys_once() {
    let scene = Scene::start().await;
    let tokens = (0..1_000).map(|number| scene.token(json!({ "sub": number.to_string() })));
    let tokens: Vec<String> = tokens.collect();
    let answers = join_all(tokens.iter().map(|token| scene.search(token))).await;
    // Some find the server busy, but all are known.
    assert!(answers.iter().all(|answer| [200, 429, 503].contains(&answer.status.as_u16())));
    assert_eq!(scene.provider.fetches(), 1);
}

#[tokio::test]
async fn a_dead_provider_refuses_only_new_keys() {
    let scene = Scene::start().await;
    let known = scene.token(json!({}));
    scene.search(&known).await.ok();
    let other = IdentityProvider::start().await;
    other.stop();
    let key = SigningKey::es256();
    let server = start(services(), tenants().with_oauth(other.config())).await;
    let new = key.sign(KEY, &other.claims());
    let (refused, own) = tokio::join!(search(&server, &new), async {
        let begun = Instant::now();
        search(&server, ADMIN).await.ok();
        begun.elapsed()
    });
    assert_eq!(refused.headers["retry-after"], "5");
    refused.problem(503);
    assert!(own.as_millis() < 500, "{own:?}");
    let begun = Instant::now();
    search(&server, &new).await.problem(503);
    assert!(begun.elapsed().as_millis() < 500);
    scene.provider.stop();
    scene.search(&known).await.ok();
    scene.search(&scene.token(json!({ "sub": "bob" }))).await.ok();
}

/// A proxy may log it.
#[tokio::test]
async fn a_persons_token_is_not_accepted_in_the_url() {
    let scene = Scene::start().await;
    let token = scene.token(json!({}));
    let path = format!("/v1/grounding?key={token}");
    scene.server.post(&path, json!({ "query": "x" })).await.problem(401);
    let request = scene.server.request(Method::POST, "/v1/grounding").bearer_auth(token);
    send(request.json(&json!({ "query": "x" }))).await.ok();
}

/// It could lead to a service on this machine.
#[tokio::test]
async fn metadata_over_https_leads_only_to_https() {
    let transport = Recorded::default();
    let client = HttpClient::from_transport("oauth", HttpSettings::default(), transport.clone());
    let mut oauth = OAuthConfig::new("https://login.example", "https://search.example");
    oauth.http_client = Some(client.unwrap());
    let server = start(services(), ServerConfig::new().with_oauth(oauth)).await;
    let claims = json!({
        "iss": "https://login.example", "aud": "https://search.example", "exp": now() + 300,
    });
    let token = SigningKey::es256().sign(KEY, &claims);
    search(&server, &token).await.problem(503);
    let expected = ["https://login.example/.well-known/openid-configuration"];
    assert_eq!(*transport.0.lock().unwrap(), expected);
}

/// The URLs of requests, each answered with metadata.
#[derive(Debug, Default, Clone)]
struct Recorded(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl HttpTransport for Recorded {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        self.0.lock().unwrap().push(request.url.to_string());
        let metadata =
            json!({ "issuer": "https://login.example", "jwks_uri": "http://127.0.0.1:6379/" });
        let body = metadata.to_string();
        Ok(TransportResponse::complete(StatusCode::OK, HeaderMap::new(), body))
    }
}

#[tokio::test]
async fn scopes_give_rights() {
    let scene = Scene::start().await;
    let token = scene.token(json!({ "scope": "openid textsearch:prompt" }));
    let answer = scene.search(&token).await;
    assert_eq!(
        answer.headers["www-authenticate"],
        r#"Bearer resource_metadata="https://search.example/.well-known/oauth-protected-resource", scope="textsearch:search", error="insufficient_scope""#
    );
    answer.problem(403);
    let request = scene.server.request(Method::GET, "/v1/capabilities").bearer_auth(&token);
    assert_eq!(send(request).await.ok()["rights"], json!(["prompt"]));
}

#[tokio::test]
async fn a_challenge_leads_to_the_metadata() {
    let scene = Scene::start().await;
    let answer = scene.server.post("/mcp", json!({})).await;
    assert_eq!(
        answer.headers["www-authenticate"],
        r#"Bearer resource_metadata="https://search.example/.well-known/oauth-protected-resource/mcp", scope="textsearch:search""#
    );
    answer.problem(401);
    let metadata = scene.server.get("/.well-known/oauth-protected-resource/mcp").await.ok();
    let expected = json!({
        "resource": "https://search.example/mcp",
        "resource_name": "textsearch",
        "authorization_servers": [scene.provider.issuer()],
        "scopes_supported": [SEARCH_SCOPE],
        "bearer_methods_supported": ["header"],
    });
    assert_eq!(metadata, expected);
    let metadata = scene.server.get("/.well-known/oauth-protected-resource").await.ok();
    assert_eq!(metadata["resource"], "https://search.example");
    // Neither metrics nor writes.
    let scopes = ["textsearch:search", "textsearch:prompt"];
    assert_eq!(metadata["scopes_supported"], json!(scopes));
}

#[tokio::test]
async fn without_a_provider_there_is_no_metadata() {
    let server = start(services(), tenants()).await;
    server.get("/.well-known/oauth-protected-resource").await.problem(404);
}

#[tokio::test]
async fn a_members_documents_belong_to_its_organisation() {
    let provider = IdentityProvider::start().await;
    let key = SigningKey::es256();
    provider.publish([(KEY, &key)]);
    let oauth = provider.config().with_tenant("org", r#"author = "{org}""#.parse().unwrap());
    let server = start(searched_writer().await, ServerConfig::new().with_oauth(oauth)).await;
    let scope = "textsearch:search textsearch:upsert";
    let sign =
        |org: &str| key.sign(KEY, &provider.claims_with(json!({ "org": org, "scope": scope })));
    let request = server.request(Method::POST, "/upsert").bearer_auth(sign("acme"));
    let document = json!({ "id": "plan", "text": "Acme sells anvils." });
    send(request.json(&json!({ "documents": [document] }))).await.ok();
    for (org, count) in [("acme", 1), ("globex", 0)] {
        assert_eq!(values(&search(&server, &sign(org)).await.ok()).len(), count, "{org}");
    }
}

async fn introspecting() -> Scene {
    let scene = Scene::with(|config| config.with_introspection("search", "a secret")).await;
    let active = |changes: Value| {
        let mut claims = scene.provider.claims_with(changes);
        claims["active"] = json!(true);
        claims
    };
    scene.provider.issue("known", active(json!({ "exp": null })));
    scene.provider.issue("later", active(json!({})));
    scene.provider.issue("expired", active(json!({ "exp": now() - 61 })));
    scene.provider.issue("early", active(json!({ "nbf": now() + 100 })));
    scene.provider.issue("other issuer", active(json!({ "iss": "https://login.example" })));
    scene.provider.issue("other server", active(json!({ "aud": ["https://other.example"] })));
    scene.provider.issue("no server", active(json!({ "aud": null })));
    scene
}

#[tokio::test]
async fn the_provider_explains_each_token_once() {
    let scene = introspecting().await;
    for _ in 0..3 {
        scene.search("known").await.ok();
    }
    assert_eq!(scene.provider.fetches(), 1);
}

#[tokio::test]
async fn tokens_that_are_not_active_here_are_refused() {
    let scene = introspecting().await;
    let elsewhere = "the token is for another server: its `aud` isn't accepted";
    for (token, refusal) in [
        ("unknown", "the token is not active"),
        ("expired", "the token has expired"),
        ("early", "the token isn't valid yet"),
        ("other issuer", "the token is from another issuer"),
        ("other server", elsewhere),
        ("no server", "the token has no valid claim `aud`"),
    ] {
        assert_eq!(scene.refusal(token).await, refusal, "{token}");
    }
}

#[tokio::test]
async fn a_dead_provider_explains_no_new_token() {
    let scene = introspecting().await;
    scene.search("known").await.ok();
    scene.provider.stop();
    let refused = scene.search("later").await;
    assert_eq!(refused.headers["retry-after"], "5");
    refused.problem(503);
    let begun = Instant::now();
    scene.search("later").await.problem(503);
    scene.search("known").await.ok();
    search(&scene.server, ADMIN).await.ok();
    assert!(begun.elapsed().as_millis() < 500);
}

#[tokio::test]
async fn a_token_that_the_provider_rejects_closes_nothing() {
    let scene = introspecting().await;
    let refusal = "the token is not accepted by the identity provider";
    assert_eq!(scene.refusal("forbidden").await, refusal);
    scene.search("known").await.ok();
}

#[tokio::test]
async fn a_silent_provider_is_noticed_after_its_client_left() {
    let settings = HttpSettings::default().with_total_timeout(Duration::from_millis(200));
    let client = HttpClient::new("oauth", settings).unwrap();
    let scene = Scene::with(|mut config| {
        config.http_client = Some(client);
        config.with_introspection("search", "a secret")
    });
    let scene = scene.await;
    assert!(timeout(Duration::from_millis(100), scene.search("slow")).await.is_err());
    sleep(Duration::from_millis(400)).await;
    scene.search("later").await.problem(503);
    assert_eq!(scene.provider.fetches(), 1);
}

#[test]
fn impossible_settings_are_refused() {
    let message = |oauth: OAuthConfig| {
        let config = ServerConfig::new().with_oauth(oauth);
        Server::new(services(), config).unwrap_err().to_string()
    };
    let url = "https://search.example";
    let issuer = "https://login.example";
    assert!(message(OAuthConfig::new("http://login.example", url)).contains("`issuer`"));
    assert!(message(OAuthConfig::new(issuer, "search.example")).contains("`public_url`"));
    for more in ["/x", "?x", "#x"] {
        let message = message(OAuthConfig::new(issuer, format!("{url}{more}")));
        assert!(message.contains("more than an origin"), "{message}");
    }
    let secret = OAuthConfig::new(issuer, "https://user:password@search.example");
    assert!(message(secret).contains("more than an origin"));
    let oauth = OAuthConfig::new(issuer, url);
    let open = oauth.clone().with_tenant("org", r#"Source = "acme""#.parse().unwrap());
    assert!(message(open).contains("no text with `{org}`"));
    let foreign = oauth.with_tenant("org", r#"tenant = "{org}""#.parse().unwrap());
    let config = ServerConfig::new().with_oauth(foreign);
    let error = Server::new(services(), config).unwrap_err();
    assert!(matches!(error, ServerError::UnsupportedFilter { .. }), "{error}");
}

#[tokio::test]
async fn an_unwritable_tenant_filter_is_named() {
    let oauth = OAuthConfig::new("https://login.example", "https://search.example")
        .with_tenant("org", r#"author starts_with "{org}/""#.parse().unwrap());
    let config = ServerConfig::new().with_oauth(oauth);
    let error = Server::new(searched_writer().await, config).unwrap_err().to_string();
    let expected = "the setting `tenant_filter` does not keep apart what `oauth` writes";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn a_provider_lets_callers_write() {
    let mut config = ServerConfig::new();
    config.anonymous_rights = [Right::Upsert].into();
    let oauth = OAuthConfig::new("https://login.example", "https://search.example");
    assert!(Server::new(services(), config.with_oauth(oauth)).is_ok());
}
