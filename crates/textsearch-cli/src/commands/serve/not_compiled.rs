//! Names the missing feature `serve`.

use anyhow::Result;

use crate::{arguments::ServeArguments, errors::usage};

pub(crate) async fn run(_arguments: &ServeArguments) -> Result<()> {
    Err(usage("this build has no server: try a build with the feature `serve`"))
}
