//! A scripted model for the code of the guides.

use std::{collections::VecDeque, sync::Mutex};

use textsearch_core::{
    Error, ErrorKind, Result, async_trait,
    chat::{
        ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatRole, MessagePart,
        ToolCall,
    },
};

/// Returns its answers in order, whatever the request.
pub struct Script {
    answers: Mutex<VecDeque<ChatResponse>>,
}

impl Script {
    /// Calls these functions, given as names and arguments, one per round; then answers.
    pub fn new(calls: &[(&str, &str)], answer: &str) -> Self {
        let call = |(name, arguments): &(&str, &str)| {
            let call = MessagePart::ToolCall(ToolCall::new("call", *name, *arguments));
            ChatResponse::new(ChatMessage::new(ChatRole::Assistant, vec![call]))
        };
        let answer = ChatResponse::new(ChatMessage::assistant(answer));
        Self { answers: Mutex::new(calls.iter().map(call).chain([answer]).collect()) }
    }
}

#[async_trait]
impl ChatCompletion for Script {
    fn name(&self) -> &str {
        "script"
    }

    fn model_id(&self) -> &str {
        "script"
    }

    async fn complete(&self, _: &ChatHistory, _: &ChatOptions) -> Result<ChatResponse> {
        let next = self.answers.lock().ok().and_then(|mut answers| answers.pop_front());
        next.ok_or_else(|| Error::new(ErrorKind::Backend, "script", "the script has ended"))
    }
}
