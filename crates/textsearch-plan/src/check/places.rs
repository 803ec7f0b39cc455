//! The positions of steps by identifier.

use std::collections::HashMap;

use crate::Plan;

pub(super) struct Places<'p>(HashMap<&'p str, usize>);

impl<'p> Places<'p> {
    /// Of two steps with one identifier, the first counts.
    pub(super) fn of(plan: &'p Plan) -> Self {
        let mut places = HashMap::with_capacity(plan.steps.len());
        for (place, step) in plan.steps.iter().enumerate() {
            places.entry(step.id.as_str()).or_insert(place);
        }
        Self(places)
    }

    pub(super) fn get(&self, id: &str) -> Option<usize> {
        self.0.get(id).copied()
    }

    pub(super) fn ids(&self) -> Vec<&'p str> {
        let mut ids: Vec<(&usize, &&str)> = self.0.iter().map(|(id, place)| (place, id)).collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| *id).collect()
    }
}
