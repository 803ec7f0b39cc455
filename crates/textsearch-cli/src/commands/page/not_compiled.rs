//! A build without the web: the command says what is missing.

use anyhow::Result;

use crate::{arguments::PageArguments, output::Output, web};

pub(crate) async fn run(_arguments: &PageArguments, _output: &mut Output) -> Result<()> {
    Err(web::cannot_fetch())
}
