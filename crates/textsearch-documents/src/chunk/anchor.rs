//! URL fragments of headings, as on GitHub.

use std::collections::HashMap;

/// Fragments of one document's headings. A repeated fragment gets a number.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    used: HashMap<String, usize>,
}

impl Anchors {
    /// Lower case, spaces as hyphens, without punctuation.
    pub(super) fn next(&mut self, heading: &str) -> String {
        let plain = slug(heading);
        let mut anchor = plain.clone();
        while self.used.contains_key(&anchor) {
            let count = self.used.entry(plain.clone()).or_default();
            *count += 1;
            anchor = format!("{plain}-{count}");
        }
        self.used.insert(anchor.clone(), 0);
        anchor
    }
}

fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|character| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        _ => character.is_alphanumeric().then_some(character),
    });
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_is_lower_case_with_hyphens_and_without_punctuation() {
        for (heading, expected) in [
            ("Install", "install"),
            ("What's new in 2.0?", "whats-new-in-20"),
            ("snake_case & kebab-case", "snake_case--kebab-case"),
            ("安装 指南", "安装-指南"),
            ("  Ünder  ", "ünder"),
        ] {
            assert_eq!(Anchors::default().next(heading), expected);
        }
    }

    #[test]
    fn repeated_fragments_get_unique_numbers() {
        let mut anchors = Anchors::default();
        let anchors: Vec<String> =
            ["Notes", "Notes", "Notes-1", "Notes"].map(|heading| anchors.next(heading)).to_vec();
        assert_eq!(anchors, ["notes", "notes-1", "notes-1-1", "notes-2"]);
    }
}
