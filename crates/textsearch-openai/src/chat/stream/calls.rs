//! Assembles streamed calls from their fragments.

use std::collections::HashMap;

use textsearch_core::chat::{ToolCall, ToolDefinition};

use crate::chat::tools::{PartialCall, WireCall};

/// Indexed by the identifying fields of fragments: comparing each fragment with each call would
/// take quadratic time.
#[derive(Default)]
pub(super) struct Calls {
    slots: Vec<Slot>,
    // The last call for each index, each identifier, and each pair of both.
    by_index: HashMap<usize, usize>,
    by_id: HashMap<String, usize>,
    by_both: HashMap<(usize, String), usize>,
}

struct Slot {
    index: Option<usize>,
    call: PartialCall,
}

impl Calls {
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Fragments of several calls may alternate. Some servers send no index, some the same index
    /// for every call.
    pub(super) fn push(&mut self, fragment: WireCall) {
        let index = fragment.index;
        let position = self.find(index, fragment.id.as_deref().filter(|id| !id.is_empty()));
        match position.and_then(|position| Some((position, self.slots.get_mut(position)?))) {
            Some((position, slot)) => {
                let had_id = !slot.call.id.is_empty();
                slot.call.push(fragment);
                if !had_id {
                    self.name(position);
                }
            }
            None => {
                let position = self.slots.len();
                self.slots.push(Slot { index, call: PartialCall::new(fragment) });
                if let Some(index) = index {
                    self.by_index.insert(index, position);
                    self.by_both.insert((index, String::new()), position);
                }
                self.name(position);
            }
        }
    }

    fn find(&self, index: Option<usize>, id: Option<&str>) -> Option<usize> {
        match (index, id) {
            (Some(index), None) => self.by_index.get(&index).copied(),
            (Some(index), Some(id)) => {
                // The fragment may belong to a call whose identifier hasn't arrived yet.
                let position = |id: &str| self.by_both.get(&(index, id.to_owned())).copied();
                position(id).max(position(""))
            }
            (None, Some(id)) => self.by_id.get(id).copied(),
            (None, None) => self.slots.len().checked_sub(1),
        }
    }

    /// Indexes the call's identifier, if it has arrived.
    fn name(&mut self, position: usize) {
        let Some(Slot { index, call }) = self.slots.get(position) else { return };
        if call.id.is_empty() {
            return;
        }
        let keep_last = |known: &mut usize| *known = position.max(*known);
        self.by_id.entry(call.id.clone()).and_modify(keep_last).or_insert(position);
        if let Some(index) = *index {
            self.by_both.remove(&(index, String::new()));
            let both = self.by_both.entry((index, call.id.clone()));
            both.and_modify(keep_last).or_insert(position);
        }
    }

    pub(super) fn finish(self, tools: &[ToolDefinition]) -> impl Iterator<Item = ToolCall> {
        self.slots.into_iter().map(|slot| slot.call.finish(tools))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// The obvious search, as a reference.
    fn compared(slots: &[Slot], index: Option<usize>, id: Option<&str>) -> Option<usize> {
        slots.iter().rposition(|slot| match (index, id) {
            (Some(_), None) => slot.index == index,
            (Some(_), Some(id)) => {
                slot.index == index && (slot.call.id.is_empty() || slot.call.id == id)
            }
            (None, Some(id)) => slot.call.id == id,
            (None, None) => true,
        })
    }

    proptest! {
        #[test]
        fn fragments_belong_to_the_last_possible_call(
            fragments in proptest::collection::vec(
                (proptest::option::of(0_usize..3), proptest::option::of("[ab]?")), 0..40,
            ),
        ) {
            let mut calls = Calls::default();
            for (index, id) in fragments {
                let known = id.as_deref().filter(|id| !id.is_empty());
                prop_assert_eq!(calls.find(index, known), compared(&calls.slots, index, known));
                let fragment = json!({ "index": index, "id": id });
                calls.push(serde_json::from_value(fragment).unwrap());
            }
        }
    }
}
