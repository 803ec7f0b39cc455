//! Shortens calls that did not run: every later request repeats them.

use textsearch_core::chat::{ChatMessage, MessagePart, ToolCall};

/// Drops all calls after the first `max` + 1, and returns how many. The extra call stays, without
/// arguments: its result tells the model that calls were dropped.
pub(super) fn drop_excess(message: &mut ChatMessage, max: usize) -> usize {
    let calls = message.tool_calls().count();
    if calls <= max {
        return 0;
    }
    let mut position = 0;
    message.parts.retain_mut(|part| {
        let MessagePart::ToolCall(call) = part else { return true };
        position += 1;
        if position == max.saturating_add(1) {
            "{}".clone_into(&mut call.arguments);
        }
        position <= max.saturating_add(1)
    });
    calls - max - 1
}

/// In bytes.
const MAX_FAILED_ARGUMENTS: usize = 1_000;

/// In characters: a little more than a function's name may have.
const MAX_FAILED_NAME: usize = 100;

/// Empties long arguments and cuts long names of calls that failed before they ran. Their results
/// explain the errors.
pub(super) fn shorten_failed(message: &mut ChatMessage, has_failed: impl Fn(usize) -> bool) {
    let calls = message.parts.iter_mut().filter_map(|part| match part {
        MessagePart::ToolCall(call) => Some(call),
        _ => None,
    });
    for (_, call) in calls.enumerate().filter(|(index, _)| has_failed(*index)) {
        shorten(call);
    }
}

/// Empties long arguments and cuts a long name.
pub(super) fn shorten(call: &mut ToolCall) {
    if call.arguments.len() > MAX_FAILED_ARGUMENTS {
        "{}".clone_into(&mut call.arguments);
    }
    if let Some((end, _)) = call.name.char_indices().nth(MAX_FAILED_NAME) {
        call.name.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::chat::ChatRole;

    use super::*;

    fn message(calls: usize) -> ChatMessage {
        let call = |number| ToolCall::new(format!("{number}"), "A-B", format!("[{number}]"));
        let calls = (0..calls).map(|number| MessagePart::ToolCall(call(number)));
        let mut message = ChatMessage::new(ChatRole::Assistant, calls.collect());
        message.parts.push(MessagePart::Text { text: "So.".to_owned() });
        message
    }

    fn left(calls: usize, max: usize) -> (usize, Vec<String>) {
        let mut message = message(calls);
        let dropped = drop_excess(&mut message, max);
        assert_eq!(message.text(), "So.");
        (dropped, message.tool_calls().map(|call| call.arguments.clone()).collect())
    }

    #[test]
    fn only_failed_calls_are_shortened() {
        let call = || ToolCall::new("1", "ä".repeat(200), "x".repeat(2_000));
        let parts = [call(), call()].map(MessagePart::ToolCall);
        let mut message = ChatMessage::new(ChatRole::Assistant, parts.into());
        shorten_failed(&mut message, |index| index == 1);
        let cut = ToolCall::new("1", "ä".repeat(100), "{}");
        assert_eq!(message.tool_calls().collect::<Vec<_>>(), [&call(), &cut]);
    }

    #[test]
    fn short_failed_calls_stay_as_they_are() {
        let mut message = message(1);
        shorten_failed(&mut message, |_| true);
        assert_eq!(message, self::message(1));
    }

    #[test]
    fn allowed_calls_stay_unchanged() {
        assert_eq!(left(2, 2), (0, vec!["[0]".to_owned(), "[1]".to_owned()]));
    }

    #[test]
    fn one_excess_call_stays_without_its_arguments() {
        assert_eq!(left(3, 2), (0, vec!["[0]".to_owned(), "[1]".to_owned(), "{}".to_owned()]));
        assert_eq!(left(100, 1), (98, vec!["[0]".to_owned(), "{}".to_owned()]));
        assert_eq!(left(100, 0), (99, vec!["{}".to_owned()]));
    }
}
