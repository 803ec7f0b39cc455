//! The model that needs no script.

use serde_json::{Value, json};
use textsearch_conformance::chat::{ModelScript, ScriptedModel};

use super::{ask, user};

fn tool(name: &str) -> Value {
    let query = json!({ "type": "string" });
    let parameters = json!({ "type": "object", "properties": { "query": query } });
    json!({ "type": "function", "function": { "name": name, "parameters": parameters } })
}

fn results() -> String {
    let result = |name: &str| {
        let link = format!("https://example.com/{name}");
        json!({ "Name": name, "Value": format!("{name} is it. More."), "Link": link })
    };
    json!({ "results": [result("A"), result("B"), result("C"), result("D")] }).to_string()
}

const ANSWER: &str = "A is it. ([A](https://example.com/A)) See also [B](https://example.com/B) \
                      and [C](https://example.com/C).";

#[tokio::test]
async fn it_searches_and_then_cites() {
    let model = ScriptedModel::start(ModelScript::demonstration()).await;
    let tools = json!([tool("Clock-Now"), tool("Docs-Search")]);
    let asked = ask(&model, json!({ "tools": tools })).await.unwrap();
    let message = &asked["choices"][0]["message"];
    let function = json!({ "name": "Docs-Search", "arguments": "{\"query\":\"What is it?\"}" });
    assert_eq!(message["tool_calls"][0]["function"], function);
    let id = &message["tool_calls"][0]["id"];
    let result = json!({ "role": "tool", "tool_call_id": id, "content": results() });
    let messages = json!([user("What is it?"), message, result]);
    let answer = ask(&model, json!({ "tools": tools, "messages": messages })).await.unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], ANSWER);
    model.assert_valid();
}

#[tokio::test]
async fn it_cites_the_results_in_a_prompt() {
    let model = ScriptedModel::start(ModelScript::demonstration()).await;
    let prompt = format!("Results, one a line:\n{}\n\nWhat is it?", results());
    let answer = ask(&model, json!({ "messages": [user(&prompt)] })).await.unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], ANSWER);
}

#[tokio::test]
async fn it_admits_that_it_found_nothing() {
    let model = ScriptedModel::start(ModelScript::demonstration()).await;
    let answer = ask(&model, json!({})).await.unwrap();
    let text = "I have found nothing that answers this.";
    assert_eq!(answer["choices"][0]["message"]["content"], text);
}
