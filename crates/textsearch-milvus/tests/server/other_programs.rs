//! What other programs find in a collection: Milvus's Python client filters fields outside of the
//! definition.

use std::process::Command;

use serde_json::json;
use textsearch_conformance::core::vector::{
    DataField, RecordDefinition, VectorField, VectorStore as _,
};

use crate::{config, engine::command, record, store};

const COLLECTION: &str = "milvus_other_programs";

/// Prints the keys that an expression selects.
const QUERY: &str = "
import sys
from pymilvus import MilvusClient
url, collection, expression = sys.argv[1:]
rows = MilvusClient(uri=url).query(collection, filter=expression, output_fields=['id'])
print(' '.join(sorted(row['id'] for row in rows)))
";

fn query(expression: &str) -> String {
    // Its program is a Python that has the client.
    let mut command = Command::new(command().get_program());
    let arguments = ["-c", QUERY, config().url.as_str(), COLLECTION, expression].map(str::to_owned);
    output(command.args(arguments))
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let stdout = output.stdout;
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn fields_outside_of_the_definition_are_filtered_by_path() {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", 2));
    let collection = store().unwrap().stored_collection(COLLECTION, definition.clone()).unwrap();
    collection.delete_collection().await.unwrap();
    collection.ensure_exists().await.unwrap();
    let records = [
        json!({ "id": "a", "year": 1, "extra": 2, "tags": ["x", "y"], "author": { "name": "Ada" } }),
        json!({ "id": "b", "year": 2, "extra": 0.5, "note": "hello" }),
        // Not in `textsearch_data`.
        json!({ "id": "c", "year": 3, "extra": 7, "note": "long ".repeat(20_000) }),
    ];
    collection.upsert(records.map(|data| record(&definition, data)).to_vec()).await.unwrap();
    let cases = [
        (r#"textsearch_data["extra"] > 1"#, "a"),
        (r#"textsearch_data["extra"] > 0 and year < 3"#, "a b"),
        (r#"textsearch_data["author"]["name"] == "Ada""#, "a"),
        (r#"json_contains(textsearch_data["tags"], "y")"#, "a"),
        (r#"textsearch_data["note"] like "hel%""#, "b"),
        ("year >= 2", "b c"),
    ];
    for (expression, expected) in cases {
        assert_eq!(query(expression), expected, "{expression}");
    }
    collection.delete_collection().await.unwrap();
}
