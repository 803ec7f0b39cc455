//! `--embeddings`, against a scripted model on loopback.

use assert_cmd::Command;
use textsearch_conformance::chat::{ModelScript, ScriptedModel};

use crate::support::{Run, Workplace};

const KEY: &str = "sk-open-sesame";

/// Documents, and a service that makes embeddings.
struct Stage {
    place: Workplace,
    model: ScriptedModel,
}

impl Stage {
    async fn new() -> Self {
        let script = ModelScript::turns([]).with_key(KEY).with_dimensions(64);
        let place = Workplace::with(&[
            ("docs/apple.md", "# Apple\n\nAn apple a day.\n"),
            ("docs/pear.md", "# Pear\n\nA pear tree.\n"),
        ]);
        Self { place, model: ScriptedModel::start(script).await }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        command.env("OPENAI_BASE_URL", self.model.base_url()).env("OPENAI_API_KEY", KEY);
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let run = Run::from(self.command(arguments).output().unwrap());
        assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY), "{}", run.stderr);
        run
    }

    fn succeed(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
        run.stdout
    }

    /// What the program says when it is used wrongly.
    fn refused(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}: {}", run.stderr);
        run.stderr
    }

    /// How many results a search has.
    fn count(&self, arguments: &[&str]) -> usize {
        let answer = self.succeed(&[&["search", "apple", "--output", "json"], arguments].concat());
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        answer["results"].as_array().unwrap().len()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_with_a_model_is_by_meaning_and_finds_more_than_words_do() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    assert_eq!(stage.count(&["--embeddings", "openai:m"]), 2, "every vector has a distance");
    assert_eq!(stage.count(&[]), 1, "one document has the word");
    assert_eq!(stage.count(&["--from", "docs", "--embeddings", "openai:m"]), 2);
    assert_eq!(stage.count(&["--from", "docs"]), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_not_the_stores_is_refused_with_both_names() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:one"]);
    for command in [&["search", "apple"][..], &["index", "docs"]] {
        let refused = stage.refused(&[command, &["--embeddings", "openai:two"]].concat());
        let both = "embeddings of `one` with 64 dimensions, and --embeddings names `two` with 64";
        assert!(refused.contains(both), "{refused}");
    }
    let refused = stage.refused(&["index", "docs"]);
    assert!(refused.contains("embeddings of `one`: try --embeddings with that model"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_without_embeddings_says_so() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs"]);
    for command in [&["search", "apple"][..], &["index", "docs"]] {
        let refused = stage.refused(&[command, &["--embeddings", "openai:m"]].concat());
        assert!(refused.contains("the store has no embeddings: try without"), "{refused}");
    }
    assert_eq!(stage.model.requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_did_not_change_are_not_embedded_again() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    let before = stage.model.requests().len();
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    assert_eq!(stage.model.requests().len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_wrong_or_missing_is_told_from_a_model_that_is() {
    let stage = Stage::new().await;
    let search = ["search", "apple", "--from", "docs", "--embeddings", "openai:m"];
    let wrong = Run::from(stage.command(&search).env("OPENAI_API_KEY", "other").output().unwrap());
    assert_eq!((wrong.code, wrong.stdout.as_str()), (1, ""));
    assert!(wrong.stderr.ends_with("try another key in OPENAI_API_KEY\n"), "{}", wrong.stderr);
    let missing = stage.place.run(&search);
    assert_eq!(missing.code, 2);
    assert!(
        missing.stderr.contains("no model to make embeddings: no key: set the environment"),
        "{}",
        missing.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_there_is_not_is_wrong_use() {
    let stage = Stage::new().await;
    let refused = stage.refused(&["search", "apple", "--from", "docs", "--embeddings", "m"]);
    assert!(refused.contains("expected openai:MODEL or minilm:FOLDER"), "{refused}");
    let refused =
        stage.refused(&["search", "apple", "--source", "brave", "--embeddings", "openai:m"]);
    assert!(refused.contains("cannot be used with"), "{refused}");
}

#[cfg(not(feature = "candle"))]
#[test]
fn a_build_without_local_models_says_which_feature_has_them() {
    let place = Workplace::with(&[("docs/a.md", "apple")]);
    let run = place.run(&["search", "apple", "--from", "docs", "--embeddings", "minilm:models/x"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("a build with the feature `candle`"), "{}", run.stderr);
}
