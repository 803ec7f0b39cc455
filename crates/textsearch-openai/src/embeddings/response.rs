//! Parses embeddings: numbers or base64, in any order.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use textsearch_core::vector::Embeddings;

#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    data: Vec<Item>,
    #[serde(default)]
    usage: Option<Cost>,
}

#[derive(Debug, Deserialize)]
struct Item {
    #[serde(default)]
    index: Option<usize>,
    embedding: Encoded,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Encoded {
    Numbers(Vec<f32>),
    Base64(String),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Cost {
    prompt_tokens: Option<u64>,
    total_tokens: Option<u64>,
}

impl Answer {
    /// Orders the vectors by index. Each of `count` texts must have exactly one.
    pub(super) fn into_embeddings(
        self,
        count: usize,
        dimensions: Option<usize>,
    ) -> Result<Embeddings, String> {
        if self.data.len() != count {
            return Err(format!("{} vectors for {count} texts", self.data.len()));
        }
        let mut vectors: Vec<Option<Arc<[f32]>>> = vec![None; count];
        for (place, item) in self.data.into_iter().enumerate() {
            let index = item.index.unwrap_or(place);
            let slot = vectors.get_mut(index).filter(|slot| slot.is_none());
            let slot =
                slot.ok_or_else(|| format!("the index {index} is repeated or out of range"))?;
            *slot = Some(decoded(item.embedding, dimensions)?);
        }
        let mut embeddings = Embeddings::new(vectors.into_iter().flatten().collect());
        let cost = self.usage.unwrap_or_default();
        embeddings.tokens = cost.total_tokens.or(cost.prompt_tokens);
        Ok(embeddings)
    }
}

fn decoded(encoded: Encoded, dimensions: Option<usize>) -> Result<Arc<[f32]>, String> {
    let vector = match encoded {
        Encoded::Numbers(numbers) => numbers,
        Encoded::Base64(text) => {
            let bytes = STANDARD.decode(text).map_err(|error| format!("not base64: {error}"))?;
            let (floats, rest) = bytes.as_chunks::<4>();
            if !rest.is_empty() {
                return Err(format!("{} bytes are not a whole number of floats", bytes.len()));
            }
            floats.iter().map(|float| f32::from_le_bytes(*float)).collect()
        }
    };
    if vector.is_empty() {
        return Err("a vector without elements".to_owned());
    }
    if let Some(length) = dimensions.filter(|length| *length != vector.len()) {
        return Err(format!("a vector of {} elements, where {length} are expected", vector.len()));
    }
    if vector.iter().all(|element| element.is_finite()) {
        Ok(vector.into())
    } else {
        Err("an element is not a number".to_owned())
    }
}
