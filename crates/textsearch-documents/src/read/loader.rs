//! Programs that convert files to text.

use std::{
    ffi::OsString,
    fmt,
    path::{self, Path},
    process::Command,
    str::FromStr,
    time::Duration,
};

use super::{decode_text, program};

/// Default per file.
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);

/// Default per file.
pub(super) const MAX_BYTES: usize = 64 << 20;

const PLACEHOLDER: &str = "{}";

/// A program that prints the text of a file, such as `pdftotext {} -`.
///
/// Runs without a shell. `{}` in the arguments becomes the absolute path of the file, whatever
/// characters it holds. The standard output is the text; the standard input is empty.
///
/// ```
/// use textsearch_documents::ExternalLoader;
///
/// let loader: ExternalLoader = "pdftotext -layout {} -".parse()?;
/// assert_eq!(loader.program(), "pdftotext");
/// assert!("pdftotext -layout".parse::<ExternalLoader>().is_err());
/// # Ok::<(), textsearch_documents::LoaderError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExternalLoader {
    program: String,
    arguments: Vec<String>,
    /// How long the program may run on one file: 60 s.
    pub timeout: Duration,
    /// The maximum number of bytes that the program prints for one file: 64 MiB.
    pub max_bytes: usize,
}

impl ExternalLoader {
    /// Returns the name or path of the program.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the text that the program prints for the file at `path`.
    ///
    /// Blocks until the program ends. At a limit the program is killed, but not its child
    /// processes.
    ///
    /// # Errors
    ///
    /// Returns a [`LoaderError`] if the program can't start, exceeds a limit, fails, or prints
    /// something other than text.
    pub fn load(&self, path: &Path) -> Result<String, LoaderError> {
        let output = program::run(self.command(path)?, Vec::new(), self.timeout, self.max_bytes);
        let bytes = output.map_err(|error| self.error(error))?;
        decode_text(bytes).map_err(|reason| self.error(format_args!("printed no text: {reason}")))
    }

    fn command(&self, path: &Path) -> Result<Command, LoaderError> {
        // An absolute path can't be mistaken for an option.
        let path = path::absolute(path)
            .map_err(|error| self.error(format_args!("cannot be run: {error}")))?;
        let mut command = Command::new(&self.program);
        command.args(self.arguments.iter().map(|argument| filled_in(argument, &path)));
        Ok(command)
    }

    fn error(&self, problem: impl fmt::Display) -> LoaderError {
        LoaderError(format!("the loader `{}` {problem}", self.program))
    }
}

impl FromStr for ExternalLoader {
    type Err = LoaderError;

    /// Parses a program and its arguments, with quotes and backslashes as in a shell.
    ///
    /// # Errors
    ///
    /// Returns a [`LoaderError`] for an open quote, without a program, and without `{}`.
    fn from_str(command: &str) -> Result<Self, LoaderError> {
        let invalid = |problem: &str| {
            LoaderError(format!("{problem}; write it as in `pdftotext {PLACEHOLDER} -`"))
        };
        let words = shlex::split(command).ok_or_else(|| invalid("a quote is not closed"))?;
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.is_empty());
        let program = program.ok_or_else(|| invalid("the command names no program"))?;
        let arguments: Vec<String> = words.collect();
        if !arguments.iter().any(|argument| argument.contains(PLACEHOLDER)) {
            return Err(invalid("no argument holds {}, which stands for the file"));
        }
        let timeout = TIMEOUT;
        let max_bytes = MAX_BYTES;
        Ok(Self { program, arguments, timeout, max_bytes })
    }
}

/// Why a command or an address isn't a loader, or why it returned no text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LoaderError(String);

impl LoaderError {
    #[cfg(feature = "http")]
    pub(super) fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }
}

fn filled_in(argument: &str, path: &Path) -> OsString {
    let mut filled = OsString::new();
    for (place, part) in argument.split(PLACEHOLDER).enumerate() {
        if place > 0 {
            filled.push(path);
        }
        filled.push(part);
    }
    filled
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{fs, time::Instant};

    use super::*;

    fn loader(script: &str) -> ExternalLoader {
        let script = shlex::try_quote(script).expect("the script has no zero byte");
        format!("sh -c {script} loader {{}}").parse().expect("the command has a placeholder")
    }

    #[test]
    fn path_stays_one_argument_without_shell() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("-n $(echo a) 'b';{} .pdf");
        fs::write(&path, "words").unwrap();
        let cat: ExternalLoader = "cat {}".parse().unwrap();
        assert_eq!(cat.load(&path).unwrap(), "words");
    }

    #[test]
    fn loader_is_killed_at_time_limit() {
        let start = Instant::now();
        let mut slow = loader("exec sleep 30");
        slow.timeout = Duration::from_millis(200);
        let error = slow.load(Path::new("a")).unwrap_err();
        assert_eq!(error.to_string(), "the loader `sh` took more than 0.2 s");
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn time_limit_holds_after_output_was_closed() {
        let start = Instant::now();
        let mut slow = loader("exec >&-; exec sleep 30");
        slow.timeout = Duration::from_millis(200);
        let error = slow.load(Path::new("a")).unwrap_err().to_string();
        assert_eq!(error, "the loader `sh` took more than 0.2 s");
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn loader_is_killed_at_size_limit() {
        let mut endless = loader("exec yes");
        endless.max_bytes = 1000;
        let error = endless.load(Path::new("a")).unwrap_err();
        assert_eq!(error.to_string(), "the loader `sh` printed more than 1000 bytes");
        let mut full = loader("printf 1234");
        full.max_bytes = 4;
        assert_eq!(full.load(Path::new("a")).unwrap(), "1234");
    }

    #[test]
    fn failure_carries_bounded_message_without_control_characters() {
        let failing =
            loader(r"printf 'bad\033[2J\nfile\n' >&2; yes x | head -c 900000 >&2; exit 3");
        let error = failing.load(Path::new("a")).unwrap_err().to_string();
        let start = "the loader `sh` failed (exit status: 3): bad [2J file x x";
        assert!(error.starts_with(start) && error.len() < 400, "{error}");
    }

    #[test]
    fn output_that_is_no_text_is_refused() {
        let error = loader("printf 'a\\000b'").load(Path::new("a")).unwrap_err().to_string();
        assert!(
            error.starts_with("the loader `sh` printed no text: it is neither text"),
            "{error}"
        );
    }

    #[test]
    fn missing_program_is_named() {
        let missing: ExternalLoader = "no-such-program {}".parse().unwrap();
        let error = missing.load(Path::new("a")).unwrap_err().to_string();
        assert!(error.starts_with("the loader `no-such-program` cannot be run: "), "{error}");
    }

    #[test]
    fn command_needs_program_placeholder_and_closed_quotes() {
        for (command, problem) in [
            ("", "the command names no program"),
            ("pdftotext", "no argument holds {}"),
            ("{}", "no argument holds {}"),
            ("a '{}", "a quote is not closed"),
        ] {
            let error = command.parse::<ExternalLoader>().unwrap_err().to_string();
            assert!(error.starts_with(problem), "{command}: {error}");
        }
    }
}
