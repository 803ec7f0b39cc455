//! Programs that convert files to text.

use std::{
    error::Error,
    ffi::OsString,
    fmt,
    io::{self, Read},
    path::{self, Path},
    process::{Child, Command, ExitStatus, Stdio},
    str::FromStr,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use super::{ReadError, decode_text};

/// Default per file.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Default per file.
const MAX_BYTES: usize = 64 << 20;

const PLACEHOLDER: &str = "{}";

/// For a program's standard error.
const MAX_MESSAGE_CHARACTERS: usize = 300;

/// For a program's standard error, before decoding.
const MAX_MESSAGE_BYTES: usize = 4096;

/// How long to wait for standard error after the program ends: its child processes may keep it
/// open.
const MESSAGE_PATIENCE: Duration = Duration::from_millis(500);

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
/// # Ok::<(), textsearch_documents::InvalidLoader>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalLoader {
    program: String,
    arguments: Vec<String>,
    timeout: Duration,
    max_bytes: usize,
}

impl ExternalLoader {
    /// Sets how long the program may run on one file. Default: 60 s.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how many bytes the program may print for one file. Default: 64 MiB.
    #[must_use]
    pub fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

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
    /// Returns a [`LoadError`] if the program can't start, exceeds a limit, fails, or prints
    /// something other than text.
    pub fn load(&self, path: &Path) -> Result<String, LoadError> {
        let deadline = Instant::now() + self.timeout;
        let mut command = self.command(path)?;
        let child = command.spawn().map_err(|error| self.cannot_start(error))?;
        let mut running = Running(child);
        let text = running.0.stdout.take().map(|text| in_thread(text, self.max_bytes));
        let messages = running.0.stderr.take().map(|text| in_thread(text, MAX_MESSAGE_BYTES));
        let bytes = match text.map(|text| text.recv_timeout(left_until(deadline))) {
            Some(Ok(Ok((_, true)))) => return Err(self.too_long()),
            Some(Ok(Ok((bytes, false)))) => bytes,
            Some(Ok(Err(error))) => return Err(self.cannot_start(error)),
            Some(Err(_)) | None => return Err(self.timed_out()),
        };
        let status = running.wait(deadline).map_err(|error| self.cannot_start(error))?;
        let Some(status) = status else { return Err(self.timed_out()) };
        if !status.success() {
            let message = messages.and_then(|read| read.recv_timeout(MESSAGE_PATIENCE).ok()?.ok());
            return Err(self.failed(status, &message.unwrap_or_default().0));
        }
        decode_text(bytes)
            .map_err(|reason| LoadError::NotText { program: self.program.clone(), reason })
    }

    fn command(&self, path: &Path) -> Result<Command, LoadError> {
        // An absolute path can't be mistaken for an option.
        let path = path::absolute(path).map_err(|error| self.cannot_start(error))?;
        let mut command = Command::new(&self.program);
        command.args(self.arguments.iter().map(|argument| filled_in(argument, &path)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }

    fn cannot_start(&self, cause: io::Error) -> LoadError {
        LoadError::CannotRun { program: self.program.clone(), cause }
    }

    fn timed_out(&self) -> LoadError {
        LoadError::TimedOut { program: self.program.clone(), limit: self.timeout }
    }

    fn too_long(&self) -> LoadError {
        LoadError::TooLong { program: self.program.clone(), limit: self.max_bytes }
    }

    fn failed(&self, status: ExitStatus, message: &[u8]) -> LoadError {
        let message = in_one_line(&String::from_utf8_lossy(message));
        LoadError::Failed { program: self.program.clone(), status, message }
    }
}

impl FromStr for ExternalLoader {
    type Err = InvalidLoader;

    /// Parses a program and its arguments, with quotes and backslashes as in a shell.
    fn from_str(command: &str) -> Result<Self, InvalidLoader> {
        let words = shlex::split(command).ok_or(InvalidLoader::OpenQuote)?;
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.is_empty());
        let program = program.ok_or(InvalidLoader::NoProgram)?;
        let arguments: Vec<String> = words.collect();
        if !arguments.iter().any(|argument| argument.contains(PLACEHOLDER)) {
            return Err(InvalidLoader::NoPlaceholder);
        }
        let (timeout, max_bytes) = (TIMEOUT, MAX_BYTES);
        Ok(Self { program, arguments, timeout, max_bytes })
    }
}

/// Why a command isn't an [`ExternalLoader`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InvalidLoader {
    /// It names no program.
    NoProgram,
    /// No argument holds `{}`.
    NoPlaceholder,
    /// A quote isn't closed, or nothing follows a backslash.
    OpenQuote,
}

impl fmt::Display for InvalidLoader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoProgram => "the command names no program; write it as in `pdftotext {} -`",
            Self::NoPlaceholder => {
                "no argument holds {}, which stands for the file; write it as in `pdftotext {} -`"
            }
            Self::OpenQuote => "a quote is not closed; close it",
        })
    }
}

impl Error for InvalidLoader {}

