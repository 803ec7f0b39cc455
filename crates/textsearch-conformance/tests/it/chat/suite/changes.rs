//! Faults in requests and answers.

use textsearch_conformance::core::{
    Error, ErrorKind, Result,
    chat::{
        ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatRole, FinishReason, MessagePart,
        ToolCall, Usage,
    },
};

use super::fault::Fault;

/// Returns the history as the service sends it.
pub(super) fn history(fault: Fault, history: &ChatHistory) -> ChatHistory {
    let mut messages = history.messages().to_vec();
    match fault {
        Fault::SendsTheLastMessage => drop(messages.drain(..messages.len().saturating_sub(1))),
        Fault::DropsInstructions => messages.retain(|message| message.role != ChatRole::System),
        Fault::ReversesMessages => messages.reverse(),
        Fault::DropsToolResults => messages.retain(|message| message.role != ChatRole::Tool),
        Fault::TrimsMessages | Fault::RenumbersToolResults => {
            let parts = messages.iter_mut().flat_map(|message| &mut message.parts);
            parts.for_each(|part| sent_part(fault, part));
        }
        _ => {}
    }
    messages.into()
}

fn sent_part(fault: Fault, part: &mut MessagePart) {
    match part {
        MessagePart::Text { text } if fault == Fault::TrimsMessages => {
            *text = text.trim().to_owned();
        }
        MessagePart::ToolResult(result) if fault == Fault::RenumbersToolResults => {
            result.call_id = "1".to_owned();
        }
        _ => {}
    }
}

/// Returns the options as the service sends them.
pub(super) fn options(fault: Fault, options: &ChatOptions) -> Result<ChatOptions> {
    let mut changed = options.clone();
    match fault {
        Fault::DropsTools => changed.tools.clear(),
        Fault::DropsDescriptions => {
            changed.tools.iter_mut().for_each(|tool| tool.description.clear());
        }
        Fault::DropsOptions => {
            changed = ChatOptions::new().with_tools(changed.tools);
            changed.model.clone_from(&options.model);
        }
        Fault::DropsExtraOptions => changed.extra.clear(),
        Fault::IgnoresTheModel => changed.model = None,
        Fault::RefusesOptionsAsBackend if options.seed.is_some() => {
            return Err(Error::new(ErrorKind::Backend, "plain", "there is no seed"));
        }
        _ => {}
    }
    Ok(changed)
}

/// Returns the answer as the service reads it.
pub(super) fn response(fault: Fault, mut response: ChatResponse) -> Result<ChatResponse> {
    change_parts(fault, &mut response.message);
    match fault {
        Fault::AlwaysStops => response.finish_reason = FinishReason::Stop,
        Fault::FailsWhenCutOff if response.finish_reason == FinishReason::Length => {
            return Err(Error::new(ErrorKind::Backend, "plain", "the answer is cut off"));
        }
        Fault::SwapsUsage => {
            let swap = |usage: Usage| Usage::new(usage.output_tokens, usage.input_tokens);
            response.usage = response.usage.map(swap);
        }
        Fault::DropsUsage => response.usage = None,
        _ => {}
    }
    Ok(response)
}

fn change_parts(fault: Fault, message: &mut ChatMessage) {
    let has_calls = message.tool_calls().next().is_some();
    match fault {
        Fault::ReversesCalls => message.parts.reverse(),
        Fault::MergesCallsOfOneTool => message.parts.dedup_by(|left, right| {
            matches!((left, right), (MessagePart::ToolCall(left), MessagePart::ToolCall(right)) if left.name == right.name)
        }),
        Fault::DropsTextBesideCalls if has_calls => {
            message.parts.retain(|part| !matches!(part, MessagePart::Text { .. }));
        }
        _ => message.parts.iter_mut().for_each(|part| change_part(fault, part)),
    }
}

fn change_part(fault: Fault, part: &mut MessagePart) {
    match (fault, part) {
        (Fault::TrimsTexts, MessagePart::Text { text }) => *text = text.trim().to_owned(),
        (Fault::DropsNonAscii, MessagePart::Text { text }) => text.retain(|c| c.is_ascii()),
        (Fault::CutsLongTexts, MessagePart::Text { text }) => {
            *text = text.chars().take(4_096).collect();
        }
        (Fault::TakesRefusalsForTexts, part @ MessagePart::Refusal { .. }) => {
            if let MessagePart::Refusal { text } = part {
                *part = MessagePart::Text { text: text.clone() };
            }
        }
        (Fault::InventsIdentifiers, MessagePart::ToolCall(call)) => {
            *call = ToolCall::new("call_0", &call.name, &call.arguments);
        }
        _ => {}
    }
}
