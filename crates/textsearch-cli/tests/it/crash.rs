//! Kills runs of `textsearch index`: the store is the old one or the new one, and whole.
//!
//! `cargo xtask stress crash` sets `TEXTSEARCH_STRESS_RECORDS` and `TEXTSEARCH_STRESS_KILLS`.

use std::{
    env, fs,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::{StoredDocuments, Workplace};

const RECORDS: u64 = 500;
const KILLS: u64 = 5;
const STORE: &str = ".textsearch/index";
const INDEX: &[&str] = &["index", "records.jsonl"];

#[derive(Debug)]
enum Moment {
    /// After this share of the time of a whole run.
    Time(f64),
    /// With this share of the new store written.
    Written(f64),
}

struct Version {
    file: Vec<u8>,
    documents: StoredDocuments,
}

impl Moment {
    /// Half of the moments are while the store is written, by far the shorter part of a run.
    fn random(random: &mut fastrand::Rng, number: u64) -> Self {
        if number.is_multiple_of(2) {
            Self::Time(random.f64())
        } else {
            Self::Written(random.f64())
        }
    }

    /// Waits for the moment. Returns early if the run ends first.
    fn wait(&self, place: &Workplace, run: &mut Child, whole_run: Duration, whole_store: u64) {
        let start = Instant::now();
        let is_here = || match self {
            Self::Time(share) => start.elapsed() >= whole_run.mul_f64(*share),
            Self::Written(share) => place
                .temporary_stores()
                .iter()
                .filter_map(|name| fs::metadata(place.path(name)).ok())
                .any(|file| file.len() as f64 >= whole_store as f64 * share),
        };
        while !is_here() && run.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_micros(100));
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Time(share) => format!("after {:3.0} % of a run", share * 1e2),
            Self::Written(share) => format!("with {:3.0} % of the store written", share * 1e2),
        }
    }
}

impl Version {
    fn read(place: &Workplace) -> Self {
        Self { file: place.read(STORE), documents: place.stored(STORE) }
    }
}

/// Returns the records of an edition. The second drops and adds some and changes all others.
fn records(edition: u64, number: u64) -> String {
    let mut random = fastrand::Rng::with_seed(edition);
    let ids = edition * number / 20..edition * number / 20 + number;
    let lines = ids.map(|id| {
        let words: Vec<String> = (0..8).map(|_| format!("word{}", random.u32(0..5000))).collect();
        let text = format!("edition{edition} {}", words.join(" "));
        serde_json::json!({ "id": id, "text": text, "year": random.u32(1990..2030) }).to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn from_environment(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |value| value.parse().unwrap())
}

fn start(place: &Workplace) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("textsearch"))
        .current_dir(place.path("."))
        .args(INDEX)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Returns which version the store is, as read by its library and by the program.
fn outcome(place: &Workplace, old: Option<&Version>, new: &Version) -> &'static str {
    if !place.path(STORE).exists() {
        assert!(old.is_none(), "the old store is gone");
        return "no store, as before";
    }
    let stored = place.stored(STORE);
    let search = ["search", "edition1 edition2", "--top", "1", "--output", "json"];
    let answer = place.json(&search)["results"][0]["Value"].to_string();
    if stored == new.documents {
        assert!(answer.contains("edition2"), "{answer}");
        return "the new store";
    }
    assert!(old.is_some_and(|old| stored == old.documents), "the store is neither old nor new");
    assert!(answer.contains("edition1"), "{answer}");
    "the old store"
}

#[test]
#[expect(clippy::print_stdout, reason = "`cargo xtask stress crash` shows it")]
fn a_killed_run_leaves_the_old_or_new_store() {
    let number = from_environment("TEXTSEARCH_STRESS_RECORDS", RECORDS);
    let kills = from_environment("TEXTSEARCH_STRESS_KILLS", KILLS);
    let place = Workplace::with(&[]);
    place.write("records.jsonl", records(1, number));
    place.index(&INDEX[1..]);
    let old = Version::read(&place);
    place.write("records.jsonl", records(2, number));
    let began = Instant::now();
    place.index(&INDEX[1..]);
    let mut whole_run = began.elapsed();
    let new = Version::read(&place);
    assert_ne!(old.documents, new.documents);
    let mut random = fastrand::Rng::with_seed(5);
    let mut in_the_middle = 0;
    let mut with_a_part = 0;
    for kill in 1..=kills {
        let before = Some(&old).filter(|_| !kill.is_multiple_of(5));
        match before {
            Some(before) => place.write(STORE, &before.file),
            None => place.remove(STORE),
        }
        let moment = Moment::random(&mut random, kill);
        let began = Instant::now();
        let mut run = start(&place);
        moment.wait(&place, &mut run, whole_run, new.file.len() as u64);
        run.kill().unwrap();
        let was_done = run.wait().unwrap().success();
        if was_done {
            // The measured run was a slow one, perhaps on a busy machine.
            whole_run = whole_run.min(began.elapsed());
        }
        let left_behind = place.temporary_stores().len();
        let outcome = outcome(&place, before, &new);
        println!(
            "kill {kill:2} of {kills}, {}: {outcome}{}{}",
            moment.describe(),
            if was_done { ", the run was done" } else { "" },
            if left_behind > 0 { "; a part beside it" } else { "" },
        );
        assert!(!was_done || outcome == "the new store");
        assert!(left_behind <= 1, "what killed runs leave behind piles up");
        in_the_middle += u64::from(!was_done);
        with_a_part += u64::from(left_behind > 0);
    }
    assert!(in_the_middle > 0, "every run was done before it was killed: nothing was tried");
    // Writing a small store may be too quick to observe, above all on a busy machine.
    assert!(with_a_part > 0 || kills <= KILLS, "no run was killed while it wrote the store");
    place.write(STORE, &old.file);
    place.index(&INDEX[1..]);
    assert!(place.stored(STORE) == new.documents);
    assert_eq!(place.names(".textsearch"), ["index", "index.lock"]);
    println!("{number} records, a run of {:.0} ms", whole_run.as_secs_f64() * 1e3);
}
