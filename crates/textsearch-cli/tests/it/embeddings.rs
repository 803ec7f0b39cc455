//! `--embeddings`, against a scripted model on loopback.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use assert_cmd::Command;
use serde_json::{Value, json};
use textsearch_conformance::chat::{ModelScript, ScriptedModel, Turn};

use crate::{
    serve::Served,
    support::{Run, Workplace},
};

const KEY: &str = "sk-open-sesame";

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

    fn refused(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}: {}", run.stderr);
        run.stderr
    }

    fn count(&self, arguments: &[&str]) -> usize {
        let answer = self.succeed(&[&["search", "apple", "--output", "json"], arguments].concat());
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["results"].as_array().unwrap().len()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn vector_search_finds_documents_without_the_word() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    assert_eq!(stage.count(&["--embeddings", "openai:m"]), 2, "every vector has a distance");
    assert_eq!(stage.count(&["--from", "docs", "--embeddings", "openai:m"]), 2);
    assert_eq!(stage.count(&["--from", "docs"]), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_store_without_a_model_warns_and_searches_words() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    let run = stage.run(&["search", "apple"]);
    assert_eq!(
        run.stderr,
        "textsearch: warning: the store has embeddings of `m`, but this searches words: try \
         --embeddings with that model, or --mode text\n"
    );
    assert!(run.stdout.contains("docs/apple.md"), "{}", run.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_than_the_stores_is_refused_with_names() {
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
async fn a_rebuilt_store_gains_embeddings_of_the_new_model() {
    let stage = Stage::new().await;
    stage.place.write("notes/fig.md", "A fig.");
    stage.succeed(&["index", "docs", "notes"]);
    let rebuilt = stage.succeed(&["index", "docs", "--rebuild", "--embeddings", "openai:one"]);
    assert!(rebuilt.starts_with("2 documents in .textsearch/index: 2 added"), "{rebuilt}");
    assert_eq!(stage.count(&["--embeddings", "openai:one"]), 2, "what was not named is gone");
    stage.succeed(&["index", "docs", "--rebuild", "--embeddings", "openai:two"]);
    assert_eq!(stage.count(&["--embeddings", "openai:two"]), 2);
    stage.succeed(&["index", "docs", "--rebuild"]);
    let refused = stage.refused(&["search", "apple", "--embeddings", "openai:two"]);
    assert!(refused.contains("the store has no embeddings"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn server_of_a_rebuilt_store_fails_until_restarted() {
    let stage = Stage::new().await;
    let url = stage.model.base_url();
    let variables = [("OPENAI_BASE_URL", url.as_str()), ("OPENAI_API_KEY", KEY)];
    let serve = |model| Served::start(&stage.place, &["--embeddings", model], &variables);
    let search =
        async |served: &Served| served.post("/v1/search", json!({ "query": "apple" }), "any").await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:one"]);
    let served = serve("openai:one");
    search(&served).await.unwrap();
    stage.succeed(&["index", "docs", "--rebuild", "--embeddings", "openai:two"]);
    let error = search(&served).await.unwrap_err();
    assert!(error.message().contains("502"), "{error}");
    search(&serve("openai:two")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_without_embeddings_says_so() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs"]);
    for command in [&["search", "apple"][..], &["index", "docs"]] {
        let refused = stage.refused(&[command, &["--embeddings", "openai:m"]].concat());
        assert!(refused.contains("the store has no embeddings: try without"), "{refused}");
        assert!(
            refused.contains(
                "`textsearch index PATH --store .textsearch/index --rebuild --embeddings MODEL` with every path"
            ),
            "{refused}"
        );
    }
    assert_eq!(stage.model.requests().len(), 0);
}

/// Returns the texts of the requests from number `before` on.
fn embedded(stage: &Stage, before: usize) -> Vec<String> {
    let requests = stage.model.requests().into_iter().skip(before);
    let texts = requests.flat_map(|request| request.body["input"].as_array().unwrap().clone());
    texts.map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn prefixes_stand_before_texts_and_the_store_remembers_them() {
    let stage = Stage::new().await;
    let model = ["--embeddings", "openai:e5"];
    let prefixes = ["--query-prefix", "query: ", "--passage-prefix", "passage: "];
    stage.succeed(&[&["index", "docs"][..], &model, &prefixes].concat());
    let texts = embedded(&stage, 1);
    assert_eq!(texts.len(), 2);
    assert!(texts.iter().all(|text| text.starts_with("passage: ")), "{texts:?}");
    let asked = |arguments: &[&str]| {
        let before = stage.model.requests().len();
        stage.succeed(&[arguments, &model].concat());
        embedded(&stage, before)
    };
    assert_eq!(asked(&["search", "apple"]), ["query: apple"]);
    assert_eq!(asked(&["search", "apple", "--query-prefix", "question: "]), ["question: apple"]);
    // Additions get the store's prefix. The query prefix of the latest `index` applies.
    stage.place.write("docs/plum.md", "A plum.");
    let added = asked(&["index", "docs", "--query-prefix", "ask: "]);
    assert!(added.len() == 1 && added[0].starts_with("passage: "), "{added:?}");
    assert_eq!(asked(&["search", "apple"]), ["ask: apple"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_accepts_one_passage_prefix() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:e5"]);
    for command in [&["search", "apple"][..], &["index", "docs"]] {
        let prefix = ["--embeddings", "openai:e5", "--passage-prefix", "passage: "];
        let refused = stage.refused(&[command, &prefix].concat());
        let expected =
            "the documents of the store were embedded without --passage-prefix: try it so";
        assert!(refused.contains(expected), "{refused}");
    }
    let refused = stage.refused(&["search", "apple", "--query-prefix", "query: "]);
    assert!(refused.contains("--embeddings"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_prefix_of_a_hosted_model_means_none() {
    let stage = Stage::new().await;
    let model = ["--embeddings", "openai:m"];
    let empty = ["--query-prefix", "", "--passage-prefix", ""];
    for (indexed, asked) in [(&empty[..], &[][..]), (&[], &empty)] {
        stage.succeed(&[&["index", "docs", "--rebuild"][..], &model, indexed].concat());
        for command in [&["search", "apple"][..], &["index", "docs"]] {
            stage.succeed(&[command, &model, asked].concat());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn advice_to_reindex_names_the_store_and_every_path() {
    let stage = Stage::new().await;
    let store = ["--store", "other.index"];
    let advised = |arguments: &[&str], rest: &str| {
        let refused = stage.refused(&[arguments, &store].concat());
        let advice =
            format!("`textsearch index PATH --store other.index --rebuild{rest}` with every path");
        assert!(refused.contains(&advice), "{refused}");
    };
    stage.succeed(&[&["index", "docs"][..], &store].concat());
    advised(&["search", "apple", "--mode", "vector"], " --embeddings MODEL");
    advised(&["search", "apple", "--mmr"], " --embeddings MODEL");
    advised(&["search", "apple", "--embeddings", "openai:one"], " --embeddings MODEL");
    stage.succeed(
        &[&["index", "docs", "--rebuild", "--embeddings", "openai:one"][..], &store].concat(),
    );
    advised(&["index", "docs"], "");
    advised(&["index", "docs", "--embeddings", "openai:two"], " --embeddings MODEL");
    let prefixed = ["search", "apple", "--embeddings", "openai:one", "--passage-prefix", "text: "];
    advised(&prefixed, " --embeddings MODEL --passage-prefix TEXT");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_read_for_one_run_have_prefixes_too() {
    let stage = Stage::new().await;
    let prefixes = ["--query-prefix", "query: ", "--passage-prefix", "passage: "];
    let search = ["search", "apple", "--from", "docs", "--embeddings", "openai:e5"];
    stage.succeed(&[&search[..], &prefixes].concat());
    let texts = embedded(&stage, 1);
    assert_eq!(texts.iter().filter(|text| text.starts_with("passage: ")).count(), 2);
    assert_eq!(texts.last().unwrap(), "query: apple");
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
async fn the_model_is_asked_once_for_many_small_files() {
    let stage = Stage::new().await;
    for number in 0..100 {
        stage.place.write(&format!("docs/{number}.txt"), format!("text {number}"));
    }
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    // One for the dimensions, and one for each batch of at most 64 of the 102 documents.
    assert_eq!(stage.model.requests().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_and_missing_keys_have_different_exit_codes() {
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
async fn an_invalid_embeddings_argument_is_a_usage_error() {
    let stage = Stage::new().await;
    let refused = stage.refused(&["search", "apple", "--from", "docs", "--embeddings", "m"]);
    assert!(
        refused.contains("expected openai:MODEL, local:FOLDER or local-int8:FOLDER"),
        "{refused}"
    );
    let refused =
        stage.refused(&["search", "apple", "--source", "brave", "--embeddings", "openai:m"]);
    assert!(refused.contains("cannot be used with"), "{refused}");
}

fn links(stage: &Stage, arguments: &[&str]) -> Vec<String> {
    let answer = stage.succeed(&[&["search", "--output", "json"], arguments].concat());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let results = answer["results"].as_array().unwrap().iter();
    results.map(|result| result["Link"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn mode_selects_vector_text_or_hybrid_search() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    let count = |mode| stage.count(&["--embeddings", "openai:m", "--mode", mode]);
    assert_eq!((count("vector"), count("text"), count("hybrid")), (2, 1, 2));
    let before = stage.model.requests().len();
    assert_eq!(stage.count(&["--mode", "text"]), 1);
    assert_eq!(stage.model.requests().len(), before, "words need no model");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hybrid_search_fuses_by_rank_or_score() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    let score = |more: &[&str]| {
        let arguments =
            ["search", "apple", "--output", "json", "--embeddings", "openai:m", "--mode", "hybrid"];
        let answer = stage.succeed(&[&arguments, more].concat());
        serde_json::from_str::<Value>(&answer).unwrap()["results"][0]["Score"].as_f64().unwrap()
    };
    let places = score(&["--fusion", "reciprocal-rank"]);
    assert!((places - 2.0 / 61.0).abs() < 1e-9, "first in both rankings");
    for more in [&[][..], &["--fusion", "weighted"], &["--vector-weight", "0.7"]] {
        assert!((score(more) - 1.0).abs() < 1e-9, "best in both rankings: {more:?}");
    }
    let both = ["--mode", "hybrid", "--embeddings", "openai:m", "--fusion", "reciprocal-rank"];
    let both = [&["search", "x", "--from", "docs", "--vector-weight", "0.7"], &both[..]].concat();
    let refused = stage.refused(&both);
    assert!(refused.contains("--vector-weight is for --fusion weighted"), "{refused}");
    let refused = stage.refused(&["search", "x", "--from", "docs", "--vector-weight", "0.7"]);
    assert!(refused.contains("--vector-weight is for --mode hybrid"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_impossible_mode_is_refused_with_what_is_missing() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs"]);
    for mode in ["vector", "hybrid"] {
        let refused = stage.refused(&["search", "apple", "--mode", mode]);
        let expected = format!("--mode {mode} compares embeddings, and these documents have none");
        assert!(refused.contains(&expected), "{refused}");
    }
    let refused = stage.refused(&["search", "apple", "--mmr"]);
    assert!(
        refused.contains("--mmr compares embeddings, and these documents have none"),
        "{refused}"
    );
    stage.succeed(&["index", "docs", "--store", "with", "--embeddings", "openai:m"]);
    let refused = stage.refused(&["search", "apple", "--store", "with", "--mode", "hybrid"]);
    let expected =
        "--mode hybrid embeds the query, with the model of the store, `m`: try --embeddings";
    assert!(refused.contains(expected), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mmr_moves_repetitions_down_in_every_mode() {
    let stage = Stage::new().await;
    stage.place.write("fruit/1.txt", "fig fig fig\n");
    stage.place.write("fruit/2.txt", "fig fig fig\n");
    stage.place.write("fruit/3.txt", "fig, plum, cherry\n");
    stage.place.write("fruit/4.txt", "fig, melon, grape, lemon and lime and more\n");
    stage.succeed(&["index", "fruit", "--embeddings", "openai:m"]);
    let plain = links(&stage, &["fig", "--embeddings", "openai:m"]);
    assert_eq!(plain[..2], ["fruit/1.txt#L1", "fruit/2.txt#L1"]);
    for more in
        [&["--embeddings", "openai:m", "--mmr", "0.3"][..], &["--mode", "text", "--mmr=0.3"]]
    {
        let diverse = links(&stage, &[&["fig"], more].concat());
        assert_eq!((diverse[0].as_str(), diverse.len()), ("fruit/1.txt#L1", 4), "{more:?}");
        assert_eq!(diverse[3], "fruit/2.txt#L1", "{more:?}: {diverse:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_that_searches_takes_the_same_arguments() {
    let stage = Stage::new().await;
    stage.place.write("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"apple\"}\n");
    stage.place.write("qrels.tsv", "q1\tdocs/pear.md\t1\n");
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    let hybrid = ["--embeddings", "openai:m", "--mode", "hybrid", "--mmr", "1"];
    let eval = ["eval", "--queries", "queries.jsonl", "--qrels", "qrels.tsv"];
    let report = stage.succeed(&[&eval[..], &hybrid].concat());
    assert!(report.contains("MRR@10     0.500"), "{report}");
    let prompt = stage.succeed(&[&["prompt", "apple"][..], &hybrid].concat());
    assert!(prompt.contains("docs/apple.md") && prompt.contains("docs/pear.md"), "{prompt}");
    let manual = stage.succeed(&[&["manual"][..], &hybrid].concat());
    assert!(manual.contains("SearchPlugin"), "{manual}");
}

#[cfg(not(feature = "local-embeddings"))]
#[test]
fn a_build_without_local_models_says_which_feature_has_them() {
    let place = Workplace::with(&[("docs/a.md", "apple")]);
    let run = place.run(&["search", "apple", "--from", "docs", "--embeddings", "local:models/x"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("a build with the feature `local-embeddings`"), "{}", run.stderr);
}

/// Writes three thousand records, whose embeddings take several calls.
fn write_records(place: &Workplace) {
    let records = (0..3000).map(|id| format!("{{\"id\":{id},\"text\":\"word{id}\"}}\n"));
    place.write("docs/records.jsonl", records.collect::<String>());
}

/// Returns the sizes of the requests for documents from number `before` on.
fn batches(stage: &Stage, before: usize) -> Vec<usize> {
    let requests = stage.model.requests().into_iter().skip(before);
    let sizes = requests.map(|request| request.body["input"].as_array().unwrap().len());
    // The request for the dimensions has one text.
    sizes.filter(|size| *size > 1).collect()
}

/// The model returns `failing` from request number `from` on, while the flag is set.
async fn failing_stage(from: usize, failing: Turn) -> (Stage, Arc<AtomicBool>) {
    let count = AtomicUsize::new(0);
    let is_failing = Arc::new(AtomicBool::new(true));
    let fails = Arc::clone(&is_failing);
    let script = ModelScript::turns([]).with_key(KEY).with_dimensions(64);
    let script = script.with_embeddings(move |_| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        (number >= from && fails.load(Ordering::SeqCst)).then(|| failing.clone())
    });
    let place = Workplace::with(&[]);
    write_records(&place);
    (Stage { place, model: ScriptedModel::start(script).await }, is_failing)
}

/// Runs again, and expects requests only for the remaining embeddings.
fn continues(stage: &Stage, arguments: &[&str], is_failing: &AtomicBool, embedded_before: usize) {
    is_failing.store(false, Ordering::SeqCst);
    let before = stage.model.requests().len();
    let done = stage.succeed(arguments);
    let stored = format!(
        "3000 documents in .textsearch/index: {} added, 0 changed, {embedded_before} unchanged",
        3000 - embedded_before
    );
    assert!(done.starts_with(&stored), "{done}");
    assert_eq!(batches(stage, before).iter().sum::<usize>(), 3000 - embedded_before);
}

const INDEX: &[&str] = &["index", "docs", "--embeddings", "openai:m"];
const REBUILD: &[&str] = &["index", "docs", "--embeddings", "openai:m", "--rebuild"];

#[tokio::test(flavor = "multi_thread")]
async fn failed_run_keeps_what_it_stored_for_the_next() {
    for arguments in [INDEX, REBUILD] {
        // One request for the dimensions and four of the first call succeed.
        let (stage, is_failing) = failing_stage(5, Turn::insufficient_quota()).await;
        let run = stage.run(arguments);
        assert_eq!(run.code, 1);
        assert!(run.stderr.contains("what was finished is "), "{}", run.stderr);
        assert!(run.stderr.contains(": run the same command again for the rest"), "{}", run.stderr);
        let batches = batches(&stage, 0);
        continues(&stage, arguments, &is_failing, batches[..4].iter().sum());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_run_keeps_what_it_stored_for_the_next() {
    for arguments in [INDEX, REBUILD] {
        let slow = Turn::text("late").with_delay(Duration::from_secs(60));
        // One request for the dimensions and four of the first call succeed.
        let (stage, is_failing) = failing_stage(5, slow).await;
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("textsearch"));
        command.current_dir(stage.place.path(".")).args(arguments);
        command.env("OPENAI_BASE_URL", stage.model.base_url()).env("OPENAI_API_KEY", KEY);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut run = command.spawn().unwrap();
        let place = if arguments == INDEX {
            ".textsearch/index"
        } else {
            ".textsearch/index.textsearch-new"
        };
        let start = Instant::now();
        let is_stored = || {
            stage.place.path(place).exists()
                && stage
                    .place
                    .stored(place)
                    .iter()
                    .any(|(name, records)| name == "documents" && !records.is_empty())
        };
        while !is_stored() && start.elapsed() < Duration::from_secs(60) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let batches = batches(&stage, 0);
        continues(&stage, arguments, &is_failing, batches[..4].iter().sum());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_key_is_not_tried_for_each_document() {
    let stage = Stage::new().await;
    stage.succeed(&["index", "docs", "--embeddings", "openai:m"]);
    stage.place.write("docs/apple.md", "Another apple.");
    stage.place.write("docs/pear.md", "Another pear.");
    let before = stage.model.requests().len();
    let mut command = stage.command(&["index", "docs", "--embeddings", "openai:m"]);
    let run = Run::from(command.env("OPENAI_API_KEY", "wrong").output().unwrap());
    assert_eq!((run.code, stage.model.requests().len() - before), (1, 1), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_of_an_interrupted_rebuild_makes_it_begin_anew() {
    let (stage, is_failing) = failing_stage(5, Turn::insufficient_quota()).await;
    let run = stage.run(REBUILD);
    assert!(run.stderr.contains("kept in `.textsearch/index.textsearch-new`"), "{}", run.stderr);
    stage.place.write(".textsearch/index.textsearch-new/collection-documents/manifest", "damaged");
    is_failing.store(false, Ordering::SeqCst);
    let run = stage.run(REBUILD);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("damaged"), "{}", run.stderr);
    assert!(run.stderr.contains(": run the same command again to begin anew"), "{}", run.stderr);
    assert!(!run.stderr.contains("for the rest"), "{}", run.stderr);
    let done = stage.succeed(REBUILD);
    assert!(done.contains(": 3000 added, 0 changed, 0 unchanged"), "{done}");
}
