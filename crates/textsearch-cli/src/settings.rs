//! `textsearch.toml`: defaults of arguments.
//!
//! The file in the user's configuration folder may set every argument. A file in a project may be a stranger's:
//! it sets only arguments that run no program, send nothing, and read nothing outside its folder.

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::Read as _,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use clap::{CommandFactory as _, Parser as _, error::ErrorKind, parser::ValueSource};
use toml::{Table, Value};

use crate::{
    arguments::Arguments,
    corpus::store::{NEXT, OLD},
    errors::{self, usage},
    files, messages,
};

const NAME: &str = "textsearch.toml";

const MAX_BYTES: u64 = 64 * 1024;

/// Arguments that a project's file may set besides [`PATHS`].
const HARMLESS: &[&str] = &[
    "chunk-overlap",
    "chunk-size",
    "date-field",
    "explain",
    "filter",
    "fusion",
    "half-life",
    "id-field",
    "kind",
    "language",
    "link-field",
    "max-characters",
    "min-score",
    "mmr",
    "mode",
    "name-field",
    "output",
    "passage-prefix",
    "per-document",
    "per-query",
    "query-prefix",
    "records",
    "show-calls",
    "skip",
    "stream",
    "text-field",
    "top",
    "vector-weight",
];

/// Arguments that a project's file may set to paths in its folder.
const PATHS: &[&str] = &["from", "store"];

/// Returns the arguments with the defaults of their command after its name. Those on the command line and in the
/// environment win, then a project's.
pub(crate) fn with_defaults(arguments: Vec<OsString>) -> Result<Vec<OsString>> {
    let files = [SettingsFile::of_project(), SettingsFile::of_user()].into_iter().flatten();
    let files: Vec<SettingsFile> = files.filter(|file| file.path.is_file()).collect();
    if files.is_empty() {
        return Ok(arguments);
    }
    let is_name = |word: &OsString| !word.to_string_lossy().starts_with('-');
    let Some(position) = arguments.iter().skip(1).position(is_name) else { return Ok(arguments) };
    let position = position + 1;
    let known = Arguments::command();
    let name = arguments.get(position).and_then(|name| name.to_str()).unwrap_or_default();
    let Some(command) = known.find_subcommand(name).filter(|command| !command.is_hide_set()) else {
        return Ok(arguments);
    };
    let error = parse_error(&arguments);
    if error.is_some_and(|error| !error.use_stderr() || messages::is_help(&error)) {
        return Ok(arguments);
    }
    let mut settings = Vec::new();
    for file in files {
        for setting in file.settings(command)? {
            if settings.iter().all(|known: &Setting| known.key != setting.key) {
                settings.push(setting);
            }
        }
    }
    settings.retain(|setting| !is_passed(&arguments, command, &setting.key));
    add(arguments, position, settings, command.get_name())
}

/// Adds the settings that fit the other arguments. One may need another that comes later.
fn add(
    mut arguments: Vec<OsString>,
    position: usize,
    settings: Vec<Setting>,
    command: &str,
) -> Result<Vec<OsString>> {
    let mut left = settings;
    for _ in 0..2 {
        for setting in std::mem::take(&mut left) {
            let before = parse_error(&arguments).map(|error| error.kind());
            let mut longer = arguments.clone();
            let end = position + 1;
            longer.splice(end..end, setting.words.iter().map(OsString::from));
            match parse_error(&longer) {
                None => arguments = longer,
                Some(error) if before == Some(error.kind()) => arguments = longer,
                Some(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::ArgumentConflict | ErrorKind::MissingRequiredArgument
                    ) =>
                {
                    left.push(setting);
                }
                Some(error) => {
                    let problem = errors::usage_line(&error, Some(command));
                    return Err(usage(format!("{}: {problem}", setting.place)));
                }
            }
        }
    }
    Ok(arguments)
}

fn parse_error(arguments: &[OsString]) -> Option<clap::Error> {
    Arguments::try_parse_from(arguments).err()
}

/// Returns whether the command line or the environment sets the argument.
fn is_passed(arguments: &[OsString], command: &clap::Command, key: &str) -> bool {
    let lenient = Arguments::command().ignore_errors(true);
    let Ok(matches) = lenient.try_get_matches_from(arguments) else { return false };
    let Some(matches) = matches.subcommand_matches(command.get_name()) else { return false };
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some(key));
    let source = argument.and_then(|argument| matches.value_source(argument.get_id().as_str()));
    matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable))
}

struct Setting {
    key: String,
    words: Vec<String>,
    /// For messages: the file, the table and the key.
    place: String,
}

struct SettingsFile {
    path: PathBuf,
    is_of_project: bool,
}

impl SettingsFile {
    /// Returns the file in the working folder, or above it up to the repository or the home folder. Farther up,
    /// folders may be open to all.
    fn of_project() -> Option<Self> {
        let here = env::current_dir().ok()?;
        let home = env::home_dir();
        let is_last =
            |folder: &Path| folder.join(".git").exists() || home.as_deref() == Some(folder);
        let last = here.ancestors().position(is_last).unwrap_or(0);
        let mut paths = here.ancestors().take(last + 1).map(|folder| folder.join(NAME));
        // A link may lead out of the project.
        let is_file = |path: &PathBuf| path.symlink_metadata().is_ok_and(|file| file.is_file());
        let path = paths.find(is_file)?;
        if is_open_to_others(&path) {
            let path = path.display();
            messages::warn(&format!(
                "`{path}` is ignored, because other users may write to it or to its folder"
            ));
            return None;
        }
        Some(Self { path, is_of_project: true })
    }

