//! Query and text, side by side.

use textsearch_core::Result;
use tokenizers::{Encoding, PostProcessor, Tokenizer};

use super::{Tokens, encode, indivisible, load, room, truncate, without_markers};
use crate::{
    folder::{Folder, ModelConfig, Sentences},
    task::Task,
};

#[derive(Debug)]
pub(crate) struct PairTokenizer {
    task: Task,
    tokenizer: Tokenizer,
    /// Tokens that the model has no vector for.
    markers: Vec<u32>,
    /// Maximum tokens of both, without the tokens around them.
    max: usize,
    lower_case: bool,
    has_types: bool,
}

/// Read once for all texts.
#[derive(Debug)]
pub(crate) struct Query {
    /// Cut to the most tokens of a pair.
    encoding: Encoding,
    /// Before the cut.
    length: usize,
}

impl PairTokenizer {
    /// `max` includes the start and end tokens.
    pub(crate) fn load(
        folder: &Folder,
        shape: &ModelConfig,
        sentences: &Sentences,
        max: usize,
    ) -> Result<Self> {
        let task = folder.task();
        let (tokenizer, markers) = load(folder, shape.vocabulary)?;
        let marks = tokenizer.get_post_processor().map_or(0, |post| post.added_tokens(true));
        let max = room(task, max, marks)?;
        // The reference implementation tells only BERT which tokens are the text's.
        let has_types = shape.layout.types > 1;
        Ok(Self { task, tokenizer, markers, max, lower_case: sentences.lower_case, has_types })
    }

    pub(crate) fn query(&self, query: &str) -> Result<Query> {
        let mut encoding = self.encode(query)?;
        let length = encoding.len();
        truncate(&mut encoding, self.max);
        Ok(Query { encoding, length })
    }

    pub(crate) fn pair(&self, query: &Query, text: &str) -> Result<Tokens> {
        let mut text = self.encode(text)?;
        text.set_type_ids(vec![1; text.len()]);
        let whole = query.length.saturating_add(text.len());
        let (for_query, for_text) = longest_first(query.length, text.len(), self.max);
        truncate(&mut text, for_text);
        let mut query = query.encoding.clone();
        truncate(&mut query, for_query);
        let pair = self
            .tokenizer
            .post_process(query, Some(text), true)
            .map_err(|error| indivisible(self.task, error))?;
        let (ids, mut types) = without_markers(&pair, &self.markers);
        if !self.has_types {
            types.fill(0);
        }
        let cut = whole.saturating_sub(for_query + for_text);
        Ok(Tokens { ids, types, cut, masked: 0 })
    }

    fn encode(&self, text: &str) -> Result<Encoding> {
        let text = if self.lower_case { text.to_lowercase() } else { text.to_owned() };
        encode(&self.tokenizer, self.task, text)
    }
}

/// Returns how many tokens of query and text fit into `max`. The longer one is cut, to no less
/// than half, as the reference implementation does.
fn longest_first(query: usize, text: usize, max: usize) -> (usize, usize) {
    if query.saturating_add(text) <= max {
        return (query, text);
    }
    let shorter = query.min(text).min(max / 2);
    if query <= text { (shorter, max - shorter) } else { (max - shorter, shorter) }
}

#[cfg(test)]
mod tests {
    use tokenizers::{models::wordlevel::WordLevel, pre_tokenizers::whitespace::Whitespace};

    use super::*;

    #[test]
    fn a_long_query_is_cut_once_for_all_texts() {
        let vocabulary = [("a".to_owned(), 0)].into_iter().collect();
        let words = WordLevel::builder().vocab(vocabulary).build().unwrap();
        let mut tokenizer = Tokenizer::new(words);
        tokenizer.with_pre_tokenizer(Some(Whitespace {}));
        let pairs = PairTokenizer {
            task: Task::Reranking,
            tokenizer,
            markers: Vec::new(),
            max: 6,
            lower_case: false,
            has_types: true,
        };
        let query = pairs.query(&"a ".repeat(1000)).unwrap();
        assert_eq!((query.encoding.len(), query.length), (6, 1000));
        let pair = pairs.pair(&query, "a a").unwrap();
        assert_eq!((pair.types.as_slice(), pair.cut), (&[0, 0, 0, 0, 1, 1][..], 996));
    }

    #[test]
    fn the_longer_one_is_cut_to_no_less_than_half() {
        let cases = [
            ((3, 4, 7), (3, 4)),
            ((3, 40, 9), (3, 6)),
            ((40, 3, 9), (6, 3)),
            ((40, 50, 9), (4, 5)),
            ((50, 40, 9), (5, 4)),
            ((50, 50, 9), (4, 5)),
            ((0, 50, 9), (0, 9)),
            ((5, 5, 1), (0, 1)),
            ((usize::MAX, usize::MAX, 10), (5, 5)),
        ];
        for ((query, text, max), expected) in cases {
            assert_eq!(longest_first(query, text, max), expected, "{query} + {text} in {max}");
        }
    }
}
