//! What the token of an identity provider adds to a request, over a token of the server's own: lines `serve`
//! of `docs/performance.md`.
//!
//! A new token is a JWT, signed by ES256 with a known key, that the server hasn't seen. The requests take turns.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

#[expect(
    dead_code,
    clippy::print_stdout,
    reason = "no memory is measured here; figures are the output"
)]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;

use std::time::Instant;

use axum::{Json, Router, body::Body, routing::get};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{Request, StatusCode};
use report::{Report, median};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};
use textsearch_core::{FilterableField, FixedSearch, TextSearchResult};
use textsearch_server::{
    AccessToken, OAuthConfig, SearchSource, Server, ServerConfig, ServerService, Services,
};
use tokio::{net::TcpListener, runtime::Builder};
use tower_service::Service as _;

const OWN: &str = "a-token-of-the-server";

const REQUESTS: usize = 3_000;

fn main() {
    let report = Report::from_arguments();
    let requests = if report.quick { 10 } else { REQUESTS };
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let provider = Provider::start().await;
        let mut server = server(&provider.issuer);
        let known = provider.token(0);
        // Fetches the key.
        seconds(&mut server, &known).await;
        let mut figures = [const { Vec::new() }; 3];
        let tokens: Vec<String> = (1..=requests).map(|number| provider.token(number)).collect();
        for new in &tokens {
            for (figures, token) in figures.iter_mut().zip([OWN, &known, new]) {
                figures.push(seconds(&mut server, token).await);
            }
        }
        let [own, known, new] = figures.each_mut().map(|figures| median(figures));
        report.seconds("search request, added by a known JWT", known - own);
        report.seconds("search request, added by a new JWT", new - own);
    });
}

async fn seconds(server: &mut ServerService, token: &str) -> f64 {
    let request = Request::post("/v1/search").header("host", "localhost");
    let request = request.header("authorization", format!("Bearer {token}"));
    let request = request.header("content-type", "application/json");
    let request = request.body(Body::from(r#"{"query":"a query"}"#)).expect("a request");
    let begin = Instant::now();
    let response = server.call(request).await.expect("a response");
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!(response.status(), StatusCode::OK);
    seconds
}

fn server(issuer: &str) -> ServerService {
    let fields = [FilterableField::string("Source", "The tenant").with_all_operators()];
    let search = FixedSearch::new([TextSearchResult::new("A text.").with_source("acme")]);
    let services =
        Services::new().with_source(SearchSource::new("docs", search.with_fields(fields)));
    let filter = r#"Source = "{org}""#.parse().expect("a filter");
    let oauth = OAuthConfig::new(issuer, "https://search.example").with_tenant("org", filter);
    let config = ServerConfig::new().with_token(AccessToken::new("own", OWN)).with_oauth(oauth);
    Server::new(services, config).expect("a server").service()
}

struct Provider {
    issuer: String,
    key: EcdsaKeyPair,
    random: SystemRandom,
}

impl Provider {
    async fn start() -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).expect("a key");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let point = key.public_key().as_ref().split_at(1).1.split_at(32);
        let (x, y) = (encoded(point.0), encoded(point.1));
        let jwk = json!({ "kty": "EC", "crv": "P-256", "kid": "1", "x": x, "y": y });
        let metadata = json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/jwks") });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(|| async { Json(metadata) }))
            .route("/jwks", get(|| async move { Json(json!({ "keys": [jwk] })) }));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { issuer, key, random }
    }

    fn token(&self, number: usize) -> String {
        let header = json!({ "alg": "ES256", "typ": "at+jwt", "kid": "1" });
        let claims = json!({
            "iss": self.issuer, "aud": "https://search.example/mcp", "exp": 1_u64 << 40,
            "sub": number.to_string(), "scope": "openid textsearch:search", "org": "acme",
        });
        let message = [header, claims].map(|part: Value| encoded(part.to_string())).join(".");
        let signature = self.key.sign(&self.random, message.as_bytes()).expect("a signature");
        format!("{message}.{}", encoded(signature))
    }
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
