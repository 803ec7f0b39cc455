//! The links of a graph, level by level.

use std::{collections::HashMap, sync::Arc};

use crate::{
    rows::{Bitmap, CHUNK_ROWS, Row},
    simd::prefetch,
};

/// A row is on level 0 and on every level up to its own; higher levels have fewer rows. Clones
/// share unchanged blocks.
#[derive(Clone)]
pub(super) struct Graph {
    /// Maximum links of a row on a level above 0. Level 0 has twice as many.
    connections: usize,
    blocks: Vec<Arc<Block>>,
    entry: Option<Row>,
    nodes: usize,
}

/// The links of a chunk's rows, at least up to the last row in the graph.
#[derive(Clone, Default)]
struct Block {
    nodes: Bitmap,
    counts: Vec<u16>,
    /// On level 0, with room for the maximum for each row.
    links: Vec<Row>,
    /// On the other levels, by the row's offset in the chunk.
    upper: HashMap<u16, Vec<Vec<Row>>>,
}

impl Graph {
    pub(super) fn new(connections: usize) -> Self {
        Self { connections, blocks: Vec::new(), entry: None, nodes: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes
    }

    pub(super) fn max_links(&self, level: usize) -> usize {
        if level == 0 { 2 * self.connections } else { self.connections }
    }

    pub(super) fn entry(&self) -> Option<(Row, usize)> {
        let entry = self.entry?;
        Some((entry, self.level(entry)?))
    }

    pub(super) fn nodes(&self, chunk: usize) -> Bitmap {
        self.blocks.get(chunk).map(|block| block.nodes).unwrap_or_default()
    }

    pub(super) fn chunks(&self) -> usize {
        self.blocks.len()
    }

    /// Rows that a chunk has memory for, at least up to its last row in the graph.
    pub(super) fn reach(&self, chunk: usize) -> usize {
        self.blocks.get(chunk).map_or(0, |block| block.counts.len())
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row> {
        let blocks = self.blocks.iter().enumerate();
        blocks.flat_map(|(chunk, block)| {
            block.nodes.rows().map(move |offset| Row::new(chunk, offset.into()))
        })
    }

    /// Returns `None` if the row is not in the graph.
    pub(super) fn level(&self, row: Row) -> Option<usize> {
        let block = self.blocks.get(row.chunk()).filter(|block| block.nodes.contains(row.offset()));
        Some(block?.upper.get(&(row.offset() as u16)).map_or(0, Vec::len))
    }

    #[inline]
    pub(super) fn links(&self, row: Row, level: usize) -> &[Row] {
        let Some(block) = self.blocks.get(row.chunk()) else { return &[] };
        let Some(level) = level.checked_sub(1) else {
            let first = row.offset() * 2 * self.connections;
            let count = block.counts.get(row.offset()).copied().unwrap_or_default();
            return block.links.get(first..first + usize::from(count)).unwrap_or_default();
        };
        let upper = block.upper.get(&(row.offset() as u16)).and_then(|levels| levels.get(level));
        upper.map_or(&[], Vec::as_slice)
    }

    /// Loads the links of level 0 into the processor's cache.
    #[inline]
    pub(super) fn prefetch(&self, row: Row) {
        let Some(block) = self.blocks.get(row.chunk()) else { return };
        let max = 2 * self.connections;
        let first = row.offset() * max;
        prefetch(block.links.get(first..first + max).unwrap_or_default());
        prefetch(block.counts.get(row.offset()..=row.offset()).unwrap_or_default());
    }

    /// Adds a row without links on all levels up to `level`.
    pub(super) fn insert(&mut self, row: Row, level: usize) {
        let blocks = self.blocks.len().max(row.chunk() + 1);
        self.blocks.resize_with(blocks, Arc::default);
        let offset = row.offset();
        let max = self.max_links(0);
        if let Some(block) = self.blocks.get_mut(row.chunk()).map(Arc::make_mut) {
            self.nodes += usize::from(!block.nodes.contains(offset));
            block.nodes.insert(offset);
            block.make_room(offset, max);
            if level > 0 {
                block.upper.insert(offset as u16, vec![Vec::new(); level]);
            }
        }
        if self.entry().is_none_or(|(_, highest)| level > highest) {
            self.entry = Some(row);
        }
    }

    pub(super) fn set_links(&mut self, row: Row, level: usize, links: impl Iterator<Item = Row>) {
        let max = self.max_links(level);
        let Some(block) = self.blocks.get_mut(row.chunk()).map(Arc::make_mut) else { return };
        let Some(level) = level.checked_sub(1) else {
            let places = block.links.iter_mut().skip(row.offset() * max).take(max);
            let count = places.zip(links).map(|(place, link)| *place = link).count();
            if let Some(place) = block.counts.get_mut(row.offset()) {
                *place = count as u16;
            }
            return;
        };
        let levels = block.upper.get_mut(&(row.offset() as u16));
        if let Some(place) = levels.and_then(|levels| levels.get_mut(level)) {
            *place = links.take(max).collect();
        }
    }

    /// Links to the removed rows stay; the caller must replace them.
    pub(super) fn remove(&mut self, rows: impl Iterator<Item = Row>) {
        for row in rows {
            let Some(block) = self.blocks.get_mut(row.chunk()).map(Arc::make_mut) else { continue };
            self.nodes -= usize::from(block.nodes.contains(row.offset()));
            block.nodes.remove(row.offset());
            block.upper.remove(&(row.offset() as u16));
            if let Some(count) = block.counts.get_mut(row.offset()) {
                *count = 0;
            }
            if block.nodes.is_empty() {
                *block = Block::default();
            }
        }
        if self.entry().is_none() {
            self.begin_at_highest();
        }
    }

    pub(super) fn begin_at(&mut self, row: Row) {
        self.entry = Some(row);
    }

    /// Takes the first row of the highest level, so that every run gives the same graph.
    pub(super) fn begin_at_highest(&mut self) {
        let rows = self.rows().filter_map(|row| Some((self.level(row)?, row)));
        let highest = rows.reduce(|best, entry| if entry.0 > best.0 { entry } else { best });
        self.entry = highest.map(|(_, row)| row);
    }
}

impl Block {
    fn make_room(&mut self, offset: usize, max: usize) {
        if self.counts.len() <= offset {
            // Doubling keeps small chunks small, and avoids a copy for each row.
            let rows = (offset + 1).next_power_of_two().min(CHUNK_ROWS);
            self.counts.resize(rows, 0);
            self.links.resize(rows * max, Row(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 1024;

    fn room(graph: &Graph, chunk: usize) -> usize {
        graph.blocks[chunk].links.capacity()
    }

    #[test]
    fn chunk_allocates_for_its_rows() {
        let mut graph = Graph::new(MAX / 2);
        for chunk in 0..3 {
            graph.insert(Row::new(chunk, 0), 0);
            assert_eq!(room(&graph, chunk), MAX);
        }
        graph.insert(Row::new(1, 4), 0);
        assert_eq!(room(&graph, 1), 8 * MAX);
        graph.insert(Row::new(1, 2), 0);
        assert_eq!(room(&graph, 1), 8 * MAX);
        graph.insert(Row::new(1, CHUNK_ROWS - 1), 0);
        assert_eq!(room(&graph, 1), CHUNK_ROWS * MAX);
    }

    #[test]
    fn links_survive_the_growth_of_their_chunk() {
        let mut graph = Graph::new(2);
        let rows: Vec<_> = [0, 1, 7, 900].map(|offset| Row::new(0, offset)).into();
        for row in &rows {
            graph.insert(*row, 0);
            graph.set_links(*row, 0, rows.iter().copied().filter(|link| link != row));
        }
        for row in &rows {
            let others: Vec<_> = rows.iter().copied().filter(|link| link != row).collect();
            assert_eq!(graph.links(*row, 0), others);
        }
        assert!(graph.links(Row::new(0, 899), 0).is_empty());
        assert!(graph.links(Row::new(0, 1023), 0).is_empty());
    }

    #[test]
    fn empty_chunk_frees_its_memory_and_can_be_refilled() {
        let mut graph = Graph::new(MAX / 2);
        let rows = [Row::new(0, 3), Row::new(1, 9)];
        graph.insert(rows[0], 0);
        graph.insert(rows[1], 2);
        graph.remove([rows[1]].into_iter());
        assert_eq!((graph.len(), room(&graph, 1)), (1, 0));
        assert_eq!(graph.entry(), Some((rows[0], 0)));
        graph.insert(rows[1], 1);
        graph.set_links(rows[1], 0, [rows[0]].into_iter());
        assert_eq!(graph.links(rows[1], 0), [rows[0]]);
        assert_eq!(graph.entry(), Some((rows[1], 1)));
    }
}
