//! JWTs, which the identity provider signed.

use std::{collections::HashMap, sync::Arc};

use jsonwebtoken::{
    Algorithm, Validation, decode, decode_header,
    errors::{Error, ErrorKind},
};
use serde_json::{Map, Value};

use super::{
    LEEWAY, OAuthConfig, SigningAlgorithm, crypto, keys::Keys, provider::Provider, refusal::refused,
};
use crate::problem::{Answer, Problem};

pub(crate) struct Jwts {
    keys: Arc<Keys>,
    validations: HashMap<Algorithm, Validation>,
}

impl Jwts {
    pub(super) fn new(provider: Provider, config: &OAuthConfig, audiences: &[String]) -> Self {
        crypto::install();
        let validation = |algorithm: &SigningAlgorithm| {
            let algorithm = algorithm.algorithm();
            let mut validation = Validation::new(algorithm);
            validation.set_required_spec_claims(&["exp", "iss", "aud"]);
            validation.set_issuer(&[&config.issuer]);
            validation.set_audience(audiences);
            validation.validate_nbf = true;
            validation.leeway = LEEWAY;
            (algorithm, validation)
        };
        let validations = config.algorithms.iter().map(validation).collect();
        Self { keys: Arc::new(Keys::new(provider, config)), validations }
    }

    /// Returns the claims of a token that is signed, in time and for this server.
    pub(super) async fn claims(&self, token: &str) -> Answer<Map<String, Value>> {
        let header =
            decode_header(token).map_err(|_| refused("is neither known nor a signed JWT"))?;
        let validation = self.validations.get(&header.alg);
        let validation =
            validation.ok_or_else(|| refused("has an algorithm that isn't accepted"))?;
        let key = self.keys.key(&header).await?;
        let token = decode(token, &key, validation).map_err(|error| reason(&error))?;
        Ok(token.claims)
    }

    /// Returns a number that changes with the keys.
    pub(super) fn version(&self) -> u64 {
        self.keys.current().version
    }
}

impl SigningAlgorithm {
    fn algorithm(self) -> Algorithm {
        match self {
            Self::Rs256 => Algorithm::RS256,
            Self::Ps256 => Algorithm::PS256,
            Self::Es256 => Algorithm::ES256,
            Self::Es384 => Algorithm::ES384,
            Self::EdDsa => Algorithm::EdDSA,
        }
    }
}

fn reason(error: &Error) -> Problem {
    match error.kind() {
        ErrorKind::ExpiredSignature => refused("has expired"),
        ErrorKind::ImmatureSignature => refused("isn't valid yet"),
        ErrorKind::InvalidAudience => refused("is for another server: its `aud` isn't accepted"),
        ErrorKind::InvalidIssuer => refused("is from another issuer"),
        ErrorKind::InvalidSignature => refused("has a wrong signature"),
        ErrorKind::MissingRequiredClaim(claim) | ErrorKind::InvalidClaimFormat(claim) => {
            // One of the few that are required.
            refused(&format!("has no valid claim `{claim}`"))
        }
        _ => refused("is no valid JWT"),
    }
}
