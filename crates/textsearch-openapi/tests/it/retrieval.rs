use textsearch_conformance::{Response, Server};
use textsearch_core::{
    http::Secret,
    serde_json::{Value, json},
};
use textsearch_kernel::{
    Kernel, KernelArguments,
    prompt::{HANDLEBARS_FORMAT, PromptTemplateConfig},
};
use textsearch_openapi::{Credentials, OpenApiPlugin};

use crate::support::quick;

const DOCUMENT: &str = include_str!("../fixtures/retrieval.yaml");
const QUESTION: &str = "What is my budget for 2024?";

async fn service() -> (Server, Kernel) {
    let result = json!({ "id": "1", "text": "Your budget is 1,000.", "score": 0.9 });
    let answer = json!({ "results": [{ "query": QUESTION, "results": [result] }] });
    let server = Server::of([Response::json(&answer)]).await;
    let token = Secret::from("chat-gpt-retrieval-plugin-token");
    let mut settings = quick().with_server_url(server.url());
    settings.strict = true;
    let settings = settings.with_authenticator(Credentials::Bearer(token));
    let imported = OpenApiPlugin::from_text("ChatGPTRetrievalPlugin", DOCUMENT, settings).unwrap();
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_plugin(imported.plugin).unwrap();
    (server, kernel)
}

/// As in Semantic Kernel's sample: the list of queries is a text of JSON.
fn arguments() -> KernelArguments {
    let queries = json!([{ "query": QUESTION, "top_k": 1 }]).to_string();
    KernelArguments::new().with("query", QUESTION).with("queries", queries)
}

async fn rendered(template: PromptTemplateConfig) -> (Server, String) {
    let (server, kernel) = service().await;
    let prompt = kernel.compile_prompt(&template).unwrap();
    let text = prompt.render(&kernel, &arguments()).await.unwrap().text;
    (server, text)
}

fn assert_called(server: &Server) {
    let request = &server.requests()[0];
    assert_eq!(request.path, "/query");
    assert_eq!(request.json(), json!({ "queries": [{ "query": QUESTION, "top_k": 1 }] }));
    assert_eq!(request.header("authorization"), Some("Bearer chat-gpt-retrieval-plugin-token"));
}

#[tokio::test]
async fn semantic_kernel_templates_call_operations() {
    let template = "{{ChatGPTRetrievalPlugin.query_query_post queries=$queries}} {{$query}}";
    let (server, text) = rendered(PromptTemplateConfig::new(template)).await;
    assert_called(&server);
    assert!(text.contains("Your budget is 1,000.") && text.ends_with(QUESTION), "{text}");
}

#[tokio::test]
async fn handlebars_templates_read_the_response() {
    let template = "{{#with (ChatGPTRetrievalPlugin-query_query_post queries=queries)}}\
                    {{#each results}}{{#each results}}{{text}}{{/each}}{{/each}}{{/with}} {{query}}";
    let config = PromptTemplateConfig::new(template).with_template_format(HANDLEBARS_FORMAT);
    let (server, text) = rendered(config).await;
    assert_called(&server);
    assert_eq!(text, format!("Your budget is 1,000. {QUESTION}"));
}

#[tokio::test]
async fn the_three_operations_are_functions_with_schemas() {
    let (_, kernel) = service().await;
    let functions = kernel.plugins()[0].functions();
    let names: Vec<_> = functions.iter().map(|function| function.name()).collect();
    assert_eq!(names, ["delete_delete_delete", "query_query_post", "upsert_upsert_post"]);
    let queries = &functions[1].metadata().parameters[0];
    assert!(queries.is_required);
    let filter = &queries.schema["items"]["properties"]["filter"]["properties"];
    assert_eq!(filter["source"]["enum"], json!(["email", "file", "chat"]));
    let returned: &Value = &functions[1].metadata().return_parameter.schema;
    assert_eq!(returned["properties"]["results"]["items"]["properties"]["query"]["type"], "string");
}

#[tokio::test]
async fn arguments_are_checked_before_the_service_is_called() {
    let (server, kernel) = service().await;
    let arguments = KernelArguments::new().with("queries", "all");
    let error = kernel.invoke("ChatGPTRetrievalPlugin", "query_query_post", arguments).await;
    let expected = "the argument `queries` of `ChatGPTRetrievalPlugin-query_query_post` \
                    must be a list whose items are each an object: found \"all\"";
    assert_eq!(error.unwrap_err().to_string(), expected);
    assert_eq!(server.count(), 0);
}
