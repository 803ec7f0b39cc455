//! The writers' operations, the readers' queries, and the right answers.

use serde_json::json;
use textsearch_core::Filter;
use textsearch_core::vector::{
    DataField, Distance, RecordDefinition, RecordKey, ScanOptions, SearchInput, StoredRecord,
    VectorField, VectorSearchOptions,
};

use crate::support::{Stored, record};

pub(super) const WRITERS: u64 = 4;

/// Records of each writer.
const RECORDS: u64 = 60;

const DIMENSIONS: u64 = 16;
const GROUPS: u64 = 5;

/// Words of each text. Texts of different lengths would change each other's scores.
const WORDS: u64 = 5;

/// Every so many operations, a writer deletes a third of its records.
const DELETES_EVERY: u64 = 4;
const THIRDS: u64 = 3;

pub(super) fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text())
        .with_data(DataField::integer("writer").filterable())
        .with_data(DataField::integer("group").filterable())
        .with_vector(
            VectorField::new("embedding", DIMENSIONS as usize).with_distance(Distance::DotProduct),
        )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Writer(u64);

/// The content of a record follows from these fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Model {
    writer: Writer,
    index: u64,
    version: u64,
}

impl Writer {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..WRITERS).map(Self)
    }

    pub(super) fn place(self) -> usize {
        self.0 as usize
    }

    /// Number 0 writes the initial state.
    pub(super) async fn operate(self, number: u64, collection: &Stored) {
        if is_deletion(number) {
            let deleted = self.models(number - 1).filter(|model| !model.is_there_after(number));
            let keys: Vec<_> = deleted.map(|model| RecordKey::from(model.key())).collect();
            collection.delete(&keys).await.unwrap();
        } else {
            let records = self.models(number).map(|model| model.record()).collect();
            collection.upsert(records).await.unwrap();
        }
    }

    fn models(self, number: u64) -> impl Iterator<Item = Model> {
        let version = version_after(number);
        let models = (0..RECORDS).map(move |index| Model { writer: self, index, version });
        models.filter(move |model| model.is_there_after(number))
    }
}

fn is_deletion(number: u64) -> bool {
    number > 0 && number.is_multiple_of(DELETES_EVERY)
}

/// Returns the operation that wrote the records that exist after the operation `number`.
fn version_after(number: u64) -> u64 {
    number - u64::from(is_deletion(number))
}

impl Model {
    fn from_record(record: &StoredRecord) -> Self {
        let number = |field: &str| record.data[field].as_u64().unwrap();
        let model = Self {
            writer: Writer(number("writer")),
            index: number("index"),
            version: number("version"),
        };
        assert_eq!(record, &model.record(), "a record is mixed of several");
        model
    }

    fn is_there_after(&self, number: u64) -> bool {
        !is_deletion(number) || self.index % THIRDS != number / DELETES_EVERY % THIRDS
    }

    fn key(&self) -> String {
        format!("{}-{:03}", self.writer.0, self.index)
    }

    fn record(&self) -> StoredRecord {
        let data = json!({
            "writer": self.writer.0,
            "index": self.index,
            "version": self.version,
            "group": self.group(),
            "text": self.text(),
        });
        record(&self.key(), data).with_vector("embedding", self.vector())
    }

    /// Small whole numbers, so that sums of their products are exact in any order.
    fn vector(&self) -> Vec<f32> {
        (0..DIMENSIONS).map(|place| (self.noise(place) % 17) as f32 - 8.0).collect()
    }

    fn group(&self) -> u64 {
        self.noise(100) % GROUPS
    }

    /// How often the text contains the word that readers search for.
    fn frequency(&self) -> u64 {
        self.noise(101) % WORDS
    }

    fn text(&self) -> String {
        let words =
            (0..WORDS).map(|place| if place < self.frequency() { "wanted" } else { "other" });
        words.collect::<Vec<_>>().join(" ")
    }

    fn noise(&self, salt: u64) -> u64 {
        let mixed = [self.writer.0, self.index, self.version, salt].into_iter();
        mixed.fold(7, |seed, part| {
            fastrand::Rng::with_seed(seed ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15)).u64(..)
        })
    }
}

#[derive(Debug)]
pub(super) struct Query {
    kind: Kind,
    group: Option<u64>,
    writer: Option<u64>,
    top: usize,
}

#[derive(Debug)]
enum Kind {
    Nearest(Vec<f32>),
    /// The texts that contain a word most often.
    FullText,
    Scan,
}

/// The score is set if the model knows it.
#[derive(Debug)]
pub(super) struct Answered {
    record: StoredRecord,
    score: Option<f64>,
}

