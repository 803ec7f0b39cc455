//! A folder that `textsearch index` stores, and an MLIndex file that opens it.

use serde_json::{Value, json};

use crate::{
    local_model,
    support::{Run, Workplace},
};

/// Indexes a folder into `store`, and finds it by a file whose section `index` starts with `index`.
pub(crate) fn check(store: &str, index: &str) {
    let place = Workplace::with(&[("docs/a.md", "# Apple\n\nAn apple a day.\n")]);
    local_model::write_model(&place, "models/tiny", 1);
    let arguments = ["docs", "--store", store, "--embeddings", "local:models/tiny"];
    assert_eq!(place.index(&arguments), [1, 0, 0, 0]);
    let file = |name: &str| {
        format!(
            "embeddings: {{ kind: hugging_face, model: models/tiny }}\nindex:\n{index}\n  \
             index: {name}\n  field_mapping:\n    content: text\n    title: name\n    url: link\n    \
             embedding: embedding\n"
        )
    };
    place.write("MLIndex", file(NAME));
    let run = search(&place);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let results = serde_json::from_str::<Value>(&run.stdout).unwrap()["results"].take();
    assert_eq!(
        (&results[0]["Name"], &results[0]["Link"]),
        (&json!("Apple"), &json!("docs/a.md#apple"))
    );
    place.write("MLIndex", file("mlindex-nowhere"));
    let run = search(&place);
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains("the MLIndex file `MLIndex` cannot be opened"), "{}", run.stderr);
}

/// The collection of the folder.
pub(crate) const NAME: &str = "mlindex-folder";

fn search(place: &Workplace) -> Run {
    let arguments = ["search", "apple", "--mlindex", "MLIndex", "--output", "json"];
    place.command(&arguments).output().unwrap().into()
}
