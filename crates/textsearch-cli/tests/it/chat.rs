//! `textsearch chat`, against a scripted model on loopback.

use assert_cmd::Command;
use textsearch_conformance::chat::{ModelScript, ScriptedModel, Turn};

use crate::support::{Run, Workplace};

const SOURCES: &str = "  [1] Connectors  docs/connectors.md#connectors\n";

struct Stage {
    place: Workplace,
    model: ScriptedModel,
}

impl Stage {
    async fn new(script: impl Into<ModelScript>) -> Self {
        let place = Workplace::with(&[
            ("docs/connectors.md", "# Connectors\n\nWrite one method to make a connector.\n"),
            ("docs/filters.md", "# Filters\n\nA filter is plain data.\n"),
        ]);
        Self { place, model: ScriptedModel::start(script.into()).await }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(&[&["chat", "--from", "docs"], arguments].concat());
        command.env("OPENAI_BASE_URL", self.model.base_url()).env("OPENAI_MODEL", "scripted-model");
        command
    }

    /// Sends lines without a terminal. The API must accept every request.
    fn chat(&self, arguments: &[&str], lines: &[&str]) -> Run {
        let run = self.command(arguments).write_stdin(lines.join("\n")).output().unwrap().into();
        self.model.assert_valid();
        run
    }

