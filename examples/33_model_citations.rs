//! Asks two providers that cite beside their text, and prints their checked citations side by side.
//!
//! Needs: nothing; it runs offline against servers on loopback that answer as Anthropic's Messages
//! API and OpenAI's Responses API do.

use std::iter::zip;

use serde_json::{Value, json};
use textsearch_anthropic::{AnthropicChat, AnthropicConfig};
use textsearch_conformance::{Action, Response, Server};
use textsearch_core::FixedSearch;
use textsearch_kernel::{citations::check_message, prelude::*};
use textsearch_openai::{OpenAiChat, OpenAiConfig, Protocol};

const LINK: &str = "https://intranet.example/budget-2024";
const TEXT: &str = "The budget of 2024 is 1.2 million euros.";
const ANSWER: [&str; 2] = ["It is 1.2 million euros.", " It was less before."];

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let messages = server(anthropic).await;
    let mut config =
        AnthropicConfig::new("no-key", "claude").with_endpoint(messages.url().as_str());
    // By default, only Anthropic's own service gets blocks of search results.
    config.search_result_blocks = Some(true);
    let left = ask("Messages API", AnthropicChat::new(config)?).await?;

    let responses = server(openai).await;
    let address = responses.url().join("v1")?;
    let mut config = OpenAiConfig::new("no-key", "gpt").with_base_url(address.as_str());
    config.protocol = Protocol::Responses;
    let right = ask("Responses API", OpenAiChat::new(config)?).await?;

    for (left, right) in zip(left, right) {
        println!("{left:<50}{right}");
    }
    Ok(())
}

/// Returns a heading, the answer, and a line for each citation.
async fn ask(heading: &str, chat: impl ChatCompletion + 'static) -> anyhow::Result<Vec<String>> {
    let budget = TextSearchResult::new(TEXT).with_name("Budget 2024").with_link(LINK);
    let search = FixedSearch::new([budget]);
    let mut kernel = Kernel::new();
    kernel.add_plugin(search.create_with_get_search_results("Intranet")?)?;
    kernel.add_chat_service("default", chat)?;
    let history = ChatHistory::from(vec![ChatMessage::user("What is our budget for 2024?")]);
    let outcome = kernel.chat(history, FunctionChoiceBehavior::auto()).await?;

    let text = outcome.answer()?;
    let mut lines = vec![heading.to_owned(), text.clone()];
    for citation in check_message(&outcome.message, &outcome.run.sources) {
        let passage = text.get(citation.range).unwrap_or_default().trim();
        let source =
            citation.source.map_or("not retrieved".to_owned(), |number| format!("[{number}]"));
        lines.push(format!("{}: {passage:?} {source}", citation.kind.name()));
    }
    Ok(lines)
}

/// Starts a server that calls the function it is offered, and answers when it has the results.
async fn server(answer: fn(&Value, bool) -> Value) -> Server {
    Server::start(move |request, earlier| {
        Action::Answer(Response::json(&answer(&request.json(), earlier > 0)))
    })
    .await
}

fn anthropic(request: &Value, has_results: bool) -> Value {
    if !has_results {
        let name = &request["tools"][0]["name"];
        let call =
            json!({ "type": "tool_use", "id": "1", "name": name, "input": { "query": "budget" } });
        return json!({ "type": "message", "content": [call], "stop_reason": "tool_use" });
    }
    // The model cites the block that it received.
    let block = &request["messages"][2]["content"][0]["content"][0];
    let block = |index: usize, quote: &Value| {
        let citation = json!({
            "type": "search_result_location", "source": block["source"], "title": block["title"],
            "cited_text": quote, "search_result_index": 0, "start_block_index": 0, "end_block_index": 1,
        });
        json!({ "type": "text", "text": ANSWER[index], "citations": [citation] })
    };
    let content = [block(0, &json!(TEXT)), block(1, &json!("A quote that nobody sent."))];
    json!({ "type": "message", "content": content, "stop_reason": "end_turn" })
}

fn openai(request: &Value, has_results: bool) -> Value {
    let output = if has_results {
        let [first, second] = ANSWER.map(str::len);
        let cited = |start: usize, end: usize, url: &str| json!({ "type": "url_citation", "start_index": start, "end_index": end, "url": url, "title": "Budget" });
        let annotations = [
            cited(0, first, LINK),
            cited(first, first + second, "https://intranet.example/budget-2023"),
        ];
        let text =
            json!({ "type": "output_text", "text": ANSWER.concat(), "annotations": annotations });
        json!({ "type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text] })
    } else {
        let name = &request["tools"][0]["name"];
        let arguments = json!({ "query": "budget" }).to_string();
        json!({ "type": "function_call", "id": "f", "call_id": "1", "name": name, "arguments": arguments })
    };
    json!({ "id": "r", "object": "response", "status": "completed", "model": "gpt", "output": [output] })
}
