//! Names the missing feature `plan`.

use anyhow::Result;

use crate::{arguments::PlanArguments, errors::usage, output::Output};

pub(crate) async fn run(_arguments: &PlanArguments, _output: &mut Output) -> Result<()> {
    Err(usage("this build cannot run plans: try a build with the feature `plan`"))
}
