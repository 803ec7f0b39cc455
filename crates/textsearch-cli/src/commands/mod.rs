//! The commands, one module each.

pub(crate) mod ask;
pub(crate) mod chat;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod index;
pub(crate) mod manual;
pub(crate) mod mcp;
pub(crate) mod packaging;
pub(crate) mod page;
pub(crate) mod plan;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod search;
pub(crate) mod serve;

use crate::{errors, web};

/// Returns the error with its causes, and with advice if it is about a model or a connector.
pub(crate) fn explained(error: &anyhow::Error) -> String {
    let advice = web::advice(error).or_else(|| ask::advice(error));
    let advice = advice.map(|advice| format!(": {advice}"));
    errors::one_line(error) + &advice.unwrap_or_default()
}
