//! The identifiers of the calls in one answer: each is there once, so that each result belongs to one call.

use std::collections::{HashMap, HashSet};

use textsearch_core::chat::{ChatMessage, MessagePart};

/// How much of an identifier is kept in front of what makes it unlike others: providers take 40 characters.
const KEPT: usize = 32;

/// Gives each call of `message` whose identifier is empty, or that of an earlier call of it, one of its own: some servers
/// write the same for all, and refuse a chat in which two calls share one.
///
/// Takes linear time, because a model decides how many calls there are and what their identifiers are.
pub(super) fn tell_apart(message: &mut ChatMessage) {
    if are_apart(message) {
        return;
    }
    let taken = message.tool_calls().map(|call| call.id.clone()).collect();
    let mut unused = Unused { taken, numbers: HashMap::new() };
    let mut seen = HashSet::new();
    for part in &mut message.parts {
        if let MessagePart::ToolCall(call) = part
            && (call.id.is_empty() || !seen.insert(call.id.clone()))
        {
            call.id = unused.like(&call.id);
        }
    }
}

fn are_apart(message: &ChatMessage) -> bool {
    let mut seen = HashSet::new();
    message.tool_calls().all(|call| !call.id.is_empty() && seen.insert(call.id.as_str()))
}

/// Makes identifiers that no call has.
struct Unused {
    taken: HashSet<String>,
    // The next number to try, by prefix. Starting from 2 for each call would take quadratic time.
    numbers: HashMap<String, usize>,
}

impl Unused {
    fn like(&mut self, id: &str) -> String {
        let base = if id.is_empty() { "call".to_owned() } else { id.chars().take(KEPT).collect() };
        let Self { taken, numbers } = self;
        let number = numbers.entry(base.clone()).or_insert(2);
        // Ends, because each skipped number belongs to one identifier of the answer.
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
    fn identifiers_that_differ_stay_as_they_are() {
        let long = "x".repeat(5000);
        assert_eq!(told_apart(&["a", "b", &long]), ["a", "b", &long]);
    }

    #[test]
    fn one_that_is_there_again_is_changed_into_one_that_is_not() {
        assert_eq!(told_apart(&["a", "a", "a-2", "a"]), ["a", "a-3", "a-2", "a-4"]);
        assert_eq!(told_apart(&["", ""]), ["call-2", "call-3"]);
    }

    #[test]
    fn one_that_is_changed_is_short_enough_for_providers() {
        let long = "é".repeat(50);
        let changed = told_apart(&[&long, &long]).pop().unwrap();
        assert_eq!(changed, format!("{}-2", "é".repeat(32)));
    }
}
