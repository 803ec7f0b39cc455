//! Terms as the table stores them.

use textsearch_core::text_analysis::SparseTerms;

/// Terms by number, which is signed in Postgres.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct StoredTerms {
    /// Ascending, so that the server can search in them.
    pub(crate) numbers: Vec<i32>,
    pub(crate) weights: Vec<f32>,
}

pub(crate) fn stored(terms: SparseTerms) -> StoredTerms {
    // Turns the order of unsigned numbers into that of signed ones.
    let signed = |number: u32| (number ^ (1 << 31)) as i32;
    StoredTerms { numbers: terms.numbers.into_iter().map(signed).collect(), weights: terms.weights }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::{
        text_analysis::SparseFields,
        vector::{DataField, RecordDefinition},
    };

    use super::*;

    #[test]
    fn stored_terms_ascend() {
        let definition =
            RecordDefinition::new("id").with_data(DataField::string("text").full_text());
        let data = json!({ "text": "one two three four five six seven eight nine ten" });
        let fields = SparseFields::new(&definition);
        let terms = stored(fields.writer().document(data.as_object().unwrap()));
        assert_eq!((terms.numbers.len(), terms.weights.len()), (10, 10));
        assert!(terms.numbers.is_sorted() && terms.numbers[0] < 0 && terms.numbers[9] > 0);
    }
}
