//! The reader of JSON Lines.

use textsearch_documents::ingest::{
    IngestError, JsonLines, JsonLinesConfig, JsonRecord, SchemaInference,
};

/// Each record has an id and comes from a line of the file; errors name the file.
pub(crate) fn check(input: &[u8]) {
    let records = read(input);
    let lines = input.split(|byte| *byte == b'\n').count() as u64;
    let mut last = 0;
    let mut schema = SchemaInference::default();
    for record in records {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                assert!(error.to_string().starts_with("`fuzzed.jsonl`"), "{error}");
                continue;
            }
        };
        assert!(!record.id.is_empty(), "{record:?}");
        assert!(!record.has_text || !record.text.trim().is_empty(), "{record:?}");
        assert!(last < record.line && record.line <= lines, "{record:?}");
        last = record.line;
        assert!(!record.fields.contains_key("text"), "the text is kept once: {record:?}");
        // Too many fields are an error, never a panic.
        let _ = schema.observe(&record.fields);
    }
}

fn read(input: &[u8]) -> Vec<Result<JsonRecord, IngestError>> {
    let config = JsonLinesConfig::default();
    crate::scratch::with_file(input, |path| match JsonLines::open(path, "fuzzed.jsonl", &config) {
        Ok(lines) => lines.collect(),
        Err(error) => panic!("the file does not open: {error}"),
    })
}
