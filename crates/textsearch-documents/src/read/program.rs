//! Runs a program within limits.

use std::{
    fmt,
    io::{self, Read, Write as _},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// For a program's standard error.
const MAX_MESSAGE_CHARACTERS: usize = 300;

/// For a program's standard error, before decoding.
const MAX_MESSAGE_BYTES: usize = 4096;

/// How long to wait for standard error after the program ends: its child processes may keep it
/// open.
const MESSAGE_PATIENCE: Duration = Duration::from_millis(500);

/// Why a program has no output, as the end of a sentence about it.
#[derive(Debug)]
pub(super) enum ProgramError {
    /// It couldn't start, or the connection to it broke.
    CannotRun(io::Error),
    TimedOut(Duration),
    TooLong(usize),
    /// With the start of its standard error, in one line without control characters.
    Failed(ExitStatus, String),
}

impl fmt::Display for ProgramError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CannotRun(cause) => write!(formatter, "cannot be run: {cause}"),
            Self::TimedOut(limit) => write!(formatter, "took more than {} s", limit.as_secs_f64()),
            Self::TooLong(limit) => write!(formatter, "printed more than {limit} bytes"),
            Self::Failed(status, message) if message.is_empty() => {
                write!(formatter, "failed ({status})")
            }
            Self::Failed(status, message) => write!(formatter, "failed ({status}): {message}"),
        }
    }
}

/// Returns what the program prints when it reads `input`. At a limit it is killed, but not its child
/// processes.
pub(super) fn run(
    mut command: Command,
    input: Vec<u8>,
    timeout: Duration,
    max_bytes: usize,
) -> Result<Vec<u8>, ProgramError> {
    let deadline = Instant::now() + timeout;
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().map_err(ProgramError::CannotRun)?);
    if let Some(mut stdin) = running.0.stdin.take() {
        // A program that doesn't read its input says why in its status.
        thread::spawn(move || stdin.write_all(&input));
    }
    let text = running.0.stdout.take().map(|text| in_thread(text, max_bytes));
    let messages = running.0.stderr.take().map(|text| in_thread(text, MAX_MESSAGE_BYTES));
    let bytes = match text.map(|text| text.recv_timeout(left_until(deadline))) {
        Some(Ok(Ok((_, true)))) => return Err(ProgramError::TooLong(max_bytes)),
        Some(Ok(Ok((bytes, false)))) => bytes,
        Some(Ok(Err(error))) => return Err(ProgramError::CannotRun(error)),
        Some(Err(_)) | None => return Err(ProgramError::TimedOut(timeout)),
    };
    let status = running.wait(deadline).map_err(ProgramError::CannotRun)?;
    let status = status.ok_or(ProgramError::TimedOut(timeout))?;
    if !status.success() {
        let message = messages.and_then(|read| read.recv_timeout(MESSAGE_PATIENCE).ok()?.ok());
        let message = String::from_utf8_lossy(&message.unwrap_or_default().0).into_owned();
        return Err(ProgramError::Failed(status, in_one_line(&message)));
    }
    Ok(bytes)
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

fn in_one_line(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_MESSAGE_CHARACTERS).collect()
}
