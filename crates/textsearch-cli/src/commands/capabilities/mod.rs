//! `textsearch capabilities`: what each connector of this build can do.

mod in_memory;
mod table;

use anyhow::Result;
use serde::Serialize;

use crate::{
    arguments::{CapabilitiesArguments, OutputFormat},
    output::Output,
    web,
};

/// What a connector can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Capabilities {
    /// What `--source`, errors and results call it.
    pub(crate) name: String,
    /// The crate that it is in.
    #[serde(rename = "crate")]
    pub(crate) crate_name: &'static str,
    /// How it finds what fits.
    pub(crate) searches: Vec<String>,
    /// The filter operators that it can apply.
    pub(crate) filters: Vec<&'static str>,
    /// How far a search can page; `None` for as far as there are results.
    pub(crate) most_results: Option<u64>,
    /// Whether it can tell how many results there are in all.
    pub(crate) total_count: bool,
    /// Whether it needs an account somewhere.
    pub(crate) needs_key: bool,
}

/// Prints what was found out.
pub(crate) async fn run(arguments: &CapabilitiesArguments, output: &mut Output) -> Result<()> {
    let mut all = vec![in_memory::probe().await?];
    all.extend(web::capabilities().await?);
    match (arguments.markdown, arguments.output) {
        (true, _) => output.text(&table::markdown(&all)),
        (false, OutputFormat::Json) => output.json(&all),
        (false, OutputFormat::Text) => output.text(&table::plain(&all)),
    }
}
