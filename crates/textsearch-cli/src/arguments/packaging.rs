//! The arguments of the commands for packagers and shells.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  textsearch completions bash > ~/.local/share/bash-completion/completions/textsearch
  textsearch completions zsh > ~/.zfunc/_textsearch
  textsearch completions fish > ~/.config/fish/completions/textsearch.fish";

/// Print the completions of a shell.
#[derive(Debug, Args)]
#[command(after_long_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// Shell that reads them.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  textsearch man ~/.local/share/man/man1";

/// Write the manual pages: textsearch.1, and one for each command.
#[derive(Debug, Args)]
#[command(after_long_help = MAN_EXAMPLES)]
pub(crate) struct ManArguments {
    /// Folder for the pages.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}
