//! The threads that large searches run on.

use std::{
    num::NonZero,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use futures_channel::oneshot;
use rayon::{ThreadPool, ThreadPoolBuilder};
use textsearch_core::{Error, ErrorKind, Result};

use crate::error::CONNECTOR;

/// How many elements of vectors a search compares, at most, on the task that asks: going through as many takes less than
/// half a millisecond.
const MOST_INLINE: usize = 1 << 22;

/// The threads of a store, which are started by the first search that is large enough for them.
pub(crate) struct Threads {
    count: usize,
    /// `None` where the system refused them.
    pool: OnceLock<Option<ThreadPool>>,
}

/// What a search may share its work with.
pub(crate) struct Workers<'a> {
    count: usize,
    is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Threads {
    pub(crate) fn new(count: NonZero<usize>) -> Self {
        Self { count: count.get(), pool: OnceLock::new() }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Does `work` that goes through that many `elements` of vectors: here where they are few, and elsewhere where they
    /// are many, so that the task that asks blocks nobody.
    ///
    /// # Errors
    ///
    /// That of `work`; `BackEnd` where it panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        elements: usize,
        work: impl FnOnce(&Workers<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let pool = if elements > MOST_INLINE { self.pool() } else { None };
        let Some(pool) = pool else {
            return work(&Workers { count: 1, is_cancelled: &|| false });
        };
        let (sender, receiver) = oneshot::channel();
        let count = self.count;
        pool.spawn(move || {
            let is_cancelled = || sender.is_canceled();
            if !is_cancelled() {
                let done = work(&Workers { count, is_cancelled: &is_cancelled });
                // Whoever asked may be gone by now.
                let _ = sender.send(done);
            }
        });
        receiver.await.unwrap_or_else(|_| {
            let message =
                "a search stopped before it was done: see the panic message of its thread";
            Err(Error::new(ErrorKind::BackEnd, CONNECTOR, message))
        })
    }

    /// Shares the numbers from 0 to `length` as [`Workers::share`] does, and waits for it: among the threads if that `pays`.
    pub(crate) fn share_here<T: Send>(
        &self,
        pays: bool,
        length: usize,
        work: impl Fn(&mut dyn Iterator<Item = usize>) -> T + Sync,
    ) -> Vec<T> {
        let workers = |count| Workers { count, is_cancelled: &|| false };
        match if pays { self.pool() } else { None } {
            Some(pool) => pool.install(|| workers(self.count).share(length, &work)),
            None => workers(1).share(length, &work),
        }
    }

    fn pool(&self) -> Option<&ThreadPool> {
        if self.count == 1 {
            return None;
        }
        let build = || {
            let builder = ThreadPoolBuilder::new().num_threads(self.count);
            let builder = builder.thread_name(|number| format!("textsearch-{number}"));
            // The search that panicked says so; without a handler the process would be gone.
            builder.panic_handler(|_| {}).build().ok()
        };
        self.pool.get_or_init(build).as_ref()
    }
}

impl Default for Threads {
    fn default() -> Self {
        Self::new(thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN))
    }
}

impl Workers<'_> {
    /// Shares the numbers from 0 to `length` among as many calls of `work` as there are threads, which take them from
    /// the iterator, and returns what the calls return. There are no more numbers once nobody waits for the result.
    pub(crate) fn share<T: Send>(
        &self,
        length: usize,
        work: impl Fn(&mut dyn Iterator<Item = usize>) -> T + Sync,
    ) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let take = || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            (number < length && !(self.is_cancelled)()).then_some(number)
        };
        let calls = self.count.min(length).max(1);
        if calls == 1 {
            return vec![work(&mut std::iter::from_fn(take))];
        }
        let mut done: Vec<Option<T>> = (0..calls).map(|_| None).collect();
        rayon::scope(|scope| {
            for place in &mut done {
                scope.spawn(|_| *place = Some(work(&mut std::iter::from_fn(take))));
            }
        });
        done.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use futures_util::FutureExt as _;

    use super::*;

    fn threads(count: usize) -> Threads {
        Threads::new(NonZero::new(count).unwrap())
    }

    /// Waits on this thread, without a runtime.
    fn wait<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn each_number_is_worked_on_once() {
        for count in [1, 3] {
            let sums = wait(threads(count).run(usize::MAX, |workers| {
                Ok(workers.share(100, |numbers| numbers.sum::<usize>()))
            }));
            assert_eq!(sums.unwrap().iter().sum::<usize>(), 4950);
        }
    }

    #[test]
    fn small_work_is_done_by_the_task_that_asks() {
        let here = thread::current().id();
        let threads = threads(2);
        let run = threads.run(MOST_INLINE, |_| Ok(thread::current().id()));
        assert_eq!(run.now_or_never().unwrap().unwrap(), here);
    }

    #[test]
    fn large_work_is_done_elsewhere() {
        let here = thread::current().id();
        assert_ne!(wait(threads(2).run(usize::MAX, |_| Ok(thread::current().id()))).unwrap(), here);
        assert_eq!(wait(threads(1).run(usize::MAX, |_| Ok(thread::current().id()))).unwrap(), here);
    }

    #[test]
    fn work_stops_when_nobody_waits_for_it() {
        let threads = threads(2);
        let (started, has_started) = mpsc::channel();
        let (finished, has_finished) = mpsc::channel();
        let run = threads.run(usize::MAX, move |workers| {
            workers.share(usize::MAX, |numbers| {
                for number in numbers {
                    if number == 0 {
                        let _ = started.send(());
                    }
                }
            });
            let _ = finished.send(());
            Ok(())
        });
        let mut run = Box::pin(run);
        assert!(run.as_mut().now_or_never().is_none());
        has_started.recv().unwrap();
        drop(run);
        has_finished.recv_timeout(Duration::from_secs(60)).unwrap();
    }

    #[test]
    fn a_panic_is_an_error() {
        let threads = threads(2);
        let run = threads.run(usize::MAX, |_| -> Result<()> { panic!("for the test") });
        assert_eq!(*wait(run).unwrap_err().kind(), ErrorKind::BackEnd);
    }
}