/// Why an [`ExternalLoader`] returned no text.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The program couldn't start, or the connection to it broke.
    CannotRun {
        /// The program.
        program: String,
        /// The operating system's error.
        cause: io::Error,
    },
    /// The program ran out of time and was killed.
    TimedOut {
        /// The program.
        program: String,
        /// The limit.
        limit: Duration,
    },
    /// The program printed too much and was killed.
    TooLong {
        /// The program.
        program: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The program failed.
    Failed {
        /// The program.
        program: String,
        /// The exit status.
        status: ExitStatus,
        /// The start of its standard error, in one line without control characters.
        message: String,
    },
    /// The program printed something other than text.
    NotText {
        /// The program.
        program: String,
        /// The kind of output.
        reason: ReadError,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CannotRun { program, cause } => {
                write!(formatter, "the loader `{program}` cannot be run: {cause}")
            }
            Self::TimedOut { program, limit } => {
                write!(formatter, "the loader `{program}` took more than {} s", limit.as_secs_f64())
            }
            Self::TooLong { program, limit } => {
                write!(formatter, "the loader `{program}` printed more than {limit} bytes")
            }
            Self::Failed { program, status, message } if message.is_empty() => {
                write!(formatter, "the loader `{program}` failed ({status})")
            }
            Self::Failed { program, status, message } => {
                write!(formatter, "the loader `{program}` failed ({status}): {message}")
            }
            Self::NotText { program, reason } => {
                write!(formatter, "the loader `{program}` printed no text: {reason}")
            }
        }
    }
}

impl Error for LoadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::CannotRun { cause, .. } => Some(cause),
            Self::NotText { reason, .. } => Some(reason),
            _ => None,
        }
    }
}

struct Running(Child);

impl Running {
    /// Returns `None` on timeout.
    fn wait(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        let mut pause = Duration::from_millis(1);
        loop {
            let status = self.0.try_wait()?;
            if status.is_some() || Instant::now() >= deadline {
                return Ok(status);
            }
            thread::sleep(pause.min(left_until(deadline)));
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Killing a program that has ended fails.
        let _killed = self.0.kill();
        let _status = self.0.wait();
    }
}

/// The bytes, and whether there were more.
type Output = io::Result<(Vec<u8>, bool)>;

/// Reads in a thread that isn't joined: a child process of the loader may never close its end.
fn in_thread(mut reader: impl Read + Send + 'static, max_bytes: usize) -> mpsc::Receiver<Output> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let read = read_up_to(&mut reader, max_bytes);
        // The receiver may have been dropped.
        let _sent = sender.send(read);
        // The program blocks if its output is not read.
        let _rest = io::copy(&mut reader, &mut io::sink());
    });
    receiver
}

fn read_up_to(reader: &mut impl Read, max_bytes: usize) -> Output {
    let mut bytes = Vec::new();
    let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    reader.by_ref().take(limit).read_to_end(&mut bytes)?;
    let is_more = bytes.len() > max_bytes;
    bytes.truncate(max_bytes);
    Ok((bytes, is_more))
}

fn left_until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
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

fn in_one_line(text: &str) -> String {
    let text: String = text.chars().map(|one| if one.is_control() { ' ' } else { one }).collect();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_MESSAGE_CHARACTERS).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

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
        let slow = loader("exec sleep 30").with_timeout(Duration::from_millis(200));
        let error = slow.load(Path::new("a")).unwrap_err();
        assert_eq!(error.to_string(), "the loader `sh` took more than 0.2 s");
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn time_limit_holds_after_output_was_closed() {
        let start = Instant::now();
        let slow = loader("exec >&-; exec sleep 30").with_timeout(Duration::from_millis(200));
        assert!(matches!(slow.load(Path::new("a")), Err(LoadError::TimedOut { .. })));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn loader_is_killed_at_size_limit() {
        let endless: ExternalLoader = loader("exec yes").with_max_bytes(1000);
        let error = endless.load(Path::new("a")).unwrap_err();
        assert_eq!(error.to_string(), "the loader `sh` printed more than 1000 bytes");
        let full = loader("printf 1234").with_max_bytes(4);
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
        let error = loader("printf 'a\\000b'").load(Path::new("a")).unwrap_err();
        assert!(matches!(error, LoadError::NotText { reason: ReadError::Binary, .. }), "{error}");
    }

    #[test]
    fn missing_program_is_named() {
        let missing: ExternalLoader = "no-such-program {}".parse().unwrap();
        let error = missing.load(Path::new("a")).unwrap_err().to_string();
        assert!(error.starts_with("the loader `no-such-program` cannot be run: "), "{error}");
    }

    #[test]
    fn command_needs_program_placeholder_and_closed_quotes() {
        for (command, error) in [
            ("", InvalidLoader::NoProgram),
            ("pdftotext", InvalidLoader::NoPlaceholder),
            ("{}", InvalidLoader::NoPlaceholder),
            ("a '{}", InvalidLoader::OpenQuote),
        ] {
            assert_eq!(command.parse::<ExternalLoader>(), Err(error), "{command}");
        }
    }
}
