//! Typed answers over HTTP: the schemas of Rust types pass OpenAI's rules for strict schemas.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use textsearch_conformance::chat::Turn;
use textsearch_kernel::{
    KernelError, Result,
    chat::{AnswerFormat, SchemaMode, TypedAnswer},
    prompt::ExecutionSettings,
};

use crate::support::{Talk, question};

/// A folder.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Folder {
    name: String,
    /// Its owner.
    owner: Owner,
    /// Who may read it.
    readers: Option<Owner>,
    #[serde(default)]
    size: u32,
    #[serde(default)]
    kind: Kind,
    entries: Vec<Entry>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Owner {
    #[serde(rename = "id")]
    number: u64,
}

#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
enum Kind {
    /// On this computer.
    #[default]
    Local,
    Remote {
        host: String,
    },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Entry {
    File { bytes: Option<u64> },
    Folder(Folder),
}

fn folder(entries: &Value) -> Value {
    json!({
        "name": "a", "owner": { "id": 1 }, "readers": null, "size": 0, "kind": "Local",
        "entries": entries,
    })
}

async fn asked<T>(
    answers: impl IntoIterator<Item = Value>,
    format: &AnswerFormat<T>,
) -> (Result<TypedAnswer<T>>, Talk) {
    let turns: Vec<Turn> =
        answers.into_iter().map(|answer| Turn::text(answer.to_string())).collect();
    let talk = Talk::with(turns, []).await;
    let answer = talk.kernel.chat_as(question(), ExecutionSettings::new(), format).await;
    (answer, talk)
}

async fn answered<T: DeserializeOwned + JsonSchema + 'static>(answer: Value) -> (T, Value) {
    let (answer, talk) = asked([answer], &AnswerFormat::new()).await;
    talk.model.assert_valid();
    let format = talk.model.requests()[0].body["response_format"].clone();
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["strict"], true);
    (answer.unwrap().value, format["json_schema"]["schema"].clone())
}

#[tokio::test]
async fn nested_recursive_and_optional_types_are_strict() {
    let inner = json!({
        "type": "folder", "name": "b", "owner": { "id": 2 }, "readers": { "id": 3 }, "size": 9,
        "kind": { "Remote": { "host": "h" } }, "entries": [],
    });
    let entries = json!([inner, { "type": "file", "bytes": null }]);
    let (value, schema) = answered::<Folder>(folder(&entries)).await;
    let inner = Folder {
        name: "b".to_owned(),
        owner: Owner { number: 2 },
        readers: Some(Owner { number: 3 }),
        size: 9,
        kind: Kind::Remote { host: "h".to_owned() },
        entries: Vec::new(),
    };
    assert_eq!(value.entries, [Entry::Folder(inner), Entry::File { bytes: None }]);
    let owner = &schema["properties"]["owner"];
    assert_eq!(owner["description"], "Its owner.");
    assert_eq!(owner["properties"]["id"]["type"], "integer");
    assert_eq!(schema["properties"]["size"]["type"], "integer");
    assert_eq!(schema["required"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn types_other_than_structs_are_strict() {
    assert_eq!(answered::<Vec<u8>>(json!({ "answer": [1, 2] })).await.0, [1, 2]);
    assert!(answered::<bool>(json!({ "answer": true })).await.0);
    assert_eq!(answered::<Kind>(json!({ "answer": "Local" })).await.0, Kind::Local);
    let (folder, _) = answered::<Vec<Folder>>(json!({ "answer": [folder(&json!([]))] })).await;
    assert_eq!(folder[0].owner.number, 1);
}

#[tokio::test]
async fn maps_are_refused_before_a_request() {
    let (answer, talk) = asked::<BTreeMap<String, Owner>>([], &AnswerFormat::new()).await;
    let KernelError::ChatFailed { source, .. } = answer.unwrap_err() else {
        panic!("another error")
    };
    assert_eq!(
        source.message(),
        "`response_format.schema` is a schema that cannot be strict (it allows properties of any \
         name); expected a schema that OpenAI can enforce, or no `strict`"
    );
    assert_eq!(talk.model.requests().len(), 0);

    let answer = json!({ "x": { "id": 1 } });
    let mut format = AnswerFormat::<BTreeMap<String, Owner>>::new();
    format.schema_mode = SchemaMode::Lenient;
    let (answer, talk) = asked([answer], &format).await;
    assert_eq!(answer.unwrap().value["x"], Owner { number: 1 });
    talk.model.assert_valid();
}

#[tokio::test]
async fn mistakes_and_refusals_arrive() {
    let mut wrong = folder(&json!([]));
    wrong["owner"]["id"] = json!(-1);
    let (answer, talk) = asked([wrong, folder(&json!([]))], &AnswerFormat::<Folder>::new()).await;
    assert_eq!(answer.unwrap().attempts, 2);
    talk.model.assert_valid();
    let told = talk.model.requests()[1].last_user_text();
    let expected =
        "the answer has a mistake at `$.owner.id`: invalid value: integer `-1`, expected u64";
    assert!(told.starts_with(expected), "{told}");

    let talk = Talk::with([Turn::refusal("I won't.")], []).await;
    let format = AnswerFormat::<Folder>::new();
    let answer = talk.kernel.chat_as(question(), ExecutionSettings::new(), &format).await;
    assert_eq!(answer.unwrap_err().to_string(), "the model gave no answer: it refused to answer");
}
