//! Kills runs of `textsearch index`: the store can be read, its documents are whole, and the next
//! run continues.
//!
//! `cargo xtask stress crash` sets `TEXTSEARCH_STRESS_RECORDS` and `TEXTSEARCH_STRESS_KILLS`.

use std::{
    collections::BTreeSet,
    env,
    process::{Child, Command, Stdio},
    thread,
    time::Instant,
};

use crate::support::Workplace;

const RECORDS: u64 = 500;
const KILLS: u64 = 5;
const STORE: &str = ".textsearch/index";
const INDEX: &[&str] = &["index", "records.jsonl"];

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

/// Returns the documents as their library reads them.
fn documents(place: &Workplace) -> BTreeSet<String> {
    let stored = place.stored(STORE);
    let (_, records) = stored.into_iter().find(|(name, _)| name == "documents").unwrap();
    records.iter().map(|record| serde_json::to_string(&record.data).unwrap()).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "`cargo xtask stress crash` shows it")]
fn a_killed_run_leaves_whole_documents_and_the_next_continues() {
    let number = from_environment("TEXTSEARCH_STRESS_RECORDS", RECORDS);
    let kills = from_environment("TEXTSEARCH_STRESS_KILLS", KILLS);
    let place = Workplace::with(&[]);
    let editions = [1, 2].map(|edition| {
        place.write("records.jsonl", records(edition, number));
        let began = Instant::now();
        place.index(&INDEX[1..]);
        (documents(&place), began.elapsed())
    });
    let whole_run = editions[1].1;
    let is_whole = |document: &String| editions.iter().any(|(all, _)| all.contains(document));
    let mut random = fastrand::Rng::with_seed(5);
    let mut in_the_middle = 0;
    for kill in 1..=kills {
        let edition = 1 + kill % 2;
        place.write("records.jsonl", records(edition, number));
        let share = random.f64();
        let mut run = start(&place);
        thread::sleep(whole_run.mul_f64(share));
        run.kill().unwrap();
        let was_done = run.wait().unwrap().success();
        let left = documents(&place);
        assert!(left.iter().all(is_whole), "a document is of no edition");
        assert!(!was_done || left == editions[edition as usize - 1].0);
        let search = ["search", "edition1 edition2", "--top", "1", "--output", "json"];
        assert_eq!(place.json(&search)["results"].as_array().unwrap().len(), 1);
        let new = left.intersection(&editions[edition as usize - 1].0).count();
        println!(
            "kill {kill:2} of {kills}, after {:3.0} % of a run: {new} of {number} documents are new",
            share * 1e2
        );
        in_the_middle += u64::from(!was_done);
    }
    assert!(in_the_middle > 0, "every run was done before it was killed: nothing was tried");
    place.write("records.jsonl", records(2, number));
    place.index(&INDEX[1..]);
    assert!(documents(&place) == editions[1].0);
    assert_eq!(place.names(".textsearch"), ["index", "index.lock"]);
    println!("{number} records, a run of {:.0} ms", whole_run.as_secs_f64() * 1e3);
}
