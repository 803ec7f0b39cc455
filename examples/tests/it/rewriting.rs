//! Prompts of transforms, in both template languages.

use std::sync::Arc;

use examples::company::{self, Parrot};
use textsearch_kernel::{
    prelude::*,
    prompt::{HANDLEBARS_FORMAT, SEMANTIC_KERNEL_FORMAT},
    transform::{Standalone, Transformed},
};

#[tokio::test]
async fn prompts_of_transforms_are_templates_in_both_languages() {
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    for (format, template) in [
        (SEMANTIC_KERNEL_FORMAT, "Rewrite {{$question}} after {{$history}}"),
        (HANDLEBARS_FORMAT, "Rewrite {{question}} after {{history}}"),
    ] {
        let config = PromptTemplateConfig::new(template).with_template_format(format);
        let prompt = kernel.compile_prompt(&config).unwrap();
        let model = Arc::new(Parrot::default());
        let standalone = Standalone::new(Arc::clone(&model)).with_prompt(prompt);
        let history = ChatHistory::from(vec![ChatMessage::user("Budget for 2024?")]);
        let memory = company::memory().await.unwrap();
        let search = Transformed::new(memory, standalone).with_history(history);
        search.search("And \"2023\"?", &SearchOptions::top(1)).await.unwrap();
        let expected = "Rewrite And \"2023\"? after User: Budget for 2024?";
        assert_eq!(model.last_prompt(), expected, "{format}");
    }
}