    /// Returns the texts of a request's messages after the system message.
    fn sent(&self, request: usize) -> Vec<String> {
        let request = self.model.requests()[request].clone();
        let messages = request.messages().iter().skip(1);
        messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follow_up_is_sent_with_the_conversation() {
    let texts = ["One method [1].", "Is a connector short?", "Yes [1]."];
    let stage = Stage::new(texts.map(Turn::text)).await;
    let run = stage.chat(&[], &["How do I write a connector?", "and is it short?"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, "searching for: Is a connector short?\n"));
    assert_eq!(run.stdout, format!("One method [1].\n{SOURCES}Yes [1].\n{SOURCES}"));
    let sent = stage.sent(2);
    assert_eq!(sent[..2], ["How do I write a connector?", "One method [1]."]);
    assert!(sent[2].contains("Write one method") && sent[2].ends_with("and is it short?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_rewriting_the_question_before_is_joined() {
    let stage = Stage::new(["One method [1].", "Yes [1]."].map(Turn::text)).await;
    let lines = ["How do I write a connector?", "and is it short?"];
    let run = stage.chat(&["--rewrite", "none"], &lines);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(stage.sent(1)[2].contains("Write one method"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_takes_every_kind_of_rewriting() {
    let stage = Stage::new(["plain data", "One method [1]."].map(Turn::text)).await;
    let run = stage.chat(&["--rewrite", "variants"], &["connector?"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, "searching for: plain data\n"));
    let run = stage.chat(&["--rewrite", "hypothetical-answer"], &["connector?"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("searches by vector: try --embeddings MODEL"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_rewriting_is_a_warning() {
    let texts = ["One method [1].", "...", "Yes [1]."];
    let stage = Stage::new(texts.map(Turn::text)).await;
    let run = stage.chat(&[], &["connector?", "and filters?"]);
    assert_eq!(run.code, 0);
    let warning = "textsearch: warning: the question was not rewritten: ";
    assert!(run.stderr.starts_with(warning), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsupported_citation_is_a_warning() {
    let stage = Stage::new([Turn::text("See [2] or [this](https://made.up/).")]).await;
    let run = stage.chat(&[], &["How do I write a connector?"]);
    let warnings: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(
        warnings,
        [
            "textsearch: warning: number 2: NOT AMONG WHAT WAS RETRIEVED",
            "textsearch: warning: link https://made.up/: NOT AMONG WHAT WAS RETRIEVED"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_filter_changes_within_the_fixed_filter() {
    let stage = Stage::new(["a", "b", "c"].map(Turn::text)).await;
    let arguments = [
        "--rewrite=none",
        "--fixed-filter=path contains \"filters\"",
        "--filter=path contains \"con\"",
    ];
    let question = "connector filter";
    let lines = [question, "/filter", "/filter none", "/filter", question, "/sources"];
    let run = stage.chat(&arguments, &lines);
    let source = "  [1] Filters  docs/filters.md#filters\n";
    let expected = format!(
        "a\npath contains \"con\"\nno filter\nb\n{source}{source}      # Filters A filter is plain data.\n"
    );
    assert_eq!((run.code, run.stdout), (0, expected), "{}", run.stderr);
    let nothing = "textsearch: warning: nothing was found, so there are no sources\n";
    assert_eq!(run.stderr, nothing);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cleared_conversation_is_not_sent() {
    let stage = Stage::new(["a", "b"].map(Turn::text)).await;
    stage.chat(&[], &["first connector?", "/clear", "second connector?"]);
    assert_eq!(stage.sent(1).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_last_twenty_messages_are_sent() {
    let stage = Stage::new(vec![Turn::text("a"); 12]).await;
    let questions: Vec<String> = (1..=12).map(|number| format!("connector {number}")).collect();
    stage.chat(&["--rewrite=none"], &questions.iter().map(String::as_str).collect::<Vec<_>>());
    let sent = stage.sent(11);
    assert_eq!((sent.len(), sent[0].as_str()), (21, "connector 2"));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_forty_thousand_characters_are_sent() {
    let long = "word ".repeat(5_000);
    let stage = Stage::new(["a", &long, &long, "b"].map(Turn::text)).await;
    stage.chat(&["--rewrite=none"], &["connector 1", "connector 2", "connector 3", "connector 4"]);
    let sent = stage.sent(3);
    assert_eq!((sent.len(), sent[0].as_str()), (3, "connector 3"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_help_lists_the_same_commands() {
    let stage = Stage::new([Turn::text("a")]).await;
    let listed = stage.chat(&[], &["/help"]).stdout;
    let help = stage.place.run(&["chat", "--help"]).stdout;
    for command in ["/sources", "/filter", "/clear", "/help", "/quit"] {
        assert!(listed.contains(command), "{listed}");
    }
    assert!(listed.lines().all(|line| help.contains(line)), "{help}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_failure_ends_a_script() {
    let stage = Stage::new([Turn::refusal("I will not.")]).await;
    let run = stage.chat(&[], &["connector?", "never asked"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("it refused to answer: I will not."), "{}", run.stderr);
    let run = stage.chat(&[], &["/bye"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("unknown command `/bye`: try /help"), "{}", run.stderr);
}

#[test]
fn a_chat_without_a_model_is_a_usage_error() {
    let place = Workplace::with(&[("docs/a.md", "a")]);
    let run = place.run(&["chat", "--from", "docs"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("textsearch: there is no model to ask: "), "{}", run.stderr);
}

#[cfg(target_os = "linux")]
mod terminal {
    use std::{
        fs::File,
        io::{Read as _, Write as _},
        os::unix::fs::PermissionsExt as _,
        process::{Child, Command, Stdio},
    };

    use textsearch_conformance::chat::Fault;

    use super::*;
    use crate::pseudo_terminal::PseudoTerminal;

    struct Person {
        terminal: File,
        shown: String,
    }

    impl Person {
        /// Waits until the terminal shows `text` after what was waited for before.
        fn sees(&mut self, text: &str) {
            let mut buffer = [0; 1024];
            while !self.shown.contains(text) {
                let count = self.terminal.read(&mut buffer).unwrap_or(0);
                assert!(count > 0, "no `{text}`: {}", self.shown);
                self.shown.push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
            self.shown = self.shown.split_off(self.shown.find(text).unwrap() + text.len());
        }

        fn types(&mut self, keys: &str) {
            self.terminal.write_all(keys.as_bytes()).unwrap();
        }
    }

    fn start(stage: &Stage) -> (Child, Person) {
        let terminal = PseudoTerminal::new();
        let command = stage.command(&[]);
        let mut process = Command::new(command.get_program());
        process.args(command.get_args()).current_dir(stage.place.path("."));
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => process.env(name, value),
                None => process.env_remove(name),
            };
        }
        process.env("TERM", "xterm").stdin(terminal.open()).stdout(terminal.open());
        let child = process.stderr(Stdio::from(terminal.open())).spawn().unwrap();
        // Only the program has the terminal open now.
        drop(process);
        (child, Person { terminal: terminal.into_file(), shown: String::new() })
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn ctrl_c_stops_the_answer_and_keeps_the_chat() {
        let stalled = Turn::text("One method, ".repeat(20)).with_fault(Fault::Stall);
        let stage = Stage::new([stalled, Turn::text("Yes [1].")]).await;
        let (mut child, mut person) = start(&stage);
        person.sees("> ");
        person.types("first connector?\r");
        person.sees("One method");
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        person.sees("stopped: this question is not part of the conversation");
        person.sees("> ");
        person.types("second connector?\r");
        person.sees("Yes [1].");
        person.sees("[1] Connectors");
        person.sees("> ");
        person.types("\u{4}");
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let sent = stage.sent(1);
        assert_eq!(sent.len(), 1);
        assert!(sent[0].ends_with("second connector?"));

        let kept = stage.place.path(".state/textsearch/questions");
        assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let kept = std::fs::read_to_string(kept).unwrap();
        assert!(kept.ends_with("first connector?\nsecond connector?\n"), "{kept}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_failure_keeps_the_chat_on_a_terminal() {
        let stage = Stage::new([Turn::refusal("No."), Turn::text("Yes [1].")]).await;
        let (mut child, mut person) = start(&stage);
        person.sees("> ");
        person.types("first connector?\r");
        person.sees("it refused to answer: No.");
        person.sees("> ");
        person.types("second connector?\r");
        person.sees("Yes [1].");
        person.sees("> ");
        person.types("/quit\r");
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert_eq!(stage.sent(1).len(), 1);
    }
}
