//! The description of `textsearch serve`, imported as a plugin: templates and models write and query
//! documents.

use serde_json::{Value, json};
use textsearch_core::{chat::ToolCall, secret::Secret};
use textsearch_kernel::{
    Kernel, KernelArguments, chat::FunctionChoiceBehavior, prompt::PromptTemplateConfig,
};
use textsearch_openapi::{Credentials, OpenApiPlugin, OpenApiSettings};

use crate::{serve::Served, support::Workplace};

const TOKEN: &str = "writer-writer-writer";
const TOKENS: &str = r#"
[[tokens]]
name = "writer"
token = "writer-writer-writer"
rights = ["search", "upsert"]
"#;

async fn kernel_of(served: &Served) -> Kernel {
    let settings = OpenApiSettings::new()
        .with_server_url(served.url.as_str())
        .with_operations(["query_query_post", "upsert_upsert_post", "delete_delete_delete"])
        .with_authenticator(Credentials::Bearer(Secret::from(TOKEN)));
    let url = format!("{}/openapi.json", served.url);
    let imported = OpenApiPlugin::from_url("ChatGPTRetrievalPlugin", url, settings).await.unwrap();
    assert!(imported.refused.is_empty(), "{:?}", imported.refused);
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_plugin(imported.plugin).unwrap();
    kernel
}

async fn invoke(kernel: &Kernel, function: &str, arguments: Value) -> Value {
    let arguments = KernelArguments::from(arguments.as_object().unwrap().clone());
    let result = kernel.invoke("ChatGPTRetrievalPlugin", function, arguments).await;
    result.unwrap().value.into_json()
}

#[tokio::test]
async fn templates_and_models_call_the_retrieval_plugin() {
    let place = Workplace::with(&[("tokens.toml", TOKENS)]);
    let arguments = ["--store", "notes.index", "--tokens", "tokens.toml", "--writable"];
    let served = Served::start(&place, &arguments, &[]);
    let kernel = kernel_of(&served).await;

    let document = json!({ "id": "anvils", "text": "Acme sells anvils." });
    let stored = invoke(&kernel, "upsert_upsert_post", json!({ "documents": [document] })).await;
    assert_eq!(stored["ids"], json!(["anvils"]));

    let template = "{{ChatGPTRetrievalPlugin.query_query_post queries=$queries}}";
    let prompt = kernel.compile_prompt(&PromptTemplateConfig::new(template)).unwrap();
    let queries = json!([{ "query": "anvils", "top_k": 3 }]);
    let arguments = KernelArguments::new().with("queries", queries.clone());
    let rendered = prompt.render(&kernel, &arguments).await.unwrap();
    assert!(rendered.text.contains("Acme sells anvils."), "{}", rendered.text);

    let offered = kernel.offered_functions(&FunctionChoiceBehavior::auto()).unwrap();
    let written = json!({ "queries": queries }).to_string();
    let call = ToolCall::new("1", "ChatGPTRetrievalPlugin-query_query_post", written);
    let answer = kernel.answer_call(&call, &offered, 16_000).await.unwrap();
    assert_eq!(answer.value["results"][0]["results"][0]["text"], "Acme sells anvils.");

    invoke(&kernel, "delete_delete_delete", json!({ "ids": ["anvils"] })).await;
    let rendered = prompt.render(&kernel, &arguments).await.unwrap();
    assert!(!rendered.text.contains("anvils."), "{}", rendered.text);
}
