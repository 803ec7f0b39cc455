//! `textsearch index --watch`, and Ctrl-C, on a real folder.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read},
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
    messages: mpsc::Receiver<String>,
}

impl Running {
    fn start(place: &Workplace, arguments: &[&str], model: Option<&ScriptedModel>) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("textsearch"));
        command.current_dir(place.path(".")).arg("index").args(arguments);
        command.env("XDG_CONFIG_HOME", place.path(".config"));
        if let Some(model) = model {
            command.env("OPENAI_BASE_URL", model.base_url()).env("OPENAI_API_KEY", "key");
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        let messages = lines_of(child.stderr.take().unwrap());
        Self { child, lines, messages }
    }

    fn watch(place: &Workplace, model: Option<&ScriptedModel>) -> Self {
        let arguments = ["docs", "--watch", "--output", "json"];
        let embeddings = ["--embeddings", "openai:m"];
        let embeddings = if model.is_some() { &embeddings[..] } else { &[] };
        Self::start(place, &[&arguments[..], embeddings].concat(), model)
    }

    /// Waits until rounds have added, changed and removed so many documents. A slow machine may need several.
    fn expect(&self, expected: [u64; 3]) {
        let mut done = [0; 3];
        while done != expected {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("{done:?} instead of {expected:?}"));
            let round: Value = serde_json::from_str(&line).unwrap();
            for (sum, field) in done.iter_mut().zip(["added", "changed", "removed"]) {
                *sum += round[field].as_u64().unwrap();
            }
        }
    }

    fn expect_message(&self, expected: &str) {
        let mut messages = Vec::new();
        while let Ok(message) = self.messages.recv_timeout(PATIENCE) {
            if message.contains(expected) {
                return;
            }
            messages.push(message);
        }
        panic!("{expected} is not in {messages:?}");
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
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        let mut messages = Vec::new();
        // A program that the loader left behind may keep the output open.
        while let Ok(message) = self.messages.recv_timeout(Duration::from_secs(1)) {
            messages.push(message);
        }
        (code, messages.join("\n"))
    }
}

fn lines_of(output: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    let output = BufReader::new(output);
    thread::spawn(move || {
        output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    lines
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
    program.expect([1, 0, 0]);

    place.write("docs/b.md", "Bananas");
    place.write("docs/sub/c.md", "Cherries");
    program.expect([2, 0, 0]);
    // A file in a new folder, and a renamed folder.
    place.write("docs/sub/d.md", "Dates");
    program.expect([1, 0, 0]);
    place.write("docs/a.md", "Apricots");
    place.remove("docs/b.md");
    fs::rename(place.path("docs/sub"), place.path("docs/moved")).unwrap();
    program.expect([2, 1, 3]);
    place.write("docs/moved/e.md", "Elderberries");
    program.expect([1, 0, 0]);
    // A link instead of the folder isn't followed.
    fs::remove_dir_all(place.path("docs/moved")).unwrap();
    symlink(place.path("other"), place.path("docs/moved")).unwrap();
    program.expect([0, 0, 3]);

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
    program.expect([1, 0, 0]);
    fs::rename(place.path("docs"), place.path("away")).unwrap();
    program.expect_message(
        "there is no file or folder `docs`: try another path: the next try is after a change",
    );
    place.write("docs/b.md", "Bananas");
    program.expect([1, 0, 1]);
    program.interrupt();
    assert_eq!(program.end().0, 0);
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
    program.expect([2, 0, 0]);

    let before = model.requests().len();
    is_failing.store(true, Ordering::SeqCst);
    place.write("docs/c.md", "Cherries");
    program.expect_message("the next try is after a change, or in 30 s");
    assert!(model.requests().len() > before);
    is_failing.store(false, Ordering::SeqCst);
    let failed = model.requests().len();
    place.write("docs/d.md", "Dates");
    program.expect([2, 0, 0]);
    let texts =
        model.requests().into_iter().skip(failed).map(|request| request.body["input"].clone());
    let expected = json!(["docs/c.md\nCherries", "docs/d.md\nDates"]);
    assert_eq!(texts.collect::<Vec<_>>(), [expected]);

    program.interrupt();
    let (code, messages) = program.end();
    assert_eq!((code, messages.contains("the next try")), (0, false), "{messages}");
    assert_eq!(place.stored(STORE)[1].1.len(), 4);
}

/// A folder whose files take the loader of [`SLOW`] two seconds each.
fn slow_folder() -> Workplace {
    let place = Workplace::with(&[]);
    (0..9).for_each(|number| place.write(&format!("docs/{number}.slow"), format!("word{number}")));
    place
}

const SLOW: &[&str] = &["docs", "--loader", "slow=sh -c 'echo >> started; sleep 2; cat \"$0\"' {}"];
const QUICK: &[&str] = &["docs", "--loader", "slow=cat {}"];

/// Waits until the loader reads the file with this number, from 1.
fn wait_for_file(place: &Workplace, number: usize) {
    let start = Instant::now();
    while fs::read(place.path("started")).map_or(0, |lines| lines.len()) < number {
        assert!(start.elapsed() < PATIENCE, "the loader wasn't started");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn ctrl_c_saves_what_is_finished() {
    let place = slow_folder();
    let program = Running::start(&place, SLOW, None);
    wait_for_file(&place, 2);
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
    let before = place.stored(STORE);
    let program = Running::start(&place, &[SLOW, &["--rebuild"]].concat(), None);
    wait_for_file(&place, 2);
    program.interrupt();
    let (code, messages) = program.end();
    assert_eq!(code, 130, "{messages}");
    assert!(messages.contains("the store `.textsearch/index` is what it was before"), "{messages}");
    assert_eq!(place.stored(STORE), before);
}

#[test]
fn second_ctrl_c_stops_at_once() {
    let place = slow_folder();
    let slower = ["docs", "--loader", "slow=sh -c 'echo >> started; exec sleep 60' {}"];
    let program = Running::start(&place, &slower, None);
    wait_for_file(&place, 1);
    let start = Instant::now();
    program.interrupt();
    program.expect_message("stopping; press Ctrl-C again to stop at once");
    thread::sleep(Duration::from_millis(200));
    program.interrupt();
    let (code, messages) = program.end();
    assert_eq!(code, 130, "{messages}");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(place.index(QUICK), [9, 0, 0, 0]);
}
