//! Which rows of a graph can be reached from each other.

use super::graph::Graph;
use crate::{bitmap::Bitmap, chunk::CHUNK_ROWS, state::Row};

/// A graph by its *parts*: within one, every row can be reached from every other by links of level 0.
pub(super) struct Parts {
    /// The rows of the largest part, a set for each chunk.
    largest: Vec<Bitmap>,
    /// One row of each other part.
    pub(super) others: Vec<Row>,
}

impl Parts {
    /// Finds them as Tarjan does, in [1972](https://doi.org/10.1137/0201010): in one pass over all rows and their links.
    pub(super) fn of(graph: &Graph) -> Self {
        let mut search = Search::new(graph);
        graph.rows().for_each(|row| search.go_from(row));
        search.into_parts()
    }

    /// Whether a row is in the largest part.
    pub(super) fn has(&self, row: Row) -> bool {
        self.largest.get(row.chunk()).is_some_and(|rows| rows.contains(row.offset()))
    }

    /// Takes a row into the largest part.
    pub(super) fn take_in(&mut self, row: Row) {
        if let Some(rows) = self.largest.get_mut(row.chunk()) {
            rows.insert(row.offset());
        }
    }
}

/// The number of a row that belongs to a part, and leads to nothing new.
const DONE: u32 = u32::MAX;

struct Search<'a> {
    graph: &'a Graph,
    /// By row, the how many-th it was that the search came to; 0 for those to come, and [`DONE`] for those behind it.
    numbers: Vec<u32>,
    /// By row, the lowest number that can be reached from it.
    lowest: Vec<u32>,
    /// The rows on the way from where the search began, each with the number of its links that were followed.
    way: Vec<(Row, u32)>,
    /// Those that the search came to and that belong to no part yet.
    open: Vec<Row>,
    /// The rows of all parts, one part after another.
    closed: Vec<Row>,
    /// Where in `closed` each part ends.
    ends: Vec<usize>,
    count: u32,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        let rows = graph.chunks() * CHUNK_ROWS;
        Self {
            graph,
            numbers: vec![0; rows],
            lowest: vec![0; rows],
            way: Vec::new(),
            open: Vec::new(),
            closed: Vec::with_capacity(graph.len()),
            ends: Vec::new(),
            count: 0,
        }
    }

    fn go_from(&mut self, row: Row) {
        self.enter(row);
        while let Some((row, followed)) = self.way.last_mut() {
            let row = *row;
            if let Some(link) = self.graph.links(row, 0).get(*followed as usize).copied() {
                *followed += 1;
                self.enter(link);
                self.lower(row, number(&self.numbers, link));
            } else {
                self.leave(row);
            }
        }
    }

    /// Goes on from a row, if the search did not come to it before.
    fn enter(&mut self, row: Row) {
        let place = row.0 as usize;
        if let (Some(number @ 0), Some(lowest)) =
            (self.numbers.get_mut(place), self.lowest.get_mut(place))
        {
            self.count += 1;
            (*number, *lowest) = (self.count, self.count);
            self.way.push((row, 0));
            self.open.push(row);
        }
    }

    fn lower(&mut self, row: Row, number: u32) {
        if let Some(lowest) = self.lowest.get_mut(row.0 as usize) {
            *lowest = number.min(*lowest);
        }
    }

    /// Goes back from a row all of whose links were followed.
    fn leave(&mut self, row: Row) {
        self.way.pop();
        let lowest = number(&self.lowest, row);
        if let Some((before, _)) = self.way.last() {
            self.lower(*before, lowest);
        }
        if lowest == number(&self.numbers, row) {
            self.close(row);
        }
    }

    /// Makes a part of all open rows since this one.
    fn close(&mut self, first: Row) {
        while let Some(row) = self.open.pop() {
            if let Some(number) = self.numbers.get_mut(row.0 as usize) {
                *number = DONE;
            }
            self.closed.push(row);
            if row == first {
                break;
            }
        }
        self.ends.push(self.closed.len());
    }

    fn into_parts(self) -> Parts {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let parts = starts.zip(&self.ends);
        let parts = parts.map(|(start, end)| self.closed.get(start..*end).unwrap_or_default());
        // The first of the largest, so that it is the same in every run.
        let largest =
            parts.clone().reduce(|best, one| if one.len() > best.len() { one } else { best });
        let largest = largest.unwrap_or_default();
        let others = parts.filter(|part| part.first() != largest.first());
        let others = others.filter_map(|part| part.last().copied()).collect();
        let mut parts = Parts { largest: vec![Bitmap::default(); self.graph.chunks()], others };
        largest.iter().for_each(|row| parts.take_in(*row));
        parts
    }
}

fn number(numbers: &[u32], row: Row) -> u32 {
    numbers.get(row.0 as usize).copied().unwrap_or(DONE)
}
