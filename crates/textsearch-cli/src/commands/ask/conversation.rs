//! The chat with the model: messages, settings and functions.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::chat::{ChatCompletion, ChatHistory, ChatMessage};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError,
    chat::{ChatEvents, ChatOutcome, FunctionChoiceBehavior},
    citations::Sources,
    prompt::ExecutionSettings,
    search::ANSWER_FROM_SEARCHES,
};

use super::{
    calls::{Call, TemplateCalls},
    recorded::{RecordedSearch, RecordedSources},
};
use crate::{
    arguments::AskArguments,
    corpus::{
        plugin::SearchFunctions,
        selector::Selected,
        template::{QUERY, built_in},
    },
};

const SERVICE: &str = "model";

pub(super) struct Conversation {
    kernel: Kernel,
    history: ChatHistory,
    settings: ExecutionSettings,
    /// Searches of the template.
    pub(super) calls: Vec<Call>,
    /// Results that the template read.
    pub(super) sources: Sources,
}

impl Conversation {
    /// Prepares the chat. Without `--tools`, this runs the template's searches.
    pub(super) async fn prepare(
        arguments: &AskArguments,
        model: Arc<dyn ChatCompletion>,
        selected: Selected,
    ) -> Result<Self> {
        let mut kernel = Kernel::new();
        kernel.add_chat_service(SERVICE, model)?;
        if arguments.tools {
            Self::with_tools(arguments, kernel, selected)
        } else {
            Self::with_results(arguments, kernel, selected).await
        }
    }

    pub(super) async fn ask(self) -> Result<ChatOutcome, KernelError> {
        self.kernel.chat(self.history, self.settings).await
    }

    pub(super) async fn ask_streaming(self) -> Result<ChatEvents, KernelError> {
        self.kernel.chat_streaming(self.history, self.settings).await
    }

    fn with_tools(
        arguments: &AskArguments,
        mut kernel: Kernel,
        selected: Selected,
    ) -> Result<Self> {
        let AskArguments { selector, results, allow_filter, max_rounds, system, .. } = arguments;
        let documents = selected.documents();
        let functions = SearchFunctions::for_model(selected, selector, results, allow_filter)?;
        let functions = functions.with_documents(documents);
        kernel.add_plugin(functions.plugin_for(results.kind)?)?;
        let mut behavior = FunctionChoiceBehavior::auto();
        if let Some(rounds) = max_rounds {
            behavior = behavior.with_max_rounds(rounds.get());
        }
        let mut history = begin(Some(system.as_deref().unwrap_or(ANSWER_FROM_SEARCHES)));
        history.push(ChatMessage::user(&arguments.question));
        let settings = behavior.into();
        Ok(Self { kernel, history, settings, calls: Vec::new(), sources: Sources::new() })
    }

    async fn with_results(
        arguments: &AskArguments,
        mut kernel: Kernel,
        mut selected: Selected,
    ) -> Result<Self> {
        let sources = RecordedSources::default();
        let calls = TemplateCalls::default();
        selected.search = Arc::new(RecordedSearch::new(selected.search, sources.clone()));
        let AskArguments { selector, results, .. } = arguments;
        let functions = SearchFunctions::for_model(selected, selector, results, &[])?;
        kernel.add_plugin(functions.plugin_for(results.kind)?)?;
        kernel.add_function_filter(calls.clone());
        textsearch_prompt::add_template_factories(&mut kernel);
        let prompt = kernel.compile_prompt(&built_in(results.kind))?;
        let variables = KernelArguments::new().with(QUERY, arguments.question.as_str());
        let rendered = prompt.render(&kernel, &variables).await;
        let calls = calls.take();
        if arguments.show_calls {
            calls.iter().for_each(Call::show);
        }
        let mut history = begin(arguments.system.as_deref());
        history.extend(rendered?.into_history());
        let settings = ExecutionSettings::new();
        Ok(Self { kernel, history, settings, calls, sources: sources.take() })
    }
}

/// Begins a history with the system message, unless that is blank.
pub(crate) fn begin(system: Option<&str>) -> ChatHistory {
    let message = system.filter(|text| !text.trim().is_empty()).map(ChatMessage::system);
    ChatHistory::from(Vec::from_iter(message))
}

/// Removes the kernel's context from the error of a chat.
pub(crate) fn failure(error: KernelError) -> anyhow::Error {
    match error {
        KernelError::ChatFailed { source, .. } => (*source).into(),
        error => error.into(),
    }
}
