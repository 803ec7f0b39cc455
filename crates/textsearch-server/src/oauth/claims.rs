//! The claims of a token: its issuer, its audience and its times.

use serde_json::{Map, Value};

use super::{LEEWAY, now, refusal::refused};
use crate::problem::Answer;

pub(super) type Claims = Map<String, Value>;

/// The claims that a token must have.
pub(super) struct Rules {
    pub(super) issuer: String,
    /// A token names one of them.
    pub(super) audiences: Vec<String>,
    /// Of the claims `iss` and `exp`. If the provider vouches for each token, they may be missing.
    pub(super) are_required: bool,
}

impl Rules {
    /// Refuses tokens that aren't for this server now.
    pub(super) fn check(&self, claims: &Claims) -> Answer<()> {
        let invalid = |name: &str| refused(&format!("has no valid claim `{name}`"));
        let time = |name: &str, is_required: bool| match claims.get(name) {
            None if !is_required => Ok(None),
            value => value.and_then(Value::as_f64).map(Some).ok_or_else(|| invalid(name)),
        };
        match claims.get("iss") {
            None if self.are_required => return Err(invalid("iss")),
            Some(issuer) if *issuer != self.issuer => {
                return Err(refused("is from another issuer"));
            }
            _ => {}
        }
        let is_known = |audience: &Value| self.audiences.iter().any(|known| audience == known);
        let is_for_us = match claims.get("aud") {
            Some(Value::Array(audiences)) => audiences.iter().any(is_known),
            Some(audience @ Value::String(_)) => is_known(audience),
            _ => return Err(invalid("aud")),
        };
        if !is_for_us {
            return Err(refused("is for another server: its `aud` isn't accepted"));
        }
        let expiry = time("exp", self.are_required)?;
        let begin = time("nbf", false)?;
        let now = now() as f64;
        let leeway = LEEWAY as f64;
        if expiry.is_some_and(|expiry| expiry + leeway < now) {
            return Err(refused("has expired"));
        }
        if begin.is_some_and(|begin| begin > now + leeway) {
            return Err(refused("isn't valid yet"));
        }
        Ok(())
    }
}
