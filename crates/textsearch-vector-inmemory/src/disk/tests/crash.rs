//! A process that writes is killed: nothing acknowledged may be lost.

use std::{
    env,
    io::{self, BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use textsearch_core::vector::{Distance, RecordKey};

use super::{
    model::{Collection, answers, collection, record},
    support::{block_on, store},
};
use crate::InMemoryVectorStore;

const FOLDER: &str = "TEXTSEARCH_TEST_FOLDER";
const START: &str = "TEXTSEARCH_TEST_START";

/// Small, so that a kill often meets a new segment or a merge.
const SEGMENT: usize = 40;

/// The change with this number, the same in every process.
async fn change(number: u64, collection: &Collection) {
    let mut random = fastrand::Rng::with_seed(number);
    if number % 4 == 3 {
        let keys = (0..12).map(|_| format!("{:04}", random.usize(0..200)));
        return collection.delete(&keys.map(RecordKey::from).collect::<Vec<_>>()).await.unwrap();
    }
    let records = (0..20).map(|_| {
        let key = random.usize(0..200);
        record(&mut random, key)
    });
    collection.upsert(records.collect()).await.unwrap();
}

/// Runs in the child only.
#[test]
#[ignore = "runs in a process that another test kills"]
fn write_until_killed() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let start: u64 = env::var(START).unwrap().parse().unwrap();
    block_on(async {
        let store = store(Path::new(&folder), SEGMENT);
        let docs = collection(&store, Distance::DotProduct).await;
        for number in start.. {
            change(number, &docs).await;
            writeln!(io::stdout(), "done {number}").unwrap();
        }
    });
}

pub(super) fn child(test: &str, variables: &[(&str, &str)]) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    command.envs(variables.iter().copied());
    command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

fn kill_and_check(rounds: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    block_on(async {
        let memory = collection(&InMemoryVectorStore::new(), Distance::DotProduct).await;
        let mut next = 0;
        for round in 0..rounds {
            let start = next.to_string();
            let test = "disk::tests::crash::write_until_killed";
            let mut writer = child(test, &[(FOLDER, path), (START, &start)]);
            let output = BufReader::new(writer.stdout.take().unwrap());
            let id = writer.id();
            let killer = thread::spawn(move || {
                thread::sleep(Duration::from_millis(300 + round * 37 % 400));
                writer.kill().unwrap();
                writer.wait().unwrap();
            });
            for line in output.lines().map_while(Result::ok) {
                // The test harness may write on the same line.
                if let Some((_, number)) = line.split_once("done ") {
                    assert_eq!(number.parse::<u64>().unwrap(), next, "process {id}");
                    change(next, &memory).await;
                    next += 1;
                }
            }
            killer.join().unwrap();
            let store = store(folder.path(), SEGMENT);
            let docs = collection(&store, Distance::DotProduct).await;
            let stored = answers(&docs, round).await;
            if stored != answers(&memory, round).await {
                // The change may have been written but not acknowledged.
                change(next, &memory).await;
                next += 1;
                assert_eq!(stored, answers(&memory, round).await, "round {round}, change {next}");
            }
        }
        assert!(next > rounds, "{next} changes in {rounds} rounds");
    });
}

#[test]
fn killed_writer_loses_nothing_acknowledged() {
    kill_and_check(3);
}

#[test]
#[ignore = "takes a minute"]
fn writer_killed_forty_times_loses_nothing_acknowledged() {
    kill_and_check(40);
}
