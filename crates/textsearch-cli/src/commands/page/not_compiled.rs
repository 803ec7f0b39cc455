//! Stand-in for a build without the feature `web`. Its error names the feature.

use anyhow::Result;

use crate::{arguments::PageArguments, output::Output, web};

pub(crate) async fn run(_arguments: &PageArguments, _output: &mut Output) -> Result<()> {
    Err(web::cannot_fetch())
}
