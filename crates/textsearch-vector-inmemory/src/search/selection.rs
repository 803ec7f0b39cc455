//! Evaluates a filter before the search decides between walk and scan.

use std::sync::Arc;

use textsearch_core::Result;

use super::nearest::Scan;
use crate::{rows::Bitmap, state::Matcher, threads::Threads};

/// In compared vector elements.
const COST_OF_FILTER: usize = 16;

/// Evaluates the filter once, on several threads if there are many rows.
pub(super) async fn select(scan: &Arc<Scan>, threads: &Threads) -> Result<()> {
    let elements = scan.state.len().saturating_mul(COST_OF_FILTER);
    let length = scan.length();
    let part = Arc::clone(scan);
    let whole = Arc::clone(scan);
    let finish = move |parts: Vec<Result<Vec<(usize, Bitmap)>>>| {
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        let mut selected = vec![Bitmap::default(); length];
        for (number, rows) in parts.into_iter().flatten() {
            if let Some(place) = selected.get_mut(number) {
                *place = rows;
            }
        }
        whole.selected.get_or_init(|| selected);
        Ok(())
    };
    threads.run(elements, length, move |numbers| part.select(numbers), finish).await
}

impl Scan {
    fn select(&self, numbers: &mut dyn Iterator<Item = usize>) -> Result<Vec<(usize, Bitmap)>> {
        let matcher = Matcher::new(self.filter.as_ref(), self.state.schema())?;
        let mut selected = Vec::new();
        for number in numbers {
            let Some(chunk) = self.state.chunks().get(number) else { continue };
            let Some(block) = chunk.block(self.place)? else { continue };
            selected.push((number, self.rows(number, &matcher, chunk, block)?));
        }
        Ok(selected)
    }

    pub(super) fn selected(&self) -> &[Bitmap] {
        self.selected.get().map(Vec::as_slice).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use serde_json::{Map, json};
    use textsearch_core::{
        Filter,
        vector::{DataField, RecordDefinition, StoredRecord, VectorField, VectorSearchOptions},
    };

    use super::*;
    use crate::{
        schema::Schema,
        search::top::Ranking,
        state::{Outdated, State, prepare},
    };

    fn scan() -> Arc<Scan> {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::integer("number").filterable())
            .with_vector(VectorField::new("embedding", 2));
        let schema = Arc::new(Schema::new(Arc::new(definition.clone())));
        let record = |number: u32| {
            let data = [("id", json!(number.to_string())), ("number", json!(number))];
            let data = Map::from_iter(data.map(|(name, value)| (name.to_owned(), value)));
            let record = StoredRecord::new(data, &definition).unwrap();
            record.with_vector("embedding", vec![number as f32, 1.0])
        };
        let mut state = State::new(Arc::clone(&schema));
        let records = (0..10).map(record).collect();
        state.store(&prepare(records, &schema).unwrap(), &Outdated::default());
        let options = VectorSearchOptions::top(10).with_filter(Filter::lt("number", 3));
        let ranking = |higher_better| {
            Ok(Ranking { limit: 10, higher_better, threshold: None, counted: true })
        };
        let query = Arc::from([1.0, 1.0]);
        Arc::new(Scan::new(&Arc::new(state), vec![query], &options, ranking).unwrap())
    }

    fn selected_rows(scan: &Scan) -> Vec<u32> {
        let ranked = scan.part(&mut (0..scan.length())).unwrap();
        let mut rows: Vec<u32> = ranked[0].rows.iter().map(|scored| scored.row.0).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn scan_reuses_the_selected_rows() {
        let threads = Threads::new(NonZero::new(2).unwrap());
        let scan = scan();
        assert_eq!(selected_rows(&scan), [0, 1, 2]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(select(&scan, &threads)).unwrap();
        assert_eq!(scan.selected()[0].rows().collect::<Vec<_>>(), [0, 1, 2]);
        let mut others = Arc::into_inner(scan).unwrap();
        let mut fifth = Bitmap::default();
        fifth.insert(5);
        others.selected = vec![fifth].into();
        assert_eq!(selected_rows(&others), [5]);
    }
}
