//! Turns annotations of a text into citations.

use std::ops::Range;

use serde_json::Value;
use textsearch_core::chat::ModelCitation;

/// `start` is the text's place in the answer, in bytes. Annotations without a source are left out.
pub(super) fn citations(text: &str, start: usize, annotations: &[Value]) -> Vec<ModelCitation> {
    if annotations.is_empty() {
        return Vec::new();
    }
    // Annotations count characters.
    let starts = text.char_indices().map(|(place, _)| start + place);
    let places: Vec<usize> = starts.chain([start + text.len()]).collect();
    annotations.iter().filter_map(|annotation| citation(annotation, &places)).collect()
}

fn citation(annotation: &Value, places: &[usize]) -> Option<ModelCitation> {
    let text = |name: &str| annotation.get(name)?.as_str().filter(|text| !text.is_empty());
    let is_citation = text("type").is_some_and(|kind| kind.ends_with("_citation"));
    let source = text("url").or(text("file_id")).filter(|_| is_citation)?;
    let mut citation = ModelCitation::new(range(annotation, places), source);
    citation.title = text("title").or(text("filename")).map(str::to_owned);
    Some(citation)
}

/// Reduces a range that exceeds the text. A file's citation has a place and no end.
fn range(annotation: &Value, places: &[usize]) -> Range<usize> {
    let place = |name: &str| {
        let number = usize::try_from(annotation.get(name)?.as_u64()?).unwrap_or(usize::MAX);
        places.get(number).or(places.last()).copied()
    };
    let first = places.first().copied().unwrap_or_default();
    let start = place("start_index").or_else(|| place("index")).unwrap_or(first);
    start..place("end_index").unwrap_or(start).max(start)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ranges(text: &str, annotations: &[Value]) -> Vec<Range<usize>> {
        citations(text, 10, annotations).into_iter().map(|citation| citation.range).collect()
    }

    #[test]
    fn ranges_count_characters_and_never_exceed_the_text() {
        let cited = |start: Value, end: Value| json!({ "type": "url_citation", "url": "u", "start_index": start, "end_index": end });
        let annotations = [
            cited(json!(0), json!(2)),
            cited(json!(1), json!(99)),
            cited(json!(2), json!(1)),
            cited(json!(-1), json!("x")),
            cited(json!(u64::MAX), json!(null)),
        ];
        assert_eq!(ranges("ö東b", &annotations), [10..15, 12..16, 15..15, 10..10, 16..16]);
        assert_eq!(ranges("", &annotations), vec![10..10; 5]);
    }

    #[test]
    fn annotations_without_a_source_are_left_out() {
        let annotations = [
            json!({ "type": "file_path", "file_id": "file-1", "index": 1 }),
            json!({ "type": "url_citation", "title": "No link" }),
            json!(null),
        ];
        assert!(citations("text", 0, &annotations).is_empty());
    }
}
