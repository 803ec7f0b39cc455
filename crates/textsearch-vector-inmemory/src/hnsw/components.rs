//! Finds which rows of a graph can be reached from each other by links of level 0: strongly
//! connected components, by [Tarjan 1972](https://doi.org/10.1137/0201010).

use super::{graph::Graph, positions::Positions};
use crate::rows::{Bitmap, Row};

pub(super) struct Components {
    /// A set for each chunk.
    largest: Vec<Bitmap>,
    /// One row of each other component.
    pub(super) others: Vec<Row>,
}

impl Components {
    pub(super) fn new(graph: &Graph) -> Self {
        let mut search = Search::new(graph);
        graph.rows().for_each(|row| search.go_from(row));
        search.into_components()
    }

    pub(super) fn has(&self, row: Row) -> bool {
        self.largest.get(row.chunk()).is_some_and(|rows| rows.contains(row.offset()))
    }

    pub(super) fn take_in(&mut self, row: Row) {
        if let Some(rows) = self.largest.get_mut(row.chunk()) {
            rows.insert(row.offset());
        }
    }
}

/// A row of a finished component.
const DONE: u32 = u32::MAX;

struct Search<'a> {
    graph: &'a Graph,
    positions: Positions,
    /// By row position: the row's number in the order of visits, 0 if not visited yet, or [`DONE`].
    numbers: Vec<u32>,
    /// The path from the first row of the search.
    way: Vec<Step>,
    /// Visited rows of no finished component.
    open: Vec<Row>,
    /// The rows of all components, one component after another.
    closed: Vec<Row>,
    /// The end of each component in `closed`.
    ends: Vec<usize>,
    count: u32,
}

struct Step {
    row: Row,
    /// How many of its links were followed.
    followed: u32,
    /// The lowest number that can be reached from it.
    lowest: u32,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        let positions = Positions::new(graph);
        Self {
            graph,
            numbers: vec![0; positions.count()],
            positions,
            way: Vec::new(),
            open: Vec::new(),
            closed: Vec::with_capacity(graph.len()),
            ends: Vec::new(),
            count: 0,
        }
    }

    fn go_from(&mut self, row: Row) {
        self.come_to(row);
        while let Some(step) = self.way.last_mut() {
            if let Some(link) = self.graph.links(step.row, 0).get(step.followed as usize) {
                step.followed += 1;
                let number = self.come_to(*link);
                self.lower(number);
            } else {
                self.leave();
            }
        }
    }

    fn come_to(&mut self, row: Row) -> u32 {
        let place = self.positions.of_row(row);
        let Some(number) = place.and_then(|place| self.numbers.get_mut(place)) else { return DONE };
        if *number == 0 {
            self.count += 1;
            *number = self.count;
            self.way.push(Step { row, followed: 0, lowest: self.count });
            self.open.push(row);
        }
        *number
    }

    fn lower(&mut self, number: u32) {
        if let Some(step) = self.way.last_mut() {
            step.lowest = step.lowest.min(number);
        }
    }

    fn leave(&mut self) {
        let Some(Step { row, lowest, .. }) = self.way.pop() else { return };
        self.lower(lowest);
        if lowest == self.come_to(row) {
            self.close(row);
        }
    }

    fn close(&mut self, first: Row) {
        while let Some(row) = self.open.pop() {
            let place = self.positions.of_row(row);
            if let Some(number) = place.and_then(|place| self.numbers.get_mut(place)) {
                *number = DONE;
            }
            self.closed.push(row);
            if row == first {
                break;
            }
        }
        self.ends.push(self.closed.len());
    }

    fn into_components(self) -> Components {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let components = starts.zip(&self.ends);
        let components =
            components.map(|(start, end)| self.closed.get(start..*end).unwrap_or_default());
        // Take the first of the largest, so that every run gives the same result.
        let largest = components
            .clone()
            .reduce(|best, component| if component.len() > best.len() { component } else { best });
        let largest = largest.unwrap_or_default();
        let others = components.filter(|component| component.first() != largest.first());
        let others = others.filter_map(|component| component.last().copied()).collect();
        let mut components =
            Components { largest: vec![Bitmap::default(); self.graph.chunks()], others };
        largest.iter().for_each(|row| components.take_in(*row));
        components
    }
}
