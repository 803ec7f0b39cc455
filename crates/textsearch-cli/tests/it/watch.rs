//! `textsearch index --watch`, and Ctrl-C, on a real folder.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    os::unix::fs::symlink,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use textsearch_conformance::chat::{ModelScript, ScriptedModel, Turn};

use crate::support::Workplace;

const PATIENCE: Duration = Duration::from_secs(30);
const STORE: &str = ".textsearch/index";

/// The program, until it ends by itself or the test does.
struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Running {
    fn start(place: &Workplace, arguments: &[&str], model: Option<&ScriptedModel>) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("textsearch"));
        command.current_dir(place.path(".")).arg("index").args(arguments);
        if let Some(model) = model {
            command.env("OPENAI_BASE_URL", model.base_url()).env("OPENAI_API_KEY", "key");
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, lines }
    }

    fn watch(place: &Workplace, model: Option<&ScriptedModel>) -> Self {
        let arguments = ["docs", "--watch", "--output", "json"];
        let embeddings = ["--embeddings", "openai:m"];
        let embeddings = if model.is_some() { &embeddings[..] } else { &[] };
        Self::start(place, &[&arguments[..], embeddings].concat(), model)
    }

    /// Waits for the next round, and returns the numbers of added, changed and removed documents.
    fn round(&self) -> [u64; 3] {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        let round: Value = serde_json::from_str(&line).unwrap();
        ["added", "changed", "removed"].map(|field| round[field].as_u64().unwrap())
    }

    fn interrupt(&self) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    }

    /// Waits for the end, and returns the exit code and the messages.
    fn end(mut self) -> (i32, String) {
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() && start.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(10));
        }
        let _too_late = self.child.kill();
        let mut messages = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), messages)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ended = self.child.kill();
    }
}

#[test]
fn watch_follows_files_and_folders_until_ctrl_c() {
    let place = Workplace::with(&[("docs/a.md", "Apples"), ("other/x.md", "Oranges")]);
    let program = Running::watch(&place, None);
    assert_eq!(program.round(), [1, 0, 0]);

    place.write("docs/b.md", "Bananas");
    place.write("docs/sub/c.md", "Cherries");
    assert_eq!(program.round(), [2, 0, 0]);
    // A file in a new folder, and a renamed folder.
    place.write("docs/sub/d.md", "Dates");
    assert_eq!(program.round(), [1, 0, 0]);
    place.write("docs/a.md", "Apricots");
    place.remove("docs/b.md");
    fs::rename(place.path("docs/sub"), place.path("docs/moved")).unwrap();
    assert_eq!(program.round(), [2, 1, 3]);
    place.write("docs/moved/e.md", "Elderberries");
    assert_eq!(program.round(), [1, 0, 0]);
    // A link instead of the folder isn't followed.
    fs::remove_dir_all(place.path("docs/moved")).unwrap();
    symlink(place.path("other"), place.path("docs/moved")).unwrap();
    assert_eq!(program.round(), [0, 0, 3]);

    program.interrupt();
    let (code, messages) = program.end();
    assert_eq!(code, 0, "{messages}");
    assert!(messages.contains("watching for changes; stop with Ctrl-C"), "{messages}");
    assert_eq!(place.links(&["apricots"]), ["docs/a.md"]);
    assert_eq!(place.stored(STORE)[1].1.len(), 1);
}

