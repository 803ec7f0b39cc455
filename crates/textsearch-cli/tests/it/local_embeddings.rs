//! `--embeddings local:FOLDER`.

use std::fs;

use crate::{local_model::write_model, support::Workplace};

/// A document and its store, embedded by the model in `old`.
fn indexed() -> Workplace {
    let place = Workplace::with(&[("docs/a.md", "An apple a day.\n")]);
    write_model(&place, "old", 1);
    assert_eq!(place.index(&["docs", "--embeddings", "local:old"]), [1, 0, 0, 0]);
    place
}

#[test]
fn a_moved_model_folder_is_recognized() {
    let place = indexed();
    fs::rename(place.path("old"), place.path("new")).unwrap();
    assert_eq!(place.links(&["apple", "--embeddings", "local:new"]), ["docs/a.md"]);
    assert_eq!(place.index(&["docs", "--embeddings", "local:new"]), [0, 0, 1, 0]);
}

#[test]
fn a_store_names_its_model_as_last_indexed() {
    let place = indexed();
    fs::rename(place.path("old"), place.path("new")).unwrap();
    place.index(&["docs", "--embeddings", "local:new"]);
    let refused = place.run(&["search", "apple", "--mode", "vector"]);
    assert!(refused.stderr.contains("the model of the store, `new@"), "{}", refused.stderr);
}

#[test]
fn a_replaced_model_in_the_same_folder_is_refused() {
    let place = indexed();
    write_model(&place, "old", 2);
    for command in [&["search", "apple"][..], &["index", "docs"]] {
        let run = place.run(&[command, &["--embeddings", "local:old"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.stderr.contains("the store has embeddings of `old@"), "{}", run.stderr);
        assert!(run.stderr.contains("--embeddings names `old@"), "{}", run.stderr);
    }
}

#[test]
fn a_store_of_floats_refuses_8_bit_queries() {
    let place = indexed();
    let run = place.run(&["search", "apple", "--embeddings", "local-int8:old"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    assert!(run.stderr.contains("--embeddings names `old-int8@"), "{}", run.stderr);
    let index = ["docs", "--store", "int8.index", "--embeddings", "local-int8:old"];
    assert_eq!(place.index(&index), [1, 0, 0, 0]);
    let search = ["apple", "--store", "int8.index", "--embeddings", "local-int8:old"];
    assert_eq!(place.links(&search), ["docs/a.md"]);
}

#[test]
fn a_cross_encoder_scores_the_results() {
    let fixtures = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../textsearch-embeddings-local/tests/fixtures/cross-encoders/bert"
    );
    let place = Workplace::with(&[
        ("docs/a.md", "The train to the coast leaves at nine in the morning.\n"),
        ("docs/b.md", "A filter is applied or refused, never dropped. The morning.\n"),
    ]);
    let search = ["search", "morning", "--from", "docs", "--output", "json"];
    let scores = |arguments: &[&str]| {
        let answer = place.json(&[&search, arguments].concat());
        let results = answer["results"].as_array().unwrap().clone();
        results.iter().map(|result| result["Score"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    let model = format!("local:{fixtures}");
    let plain = scores(&[]);
    let reranked = scores(&["--rerank", &model]);
    assert_eq!((plain.len(), reranked.len()), (2, 2));
    assert!(reranked[0] > reranked[1] && reranked != plain, "{plain:?} {reranked:?}");
    let int8 = scores(&["--rerank", &format!("local-int8:{fixtures}")]);
    assert!(int8[0] > int8[1] && int8 != reranked, "{int8:?} {reranked:?}");
    let run = place.run(&[&search[..], &["--rerank", "local:no-model"]].concat());
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("`no-model`: isn't a folder"), "{}", run.stderr);
}
