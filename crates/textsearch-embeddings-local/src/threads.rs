//! Runs calls on separate threads, so that they don't block an async runtime.

use std::{num::NonZero, sync::Arc, thread};

use futures_channel::oneshot;
use rayon::{ThreadPool, ThreadPoolBuilder};
use textsearch_core::{Error, ErrorKind, Result};

use crate::task::Task;

/// Clones share the threads.
#[derive(Debug, Clone)]
pub(crate) struct Threads {
    pool: Arc<ThreadPool>,
    task: Task,
}

/// Fails once the caller has dropped the call.
pub(crate) type GoOn<'a> = dyn Fn() -> Result<()> + Sync + 'a;

impl Threads {
    /// Without a count, starts as many as the machine runs in parallel.
    pub(crate) fn start(task: Task, count: Option<NonZero<usize>>) -> Result<Self> {
        let count = count.or_else(|| thread::available_parallelism().ok());
        let count = count.map_or(1, usize::from);
        let name = match task {
            Task::Embedding => "embeddings",
            Task::Reranking => "reranker",
        };
        let builder = ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(move |number| format!("{name}-{number}"))
            // If a call's work panics, its channel closes; other calls continue.
            .panic_handler(|_| {});
        let pool = builder.build().map_err(|error| {
            let message = format!("cannot start {count} threads");
            Error::new(ErrorKind::Backend, task.connector(), message).with_source(error)
        })?;
        Ok(Self { pool: Arc::new(pool), task })
    }

    pub(crate) fn count(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Blocks.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&GoOn<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = oneshot::channel::<Result<T>>();
        let task = self.task;
        self.pool.spawn(move || {
            let outcome = work(&|| {
                if sender.is_canceled() { Err(task.error("the call was dropped")) } else { Ok(()) }
            });
            // Sending fails only if the caller has dropped the future.
            let _ = sender.send(outcome);
        });
        receiver.await.map_err(|_| {
            let message =
                "the work on these texts ended without a result: this is a fault of this crate";
            Error::new(ErrorKind::Backend, task.connector(), message)
        })?
    }
}