#[test]
fn watch_waits_for_a_path_that_was_deleted() {
    let place = Workplace::with(&[("docs/a.md", "Apples")]);
    let program = Running::watch(&place, None);
    assert_eq!(program.round(), [1, 0, 0]);
    fs::rename(place.path("docs"), place.path("away")).unwrap();
    thread::sleep(Duration::from_secs(3));
    place.write("docs/b.md", "Bananas");
    assert_eq!(program.round(), [1, 0, 1]);
    program.interrupt();
    let (code, messages) = program.end();
    assert_eq!(code, 0);
    let missing =
        "there is no file or folder `docs`: try another path: the next change tries again";
    assert!(messages.contains(missing), "{messages}");
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_embeds_changes_again_after_a_failure() {
    let is_failing = Arc::new(AtomicBool::new(false));
    let fails = Arc::clone(&is_failing);
    let script = ModelScript::turns([])
        .with_dimensions(64)
        .with_embeddings(move |_| fails.load(Ordering::SeqCst).then(Turn::insufficient_quota));
    let model = ScriptedModel::start(script).await;
    let place = Workplace::with(&[("docs/a.md", "Apples"), ("docs/b.md", "Bananas")]);
    let program = Running::watch(&place, Some(&model));
    assert_eq!(program.round(), [2, 0, 0]);

    let before = model.requests().len();
    is_failing.store(true, Ordering::SeqCst);
    place.write("docs/c.md", "Cherries");
    let start = Instant::now();
    while model.requests().len() == before && start.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(500));
    is_failing.store(false, Ordering::SeqCst);
    let failed = model.requests().len();
    place.write("docs/d.md", "Dates");
    assert_eq!(program.round(), [2, 0, 0]);
    let texts =
        model.requests().into_iter().skip(failed).map(|request| request.body["input"].clone());
    let expected = json!(["docs/c.md\nCherries", "docs/d.md\nDates"]);
    assert_eq!(texts.collect::<Vec<_>>(), [expected]);

    program.interrupt();
    let (code, messages) = program.end();
    assert_eq!(code, 0);
    assert_eq!(messages.matches("the next change tries again").count(), 1, "{messages}");
    assert_eq!(place.stored(STORE)[1].1.len(), 4);
}

/// A folder whose files take a loader two seconds each.
fn slow_folder() -> Workplace {
    let place = Workplace::with(&[]);
    (0..9).for_each(|number| place.write(&format!("docs/{number}.slow"), format!("word{number}")));
    place
}

const SLOW: &[&str] = &["docs", "--loader", "slow=sh -c 'sleep 2; cat \"$0\"' {}"];
const QUICK: &[&str] = &["docs", "--loader", "slow=cat {}"];

#[test]
fn ctrl_c_saves_what_is_finished() {
    let place = slow_folder();
    let program = Running::start(&place, SLOW, None);
    thread::sleep(Duration::from_secs(3));
    program.interrupt();
    let (code, messages) = program.end();
    assert_eq!(code, 130, "{messages}");
    let finished = "what was finished is in `.textsearch/index`: run the same command again";
    assert!(messages.contains(finished), "{messages}");
    let stored = place.stored(STORE)[1].1.len() as u64;
    assert!((1..9).contains(&stored), "{stored} files were read");
    assert_eq!(place.index(QUICK), [9 - stored, 0, stored, 0]);
}

#[test]
fn interrupted_rebuild_leaves_the_old_store() {
    let place = slow_folder();
    place.index(QUICK);
    let before = place.read(STORE);
    let program = Running::start(&place, &[SLOW, &["--rebuild"]].concat(), None);
    thread::sleep(Duration::from_secs(3));
    program.interrupt();
    let (code, messages) = program.end();
    assert_eq!(code, 130, "{messages}");
    assert!(messages.contains("the store `.textsearch/index` is what it was before"), "{messages}");
    assert_eq!(place.read(STORE), before);
}

#[test]
fn second_ctrl_c_stops_at_once() {
    let place = slow_folder();
    let slower = ["docs", "--loader", "slow=sh -c 'sleep 60' {}"];
    let program = Running::start(&place, &slower, None);
    thread::sleep(Duration::from_secs(1));
    let start = Instant::now();
    program.interrupt();
    thread::sleep(Duration::from_millis(500));
    program.interrupt();
    let (code, messages) = program.end();
    assert_eq!(code, 130, "{messages}");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(!place.path(STORE).exists());
}
