//! Many readers and several writers. Each search is checked against a model of the writes.
//!
//! Each writer owns its keys, and its records are a function of the number of finished operations.
//! An answer is right if it fits one such number for each writer: at least the operations finished
//! when the search began, at most those started when it ended. A partially visible batch fits no
//! number.
//!
//! `TEXTSEARCH_STRESS_SECONDS` sets the duration; `cargo xtask stress load` does so.

mod model;

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use futures_util::FutureExt as _;

use self::model::{Query, WRITERS, Writer, definition};
use crate::support::{Stored, block_on, collection};

const READERS: u64 = 64;

const SECONDS: u64 = 2;

#[derive(Default)]
struct Progress {
    begun: AtomicU64,
    finished: AtomicU64,
}

struct Run {
    collection: Stored,
    progress: Vec<Progress>,
    end: Instant,
}

impl Run {
    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Writes at least once. Returns the number of operations.
    fn write(&self, writer: Writer) -> u64 {
        let progress = &self.progress[writer.place()];
        let mut number = 0;
        loop {
            number += 1;
            progress.begun.store(number, Ordering::SeqCst);
            now(writer.operate(number, &self.collection));
            progress.finished.store(number, Ordering::SeqCst);
            if self.is_over() {
                return number;
            }
        }
    }

    /// Searches at least once. Returns the number of searches.
    fn read(&self, reader: u64) -> u64 {
        let mut random = fastrand::Rng::with_seed(reader);
        let mut searches = 0;
        loop {
            let query = Query::random(&mut random);
            let oldest = self.versions(|progress| &progress.finished);
            let answer = now(query.ask(&self.collection));
            let newest = self.versions(|progress| &progress.begun);
            query.check(&answer, &oldest, &newest);
            searches += 1;
            if self.is_over() {
                return searches;
            }
        }
    }

    fn versions(&self, version: impl Fn(&Progress) -> &AtomicU64) -> Vec<u64> {
        self.progress.iter().map(|progress| version(progress).load(Ordering::SeqCst)).collect()
    }
}

/// No call on this store waits, so every future is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("the store never waits")
}

fn length_of_run() -> Duration {
    let seconds = env::var("TEXTSEARCH_STRESS_SECONDS").ok();
    Duration::from_secs(seconds.map_or(SECONDS, |seconds| seconds.parse().unwrap()))
}

#[test]
#[expect(clippy::print_stdout, reason = "`cargo xtask stress load` shows it")]
fn concurrent_search_sees_one_state_of_each_writer() {
    let collection = block_on(collection(definition()));
    for writer in Writer::all() {
        now(writer.operate(0, &collection));
    }
    let progress = (0..WRITERS).map(|_| Progress::default()).collect();
    let run = Arc::new(Run { collection, progress, end: Instant::now() + length_of_run() });
    let start = |work: Box<dyn FnOnce(&Run) -> u64 + Send>| {
        let run = Arc::clone(&run);
        thread::spawn(move || work(&run))
    };
    let writers: Vec<_> =
        Writer::all().map(|writer| start(Box::new(move |run| run.write(writer)))).collect();
    let readers: Vec<_> =
        (0..READERS).map(|reader| start(Box::new(move |run| run.read(reader)))).collect();
    let sum = |threads: Vec<thread::JoinHandle<u64>>| -> u64 {
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    };
    let operations = sum(writers);
    let searches = sum(readers);
    println!(
        "{READERS} readers, {WRITERS} writers, {:.0} s: {searches} searches beside {operations} batches, each the answer \
         of a state between its start and its end",
        length_of_run().as_secs_f64()
    );
}
