//! One text alone.

use textsearch_core::Result;
use tokenizers::{AddedToken, Encoding, PostProcessor, Tokenizer};

use super::{Tokens, encode, indivisible, load, room, truncate, without_markers};
use crate::{
    folder::{Folder, Sentences},
    task::Task,
};

#[derive(Debug)]
pub(crate) struct TextTokenizer {
    task: Task,
    tokenizer: Tokenizer,
    /// Tokens that the model has no vector for.
    markers: Vec<u32>,
    /// Maximum tokens of a text, without the start and end tokens.
    max: usize,
    lower_case: bool,
    /// Whether texts have start and end tokens.
    has_marks: bool,
}

impl TextTokenizer {
    /// `count` is the number of tokens that the model has. `max` includes the start and end tokens,
    /// if texts have them.
    pub(crate) fn load(
        folder: &Folder,
        count: usize,
        sentences: &Sentences,
        max: usize,
        has_marks: bool,
    ) -> Result<Self> {
        let task = folder.task();
        let (tokenizer, markers) = load(folder, count)?;
        let post_processor = tokenizer.get_post_processor().filter(|_| has_marks);
        let max = room(task, max, post_processor.map_or(0, |post| post.added_tokens(false)))?;
        let lower_case = sentences.lower_case;
        Ok(Self { task, tokenizer, markers, max, lower_case, has_marks })
    }

    pub(crate) fn tokenize(&self, prefix: &str, text: &str) -> Result<Tokens> {
        let mut encoding = self.encode(format!("{prefix}{text}"))?;
        let cut = encoding.len().saturating_sub(self.max);
        truncate(&mut encoding, self.max);
        let encoding = self
            .tokenizer
            .post_process(encoding, None, self.has_marks)
            .map_err(|error| indivisible(self.task, error))?;
        let (ids, types) = without_markers(&encoding, &self.markers);
        Ok(Tokens { ids, types, cut, masked: 0 })
    }

    /// Makes one token of a prefix that the vocabulary has, whatever rules cut it up.
    pub(crate) fn add_marker(&mut self, prefix: &str) -> Result<()> {
        let word = prefix.split_whitespace().next();
        let mut known = [Some(prefix), word].into_iter().flatten();
        let known = known.find_map(|marker| Some((marker, self.id(marker)?)));
        let Some((marker, id)) = known else { return Ok(()) };
        if self.encode(marker.to_owned())?.get_ids() == [id] {
            return Ok(());
        }
        let marker = AddedToken::from(marker, true).normalized(false);
        let added = self.tokenizer.add_special_tokens([marker]);
        added
            .map(|_| ())
            .map_err(|error| self.task.error("the prefix can't become a token").with_source(error))
    }

    /// Returns the id of a token.
    pub(crate) fn id(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// Returns the number of tokens, without the start and end tokens.
    pub(crate) fn count(&self, text: &str) -> Result<usize> {
        Ok(self.encode(text.to_owned())?.len())
    }

    /// Returns the maximum number of tokens of a text, without the start and end tokens.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    fn encode(&self, text: String) -> Result<Encoding> {
        let text = if self.lower_case { text.to_lowercase() } else { text };
        encode(&self.tokenizer, self.task, text)
    }
}
