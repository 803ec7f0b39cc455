//! The log of a test.

use std::{
    io,
    sync::{Arc, Mutex},
};

use tracing_subscriber::fmt::MakeWriter;

/// Written to while it is held.
pub(crate) struct Log {
    lines: Lines,
    _guard: tracing::subscriber::DefaultGuard,
    _other: tracing::Dispatch,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn start() -> Self {
        // With a single subscriber, `tracing` asks only the first thread whether it wants an event,
        // which may be a concurrent test without a subscriber.
        let _other = tracing::Dispatch::new(tracing_subscriber::registry());
        let lines = Lines::default();
        let subscriber =
            tracing_subscriber::fmt().with_writer(lines.clone()).with_ansi(false).finish();
        Self { lines, _guard: tracing::subscriber::set_default(subscriber), _other }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.lines.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
