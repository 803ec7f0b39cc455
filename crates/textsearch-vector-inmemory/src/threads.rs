//! The threads that run large searches.

#[cfg(feature = "hnsw")]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{
    num::NonZero,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use futures_channel::oneshot;
use rayon::{ThreadPool, ThreadPoolBuilder};
use textsearch_core::{Error, ErrorKind, Result};

use crate::error::CONNECTOR;

/// Vector elements that a search may read on the calling task, which takes less than 0.5 ms.
const MAX_INLINE: usize = 1 << 22;

pub(crate) struct Threads {
    count: usize,
    /// Whether large searches run on the calling task too.
    is_the_caller: bool,
    /// `None` if the system refused to start them.
    pool: OnceLock<Option<ThreadPool>>,
    /// Separate threads for building indexes: that takes long, and no search should wait for it.
    #[cfg(feature = "hnsw")]
    builders: OnceLock<ThreadPool>,
    #[cfg(all(test, feature = "hnsw"))]
    is_refused: AtomicBool,
}

#[cfg(feature = "hnsw")]
const BUILDING: &str = "building an index";

/// Set when the caller stops waiting.
#[cfg(feature = "hnsw")]
pub(crate) type Cancelled = AtomicBool;

struct Work<Part, P, Finish, T> {
    length: usize,
    next: AtomicUsize,
    is_cancelled: Arc<AtomicBool>,
    part: Part,
    done: Mutex<Done<P, Finish, T>>,
}

struct Done<P, Finish, T> {
    parts: Vec<P>,
    missing: usize,
    end: Option<(Finish, oneshot::Sender<Result<T>>)>,
}

impl Threads {
    /// One thread means the calling task.
    pub(crate) fn new(count: NonZero<usize>) -> Self {
        Self {
            count: count.get(),
            is_the_caller: count == NonZero::<usize>::MIN,
            pool: OnceLock::new(),
            #[cfg(feature = "hnsw")]
            builders: OnceLock::new(),
            #[cfg(all(test, feature = "hnsw"))]
            is_refused: AtomicBool::new(false),
        }
    }

    #[cfg(all(test, feature = "hnsw"))]
    pub(crate) fn refused(count: NonZero<usize>) -> Self {
        Self { is_refused: AtomicBool::new(true), ..Self::new(count) }
    }

    #[cfg(all(test, feature = "hnsw"))]
    pub(crate) fn grant(&self) {
        self.is_refused.store(false, Ordering::Relaxed);
    }

