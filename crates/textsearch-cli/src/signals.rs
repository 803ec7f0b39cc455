//! Signals that stop the program.

use std::io;

use tokio::signal;

/// Waits for Ctrl-C or SIGTERM. Listens for them from the call on, so they no longer end the program
/// by themselves.
#[cfg(unix)]
pub(crate) fn stopped() -> io::Result<impl Future<Output = ()>> {
    use signal::unix::{SignalKind, signal};

    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

#[cfg(not(unix))]
pub(crate) fn stopped() -> io::Result<impl Future<Output = ()>> {
    Ok(async { drop(signal::ctrl_c().await) })
}
