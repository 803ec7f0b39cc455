//! A folder that changes during a run: the run reads whole files, each as of some moment.
//!
//! `cargo xtask stress changing-folder` sets the duration in `TEXTSEARCH_STRESS_SECONDS`.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{StoredDocuments, Workplace};

const SECONDS: u64 = 3;
const FILES: usize = 20;
const PARAGRAPHS: usize = 10;
const STORE: &str = ".textsearch/index";

/// Existing files and the number of the change that wrote each.
type Living = BTreeMap<String, u64>;

#[derive(Default)]
struct Folder {
    changes: u64,
    living: Living,
}

impl Folder {
    fn change(&mut self, place: &Workplace, random: &mut fastrand::Rng) {
        let number = random.usize(0..FILES);
        let name = if number < 4 { format!("r{number}.jsonl") } else { format!("f{number}.md") };
        let path = format!("docs/{name}");
        self.changes += 1;
        self.living.remove(&path);
        let change = random.u8(0..8);
        clear(place, &path, change < 3 || random.bool());
        match change {
            0 => {}
            1 => fs::create_dir_all(place.path(&path).join("inner")).unwrap(),
            // A dangling link instead of the file.
            2 => std::os::unix::fs::symlink("nowhere", place.path(&path)).unwrap(),
            _ => {
                place.write("new", text(&name, self.changes));
                fs::rename(place.path("new"), place.path(&path)).unwrap();
                self.living.insert(path, self.changes);
            }
        }
    }
}

/// Removes a folder or link at the path, and a file if `is_file_removed`: otherwise the write
/// replaces it in one step.
fn clear(place: &Workplace, path: &str, is_file_removed: bool) {
    let path = place.path(path);
    if path.is_dir() {
        fs::remove_dir_all(path).unwrap();
    } else if path.is_symlink() || is_file_removed {
        let _may_be_missing = fs::remove_file(path);
    }
}

/// Returns a text whose every part contains its version.
fn text(name: &str, version: u64) -> String {
    let part = |number: usize| {
        if name.ends_with(".jsonl") {
            // The fields of records depend on the version.
            format!("{{\"id\":{number},\"text\":\"v{version}v\",\"extra{}\":1}}\n", version % 2)
        } else {
            format!("# Part {number}\n\nv{version}v {}\n\n", "word ".repeat(30))
        }
    };
    (0..PARAGRAPHS).map(part).collect()
}

/// Checks that every file in a store is whole, and returns their versions.
fn versions(stored: &StoredDocuments) -> Living {
    let mut by_path: BTreeMap<String, (BTreeSet<u64>, usize)> = BTreeMap::new();
    for record in stored.iter().filter(|(name, _)| name == "documents").flat_map(|(_, all)| all) {
        let text = record.data["text"].as_str().unwrap();
        let (versions, parts) =
            by_path.entry(record.data["path"].as_str().unwrap().to_owned()).or_default();
        let marks =
            text.split_whitespace().filter_map(|word| word.strip_prefix('v')?.strip_suffix('v'));
        for mark in marks {
            versions.insert(mark.parse().unwrap());
            *parts += 1;
        }
    }
    let whole = by_path.into_iter().map(|(path, (versions, parts))| {
        assert_eq!((versions.len(), parts), (1, PARAGRAPHS), "`{path}` is torn: {versions:?}");
        (path, versions.into_iter().next().unwrap())
    });
    whole.collect()
}

/// Indexes once while the folder changes.
fn index(place: &Workplace, folder: &Mutex<Folder>, before: &mut Living) {
    let at_start = folder.lock().unwrap().living.clone();
    let run = place.run(&["index", "docs", "--output", "json"]);
    let (at_end, newest) = {
        let folder = folder.lock().unwrap();
        (folder.living.clone(), folder.changes)
    };
    assert!([0, 1, 5].contains(&run.code), "exit code {}: {}", run.code, run.stderr);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    if run.stdout.is_empty() {
        assert!(run.stderr.contains("changed while it was read: try again"), "{}", run.stderr);
        return;
    }
    let summary: Value = serde_json::from_str(&run.stdout).unwrap();
    let lists = ["failed", "skipped"].map(|list| summary[list].as_array().unwrap());
    let skipped = lists.into_iter().flatten();
    let skipped: Vec<&str> = skipped.map(|item| item["path"].as_str().unwrap()).collect();
    let after = versions(&place.stored(STORE));
    for (path, version) in &after {
        let is_of_this_run = at_start
            .get(path)
            .map_or(*version <= newest, |first| (*first..=newest).contains(version));
        let was_kept = skipped.contains(&path.as_str()) && before.get(path) == Some(version);
        assert!(is_of_this_run || was_kept, "`{path}` of version {version} is too old or too new");
    }
    for (path, version) in
        at_start.iter().filter(|(path, version)| at_end.get(*path) == Some(version))
    {
        assert_eq!(after.get(path), Some(version), "`{path}` was there all the time");
    }
    *before = after;
}

#[test]
#[expect(clippy::print_stdout, reason = "`cargo xtask stress changing-folder` shows it")]
fn a_changing_folder_is_stored_as_whole_files() {
    let seconds = env::var("TEXTSEARCH_STRESS_SECONDS").ok();
    let seconds = seconds.map_or(SECONDS, |seconds| seconds.parse().unwrap());
    let place = Workplace::with(&[("docs/still.txt", &text("still.txt", 0))]);
    let folder = Mutex::new(Folder::default());
    folder.lock().unwrap().living.insert("docs/still.txt".to_owned(), 0);
    let is_over = AtomicBool::new(false);
    let mut runs = 0;
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = fastrand::Rng::with_seed(5);
            while !is_over.load(Ordering::Relaxed) {
                folder.lock().unwrap().change(&place, &mut random);
                thread::sleep(Duration::from_millis(1));
            }
        });
        let _ends_the_changes = Flag(&is_over);
        let end = Instant::now() + Duration::from_secs(seconds);
        let mut before = Living::new();
        while Instant::now() < end {
            index(&place, &folder, &mut before);
            runs += 1;
        }
    });
    let folder = folder.into_inner().unwrap();
    place.run(&["index", "docs"]);
    assert_eq!(versions(&place.stored(STORE)), folder.living);
    println!("{} changes of a folder beside {runs} runs", folder.changes);
}

/// Sets the flag when dropped, so that a failed check ends the other thread too.
struct Flag<'a>(&'a AtomicBool);

impl Drop for Flag<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