    fn of_user() -> Option<Self> {
        let variable = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };
        let folder = files::folder_of_user(variable, ".config")?;
        Some(Self { path: folder.join(NAME), is_of_project: false })
    }

    fn settings(&self, command: &clap::Command) -> Result<Vec<Setting>> {
        let file = self.path.display();
        let text = self.read().with_context(|| format!("`{file}` cannot be read"))?;
        let tables: Table = toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1;
            usage(format!(
                "`{file}` line {line}: {}: write it as in `top = 10` below `[search]`",
                error.message()
            ))
        })?;
        let known = Arguments::command();
        if let Some(table) = tables.keys().find(|table| known.find_subcommand(table).is_none()) {
            return Err(usage(format!(
                "`{file}`: there is no command `{table}`: write settings below the name of a command, such as [search]"
            )));
        }
        let table = tables.get(command.get_name()).map(|table| {
            table.as_table().ok_or_else(|| {
                let name = command.get_name();
                usage(format!("`{file}`: `{name}` is no table: write its settings below [{name}]"))
            })
        });
        let mut settings = Vec::new();
        for (key, value) in table.transpose()?.into_iter().flatten() {
            settings.extend(self.setting(command, key, value)?);
        }
        Ok(settings)
    }

    fn read(&self) -> Result<String> {
        let mut text = String::new();
        File::open(&self.path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
        ensure!(text.len() as u64 <= MAX_BYTES, "it has more than {MAX_BYTES} bytes: shorten it");
        Ok(text)
    }

    /// Returns `None` with a warning for what a project may not set.
    fn setting(
        &self,
        command: &clap::Command,
        key: &str,
        value: &Value,
    ) -> Result<Option<Setting>> {
        let name = command.get_name();
        let place = format!("`{}` [{name}] {key}", self.path.display());
        let argument = command.get_arguments().find(|argument| argument.get_long() == Some(key));
        let argument = argument.ok_or_else(|| {
            usage(format!("{place}: no such argument: try `textsearch {name} --help`"))
        })?;
        let (texts, kinds) = if argument.get_action().takes_values() {
            (texts_of(value), "a text, a number or a list of them")
        } else {
            (value.as_bool().map(|_| Vec::new()), "true or false")
        };
        let texts = texts.ok_or_else(|| usage(format!("{place}: write {kinds}")))?;
        let Some(texts) = self.allowed(key, texts) else {
            let own =
                Self::of_user().map(|file| format!(", or set it in `{}`", file.path.display()));
            messages::warn(&format!(
                "{place} is ignored, because a project's file may not set that: pass --{key}{}",
                own.unwrap_or_default()
            ));
            return Ok(None);
        };
        let words = match value {
            Value::Boolean(true) => vec![format!("--{key}")],
            _ => texts.iter().map(|text| format!("--{key}={text}")).collect(),
        };
        Ok(Some(Setting { key: key.to_owned(), words, place }))
    }

    /// Returns the values, as seen from the working folder, if this file may set them.
    fn allowed(&self, key: &str, texts: Vec<String>) -> Option<Vec<String>> {
        if !self.is_of_project || HARMLESS.contains(&key) {
            return Some(texts);
        }
        let folder = self.path.parent().filter(|_| PATHS.contains(&key))?;
        let is_here = env::current_dir().is_ok_and(|here| here == folder);
        let texts = texts.into_iter().map(|text| {
            // Writing a store also writes beside it.
            let endings =
                if key == "store" { &["", ".lock", NEXT, OLD, ".sites"][..] } else { &[""] };
            let is_inside = endings.iter().all(|ending| is_in(folder, &format!("{text}{ending}")));
            let path = Some(folder.join(&text)).filter(|_| is_inside)?;
            if is_here { Some(text) } else { path.into_os_string().into_string().ok() }
        });
        texts.collect()
    }
}

/// Returns whether another user owns the file, or may write to it or its folder, as in `/tmp`.
#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    const OTHERS_MAY_WRITE: u32 = 0o002;
    let user = rustix::process::geteuid().as_raw();
    [Some(path), path.parent()].into_iter().flatten().any(|path| {
        path.metadata().map_or(true, |metadata| {
            ![user, 0].contains(&metadata.uid()) || metadata.mode() & OTHERS_MAY_WRITE != 0
        })
    })
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}

/// Returns `None` for true, false, a date or a table.
fn texts_of(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Integer(number) => Some(vec![number.to_string()]),
        Value::Float(number) => Some(vec![number.to_string()]),
        Value::Array(values) => {
            let texts = values.iter().map(texts_of).collect::<Option<Vec<_>>>();
            texts.map(|texts| texts.concat())
        }
        Value::Boolean(_) | Value::Datetime(_) | Value::Table(_) => None,
    }
}

/// Returns whether the text is a path that stays in the folder, and no address.
fn is_in(folder: &Path, text: &str) -> bool {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if text.contains(':') || !Path::new(text).components().all(is_plain) {
        return false;
    }
    // A link may lead out of the folder, even to a file that doesn't exist yet.
    let path = folder.join(text);
    let existing = path.ancestors().find(|path| path.symlink_metadata().is_ok());
    let real = existing.and_then(|path| path.canonicalize().ok());
    let folder = folder.canonicalize();
    folder.is_ok_and(|folder| real.is_some_and(|real| real.starts_with(folder)))
}
