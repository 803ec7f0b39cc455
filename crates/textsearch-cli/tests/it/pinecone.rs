//! `--store pinecone://INDEX`, on the stand-in of `textsearch-pinecone`.

use std::time::Duration;

use textsearch_conformance::chat::{ModelScript, ScriptedModel};

use crate::{
    pinecone_stand_in::{Behavior, KEY, StandIn},
    support::{Run, Workplace},
};

const STORE: [&str; 4] = ["--store", "pinecone://docs", "--embeddings", "openai:words"];

struct Stage {
    place: Workplace,
    model: ScriptedModel,
    stand_in: StandIn,
}

impl Stage {
    async fn new(ready_after: Duration) -> Self {
        let place = Workplace::with(&[
            ("docs/apple.md", "An apple a day.\n"),
            ("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"apple\"}\n"),
            ("qrels.tsv", "q1\tdocs/apple.md\t1\n"),
        ]);
        let model = ScriptedModel::start(ModelScript::turns([]).with_dimensions(64)).await;
        let stand_in = StandIn::start(Behavior { ready_after, ..Behavior::default() });
        Self { place, model, stand_in }
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let mut command = self.place.command(&[arguments, &STORE].concat());
        command.env("OPENAI_BASE_URL", self.model.base_url()).env("OPENAI_API_KEY", "none");
        command.env("PINECONE_ENDPOINT", self.stand_in.endpoint()).env("PINECONE_API_KEY", KEY);
        command.env("NO_PROXY", "127.0.0.1").output().unwrap().into()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_index_is_waited_for_with_a_line() {
    let stage = Stage::new(Duration::from_secs(2)).await;
    let run = stage.run(&["index", "docs"]);
    let line = |index| {
        format!(
            "textsearch: waiting for an index (index: {index}, state: Initializing, limit: 300s)\n"
        )
    };
    assert_eq!((run.code, run.stderr), (0, line("docs-catalog") + &line("docs")));
    let run = stage.run(&["index", "docs"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let run = stage.run(&["search", "apple"]);
    assert!(run.stdout.contains("An apple a day."), "{}{}", run.stdout, run.stderr);
    let questions = ["--queries", "queries.jsonl", "--qrels", "qrels.tsv", "--output", "json"];
    let run = stage.run(&[&["eval"][..], &questions].concat());
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["ndcg"], 1.0, "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn modes_with_words_are_refused_with_advice() {
    let stage = Stage::new(Duration::ZERO).await;
    assert_eq!(stage.run(&["index", "docs"]).code, 0);
    let run = stage.run(&["search", "apple", "--mode", "hybrid"]);
    let expected = "textsearch: --mode hybrid searches words, and pinecone://docs has no full text: \
                    try --mode vector --embeddings MODEL\n";
    assert_eq!((run.code, run.stderr.as_str()), (2, expected));
}
