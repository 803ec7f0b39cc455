use textsearch_conformance::chat::{ModelScript, ScriptedModel, Turn};
use textsearch_openai::{
    ChatCompletion, ChatOptions, EmbeddingGenerator, EmbeddingSettings, OpenAiChat, OpenAiConfig,
    OpenAiEmbeddings,
};

use crate::support::{KEY, config, question};

fn deployment(model: &ScriptedModel) -> OpenAiConfig {
    let http = config(model).http;
    OpenAiConfig::azure(format!("{}/", model.endpoint()), "my gpt", "2024-10-21", KEY)
        .with_http_settings(http)
}

#[tokio::test]
async fn azure_chats_use_deployment_and_key_header() {
    let script = ModelScript::from(vec![Turn::text("Yes.")]).with_key(KEY);
    let model = ScriptedModel::start(script).await;
    let chat = OpenAiChat::new(deployment(&model)).unwrap();
    let mut options = ChatOptions::new();
    options.max_tokens = Some(5);
    chat.complete(&question(), &options).await.unwrap();
    let request = &model.requests()[0];
    assert_eq!(request.path, "/openai/deployments/my%20gpt/chat/completions");
    assert_eq!(request.query, "api-version=2024-10-21");
    assert_eq!(request.header("api-key"), Some(KEY));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.body["max_completion_tokens"], 5);
    model.assert_valid();
}

#[tokio::test]
async fn embeddings_go_to_the_deployment_too() {
    let model = ScriptedModel::start([]).await;
    let embeddings = OpenAiEmbeddings::new(deployment(&model)).unwrap();
    let made = embeddings.generate(&["a".to_owned()], &EmbeddingSettings::default()).await.unwrap();
    assert_eq!(made.vectors[0].len(), 256);
    let request = &model.requests()[0];
    assert_eq!(request.path, "/openai/deployments/my%20gpt/embeddings");
    assert_eq!(request.body["encoding_format"], "base64");
}
