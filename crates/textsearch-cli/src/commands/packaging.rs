//! `textsearch completions`, `textsearch man` and `textsearch skill`.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

use anyhow::{Context as _, Result, bail};
use clap::CommandFactory as _;

use crate::{
    arguments::{Arguments, CompletionsArguments, ManArguments, SkillArguments, SkillCommand},
    messages,
    output::Output,
};

/// The folder of a skill has the skill's name.
const SKILL_FOLDER: &str = "textsearch";

const SKILL: &str = include_str!("skill.md");

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

pub(crate) fn skill(arguments: &SkillArguments) -> Result<()> {
    let SkillCommand::Install { folder } = &arguments.command;
    let folder = folder.join(SKILL_FOLDER);
    let path = folder.join("SKILL.md");
    let written = fs::create_dir_all(&folder).and_then(|()| write_skill(&path));
    if !written.with_context(|| format!("the skill cannot be written to `{}`", path.display()))? {
        bail!(
            "`{}` is another version of the skill, or was edited: delete it to install this version",
            path.display()
        );
    }
    messages::say(&format!("the skill is in `{}`", path.display()));
    Ok(())
}

/// Writes a new file. Returns whether it holds the skill: a file of the user stays as it is, and so does the
/// target of a link, which a stranger's project may contain.
fn write_skill(path: &Path) -> io::Result<bool> {
    match File::create_new(path) {
        Ok(mut file) => file.write_all(SKILL.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(fs::read(path).is_ok_and(|known| known == SKILL.as_bytes()))
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn the_skill_is_valid() {
        let (front, body) = SKILL.strip_prefix("---\n").unwrap().split_once("---\n").unwrap();
        let field = |name: &str| front.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        assert_eq!(field("name: "), SKILL_FOLDER);
        let description = field("description: ");
        assert!(description.len() <= 1024 && !description.contains(": "), "{description}");
        assert!(field("compatibility: ").len() <= 500 && body.lines().count() < 500);
    }

    #[test]
    fn the_program_accepts_each_command_of_the_skill() {
        let commands = SKILL.lines().filter(|line| line.starts_with("textsearch "));
        for command in commands {
            let quote = if command.contains('\'') { '\'' } else { '"' };
            let quoted = command.split(quote).enumerate();
            let words = quoted.flat_map(|(place, text)| match place % 2 {
                0 => text.split_whitespace().collect(),
                _ => vec![text],
            });
            Arguments::try_parse_from(words).unwrap();
        }
    }
}
