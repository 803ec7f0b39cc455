//! A graph as bytes, and back, without trust in any of them. `docs/snapshot-format.md` describes them.

use std::collections::HashMap;

use textsearch_core::Result;

use super::{Index, build::HIGHEST, measure::Measure};
use crate::{distance::ORDINARY, state::Row, threads::Threads};

/// The links of one record, level by level, as numbers of records.
type Levels = Vec<Vec<u32>>;

impl Index {
    /// The links among `rows`, by their places among them. What is outdated is left out.
    ///
    /// # Errors
    ///
    /// `BackEnd` where the system refused the threads that mend what is outdated.
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
        let places: HashMap<Row, u32> = rows.iter().copied().zip(0..).collect();
        let mut bytes = Vec::new();
        for number in [self.parameters.connections, self.parameters.ef_construction] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.recall.to_le_bytes());
        bytes.extend((rows.len() as u64).to_le_bytes());
        for row in rows {
            let levels = graph.level(*row).map_or(0, |level| level + 1);
            bytes.push(levels as u8);
            for level in 0..levels {
                let links = graph.links(*row, level).iter();
                let links: Vec<u32> = links.filter_map(|link| places.get(link).copied()).collect();
                bytes.extend((links.len() as u16).to_le_bytes());
                bytes.extend(links.into_iter().flat_map(u32::to_le_bytes));
            }
        }
        Ok(bytes)
    }

    /// The graph in `bytes`, as far as it begins like one of this index and of that many records.
    pub(crate) fn stored<'b>(&self, bytes: &'b [u8], records: usize) -> Option<StoredGraph<'b>> {
        let mut bytes = Bytes(bytes);
        let parameters = (bytes.u32()?, bytes.u32()?);
        let recall = f64::from_le_bytes(bytes.array()?);
        let count = u64::from_le_bytes(bytes.array()?);
        let expected = (self.parameters.connections, self.parameters.ef_construction);
        let fits = parameters == expected && count == records as u64;
        (fits && (0.0..=1.0).contains(&recall)).then_some(StoredGraph { recall, nodes: bytes })
    }

    /// An index like this one, which is empty, with a graph of `rows`; `None` where it makes no sense for them.
    pub(crate) fn with_graph(
        &self,
        graph: StoredGraph<'_>,
        rows: &[Row],
        measure: &Measure<'_>,
    ) -> Option<Self> {
        let StoredGraph { recall, nodes: mut bytes } = graph;
        let nodes = rows.iter().map(|_| read_levels(&mut bytes)).collect::<Option<Vec<_>>>()?;
        let mut index = Self { recall, ..self.clone() };
        for (row, levels) in rows.iter().zip(&nodes) {
            if let Some(highest) = levels.len().checked_sub(1) {
                index.graph.insert(*row, highest);
                index.learn(*row);
                // One without a vector could not be found, and would be an end for walks.
                ORDINARY.contains(&measure.row(*row).norm).then_some(())?;
            }
        }
        for (row, levels) in rows.iter().zip(&nodes) {
            for (level, links) in levels.iter().enumerate() {
                let links = checked_links(links, level, rows, &nodes)?;
                if links.len() > index.graph.most_links(level) || links.contains(row) {
                    return None;
                }
                index.graph.set_links(*row, level, links.into_iter());
            }
        }
        index.is_measured = true;
        bytes.0.is_empty().then_some(index)
    }
}

fn read_levels(bytes: &mut Bytes<'_>) -> Option<Levels> {
    let [levels] = bytes.array()?;
    if usize::from(levels) > HIGHEST + 1 {
        return None;
    }
    let links = (0..levels).map(|_| {
        let count = u16::from_le_bytes(bytes.array()?);
        (0..count).map(|_| bytes.u32()).collect::<Option<Vec<_>>>()
    });
    links.collect()
}

/// The rows that are linked with on a level; `None` where one is not on it.
fn checked_links(links: &[u32], level: usize, rows: &[Row], nodes: &[Levels]) -> Option<Vec<Row>> {
    let row = |link: &u32| {
        let place = *link as usize;
        nodes.get(place).filter(|levels| levels.len() > level)?;
        rows.get(place).copied()
    };
    links.iter().map(row).collect()
}

/// A graph of which no more was read than how it begins.
pub(crate) struct StoredGraph<'a> {
    recall: f64,
    nodes: Bytes<'a>,
}

/// What is left of the bytes.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn array<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }
}
