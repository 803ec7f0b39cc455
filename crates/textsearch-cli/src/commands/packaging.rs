//! `textsearch completions` and `textsearch man`.

use std::fs;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;

use crate::{
    arguments::{Arguments, CompletionsArguments, ManArguments},
    output::Output,
};

pub(crate) fn completions(arguments: &CompletionsArguments, output: &mut Output) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "textsearch", &mut script);
    output.text(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(arguments: &ManArguments) -> Result<()> {
    let folder = &arguments.folder;
    let written = fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
    written.with_context(|| format!("the pages cannot be written to `{}`", folder.display()))
}
