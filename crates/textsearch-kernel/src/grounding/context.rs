//! Writes results as text for a prompt.

use std::fmt::Write as _;

use serde::Deserialize as _;
use serde_json::{Value, json};
use textsearch_core::TextSearchResult;

use super::options::{ContextResult, GroundingOptions, MIN_CHARACTERS};
use crate::{
    chat::{budget, control_characters},
    citations::Sources,
    text::{one_line, without_line_breaks},
};

/// `None` if there is nothing to add. `sources` gets the results that the text contains.
pub(super) fn write(
    results: Vec<TextSearchResult>,
    options: &GroundingOptions,
    sources: &mut Sources,
) -> Option<String> {
    if results.is_empty() {
        return None;
    }
    let before = sources.len();
    let max = options.max_characters;
    let mut numbered: Value = results.into_iter().map(|result| shown(result, max)).collect();
    sources.number_results(&mut numbered);
    let Value::Array(items) = numbered else { return None };
    let items = shared(items, max);
    let results: Vec<ContextResult> =
        items.iter().filter_map(|item| ContextResult::deserialize(item).ok()).collect();
    let text = match &options.formatter {
        Some(formatter) => (formatter.0)(&results),
        None => with_prompts(&results, options),
    };
    let is_blank = results.is_empty() || text.trim().is_empty();
    let told = if is_blank { Value::Null } else { Value::Array(items) };
    sources.keep_told(before, &told);
    (!is_blank).then_some(text)
}

/// For a model's call: the chat numbers them.
pub(super) fn values(results: Vec<TextSearchResult>, options: &GroundingOptions) -> Value {
    let max = options.max_characters;
    Value::Array(shared(results.into_iter().map(|result| shown(result, max)).collect(), max))
}

fn shown(result: TextSearchResult, max: usize) -> Value {
    let value = control_characters::clean_text(beginning(&result.value, max));
    let mut shown = json!({ "Value": value.replace(['\u{2028}', '\u{2029}'], "\n") });
    if let Some(fields) = shown.as_object_mut() {
        for (name, text) in [("Name", result.name), ("Link", result.link)] {
            let text = text.map(|text| one_line(beginning(&text, max)));
            let text = text.filter(|text| !text.is_empty());
            fields.extend(text.map(|text| (name.to_owned(), Value::String(text))));
        }
    }
    shown
}

/// One character more than there is room for, so that it is truncated visibly. The rest of a huge
/// text is not worth reading.
fn beginning(text: &str, max: usize) -> &str {
    let end = text.char_indices().nth(max.saturating_add(1)).map_or(text.len(), |(end, _)| end);
    text.split_at(end).0
}

/// Truncates the longest results, so that a huge one does not displace the others. Keeps the first
/// results if there are too many for the room.
fn shared(mut items: Vec<Value>, max: usize) -> Vec<Value> {
    let count = items.len();
    items.truncate(max / MIN_CHARACTERS);
    if items.len() < count {
        let omitted = count - items.len();
        tracing::debug!(omitted, "the prompt has no room for the last results");
    }
    let length = |item: &Value| item.to_string().chars().count();
    let mut shortest_first: Vec<(usize, &mut Value)> =
        items.iter_mut().map(|item| (length(item), item)).collect();
    shortest_first.sort_by_key(|(length, _)| *length);
    let mut room = max;
    let mut left = shortest_first.len();
    for (length, item) in shortest_first {
        let share = room / left.max(1);
        let used = if length <= share {
            length
        } else {
            let cut = budget::fit(item, share)
                .cut
                .as_mut()
                .and_then(|cut| cut.get_mut("result").map(Value::take));
            *item = cut.unwrap_or_default();
            share
        };
        room = room.saturating_sub(used);
        left -= 1;
    }
    items
}

fn with_prompts(results: &[ContextResult], options: &GroundingOptions) -> String {
    let mut text = String::new();
    let mut push_line = |line: &str| {
        if !line.trim().is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
        }
    };
    push_line(&options.context_prompt);
    for result in results {
        let json = serde_json::to_string(result).unwrap_or_default();
        push_line(&without_line_breaks(&json));
    }
    push_line(&options.citations_prompt);
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(results: Vec<TextSearchResult>, max: usize) -> (Vec<String>, Sources) {
        let mut sources = Sources::new();
        let mut options = GroundingOptions::new().with_max_characters(max);
        options.context_prompt = "".to_owned();
        options.citations_prompt = "".to_owned();
        let text = write(results, &options, &mut sources).unwrap_or_default();
        // What any reader may take for the end of a line.
        let is_end = |character: char| {
            character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
        };
        (text.split_terminator(is_end).map(str::to_owned).collect(), sources)
    }

    proptest! {
        #[test]
        fn each_result_is_one_line_within_the_limit(
            texts in proptest::collection::vec(("[\\PC\n\r\u{7}\u{85}\u{2028}\"\\\\<]{0,300}", "[\\PC\n\u{2029} ]{0,300}", "\\PC{0,20}"), 1..8),
            max in 200_usize..2_000,
        ) {
            let results: Vec<_> = texts
                .into_iter()
                .map(|(value, name, link)| TextSearchResult::new(value).with_name(name).with_link(link))
                .collect();
            let kept = results.len().min(max / MIN_CHARACTERS);
            let (lines, sources) = lines(results, max);
            prop_assert_eq!(lines.len(), kept);
            let written: usize = lines.iter().map(|line| line.chars().count()).sum();
            prop_assert!(written <= max, "{} {}", written, max);
            for line in &lines {
                let result: ContextResult = serde_json::from_str(line).unwrap();
                let number: usize = result.citation.trim_matches(['[', ']']).parse().unwrap();
                prop_assert!(sources.get(number).is_some());
            }
        }
    }

    #[test]
    fn short_results_leave_their_room_to_long_ones() {
        let long = TextSearchResult::new("word ".repeat(1_000));
        let (lines, _) = lines(vec![TextSearchResult::new("short"), long], 1_000);
        assert_eq!(lines[0], r#"{"Citation":"[1]","Value":"short"}"#);
        assert!((900..970).contains(&lines[1].len()), "{}", lines[1].len());
    }
}