impl Query {
    pub(super) fn random(random: &mut fastrand::Rng) -> Self {
        let kind = match random.u8(0..3) {
            0 => Kind::Nearest((0..DIMENSIONS).map(|_| random.i8(-8..=8).into()).collect()),
            1 => Kind::FullText,
            _ => Kind::Scan,
        };
        Self {
            kind,
            group: random.bool().then(|| random.u64(0..GROUPS)),
            writer: random.bool().then(|| random.u64(0..WRITERS)),
            top: random.usize(1..80),
        }
    }

    pub(super) async fn ask(&self, collection: &Stored) -> Vec<Answered> {
        let options =
            VectorSearchOptions::top(self.top).with_filter(self.filter()).with_vectors(true);
        let results = match &self.kind {
            Kind::Nearest(vector) => {
                collection.search(&SearchInput::from(vector.clone()), &options).await
            }
            Kind::FullText => collection.full_text_search("wanted", &options).await,
            Kind::Scan => return self.scan(collection).await,
        };
        let results = results.unwrap().into_vec().await.unwrap().into_iter();
        let has_known_scores = matches!(self.kind, Kind::Nearest(_));
        let answered = results.map(|scored| Answered {
            record: scored.record,
            score: Some(scored.score).filter(|_| has_known_scores),
        });
        answered.collect()
    }

    async fn scan(&self, collection: &Stored) -> Vec<Answered> {
        let options =
            ScanOptions::default().with_filter(self.filter()).with_top(self.top).with_vectors(true);
        let records = collection.scan(&options).await.unwrap().into_vec().await.unwrap();
        records.into_iter().map(|record| Answered { record, score: None }).collect()
    }

    fn filter(&self) -> Filter {
        let group = self.group.map(|group| Filter::eq("group", group as i64));
        let writer = self.writer.map(|writer| Filter::eq("writer", writer as i64));
        Filter::all(group.into_iter().chain(writer))
    }

    /// Asserts that the answer fits one state in which each writer had done between `oldest` and
    /// `newest` operations.
    pub(super) fn check(&self, answer: &[Answered], oldest: &[u64], newest: &[u64]) {
        let models: Vec<Model> =
            answer.iter().map(|answered| Model::from_record(&answered.record)).collect();
        for (model, answered) in models.iter().zip(answer) {
            let merit = self.merit(model).map(|merit| merit as f64);
            assert!(
                answered.score.is_none() || answered.score == merit,
                "{answered:?} for {merit:?}"
            );
        }
        assert!(models.is_sorted_by_key(|model| self.rank(model)), "{self:?}: {models:?}");
        // Records missing from a full answer must rank behind its last record.
        let last = models.last().filter(|_| models.len() == self.top).map(|model| self.rank(model));
        for writer in Writer::all() {
            let own: Vec<_> = models.iter().filter(|model| model.writer == writer).collect();
            let oldest = oldest[writer.place()];
            let newest = newest[writer.place()];
            // The found records limit the operations to check.
            let may_be_right = |number: &u64| {
                own.first().is_none_or(|model| model.version == version_after(*number))
            };
            let is_right = |number| {
                let mut expected: Vec<_> = writer.models(number).collect();
                expected.retain(|model| self.merit(model).is_some());
                expected.retain(|model| last.as_ref().is_none_or(|last| self.rank(model) <= *last));
                expected.sort_by_cached_key(|model| self.rank(model));
                expected.iter().eq(own.iter().copied())
            };
            assert!(
                (oldest..=newest).filter(may_be_right).any(is_right),
                "{self:?}: {own:?} are not what {writer:?} wrote by any of {oldest} to {newest}"
            );
        }
    }

    /// Returns `None` if the record does not belong in the answer.
    fn merit(&self, model: &Model) -> Option<i64> {
        let fits = self.group.is_none_or(|group| group == model.group())
            && self.writer.is_none_or(|writer| writer == model.writer.0);
        let merit = match &self.kind {
            Kind::Nearest(query) => {
                let products = query.iter().zip(model.vector()).map(|(left, right)| left * right);
                Some(products.sum::<f32>() as i64)
            }
            Kind::FullText => Some(model.frequency() as i64).filter(|frequency| *frequency > 0),
            Kind::Scan => Some(0),
        };
        merit.filter(|_| fits)
    }

    /// Best first, then by key.
    fn rank(&self, model: &Model) -> (i64, String) {
        (-self.merit(model).unwrap_or(i64::MIN + 1), model.key())
    }
}
