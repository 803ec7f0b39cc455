//! A started program, with the programs that it starts.

use std::process::Stdio;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader},
    process::{ChildStdin, ChildStdout, Command},
    task::JoinHandle,
};

use super::{McpCommand, secrets::Secrets};
use crate::{McpError, Result};

/// The inherited environment. No variable here holds a key.
const ENVIRONMENT: [&str; 17] = [
    "APPDATA",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LOCALAPPDATA",
    "LOGNAME",
    "PATH",
    "PATHEXT",
    "PROGRAMFILES",
    "SHELL",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMPDIR",
    "USER",
    "USERPROFILE",
];

/// Of one line on standard error, in bytes.
const MAX_LOG_LINE: u64 = 4096;

/// Killed when dropped.
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    log: Option<JoinHandle<()>>,
}

impl Process {
    pub(super) fn start(
        command: &McpCommand,
        secrets: &Secrets,
    ) -> Result<(Self, ChildStdout, ChildStdin)> {
        let server = command.program.to_string_lossy().into_owned();
        let child = spawn(command).map_err(|error| {
            let message = format!("it doesn't start ({error}); check the program's name");
            McpError::connect(&server, message, Some(error.into()))
        })?;
        let mut process = Self { child, log: None };
        let (Some(input), Some(output)) =
            (process.child.stdin().take(), process.child.stdout().take())
        else {
            return Err(McpError::connect(&server, "it has no input or output", None));
        };
        if let Some(log) = process.child.stderr().take() {
            process.log = Some(tokio::spawn(log_lines(server, log, secrets.clone())));
        }
        Ok((process, output, input))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.start_kill();
        if let Some(log) = &self.log {
            log.abort();
        }
    }
}

fn spawn(command: &McpCommand) -> std::io::Result<Box<dyn ChildWrapper>> {
    let mut process = Command::new(&command.program);
    process.args(&command.arguments).env_clear();
    for name in ENVIRONMENT {
        if let Some(value) = std::env::var_os(name) {
            process.env(name, value);
        }
    }
    for (name, value) in &command.environment {
        process.env(name, value.expose());
    }
    if let Some(directory) = &command.directory {
        process.current_dir(directory);
    }
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.kill_on_drop(true);
    let mut group = CommandWrap::from(process);
    // `npx` and similar commands start the server as another process.
    #[cfg(unix)]
    group.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    group.wrap(process_wrap::tokio::JobObject);
    group.spawn()
}

async fn log_lines(server: String, log: impl AsyncRead + Unpin, secrets: Secrets) {
    let mut log = BufReader::new(log);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut log).take(MAX_LOG_LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = secrets.clean(String::from_utf8_lossy(&line).trim_end());
                tracing::debug!(server, "{text}");
            }
        }
    }
}
