//! Programs that convert files to text.

use std::{
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

use super::decode_text;

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
        let deadline = Instant::now() + self.timeout;
        let mut command = self.command(path)?;
        let child = command.spawn().map_err(|error| self.cannot_run(&error))?;
        let mut running = Running(child);
        let text = running.0.stdout.take().map(|text| in_thread(text, self.max_bytes));
        let messages = running.0.stderr.take().map(|text| in_thread(text, MAX_MESSAGE_BYTES));
        let bytes = match text.map(|text| text.recv_timeout(left_until(deadline))) {
            Some(Ok(Ok((_, true)))) => {
                let max_bytes = self.max_bytes;
                return Err(self.error(format_args!("printed more than {max_bytes} bytes")));
            }
            Some(Ok(Ok((bytes, false)))) => bytes,
            Some(Ok(Err(error))) => return Err(self.cannot_run(&error)),
            Some(Err(_)) | None => return Err(self.timed_out()),
        };
        let status = running.wait(deadline).map_err(|error| self.cannot_run(&error))?;
        let Some(status) = status else { return Err(self.timed_out()) };
        if !status.success() {
            let message = messages.and_then(|read| read.recv_timeout(MESSAGE_PATIENCE).ok()?.ok());
            return Err(self.failed(status, &message.unwrap_or_default().0));
        }
        decode_text(bytes).map_err(|reason| self.error(format_args!("printed no text: {reason}")))
    }

    fn command(&self, path: &Path) -> Result<Command, LoaderError> {
        // An absolute path can't be mistaken for an option.
        let path = path::absolute(path).map_err(|error| self.cannot_run(&error))?;
        let mut command = Command::new(&self.program);
        command.args(self.arguments.iter().map(|argument| filled_in(argument, &path)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }

    fn error(&self, problem: impl fmt::Display) -> LoaderError {
        LoaderError(format!("the loader `{}` {problem}", self.program))
    }

    fn cannot_run(&self, cause: &io::Error) -> LoaderError {
        self.error(format_args!("cannot be run: {cause}"))
    }

    fn timed_out(&self) -> LoaderError {
        self.error(format_args!("took more than {} s", self.timeout.as_secs_f64()))
    }

    fn failed(&self, status: ExitStatus, message: &[u8]) -> LoaderError {
        match in_one_line(&String::from_utf8_lossy(message)) {
            message if message.is_empty() => self.error(format_args!("failed ({status})")),
            message => self.error(format_args!("failed ({status}): {message}")),
        }
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
        let (timeout, max_bytes) = (TIMEOUT, MAX_BYTES);
        Ok(Self { program, arguments, timeout, max_bytes })
    }
}

/// Why a command isn't an [`ExternalLoader`], or why it returned no text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LoaderError(String);

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
            error.starts_with("the loader `sh` printed no text: it holds NUL bytes"),
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
