//! A LiteLLM proxy before llama.cpp's server, which [`llama_cpp`](super::llama_cpp) tests through it.

use textsearch_openai::{
    ChatCompletion, ChatOptions, ErrorKind, OpenAiChat, OpenAiConfig, Protocol,
};

use crate::support::question;

#[tokio::test]
#[ignore = "needs LiteLLM's proxy: cargo xtask integration llm"]
async fn litellm_refuses_a_wrong_key_and_errors_hide_it() {
    let url = std::env::var("TEXTSEARCH_LLM_CHAT").unwrap();
    let key = "sk-wrong-0123456789abcdef0123456789abcdef";
    let mut config = OpenAiConfig::new(key, "smollm2").with_base_url(format!("{url}/v1"));
    config.protocol = Protocol::Responses;
    let chat = OpenAiChat::new(config).unwrap();
    let error = chat.complete(&question(), &ChatOptions::new()).await.unwrap_err();
    // A proxy without a database doesn't say that the key is wrong.
    assert!(matches!(error.kind(), ErrorKind::UnexpectedStatus { status: 400, .. }), "{error}");
    assert!(!format!("{error:?}").contains("0123456789abcdef"), "{error:?}");
}