    /// Calls `part` with an iterator of the numbers from 0 to `length`, and `finish` with the
    /// results.
    ///
    /// If that reads few vector `elements`, both run on the calling task. Otherwise they run on the
    /// threads: `part` once per thread, with some of the numbers. Threads do not wait for each
    /// other, so any number of searches can run at once. The iterators end when the future is
    /// dropped.
    ///
    /// # Errors
    ///
    /// Returns the error of `finish`, or `Backend` if a thread panicked.
    ///
    /// # Panics
    ///
    /// Panics if `part` or `finish` panics on the calling task.
    pub(crate) async fn run<P: Send + 'static, T: Send + 'static>(
        &self,
        elements: usize,
        length: usize,
        part: impl Fn(&mut dyn Iterator<Item = usize>) -> P + Send + Sync + 'static,
        finish: impl FnOnce(Vec<P>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let pool = if elements > MAX_INLINE { self.pool() } else { None };
        let Some(pool) = pool else {
            return finish(vec![part(&mut (0..length))]);
        };
        let (sender, receiver) = oneshot::channel();
        let calls = self.count.min(length).max(1);
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let _cancels = CancelOnDrop(Arc::clone(&is_cancelled));
        let done = Done { parts: Vec::new(), missing: calls, end: Some((finish, sender)) };
        let done = Mutex::new(done);
        let work = Arc::new(Work { length, next: AtomicUsize::new(0), is_cancelled, part, done });
        for _ in 0..calls {
            let work = Arc::clone(&work);
            pool.spawn(move || work.call());
        }
        drop(work);
        receiver.await.unwrap_or_else(|_| Err(stopped("a search")))
    }

    /// Runs `work`, and parallel `rayon` calls in it, on the builder threads. Sets `Cancelled` when
    /// the future is dropped.
    ///
    /// # Errors
    ///
    /// Returns the error of `work`, or `Backend` if it panicked or the threads could not be
    /// started.
    #[cfg(feature = "hnsw")]
    pub(crate) async fn build(
        &self,
        work: impl FnOnce(&Cancelled) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let _cancels = CancelOnDrop(Arc::clone(&is_cancelled));
        let pool = self.builders()?;
        let (sender, receiver) = oneshot::channel();
        pool.spawn(move || {
            let _ = sender.send(work(&is_cancelled));
        });
        receiver.await.unwrap_or_else(|_| Err(stopped(BUILDING)))
    }

    /// Like [`build`](Self::build), but blocks. Must not be called on a builder thread.
    #[cfg(feature = "hnsw")]
    pub(crate) fn build_here<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T> {
        let builders = self.builders()?;
        let built = catch_unwind(AssertUnwindSafe(|| builders.install(work)));
        built.map_err(|_| stopped(BUILDING))
    }

    /// Without these threads, `rayon` would start threads for the whole process, regardless of the
    /// store's setting. If the system refuses to start them, the next call tries again.
    #[cfg(feature = "hnsw")]
    fn builders(&self) -> Result<&ThreadPool> {
        if let Some(pool) = self.builders.get() {
            return Ok(pool);
        }
        let pool = started(self.count, "textsearch-build");
        #[cfg(test)]
        let pool = pool.filter(|_| !self.is_refused.load(Ordering::Relaxed));
        // If they were refused, another call may have started them in the meantime.
        let pool =
            pool.map(|pool| self.builders.get_or_init(|| pool)).or_else(|| self.builders.get());
        pool.ok_or_else(|| {
            let message = format!(
                "the system refused the {} threads that build approximate indexes: use fewer (`with_threads`) or \
                 raise the thread limit of the process",
                self.count
            );
            Error::new(ErrorKind::Backend, CONNECTOR, message)
        })
    }

    fn pool(&self) -> Option<&ThreadPool> {
        if self.is_the_caller {
            return None;
        }
        self.pool.get_or_init(|| started(self.count, "textsearch")).as_ref()
    }
}

fn started(count: usize, name: &'static str) -> Option<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(count);
    let builder = builder.thread_name(move |number| format!("{name}-{number}"));
    // The search reports the panic. Without a handler the process would abort.
    builder.panic_handler(|_| {}).build().ok()
}

/// One thread per processor core. A single core still gets a thread: the calling task may be the
/// only one of the async runtime.
impl Default for Threads {
    fn default() -> Self {
        let count = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Self { is_the_caller: false, ..Self::new(count) }
    }
}

impl<Part, P, Finish, T> Work<Part, P, Finish, T>
where
    Part: Fn(&mut dyn Iterator<Item = usize>) -> P,
    Finish: FnOnce(Vec<P>) -> Result<T>,
{
    fn call(&self) {
        let part = (self.part)(&mut std::iter::from_fn(|| self.take()));
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.parts.push(part);
        done.missing -= 1;
        if done.missing > 0 || self.is_cancelled.load(Ordering::Relaxed) {
            return;
        }
        let parts = std::mem::take(&mut done.parts);
        let end = done.end.take();
        drop(done);
        if let Some((finish, sender)) = end {
            // The caller may have stopped waiting.
            let _ = sender.send(finish(parts));
        }
    }

    fn take(&self) -> Option<usize> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.length && !self.is_cancelled.load(Ordering::Relaxed)).then_some(number)
    }
}

fn stopped(what: &str) -> Error {
    let message = format!("{what} panicked: see the panic message of its thread");
    Error::new(ErrorKind::Backend, CONNECTOR, message)
}

struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use futures_util::FutureExt as _;

    use super::*;

    const LARGE: usize = usize::MAX;

    fn threads(count: usize) -> Threads {
        Threads::new(NonZero::new(count).unwrap())
    }

    fn wait<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    fn sum(parts: Vec<usize>) -> Result<usize> {
        Ok(parts.iter().sum())
    }

    #[test]
    fn each_number_is_processed_once() {
        for count in [1, 3] {
            let threads = threads(count);
            let total = wait(threads.run(LARGE, 100, |numbers| numbers.sum(), sum));
            assert_eq!(total.unwrap(), 4950);
            assert_eq!(wait(threads.run(LARGE, 0, |numbers| numbers.sum(), sum)).unwrap(), 0);
        }
    }

    #[test]
    fn large_work_leaves_the_calling_task_unless_single_threaded() {
        let here = thread::current().id();
        let ran = |threads: Threads, elements| {
            let id = |_: &mut dyn Iterator<Item = usize>| thread::current().id();
            wait(threads.run(elements, 1, id, |parts| Ok(parts[0]))).unwrap()
        };
        assert_eq!(ran(threads(2), MAX_INLINE), here);
        assert_ne!(ran(threads(2), MAX_INLINE + 1), here);
        assert_eq!(ran(threads(1), LARGE), here);
        let of_one_core = Threads { is_the_caller: false, ..threads(1) };
        assert_ne!(ran(of_one_core, LARGE), here);
        assert_ne!(ran(Threads::default(), LARGE), here);
    }

    #[test]
    fn more_searches_than_threads_all_finish() {
        let threads = Arc::new(threads(2));
        let run = |_| threads.run(LARGE, 50, |numbers| numbers.sum(), sum);
        let sums = wait(futures_util::future::join_all((0..500).map(run)));
        assert!(sums.into_iter().all(|sum| sum.unwrap() == 1225));
    }

    #[test]
    fn work_stops_when_its_future_is_dropped() {
        let threads = threads(2);
        let (started, has_started) = mpsc::channel();
        let (finished, has_finished) = mpsc::channel();
        let endless = move |numbers: &mut dyn Iterator<Item = usize>| {
            if numbers.next().is_some() {
                let _ = started.send(());
            }
            numbers.for_each(drop);
            let _ = finished.send(());
        };
        let mut run = Box::pin(threads.run(LARGE, usize::MAX, endless, |_| Ok(())));
        assert!(run.as_mut().now_or_never().is_none());
        has_started.recv().unwrap();
        drop(run);
        has_finished.recv_timeout(Duration::from_secs(60)).unwrap();
    }

    #[cfg(feature = "hnsw")]
    #[test]
    fn refused_builder_threads_are_an_error_and_retried() {
        let threads = Threads::refused(NonZero::new(2).unwrap());
        let here = threads.build_here(|| ()).unwrap_err();
        let built = wait(threads.build(|_| Ok(())));
        for error in [here, built.unwrap_err()] {
            assert_eq!(*error.kind(), ErrorKind::Backend);
            assert!(error.message().contains("refused the 2 threads"), "{error}");
        }
        threads.grant();
        assert_eq!(threads.build_here(|| 7).unwrap(), 7);
    }

    #[test]
    fn panic_on_a_search_thread_is_an_error() {
        let threads = threads(2);
        let run = threads.run(LARGE, 1, |_| panic!("for the test"), |_: Vec<()>| Ok(()));
        assert_eq!(*wait(run).unwrap_err().kind(), ErrorKind::Backend);
    }

    #[cfg(feature = "hnsw")]
    #[test]
    fn panic_on_a_builder_thread_is_an_error() {
        let threads = threads(2);
        let here = threads.build_here(|| -> () { panic!("for the test") });
        let built = wait(threads.build(|_| panic!("for the test")));
        for error in [here.unwrap_err(), built.unwrap_err()] {
            assert_eq!(*error.kind(), ErrorKind::Backend);
            assert!(error.message().contains("building an index panicked"), "{error}");
        }
    }
}
