//! Texts as numbers with the same order, because Qdrant doesn't compare texts.

/// Bytes in one part: as many as a float holds exactly in base [`BASE`].
const BYTES: usize = 6;

/// One value per byte, plus one for the end of the text.
const BASE: f64 = 257.0;

const PARTS: usize = 5;

/// Maximum length in bytes of a text in an order comparison: its end must be within the parts.
pub(crate) const LONGEST_COMPARED: usize = BYTES * PARTS - 1;

pub(crate) fn part_name(place: usize) -> String {
    format!("p{place}")
}

/// Ends with the part that contains the end of the text.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = f64> {
    let bytes = text.as_bytes();
    let count = (bytes.len() / BYTES + 1).min(PARTS);
    (0..count).map(move |place| number(bytes, place, 0.0))
}

#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) min: f64,
    pub(crate) max: f64,
}

/// Returns `None` if `prefix` is longer than the stored parts.
pub(crate) fn parts_of_prefix(prefix: &str) -> Option<Vec<Part>> {
    let bytes = prefix.as_bytes();
    if bytes.len() > BYTES * PARTS {
        return None;
    }
    let count = bytes.len().div_ceil(BYTES).max(1);
    let part =
        |place| Part { min: number(bytes, place, 0.0), max: number(bytes, place, BASE - 1.0) };
    Some((0..count).map(part).collect())
}

/// Replaces missing bytes by `filler`.
fn number(bytes: &[u8], place: usize, filler: f64) -> f64 {
    let digit =
        |offset| bytes.get(place * BYTES + offset).map_or(filler, |byte| f64::from(*byte) + 1.0);
    (0..BYTES).fold(0.0, |number, offset| number * BASE + digit(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn parts_sort_like_texts(left in "\\PC{0,8}", right in "\\PC{0,8}") {
            let compared: Vec<f64> = parts(&left).collect();
            let with: Vec<f64> = parts(&right).collect();
            if left.len().min(right.len()) <= LONGEST_COMPARED {
                assert_eq!(compared.partial_cmp(&with), Some(left.cmp(&right)));
            }
        }

        #[test]
        fn parts_match_only_prefixes_of_the_text(text in "[ab]{0,20}", prefix in "[ab]{0,10}") {
            let of_text: Vec<f64> = parts(&text).collect();
            let of_prefix = parts_of_prefix(&prefix).unwrap();
            let mut pairs = of_prefix.iter().zip(&of_text);
            let is_within = of_prefix.len() <= of_text.len()
                && pairs.all(|(part, number)| (part.min..=part.max).contains(number));
            assert_eq!(is_within, text.starts_with(&prefix));
        }
    }

    #[test]
    fn only_the_first_parts_of_a_long_text_are_kept() {
        assert_eq!(parts(&"a".repeat(1_000)).count(), PARTS);
        assert_eq!(parts("").count(), 1);
        assert_eq!(parts_of_prefix(&"a".repeat(31)), None);
    }
}
