//! Converts graphs to bytes and back, as in `SNAPSHOT.md`. Bytes from a file are untrusted.

use std::collections::HashMap;

use textsearch_core::Result;

use super::{Index, build::HIGHEST, components::Components, measure::Measure};
use crate::{rows::Row, snapshot::Bytes, threads::Threads, vectors::ORDINARY};

/// The links of one record by level, as record numbers.
type Levels = Vec<Vec<u32>>;

impl Index {
    /// Serializes the links among `rows`, numbered by their position. Removes outdated rows first.
    ///
    /// # Errors
    ///
    /// Returns `Backend` if removing them panicked, or if the system cannot start the threads for
    /// it.
    pub(crate) fn to_bytes(
        &self,
        rows: &[Row],
        measure: &Measure<'_>,
        threads: &Threads,
    ) -> Result<Vec<u8>> {
        let mut graph = self.graph.clone();
        let (outdated, count) = self.outdated();
        if count > 0 {
            threads.build_here(|| self.builder(&mut graph, measure).remove(&outdated))?;
        }
        let positions: HashMap<Row, u32> = rows.iter().copied().zip(0..).collect();
        let mut bytes = Vec::new();
        for number in [self.parameters.connections, self.parameters.ef_construction] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.recall.to_le_bytes());
        // Count the rows removed here: they are not outdated in the file.
        let changed = if self.is_checked() { self.changed + count } else { graph.len() };
        for number in [changed, rows.len()] {
            bytes.extend((number as u64).to_le_bytes());
        }
        for row in rows {
            let levels = graph.level(*row).map_or(0, |level| level + 1);
            bytes.push(levels as u8);
            for level in 0..levels {
                let links = graph.links(*row, level).iter();
                let links: Vec<u32> =
                    links.filter_map(|link| positions.get(link).copied()).collect();
                bytes.extend((links.len() as u16).to_le_bytes());
                bytes.extend(links.into_iter().flat_map(u32::to_le_bytes));
            }
        }
        Ok(bytes)
    }

    /// Reads the start of a graph. Returns `None` if it does not fit this index and so many
    /// records.
    pub(crate) fn stored<'b>(&self, bytes: &'b [u8], records: usize) -> Option<StoredGraph<'b>> {
        let mut bytes = Bytes(bytes);
        let parameters = (bytes.u32().ok()?, bytes.u32().ok()?);
        let recall = f64::from_bits(bytes.u64().ok()?);
        let changed = bytes.u64().ok()?;
        let count = bytes.u64().ok()?;
        let expected = (self.parameters.connections, self.parameters.ef_construction);
        let fits = parameters == expected && count == records as u64;
        let changed = usize::try_from(changed).ok()?;
        (fits && (0.0..=1.0).contains(&recall)).then_some(StoredGraph {
            recall,
            changed,
            nodes: bytes,
        })
    }

    /// Copies this empty index and adds a graph of `rows`. Returns `None` if the graph is invalid
    /// for them.
    pub(crate) fn with_graph(
        &self,
        graph: StoredGraph<'_>,
        rows: &[Row],
        measure: &Measure<'_>,
    ) -> Option<Self> {
        let StoredGraph { recall, changed, nodes: mut bytes } = graph;
        let nodes = rows.iter().map(|_| read_levels(&mut bytes)).collect::<Option<Vec<_>>>()?;
        let mut index = Self { recall, ..self.clone() };
        for (row, levels) in rows.iter().zip(&nodes) {
            if let Some(highest) = levels.len().checked_sub(1) {
                index.graph.insert(*row, highest);
                index.learn(*row);
                // A row without a usable vector could not be found, and walks would end there.
                ORDINARY.contains(&measure.row(*row).norm).then_some(())?;
            }
        }
        for (row, levels) in rows.iter().zip(&nodes) {
            for (level, links) in levels.iter().enumerate() {
                let links = checked_links(links, level, rows, &nodes)?;
                if links.len() > index.graph.max_links(level) || links.contains(row) {
                    return None;
                }
                index.graph.set_links(*row, level, links.into_iter());
            }
        }
        index.changed = changed.min(index.len());
        index.measured = !index.has_changed();
        // A row that no link leads to would never be found.
        let is_whole = bytes.0.is_empty() && Components::new(&index.graph).others.is_empty();
        is_whole.then_some(index)
    }
}

fn read_levels(bytes: &mut Bytes<'_>) -> Option<Levels> {
    let [levels] = *bytes.take(1).ok()?.first_chunk()?;
    if usize::from(levels) > HIGHEST + 1 {
        return None;
    }
    let links = (0..levels).map(|_| {
        let count = u16::from_le_bytes(*bytes.take(2).ok()?.first_chunk()?);
        (0..count).map(|_| bytes.u32().ok()).collect::<Option<Vec<_>>>()
    });
    links.collect()
}

/// Returns `None` if a linked row is not on the level.
fn checked_links(links: &[u32], level: usize, rows: &[Row], nodes: &[Levels]) -> Option<Vec<Row>> {
    let row = |link: &u32| {
        let place = *link as usize;
        nodes.get(place).filter(|levels| levels.len() > level)?;
        rows.get(place).copied()
    };
    links.iter().map(row).collect()
}

pub(crate) struct StoredGraph<'a> {
    recall: f64,
    changed: usize,
    nodes: Bytes<'a>,
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::Distance;

    use super::*;
    use crate::hnsw::{
        indexed,
        tests::{Collection, topic},
    };

    fn reloaded(collection: &Collection, index: &Index) -> Option<Index> {
        let state = collection.cell.snapshot();
        let (_, _, measure) = indexed(&state).next().unwrap();
        let rows: Vec<Row> = state.rows_by_chunk().flatten().collect();
        let bytes = index.to_bytes(&rows, &measure, &collection.threads).unwrap();
        let empty = Index::new(index.parameters.clone());
        let stored = empty.stored(&bytes, rows.len()).unwrap();
        empty.with_graph(stored, &rows, &measure)
    }

    #[test]
    fn snapshot_keeps_the_number_of_changed_rows() {
        let collection = Collection::new(Distance::Euclidean);
        collection.store(topic(0, 1100));
        let mut index = Index::clone(&collection.index());
        for changed in [0, 549] {
            index.changed = changed;
            let back = reloaded(&collection, &index).unwrap();
            assert_eq!((back.changed, back.is_checked()), (changed, true));
        }
        index.changed = 550;
        assert!(!reloaded(&collection, &index).unwrap().is_checked());
        (index.changed, index.measured) = (0, false);
        assert!(!reloaded(&collection, &index).unwrap().is_checked());
    }

    #[test]
    fn rows_left_out_of_a_file_count_as_changed() {
        let collection = Collection::new(Distance::Euclidean);
        collection.store(topic(0, 1100));
        collection.delete(0..3);
        let back = reloaded(&collection, &collection.index()).unwrap();
        assert_eq!((back.len(), back.changed), (1097, 3));
    }

    #[test]
    fn disconnected_graph_is_refused() {
        let collection = Collection::new(Distance::Euclidean);
        collection.store(topic(0, 1100));
        let mut index = Index::clone(&collection.index());
        for pieces in [1, 2] {
            let length = 1100 / pieces;
            for row in 0..1100 {
                let next = row - row % length + (row + 1) % length;
                index.graph.set_links(Row(row), 0, [Row(next)].into_iter());
            }
            assert_eq!(reloaded(&collection, &index).is_some(), pieces == 1);
        }
    }
}
