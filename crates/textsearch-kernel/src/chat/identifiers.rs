//! Makes the call identifiers of an answer unique and short.

use std::collections::{HashMap, HashSet};

use textsearch_core::chat::{ChatMessage, MessagePart};

/// Characters to keep before the unique suffix: providers accept at most 40.
const KEPT: usize = 32;

/// The longest identifier that stays, in bytes. Each one goes back with every later request.
const LONGEST: usize = 256;

/// Replaces empty, repeated and overlong identifiers, and those with control characters. Some servers write the same identifier for all calls,
/// and reject a chat with duplicates.
///
/// Takes linear time, because a model controls the number of calls and their identifiers.
pub(super) fn tell_apart(message: &mut ChatMessage) {
    if are_apart(message) {
        return;
    }
    let taken = message.tool_calls().map(|call| call.id.clone()).collect();
    let mut unused = Unused { taken, numbers: HashMap::new() };
    let mut seen = HashSet::new();
    for part in &mut message.parts {
        if let MessagePart::ToolCall(call) = part
            && (!is_usable(&call.id) || !seen.insert(call.id.clone()))
        {
            call.id = unused.like(&call.id);
        }
    }
}

fn are_apart(message: &ChatMessage) -> bool {
    let mut seen = HashSet::new();
    message.tool_calls().all(|call| is_usable(&call.id) && seen.insert(call.id.as_str()))
}

fn is_usable(id: &str) -> bool {
    !id.is_empty() && id.len() <= LONGEST && !id.contains(char::is_control)
}

struct Unused {
    taken: HashSet<String>,
    // The next number to try, by prefix. Starting from 2 for each call would take quadratic time.
    numbers: HashMap<String, usize>,
}

impl Unused {
    fn like(&mut self, id: &str) -> String {
        let kept = id.chars().filter(|char| !char.is_control()).take(KEPT);
        let base = if id.is_empty() { "call".to_owned() } else { kept.collect() };
        let Self { taken, numbers } = self;
        let number = numbers.entry(base.clone()).or_insert(2);
        loop {
            let candidate = format!("{base}-{number}");
            *number += 1;
            if !taken.contains(&candidate) {
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::chat::{ChatRole, ToolCall};

    use super::*;

    fn told_apart(ids: &[&str]) -> Vec<String> {
        let part = |id: &&str| MessagePart::ToolCall(ToolCall::new(*id, "A-B", "{}"));
        let mut message = ChatMessage::new(ChatRole::Assistant, ids.iter().map(part).collect());
        tell_apart(&mut message);
        message.tool_calls().map(|call| call.id.clone()).collect()
    }

    #[test]
    fn distinct_identifiers_stay_unchanged() {
        let long = "x".repeat(LONGEST);
        assert_eq!(told_apart(&["a", "b", &long]), ["a", "b", &long]);
    }

    #[test]
    fn repeated_identifiers_become_unique() {
        assert_eq!(told_apart(&["a", "a", "a-2", "a"]), ["a", "a-3", "a-2", "a-4"]);
        assert_eq!(told_apart(&["", ""]), ["call-2", "call-3"]);
    }

    #[test]
    fn overlong_identifiers_and_control_characters_are_replaced() {
        let long = "x".repeat(200_000);
        let expected = [format!("{}-2", "x".repeat(32)), "ab-2".to_owned(), "-2".to_owned()];
        assert_eq!(told_apart(&[&long, "a\0b\n\u{1b}", "\n"]), expected);
    }

    #[test]
    fn new_identifiers_are_short_enough_for_providers() {
        let long = "é".repeat(50);
        let changed = told_apart(&[&long, &long]).pop().unwrap();
        assert_eq!(changed, format!("{}-2", "é".repeat(32)));
    }
}
