//! The lines that a person types, or a script sends.

use std::{
    fs,
    io::{self, BufRead as _, IsTerminal as _, Stdin},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use rustyline::{Config, DefaultEditor, error::ReadlineError};
use tokio::{signal, task::spawn_blocking};

use crate::files;

const PROMPT: &str = "> ";

/// Lines that are kept for the arrow keys.
const MAX_KEPT: usize = 1_000;

/// Reads lines from a terminal with editing and a history, or else from standard input.
pub(super) struct Lines {
    /// `None` while it reads.
    reader: Option<Reader>,
    is_terminal: bool,
}

enum Reader {
    Terminal { editor: Box<DefaultEditor>, kept: Option<PathBuf> },
    Plain(Stdin),
}

impl Lines {
    pub(super) fn open() -> Self {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let terminal = is_terminal.then(Reader::terminal).and_then(Result::ok);
        let is_terminal = terminal.is_some();
        let reader = terminal.unwrap_or_else(|| Reader::Plain(io::stdin()));
        Self { reader: Some(reader), is_terminal }
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Returns the next line, or `None` at the end of the input.
    pub(super) async fn next(&mut self) -> Result<Option<String>> {
        let mut reader = self.reader.take().context("standard input is still being read")?;
        let reading = spawn_blocking(move || {
            let line = reader.read();
            (reader, line)
        });
        let (reader, line) = tokio::select! {
            read = reading => read?,
            // A terminal that edits lines sends Ctrl-C as a key.
            _ = signal::ctrl_c(), if !self.is_terminal => bail!("stopped by Ctrl-C"),
        };
        self.reader = Some(reader);
        line
    }
}

impl Reader {
    fn terminal() -> Result<Self> {
        let config = Config::builder().max_history_size(MAX_KEPT)?.auto_add_history(true).build();
        let mut editor = Box::new(DefaultEditor::with_config(config)?);
        let kept = kept_questions();
        if let Some(path) = &kept {
            // There is none before the first chat.
            let _loaded = editor.load_history(path);
        }
        Ok(Self::Terminal { editor, kept })
    }

    fn read(&mut self) -> Result<Option<String>> {
        match self {
            Self::Terminal { editor, kept } => loop {
                match editor.readline(PROMPT) {
                    Ok(line) => {
                        if let Some(path) = kept {
                            keep(editor, path);
                        }
                        return Ok(Some(line));
                    }
                    // Ctrl-C drops the line.
                    Err(ReadlineError::Interrupted) => {}
                    Err(ReadlineError::Eof) => return Ok(None),
                    Err(error) => return Err(error.into()),
                }
            },
            Self::Plain(input) => {
                let mut line = String::new();
                let read = input.lock().read_line(&mut line);
                let count = read.context("standard input cannot be read")?;
                Ok((count > 0).then_some(line))
            }
        }
    }
}

/// The editor makes the file readable for its owner alone.
fn keep(editor: &mut DefaultEditor, path: &Path) {
    let folder = path.parent().map(fs::create_dir_all);
    let appended = editor.append_history(path);
    if let (Some(Err(error)), _) = (folder, &appended) {
        tracing::warn!(%error, "the folder of the questions cannot be made");
    } else if let Err(error) = appended {
        tracing::warn!(%error, "the question cannot be kept for the arrow keys");
    }
}

fn kept_questions() -> Option<PathBuf> {
    let folder = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_STATE_HOME" };
    Some(files::folder_of_user(folder, ".local/state")?.join("questions"))
}
