//! Search results before conversion to texts or results.

use std::{borrow::Cow, sync::Arc};

use serde::{Serialize, Serializer};
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    filter::DateTime,
    results::{AnyRecord, Metadata},
};

use crate::search::ShownMetadata;

/// The records that a search found.
///
/// Converted to texts or results only on demand. A record that the search keeps is shared, not
/// copied.
///
/// ```
/// use textsearch_kernel::{function::SearchRecords, textsearch_core::TextSearchResult};
///
/// let results = SearchRecords::from(vec![TextSearchResult::new("A text.").with_name("Page")]);
/// assert_eq!(results.texts().collect::<Vec<_>>(), ["A text."]);
/// assert_eq!(results.into_results()[0].name.as_deref(), Some("Page"));
/// ```
#[derive(Debug, Clone)]
pub struct SearchRecords {
    records: Vec<AnyRecord>,
    source: Option<Arc<str>>,
    shown: Option<Arc<ShownMetadata>>,
}

impl SearchRecords {
    pub(crate) fn new(
        records: Vec<AnyRecord>,
        source: Arc<str>,
        shown: Arc<ShownMetadata>,
    ) -> Self {
        Self { records, source: Some(source), shown: Some(shown) }
    }

    /// Returns the records, best first.
    pub fn records(&self) -> &[AnyRecord] {
        &self.records
    }

    /// Keeps only the records that `keep` accepts.
    pub fn retain(&mut self, keep: impl FnMut(&AnyRecord) -> bool) {
        self.records.retain(keep);
    }

    /// Returns the text of each record.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = Cow<'_, str>> {
        self.records.iter().map(AnyRecord::text)
    }

    pub(super) fn into_texts(self) -> Vec<String> {
        self.records.into_iter().map(AnyRecord::into_text).collect()
    }

    /// Converts the records into results. Moves unshared records instead of copying them.
    pub fn into_results(self) -> Vec<TextSearchResult> {
        let Self { records, source, shown } = self;
        let result = |record: AnyRecord| {
            let mut result = record.into_result();
            result.source = result.source.or_else(|| source.as_deref().map(str::to_owned));
            if let Some(shown) = &shown {
                result.metadata.retain(|name, _| shown.shows(name));
            }
            result
        };
        records.into_iter().map(result).collect()
    }

    pub(super) fn joined(&self) -> String {
        // Reading a text may create it: read each once.
        self.texts().collect::<Vec<_>>().join("\n")
    }

    pub(super) fn serialize_texts<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.texts())
    }

    pub(super) fn serialize_results<S: Serializer>(
        &self,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let source = self.source.as_deref();
        let shown = self.shown.as_deref();
        serializer.collect_seq(self.records.iter().map(|record| Written { record, source, shown }))
    }
}

/// Adds no source: each result keeps its own, if any.
impl From<Vec<TextSearchResult>> for SearchRecords {
    fn from(results: Vec<TextSearchResult>) -> Self {
        Self {
            records: results.into_iter().map(AnyRecord::new).collect(),
            source: None,
            shown: None,
        }
    }
}

struct Written<'a> {
    record: &'a AnyRecord,
    source: Option<&'a str>,
    shown: Option<&'a ShownMetadata>,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.record.downcast_ref() {
            Some(result) => self.sorted(result).serialize(serializer),
            None => self.sorted(&self.record.to_result()).serialize(serializer),
        }
    }
}

/// The fields in the order of a `serde_json` object: a prompt must not change when a filter
/// converts the results to JSON.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Sorted<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: &'a Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: &'a Option<String>,
    #[serde(skip_serializing_if = "is_empty")]
    metadata: Cow<'a, Metadata>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: &'a Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: &'a Option<DateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: &'a Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    value: &'a str,
}

fn is_empty(metadata: &Metadata) -> bool {
    metadata.is_empty()
}

impl<'a> Written<'a> {
    fn sorted(&self, result: &'a TextSearchResult) -> Sorted<'a> {
        let TextSearchResult { name, value, link, score, published, source, id, metadata, .. } =
            result;
        let source = source.as_deref().or(self.source);
        let metadata = self.shown_metadata(metadata);
        Sorted { id, link, metadata, name, published, score, source, value }
    }

    fn shown_metadata(&self, metadata: &'a Metadata) -> Cow<'a, Metadata> {
        let Some(shown) = self.shown else { return Cow::Borrowed(metadata) };
        if metadata.keys().all(|name| shown.shows(name)) {
            return Cow::Borrowed(metadata);
        }
        let kept = metadata.iter().filter(|(name, _)| shown.shows(name));
        Cow::Owned(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use schemars::JsonSchema;

    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct Counted {
        #[serde(skip)]
        read: Arc<AtomicUsize>,
    }

    impl TextSearchRecord for Counted {
        fn text(&self) -> Cow<'_, str> {
            let read = self.read.fetch_add(1, Ordering::Relaxed);
            Cow::Owned(format!("text {read}"))
        }

        fn to_result(&self) -> TextSearchResult {
            TextSearchResult::new(self.text())
        }
    }

    #[test]
    fn joining_reads_each_text_once() {
        let read = Arc::new(AtomicUsize::new(0));
        let counted = || AnyRecord::new(Counted { read: Arc::clone(&read) });
        let records =
            SearchRecords::new(vec![counted(), counted()], Arc::from("shelf"), Arc::default());
        assert_eq!(records.joined(), "text 0\ntext 1");
        assert_eq!(read.load(Ordering::Relaxed), 2);
    }
}
