//! Legal and unique names.

use std::collections::HashMap;

/// Hands out names of `[0-9A-Za-z_]` that differ by more than ASCII case.
pub(crate) struct Names {
    max_length: usize,
    /// In lower case, with the last number that was appended.
    taken: HashMap<String, usize>,
}

impl Names {
    pub(crate) fn new(max_length: usize) -> Self {
        Self { max_length, taken: HashMap::new() }
    }

    /// Returns the legal form of `preferred`, with a number if it is taken.
    pub(crate) fn take(&mut self, preferred: &str) -> String {
        let base = legal(preferred, self.max_length);
        let mut number = self.taken.get(&base.to_ascii_lowercase()).copied().unwrap_or(0);
        let mut name = base.clone();
        while number > 0 && self.is_taken(&name) {
            number += 1;
            let suffix = format!("_{number}");
            let kept = legal(&base, self.max_length.saturating_sub(suffix.len()));
            name = format!("{kept}{suffix}");
        }
        let last = number.max(1);
        self.taken.insert(base.to_ascii_lowercase(), last);
        self.taken.entry(name.to_ascii_lowercase()).or_insert(1);
        name
    }

    /// Like [`take`](Self::take), but tries `place_preferred` before it appends a number.
    pub(crate) fn take_from(&mut self, place: &str, preferred: &str) -> String {
        if self.is_taken(&legal(preferred, self.max_length)) {
            self.take(&format!("{place}_{preferred}"))
        } else {
            self.take(preferred)
        }
    }

    fn is_taken(&self, name: &str) -> bool {
        self.taken.contains_key(&name.to_ascii_lowercase())
    }
}

/// Replaces each other character with `_`, and cuts the name at `max_length`.
fn legal(name: &str, max_length: usize) -> String {
    let legal = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    let name: String = name.chars().map(legal).take(max_length).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn illegal_characters_become_underscores() {
        assert_eq!(Names::new(64).take("pets/list.all"), "pets_list_all");
        assert_eq!(Names::new(64).take(""), "_");
    }

    #[test]
    fn repeated_names_get_numbers() {
        let mut names = Names::new(64);
        assert_eq!(
            ["a", "A", "a_2", "a"].map(|name| names.take(name)),
            ["a", "A_2", "a_2_2", "a_3"]
        );
    }

    #[test]
    fn taken_argument_names_get_their_place() {
        let mut names = Names::new(64);
        assert_eq!(names.take_from("path", "id"), "id");
        assert_eq!(names.take_from("query", "id"), "query_id");
        assert_eq!(names.take_from("query", "id"), "query_id_2");
    }

    #[test]
    fn many_equal_names_take_linear_time() {
        let mut names = Names::new(20);
        let last = (0..50_000).map(|_| names.take("list")).last();
        assert_eq!(last.as_deref(), Some("list_50000"));
    }

    proptest! {
        #[test]
        fn names_are_legal_short_and_unique(proposals in proptest::collection::vec("[aA_é]{0,4}", 0..20)) {
            let mut names = Names::new(4);
            let mut all: Vec<String> = proposals.iter().map(|name| names.take(name)).collect();
            prop_assert!(all.iter().all(|name| (1..=4).contains(&name.len())));
            all.iter_mut().for_each(|name| name.make_ascii_lowercase());
            all.sort();
            prop_assert!(all.windows(2).all(|two| two[0] != two[1]), "{all:?}");
        }
    }
}
