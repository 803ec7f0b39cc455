//! Splits actions into batches that fit into one request.

use std::ops::Range;

/// The beginning and the end of a body, and one comma per action.
const FRAME: usize = r#"{"value":[]}"#.len();

/// Splits actions of these sizes, in order. An action beyond the limit is alone in its batch.
pub(crate) fn batches(
    sizes: impl IntoIterator<Item = usize>,
    most_actions: usize,
    most_bytes: usize,
) -> Vec<Range<usize>> {
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (place, size) in sizes.into_iter().enumerate() {
        match batches.last_mut() {
            Some(last) if last.len() < most_actions && bytes + size < most_bytes => {
                last.end = place + 1;
                bytes += size + 1;
            }
            _ => {
                batches.push(place..place + 1);
                bytes = FRAME + size;
            }
        }
    }
    batches
}

pub(crate) fn body(actions: &[String]) -> String {
    format!(r#"{{"value":[{}]}}"#, actions.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_end_at_the_number_of_actions() {
        assert_eq!(batches([1; 5], 2, 1_000), [0..2, 2..4, 4..5]);
        assert!(batches([], 2, 1_000).is_empty());
    }

    #[test]
    fn batches_end_at_the_number_of_bytes() {
        let actions = ["{\"a\":1}".to_owned(), "{\"b\":2}".to_owned(), "{}".to_owned()];
        let whole = body(&actions[..2]).len();
        let sizes = || actions.iter().map(String::len);
        assert_eq!(batches(sizes(), 9, whole), [0..2, 2..3]);
        assert_eq!(batches(sizes(), 9, whole - 1), [0..1, 1..3]);
        assert_eq!(batches([50, 1], 9, 10), [0..1, 1..2]);
    }
}
