//! An identity provider on loopback.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    Json, Router,
    extract::State,
    response::IntoResponse,
    routing::{get, post},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use http::{HeaderMap, StatusCode};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _},
};
use serde_json::{Value, json};
use textsearch_core::http::Url;
use textsearch_server::OAuthConfig;
use tokio::{net::TcpListener, time::sleep};

pub(crate) const AUDIENCE: &str = "https://search.example/mcp";

/// Returns the time in seconds.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// A key for ES256 or EdDSA.
pub(crate) enum SigningKey {
    Es256(EcdsaKeyPair),
    EdDsa(Ed25519KeyPair),
}

#[derive(Clone)]
pub(crate) struct IdentityProvider(Arc<Shared>);

struct Shared {
    issuer: String,
    keys: Mutex<Vec<Value>>,
    opaque: Mutex<HashMap<String, Value>>,
    fetches: AtomicUsize,
    is_down: AtomicBool,
}

impl IdentityProvider {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let shared = Shared {
            issuer,
            keys: Mutex::default(),
            opaque: Mutex::default(),
            fetches: AtomicUsize::default(),
            is_down: AtomicBool::default(),
        };
        let provider = Self(Arc::new(shared));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(metadata))
            .route("/jwks", get(jwks))
            .route("/introspect", post(introspect))
            .with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        provider
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.0.issuer
    }

    pub(crate) fn config(&self) -> OAuthConfig {
        OAuthConfig::new(self.issuer(), "https://search.example")
    }

    /// Publishes these keys in place of all others.
    pub(crate) fn publish<'k>(&self, keys: impl IntoIterator<Item = (&'k str, &'k SigningKey)>) {
        let keys = keys.into_iter().map(|(id, key)| key.jwk(id));
        *self.0.keys.lock().unwrap() = keys.collect();
    }

    /// Publishes a key that no test can sign with.
    pub(crate) fn publish_public(&self, jwk: Value) {
        *self.0.keys.lock().unwrap() = vec![jwk];
    }

    /// Makes a token that only the provider can explain.
    pub(crate) fn issue(&self, token: &str, claims: Value) {
        self.0.opaque.lock().unwrap().insert(token.to_owned(), claims);
    }

    pub(crate) fn stop(&self) {
        self.0.is_down.store(true, Ordering::SeqCst);
    }

    pub(crate) fn fetches(&self) -> usize {
        self.0.fetches.load(Ordering::SeqCst)
    }

    /// The claims of a token that may search for Acme.
    pub(crate) fn claims(&self) -> Value {
        json!({
            "iss": self.issuer(), "aud": AUDIENCE, "sub": "ann", "exp": now() + 300,
            "scope": "openid textsearch:search", "org": "acme",
        })
    }

    /// Like [`claims`](Self::claims), with other values; null removes one.
    pub(crate) fn claims_with(&self, changes: Value) -> Value {
        let mut claims = self.claims();
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        claims
    }
}

async fn metadata(State(provider): State<IdentityProvider>) -> impl IntoResponse {
    let issuer = provider.issuer();
    let is_down = provider.0.is_down.load(Ordering::SeqCst);
    let status = if is_down { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    let introspection = format!("{issuer}/introspect");
    let jwks = format!("{issuer}/jwks");
    let urls =
        json!({ "issuer": issuer, "jwks_uri": jwks, "introspection_endpoint": introspection });
    (status, Json(urls))
}

/// For the client `search` with the secret `a secret`.
async fn introspect(
    State(provider): State<IdentityProvider>,
    headers: HeaderMap,
    body: String,
) -> Result<Json<Value>, StatusCode> {
    provider.0.fetches.fetch_add(1, Ordering::SeqCst);
    let credentials = STANDARD.encode("search:a%20secret");
    if headers["authorization"] != format!("Basic {credentials}") {
        return Err(StatusCode::UNAUTHORIZED);
    }
    if provider.0.is_down.load(Ordering::SeqCst) {
        return Err(StatusCode::SERVICE_UNAVAILABLE);
    }
    let form = Url::parse(&format!("http://form/?{body}")).unwrap();
    let (_, token) = form.query_pairs().find(|(name, _)| name == "token").unwrap();
    match &*token {
        "forbidden" => return Err(StatusCode::PAYLOAD_TOO_LARGE),
        "slow" => sleep(Duration::from_secs(5)).await,
        _ => {}
    }
    let claims = provider.0.opaque.lock().unwrap().get(&*token).cloned();
    Ok(Json(claims.unwrap_or_else(|| json!({ "active": false }))))
}

async fn jwks(State(provider): State<IdentityProvider>) -> Json<Value> {
    provider.0.fetches.fetch_add(1, Ordering::SeqCst);
    Json(json!({ "keys": *provider.0.keys.lock().unwrap() }))
}

impl SigningKey {
    pub(crate) fn es256() -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Self::Es256(EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap())
    }

    pub(crate) fn eddsa() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::EdDsa(Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap())
    }

    pub(crate) fn public(&self) -> &[u8] {
        match self {
            Self::Es256(key) => key.public_key().as_ref(),
            Self::EdDsa(key) => key.public_key().as_ref(),
        }
    }

    fn jwk(&self, id: &str) -> Value {
        match self {
            Self::Es256(_) => {
                let (x, y) = self.public()[1..].split_at(32);
                let coordinates = [x, y].map(|bytes| URL_SAFE_NO_PAD.encode(bytes));
                json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": coordinates[0], "y": coordinates[1] })
            }
            Self::EdDsa(_) => {
                let x = URL_SAFE_NO_PAD.encode(self.public());
                json!({ "kty": "OKP", "crv": "Ed25519", "kid": id, "use": "sig", "x": x })
            }
        }
    }

    /// Returns a token with these claims.
    pub(crate) fn sign(&self, id: &str, claims: &Value) -> String {
        let algorithm = match self {
            Self::Es256(_) => "ES256",
            Self::EdDsa(_) => "EdDSA",
        };
        self.sign_with(&json!({ "alg": algorithm, "typ": "at+jwt", "kid": id }), claims)
    }

    pub(crate) fn sign_with(&self, header: &Value, claims: &Value) -> String {
        token(header, claims, |message| match self {
            Self::Es256(key) => key.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec(),
            Self::EdDsa(key) => key.sign(message).as_ref().to_vec(),
        })
    }
}

pub(crate) fn token(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let parts = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    let message = parts.join(".");
    let signature = URL_SAFE_NO_PAD.encode(sign(message.as_bytes()));
    format!("{message}.{signature}")
}
