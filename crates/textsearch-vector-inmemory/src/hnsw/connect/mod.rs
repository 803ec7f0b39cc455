//! Links rows that walks could not reach, or not leave: all rows that linked to them were removed,
//! or found nearer ones. All existing paths stay, so one pass is enough.

use rayon::prelude::*;

use super::{
    build::{Backlink, Builder, HIGHEST, PendingRow, ROUND},
    components::Components,
    positions::Positions,
    walk::{Goal, Neighbour, Walker},
};
use crate::rows::Row;

#[cfg(test)]
mod tests;

/// Bounds the search for a row with room.
const MAX_PASSED: usize = 64;

impl Builder<'_> {
    /// Makes every row reachable from every other on level 0. Makes one walk for each unreachable
    /// part and each row that is severed on a higher level.
    pub(super) fn connect(&mut self) {
        let components = Components::new(self.graph);
        let severed = self.unlinked_on_upper_levels();
        if !(components.others.is_empty() && severed.is_empty()) {
            self.begin_within(&components);
            self.connect_others(components);
            self.link_above(&severed);
        }
        self.graph.begin_at_highest();
    }

    fn connect_others(&mut self, mut components: Components) {
        let others = std::mem::take(&mut components.others);
        for rows in others.chunks(ROUND) {
            self.connect_round(rows, &mut components);
        }
    }

    fn begin_within(&mut self, components: &Components) {
        let highest_link = |row: Row| {
            let mut levels = (1..=self.graph.level(row)?).rev();
            levels.find(|level| !self.graph.links(row, *level).is_empty())
        };
        let rows = self.graph.rows().filter(|row| components.has(*row));
        let highest = rows.map(|row| (highest_link(row), row));
        let highest = highest.reduce(|best, entry| if entry.0 > best.0 { entry } else { best });
        if let Some((_, row)) = highest {
            self.graph.begin_at(row);
        }
    }

    /// Each connected row may become the path to the next.
    fn connect_round(&mut self, rows: &[Row], components: &mut Components) {
        let this = &*self;
        let largest = &*components;
        let positions = Positions::new(self.graph);
        let nearest: Vec<Vec<Row>> = rows
            .par_iter()
            .map_init(
                || Walker::new(this.graph, this.measure, &positions),
                |walker, row| this.near_in(largest, *row, walker),
            )
            .collect();
        let mut connected = Vec::new();
        for (row, mut near) in rows.iter().zip(nearest) {
            near.extend(&connected);
            let near = self.measured(&self.measure.row_target(*row), &near);
            // A row that can't be connected is tried again when the graph changes.
            if self.link_out(*row, &near, components) && self.link_in(*row, &near) {
                components.take_in(*row);
                connected.push(*row);
            }
        }
    }

    fn near_in(&self, components: &Components, row: Row, walker: &mut Walker<'_>) -> Vec<Row> {
        let target = self.measure.row_target(row);
        let goal = Goal {
            target: &target,
            level: 0,
            candidates: self.candidates,
            max_compared: usize::MAX,
            allows: |row| components.has(row),
        };
        let near = walker.descend(&target, 0);
        let entry = self.graph.entry().map(|(row, _)| Neighbour { cost: f32::INFINITY, row });
        let starts = [near, entry.into_iter().collect()];
        let mut walks = starts.iter().map(|from| walker.nearest(from, &goal));
        let nearest = walks.find_map(|walk| walk.filter(|nearest| !nearest.is_empty()));
        nearest.unwrap_or_default().into_iter().map(|neighbour| neighbour.row).collect()
    }

    /// Returns whether the row now has a link into the largest part.
    fn link_out(&mut self, row: Row, near: &[Neighbour], components: &Components) -> bool {
        let old = self.graph.links(row, 0);
        if old.iter().any(|link| components.has(*link)) {
            return true;
        }
        // Keep the rest of the room for links back.
        let room = self.connections.saturating_sub(old.len());
        if room == 0 {
            return self.link_with_first(near.iter().map(|near| (row, near.row)));
        }
        let selected = self.spread(near.to_vec(), self.connections);
        let new = selected.into_iter().take(room).map(|new| new.row);
        let links: Vec<Row> = old.iter().copied().chain(new).collect();
        self.graph.set_links(row, 0, links.into_iter());
        !near.is_empty()
    }

    /// Prefers near rows with room. Returns whether one is linked.
    fn link_in(&mut self, row: Row, near: &[Neighbour]) -> bool {
        let max = self.graph.max_links(0);
        let has_room = |near: &&Neighbour| self.graph.links(near.row, 0).len() < max;
        let (nearest, others) = near.split_at(self.connections.min(near.len()));
        let roomy = nearest.iter().filter(has_room).take((self.connections / 4).max(1));
        let mut from: Vec<Row> = roomy.map(|near| near.row).collect();
        if from.is_empty() {
            from.extend(others.iter().find(has_room).map(|near| near.row));
        }
        if from.is_empty() {
            return self.link_with_first(near.iter().map(|near| (near.row, row)));
        }
        for from in from {
            self.link(from, row);
        }
        true
    }

    fn link_with_first(&mut self, pairs: impl Iterator<Item = (Row, Row)>) -> bool {
        pairs.take(self.connections).any(|(from, to)| self.link(from, to))
    }

    /// If `from` has no room, `to` takes over its last link, so all rows stay reachable. Returns
    /// `false` and changes nothing if no row with room is found.
    fn link(&mut self, from: Row, to: Row) -> bool {
        let Some(changed) = self.changed_by(from, to) else { return false };
        for (row, links) in changed {
            self.graph.set_links(row, 0, links.into_iter());
        }
        true
    }

    fn changed_by(&self, mut from: Row, mut to: Row) -> Option<Vec<(Row, Vec<Row>)>> {
        let max = self.graph.max_links(0);
        let mut changed: Vec<(Row, Vec<Row>)> = Vec::new();
        while changed.len() < MAX_PASSED {
            let before = changed.iter().rfind(|(row, _)| *row == from);
            let before = before.map_or(self.graph.links(from, 0), |(_, links)| links);
            if before.contains(&to) || from == to {
                return Some(changed);
            }
            let mut links = before.to_vec();
            let passed_on = if links.len() < max { None } else { links.pop() };
            links.push(to);
            changed.push((from, links));
            let Some(passed_on) = passed_on else { return Some(changed) };
            (from, to) = (to, passed_on);
        }
        None
    }

    /// Returns the rows without a link on some level above 0 that they share with others.
    fn unlinked_on_upper_levels(&self) -> Vec<PendingRow> {
        let rows = self.graph.rows().filter_map(|row| Some((row, self.graph.level(row)?)));
        let rows: Vec<_> = rows.filter(|(_, level)| *level > 0).collect();
        let are_more =
            |level| rows.iter().filter(|(_, highest)| *highest >= level).nth(1).is_some();
        let shared = (1..=HIGHEST).take_while(|level| are_more(*level)).last().unwrap_or_default();
        let is_severed = |row, level| self.graph.links(row, level).is_empty();
        let severed = rows.into_iter().filter(|(row, highest)| {
            (1..=shared.min(*highest)).any(|level| is_severed(*row, level))
        });
        severed.map(|(row, level)| PendingRow { row, level }).collect()
    }

    fn link_above(&mut self, severed: &[PendingRow]) {
        let this = &*self;
        let positions = Positions::new(self.graph);
        let mut backlinks = Vec::new();
        let selected: Vec<Vec<Vec<Neighbour>>> = severed
            .par_iter()
            .map_init(
                || Walker::new(this.graph, this.measure, &positions),
                |walker, pending| this.choose(*pending, 1, &[], walker),
            )
            .collect();
        for (PendingRow { row, .. }, levels) in severed.iter().zip(selected) {
            for (level, links) in (1..).zip(levels) {
                if self.graph.links(*row, level).is_empty() {
                    self.graph.set_links(*row, level, links.iter().map(|link| link.row));
                    let from = |cost| Neighbour { cost, row: *row };
                    backlinks.extend(links.iter().map(|link| Backlink {
                        level,
                        to: link.row,
                        from: from(link.cost),
                    }));
                }
            }
        }
        self.link_back(backlinks);
    }
}
