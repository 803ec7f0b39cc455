//! Stand-ins for a build without the feature `ask`. The error of `run` names the feature.

use std::process::ExitCode;

use anyhow::Result;

use crate::{arguments::AskArguments, errors::usage, output::Output};

pub(crate) async fn run(_arguments: &AskArguments, _output: &mut Output) -> Result<ExitCode> {
    Err(usage(
        "this build cannot ask a model: try `textsearch prompt`, or a build with the feature `ask`",
    ))
}

pub(crate) fn advice(_error: &anyhow::Error) -> Option<String> {
    None
}
