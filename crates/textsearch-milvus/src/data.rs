//! A record's data as JSON, in one column or, if it is long, in pieces.

use serde_json::{Map, Value};

use crate::columns::{LONGEST_TEXT, MAX_ELEMENTS};

/// The most bytes of a JSON value.
const LONGEST_JSON: usize = 65_536;

pub(crate) struct DataText {
    pub(crate) json: String,
    pub(crate) pieces: Vec<String>,
}

impl DataText {
    /// Returns `None` if the data is too long even for pieces.
    pub(crate) fn new(data: &Map<String, Value>) -> Option<Self> {
        // A map of strings and values always serialises.
        let json = serde_json::to_string(data).unwrap_or_default();
        if json.len() <= LONGEST_JSON {
            return Some(Self { json, pieces: Vec::new() });
        }
        let pieces = pieces(&json);
        (pieces.len() <= MAX_ELEMENTS).then_some(Self { json: "{}".to_owned(), pieces })
    }

    pub(crate) fn len(&self) -> usize {
        self.json.len() + self.pieces.iter().map(String::len).sum::<usize>()
    }
}

/// Cuts between characters.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len().min(LONGEST_TEXT);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at(end);
        pieces.push(piece.to_owned());
        rest = after;
    }
    pieces
}

/// Reads data back.
pub(crate) fn read(json: &[u8], pieces: &[String]) -> serde_json::Result<Map<String, Value>> {
    if pieces.is_empty() {
        serde_json::from_slice(json)
    } else {
        serde_json::from_str(&pieces.concat())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_data_read_back_from_pieces() {
        for text in ["short".to_owned(), "é".repeat(100_000), "a🦀".repeat(40_000)] {
            let data = json!({ "text": text, "one": 1.0 }).as_object().cloned().unwrap();
            let written = DataText::new(&data).unwrap();
            assert_eq!(written.pieces.is_empty(), text.len() < 60_000);
            assert!(written.pieces.iter().all(|piece| piece.len() <= LONGEST_TEXT));
            assert_eq!(read(written.json.as_bytes(), &written.pieces).unwrap(), data);
        }
    }
}
