//! Chats and prompts whose searches follow the conversation.

use textsearch_kernel::{
    Kernel, KernelArguments,
    grounding::{GroundingFilter, GroundingOptions, MemoryConfig, TextSearchProvider},
    prompt::{ExecutionSettings, PromptTemplateConfig},
    textsearch_core::chat::ChatMessage,
    transform::{Standalone, Transformed},
};

use super::{Notes, conversation};
use crate::support::{BracketsFactory, Scripted, kernel_with, set, text};

const REWRITE: &str = "winter tides";

async fn rewriting() -> (Notes, Transformed) {
    let notes = Notes::new().await;
    let standalone = Standalone::new(Scripted::new([text(REWRITE)]));
    (notes.clone(), Transformed::new(notes, standalone))
}

#[tokio::test]
async fn provider_searches_for_the_rewritten_follow_up() {
    let (notes, transformed) = rewriting().await;
    let provider = TextSearchProvider::from_transformed(transformed, GroundingOptions::new());
    let settings =
        ExecutionSettings::new().with_context_provider(provider.unwrap().with_recent_messages(3));
    let model = Scripted::new([text("Higher.")]);
    let mut history = conversation();
    history.push(ChatMessage::user("And in winter?"));
    let outcome = kernel_with(Kernel::new(), &model).chat(history, settings).await.unwrap();
    assert_eq!(notes.queries(), [REWRITE]);
    assert_eq!(outcome.run.sources.len(), 3);
    let question = model.requests()[0].0.last().unwrap().text();
    assert!(question.ends_with("\n\nAnd in winter?"), "{question}");
}

#[tokio::test]
async fn filter_reads_the_conversation_of_a_chat_prompt() {
    let (notes, transformed) = rewriting().await;
    let model = Scripted::new([text("Higher.")]);
    let mut kernel = kernel_with(Kernel::new(), &model);
    kernel.add_template_factory(BracketsFactory);
    let filter = GroundingFilter::from_transformed(transformed, GroundingOptions::new());
    kernel.add_prompt_filter(filter.unwrap());
    let prompt = PromptTemplateConfig::new(
        "<message role=\"user\">Tides?</message><message role=\"user\">[question]</message>",
    );
    let prompt = prompt.with_template_format("brackets");
    let arguments = KernelArguments::new().with("question", "And in winter?");
    kernel.chat_prompt(prompt, arguments).await.unwrap();
    assert_eq!(notes.queries(), [REWRITE]);
}

#[tokio::test]
async fn settings_name_a_transform_of_the_kernel() {
    let notes = Notes::new().await;
    let model = Scripted::new([text("Higher.")]);
    let mut kernel = kernel_with(Kernel::new(), &model);
    kernel.add_memory("notes", notes.clone()).unwrap();
    let standalone = Standalone::new(Scripted::new([text(REWRITE)]));
    kernel.add_query_transform("standalone", standalone).unwrap();
    let mut history = conversation();
    history.push(ChatMessage::user("And in winter?"));
    let memory = |name: &str| {
        let config = MemoryConfig::named("notes");
        set(config, |config| config.query_transform = Some(name.to_owned()))
    };
    let settings = ExecutionSettings::new().with_memory(memory("standalone"));
    let written = serde_json::to_value(&settings).unwrap();
    assert_eq!(written["memory_config"]["query_transform"], "standalone");
    kernel.chat(history.clone(), settings).await.unwrap();
    assert_eq!(notes.queries(), [REWRITE]);

    let settings = ExecutionSettings::new().with_memory(memory("variants"));
    let error = kernel.chat(history, settings).await.unwrap_err().to_string();
    let message = "names the query transform `variants`, which the kernel lacks: the registered ones are standalone";
    assert!(error.contains(message), "{error}");
}

#[tokio::test]
async fn fused_scores_have_no_minimum() {
    let (_, transformed) = rewriting().await;
    let options = GroundingOptions::new().with_min_score(0.5);
    let error = TextSearchProvider::from_transformed(transformed, options).unwrap_err();
    assert!(error.to_string().contains("set a threshold on the search inside"), "{error}");
}
