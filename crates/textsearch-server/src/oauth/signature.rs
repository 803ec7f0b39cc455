//! Signatures, checked by ring, which also does TLS.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{
    self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use serde::{Deserialize, Deserializer, de::Error as _};

/// An algorithm and the kind of its keys.
pub(super) struct Algorithm {
    name: &'static str,
    kind: &'static str,
    curve: Option<&'static str>,
    check: Check,
}

enum Check {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

/// Neither `none` nor HMAC, whose key would be a secret.
static ALGORITHMS: [Algorithm; 6] = [
    Algorithm::rsa("RS256", &signature::RSA_PKCS1_2048_8192_SHA256),
    Algorithm::rsa("PS256", &signature::RSA_PSS_2048_8192_SHA256),
    Algorithm::curve("ES256", "EC", "P-256", &signature::ECDSA_P256_SHA256_FIXED),
    Algorithm::curve("ES384", "EC", "P-384", &signature::ECDSA_P384_SHA384_FIXED),
    Algorithm::curve("EdDSA", "OKP", "Ed25519", &signature::ED25519),
    // The new name of the same (RFC 9864).
    Algorithm::curve("Ed25519", "OKP", "Ed25519", &signature::ED25519),
];

/// A public key for signatures (RFC 7517).
#[derive(Deserialize, PartialEq)]
pub(super) struct Key {
    #[serde(rename = "kid")]
    pub(super) id: Option<String>,
    #[serde(rename = "kty")]
    kind: String,
    #[serde(rename = "crv")]
    curve: Option<String>,
    #[serde(rename = "alg")]
    algorithm: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    #[serde(default, deserialize_with = "bytes")]
    n: Vec<u8>,
    #[serde(default, deserialize_with = "bytes")]
    e: Vec<u8>,
    #[serde(default, deserialize_with = "bytes")]
    x: Vec<u8>,
    #[serde(default, deserialize_with = "bytes")]
    y: Vec<u8>,
}

impl Algorithm {
    const fn rsa(name: &'static str, parameters: &'static RsaParameters) -> Self {
        Self { name, kind: "RSA", curve: None, check: Check::Rsa(parameters) }
    }

    const fn curve(
        name: &'static str,
        kind: &'static str,
        curve: &'static str,
        algorithm: &'static dyn VerificationAlgorithm,
    ) -> Self {
        Self { name, kind, curve: Some(curve), check: Check::Curve(algorithm) }
    }

    pub(super) fn from_name(name: &str) -> Option<&'static Self> {
        ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
    }
}

impl Key {
    /// Returns whether any algorithm can use the key.
    pub(super) fn is_usable(&self) -> bool {
        ALGORITHMS.iter().any(|algorithm| self.is_for(algorithm))
    }

    /// A key has one kind and often one algorithm, so a token can't choose another.
    pub(super) fn is_for(&self, algorithm: &Algorithm) -> bool {
        self.kind == algorithm.kind
            && self.curve.as_deref() == algorithm.curve
            && self.algorithm.as_deref().is_none_or(|name| name == algorithm.name)
            && self.purpose.as_deref().is_none_or(|purpose| purpose == "sig")
    }

    /// Returns whether this key made the signature.
    pub(super) fn signed(&self, algorithm: &Algorithm, message: &[u8], signature: &[u8]) -> bool {
        let checked = match algorithm.check {
            Check::Rsa(parameters) => RsaPublicKeyComponents { n: &self.n, e: &self.e }
                .verify(parameters, message, signature),
            Check::Curve(curve) => {
                // A point of an elliptic curve has two coordinates; a key of Ed25519 is one.
                let prefix: &[u8] = if self.y.is_empty() { &[] } else { &[4] };
                let point = [prefix, &self.x, &self.y].concat();
                UnparsedPublicKey::new(curve, point).verify(message, signature)
            }
        };
        checked.is_ok()
    }
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    URL_SAFE_NO_PAD.decode(text).map_err(D::Error::custom)
}
