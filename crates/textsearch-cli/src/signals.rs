//! Signals that stop the program.

use std::{io, process};

use tokio::{signal, sync::watch};

use crate::{errors::INTERRUPTED, messages};

/// Whether Ctrl-C or SIGTERM asked the command to end after the work in progress.
#[derive(Clone)]
pub(crate) struct Interruption(watch::Receiver<bool>);

impl Interruption {
    /// Listens from the call on. A second signal ends the program at once.
    pub(crate) fn listen() -> io::Result<Self> {
        let (sender, receiver) = watch::channel(false);
        let first = stopped()?;
        tokio::spawn(async move {
            first.await;
            messages::say("stopping; press Ctrl-C again to stop at once");
            let second = stopped();
            sender.send_replace(true);
            if let Ok(second) = second {
                second.await;
                process::exit(INTERRUPTED.into());
            }
        });
        Ok(Self(receiver))
    }

    pub(crate) fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits for the first signal.
    pub(crate) async fn requested(&mut self) {
        // Without a sender there is no signal any more.
        let _interrupted = self.0.wait_for(|is_requested| *is_requested).await;
    }
}

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
