//! The arguments of the commands for packagers, shells and agents.

use std::path::PathBuf;

use clap::{Args, Subcommand};
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

const SKILL_EXAMPLES: &str = "\
Examples:
  textsearch skill install
  textsearch skill install ~/.claude/skills

Agents that know https://agentskills.io read it, and then search with this program. After an update
of the program, delete the file and run the command again: it overwrites no file.";

/// Teach an agent to search with this program, by an agent skill.
#[derive(Debug, Args)]
#[command(after_long_help = SKILL_EXAMPLES)]
pub(crate) struct SkillArguments {
    #[command(subcommand)]
    pub(crate) command: SkillCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// Write the skill, textsearch/SKILL.md, into a folder of skills.
    Install {
        /// Folder of skills, such as ~/.claude/skills.
        #[arg(value_name = "FOLDER", default_value = ".agents/skills")]
        folder: PathBuf,
    },
}
