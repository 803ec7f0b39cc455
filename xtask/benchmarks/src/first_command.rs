//! Line `first-command`: the README's first command in a new clone with nothing built.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};

use crate::{
    measurement::{Measurement, Unit},
    shell,
};

/// Cargo gets a new home, so the time includes downloads. It has the user's cargo settings, which
/// may name a registry.
pub(crate) fn measure() -> Result<Vec<Measurement>> {
    let name = format!("textsearch-first-command-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let outcome =
        clone(&folder).and_then(|()| cargo_home(&folder)).and_then(|home| time(&folder, &home));
    // The operating system cleans up temporary files.
    let _ = fs::remove_dir_all(&folder);
    let name = "first command".to_owned();
    let unit = Unit::Seconds;
    Ok(vec![Measurement { name, value: outcome?, unit, runs: 1, by: None }])
}

fn clone(folder: &Path) -> Result<()> {
    let mut command = Command::new("git");
    command.args(["clone", "--quiet"]).arg(shell::root()).arg(folder);
    shell::run(&mut command)
}

/// Below `target`: git ignores it, and no other build uses it.
fn cargo_home(folder: &Path) -> Result<PathBuf> {
    let home = folder.join("target").join("cargo-home");
    fs::create_dir_all(&home)?;
    if let Some(settings) = settings_of_cargo().filter(|file| file.exists()) {
        fs::copy(settings, home.join("config.toml"))?;
    }
    Ok(home)
}

fn settings_of_cargo() -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    Some(home.or_else(|| Some(env::home_dir()?.join(".cargo")))?.join("config.toml"))
}

fn time(folder: &Path, cargo_home: &Path) -> Result<f64> {
    let readme = fs::read_to_string(folder.join("README.md"))?;
    let line = first_command(&readme).context("README.md has no block of commands")?;
    let words = words(line);
    let (program, arguments) = words.split_first().context("README.md begins with no command")?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.env("CARGO_HOME", cargo_home);
    command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_TARGET_DIR");
    let start = Instant::now();
    let output = shell::read(&mut command)?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(!output.trim().is_empty(), "`{line}` printed nothing");
    Ok(seconds)
}

fn first_command(readme: &str) -> Option<&str> {
    readme.lines().skip_while(|line| *line != "```sh").nth(1)
}

/// Text in double quotes is one word.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_is_found_in_the_readme() {
        let readme = fs::read_to_string(shell::root().join("README.md")).unwrap();
        assert!(first_command(&readme).unwrap().starts_with("cargo run -p textsearch-cli"));
    }

    #[test]
    fn quoted_text_is_one_word() {
        assert_eq!(
            words(r#"cargo run -- "How so?" now"#),
            ["cargo", "run", "--", "How so?", "now"]
        );
    }
}
