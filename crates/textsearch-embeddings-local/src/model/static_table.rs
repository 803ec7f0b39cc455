//! A vector for each token, whatever the text: model2vec, or `StaticEmbedding` of
//! sentence-transformers.

use textsearch_core::Result;

use crate::{
    folder::{Folder, Weights},
    task::Task,
    tokens::Tokens,
};

#[derive(Debug)]
pub(crate) struct StaticTable {
    task: Task,
    vectors: Vec<f32>,
    /// Elements of a vector.
    size: usize,
    /// The place in `vectors` of each token's vector, which tokens may share.
    places: Vec<usize>,
    /// Each token's weight.
    factors: Vec<f64>,
}

impl StaticTable {
    pub(crate) fn load(folder: &Folder, bytes: &[u8]) -> Result<Self> {
        let weights = Weights::without_prefix(folder, bytes)?;
        let shape_of = |name| Some((name, weights.shape(name)?));
        let table = ["embedding.weight", "embeddings"].into_iter().find_map(shape_of);
        let Some((name, shape)) = table else {
            return Err(weights.error("has neither the tensor `embedding.weight` nor `embeddings`"));
        };
        let [rows, size @ (1..)] = shape[..] else {
            return Err(weights
                .error(format_args!("the tensor `{name}` has the shape {shape:?}: not a table")));
        };
        let places = match weights.numbers("mapping")? {
            None => (0..rows).map(|row| row * size).collect(),
            Some(mapping) => places(&weights, &mapping, rows, size)?,
        };
        let factors = weights.numbers("weights")?.unwrap_or_else(|| vec![1.0; places.len()]);
        if factors.len() != places.len() {
            return Err(weights.error(format_args!(
                "the tensor `weights` has {} values, where {} tokens have vectors",
                factors.len(),
                places.len()
            )));
        }
        let vectors = weights.values(name, &shape)?;
        Ok(Self { task: folder.task(), vectors, size, places, factors })
    }

    /// The number of elements of a vector.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The number of tokens that have vectors.
    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns the vectors of the text's tokens.
    pub(crate) fn encode(&self, text: &Tokens) -> Result<Vec<f32>> {
        let mut vectors = Vec::with_capacity(text.ids.len() * self.size);
        for id in &text.ids {
            let token = *id as usize;
            let (Some(start), Some(factor)) = (self.places.get(token), self.factors.get(token))
            else {
                return Err(self.task.error(format!(
                    "the token {id} is not among the {} of the model: `tokenizer.json` and `model.safetensors` do not \
                     belong together",
                    self.count()
                )));
            };
            let vector = self.vectors.get(*start..start + self.size).unwrap_or_default();
            vectors.extend(vector.iter().map(|value| (f64::from(*value) * factor) as f32));
        }
        Ok(vectors)
    }
}

fn places(weights: &Weights<'_>, mapping: &[f64], rows: usize, size: usize) -> Result<Vec<usize>> {
    let place = |row: &f64| match *row as usize {
        place if place < rows && place as f64 == *row => Ok(place * size),
        _ => Err(weights.error(format_args!(
            "the tensor `mapping` has the row {row}, where the table has {rows} rows"
        ))),
    };
    mapping.iter().map(place).collect()
}
