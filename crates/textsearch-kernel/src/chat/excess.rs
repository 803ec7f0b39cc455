//! Drops excess calls of a round.

use textsearch_core::chat::{ChatMessage, MessagePart};

/// Drops the calls of `message` after the first `most` and one more, and returns how many it dropped.
///
/// Every later request repeats the message, and is billed for calls that never run. The one more stays without its
/// arguments: its result tells the model that calls were dropped.
pub(super) fn drop_calls(message: &mut ChatMessage, most: usize) -> usize {
    let calls = message.tool_calls().count();
    if calls <= most {
        return 0;
    }
    let mut position = 0;
    message.parts.retain_mut(|part| {
        let MessagePart::ToolCall(call) = part else { return true };
        position += 1;
        if position == most.saturating_add(1) {
            "{}".clone_into(&mut call.arguments);
        }
        position <= most.saturating_add(1)
    });
    calls - most - 1
}

#[cfg(test)]
mod tests {
    use textsearch_core::chat::{ChatRole, ToolCall};

    use super::*;

    fn message(calls: usize) -> ChatMessage {
        let call = |number| ToolCall::new(format!("{number}"), "A-B", format!("[{number}]"));
        let calls = (0..calls).map(|number| MessagePart::ToolCall(call(number)));
        let mut message = ChatMessage::new(ChatRole::Assistant, calls.collect());
        message.parts.push(MessagePart::Text { text: "So.".to_owned() });
        message
    }

    fn left(calls: usize, most: usize) -> (usize, Vec<String>) {
        let mut message = message(calls);
        let dropped = drop_calls(&mut message, most);
        assert_eq!(message.text(), "So.");
        (dropped, message.tool_calls().map(|call| call.arguments.clone()).collect())
    }

    #[test]
    fn as_many_calls_as_allowed_stay() {
        assert_eq!(left(2, 2), (0, vec!["[0]".to_owned(), "[1]".to_owned()]));
    }

    #[test]
    fn one_excess_call_stays_without_its_arguments() {
        assert_eq!(left(3, 2), (0, vec!["[0]".to_owned(), "[1]".to_owned(), "{}".to_owned()]));
        assert_eq!(left(100, 1), (98, vec!["[0]".to_owned(), "{}".to_owned()]));
        assert_eq!(left(100, 0), (99, vec!["{}".to_owned()]));
    }
}
