//! Cuts texts, and splits them into requests.

/// Returns the beginnings of the texts, and how many texts are longer.
pub(crate) fn beginnings(texts: &[String], max_chars: usize) -> (Vec<&str>, usize) {
    let beginning = |text: &'_ String| text.char_indices().nth(max_chars).map(|(end, _)| end);
    let mut longer = 0;
    let texts = texts.iter().map(|text| {
        // No text has more characters than bytes.
        let end = if text.len() > max_chars { beginning(text) } else { None };
        longer += usize::from(end.is_some());
        end.map_or(text.as_str(), |end| text.split_at(end).0)
    });
    (texts.collect(), longer)
}

/// A text that exceeds the limit of bytes forms its own batch.
pub(crate) fn split<'a, 'b>(
    texts: &'a [&'b str],
    max_texts: usize,
    max_bytes: usize,
) -> Vec<&'a [&'b str]> {
    let mut batches = Vec::new();
    let mut start = 0;
    let mut bytes = 0_usize;
    for (place, text) in texts.iter().enumerate() {
        let is_full = place - start >= max_texts || bytes.saturating_add(text.len()) > max_bytes;
        if is_full && place > start {
            batches.extend(texts.get(start..place));
            (start, bytes) = (place, 0);
        }
        bytes = bytes.saturating_add(text.len());
    }
    batches.extend(texts.get(start..).filter(|rest| !rest.is_empty()));
    batches
}

#[cfg(test)]
mod tests {
    use super::{beginnings, split};

    fn sizes(lengths: &[usize], max_texts: usize, max_bytes: usize) -> Vec<usize> {
        let texts: Vec<String> = lengths.iter().map(|length| "a".repeat(*length)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let batches = split(&texts, max_texts, max_bytes);
        assert_eq!(batches.concat(), texts);
        batches.iter().map(|batch| batch.len()).collect()
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let texts = ["größer", "größe", "", "東京都"].map(str::to_owned);
        assert_eq!(beginnings(&texts, 5), (vec!["größe", "größe", "", "東京都"], 1));
        assert_eq!(beginnings(&texts, 2), (vec!["gr", "gr", "", "東京"], 3));
    }

    #[test]
    fn a_batch_ends_at_its_limit_of_texts_or_bytes() {
        assert_eq!(sizes(&[1; 5], 2, 100), [2, 2, 1]);
        assert_eq!(sizes(&[3, 3, 3], 9, 6), [2, 1]);
        assert_eq!(sizes(&[1, 100, 1], 9, 9), [1, 1, 1]);
        assert_eq!(sizes(&[0; 7], 3, 1), [3, 3, 1]);
        assert_eq!(sizes(&[], 9, 9), [0_usize; 0]);
    }
}
