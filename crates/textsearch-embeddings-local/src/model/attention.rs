//! Attention: a token's new vector is a mean of the text's, weighted by how well their keys fit its
//! query.

use textsearch_core::Result;

use super::norm::load_norm;
use crate::{
    compute::{self, AttentionBuffers, Head, Norm, PositionBias, Processor, RotaryEmbedding, Rows},
    folder::{LayerKind, ModelConfig, Positions, Weights},
};

/// How layers see where tokens are.
#[derive(Debug)]
pub(super) struct PositionEncoding {
    rotary: Option<RotaryEmbedding>,
    /// None, one for all heads, or one for each.
    biases: Vec<PositionBias>,
}

impl PositionEncoding {
    /// `count` is the most tokens of a text.
    pub(super) fn load(
        weights: &Weights<'_>,
        shape: &ModelConfig,
        kind: LayerKind,
        count: usize,
    ) -> Result<Self> {
        let rotates = shape.layout.positions == Positions::Rotary;
        let rotary = rotates.then(|| RotaryEmbedding::new(kind.theta, shape.head_size, count));
        let sees_all = kind.window == (usize::MAX, usize::MAX);
        let biases = match shape.layout.relative_bias {
            Some(name) => relative_biases(weights, name, shape.heads, count)?,
            None if sees_all => Vec::new(),
            None => vec![PositionBias::new(count, kind.window, |_| 0.0)],
        };
        Ok(Self { rotary, biases })
    }

    fn bias(&self, head: usize) -> Option<&PositionBias> {
        self.biases.get(head).or(self.biases.first())
    }
}

const BUCKETS: usize = 32;
/// Farther tokens share a bucket.
const FARTHEST: f32 = 128.0;

fn relative_biases(
    weights: &Weights<'_>,
    name: &str,
    heads: usize,
    count: usize,
) -> Result<Vec<PositionBias>> {
    let table = weights.values(&format!("{name}.weight"), &[BUCKETS, heads])?;
    let everything = (usize::MAX, usize::MAX);
    let head_bias = |head: usize| {
        let bias = |distance: isize| table.get(bucket(distance) * heads + head).copied();
        PositionBias::new(count, everything, |distance| bias(distance).unwrap_or_default())
    };
    Ok((0..heads).map(head_bias).collect())
}

/// Half of the buckets are for keys after the query; half of these for one distance each, the others
/// for distances that grow exponentially.
fn bucket(distance: isize) -> usize {
    const SIDE: usize = BUCKETS / 2;
    const EXACT: usize = SIDE / 2;
    let start = if distance < 0 { SIDE } else { 0 };
    let distance = distance.unsigned_abs();
    if distance < EXACT {
        return start + distance;
    }
    let farther = (distance as f32 / EXACT as f32).ln() / (FARTHEST / EXACT as f32).ln();
    start + (EXACT + (farther * (SIDE - EXACT) as f32) as usize).min(SIDE - 1)
}

/// Norms of the vectors of each head.
#[derive(Debug)]
pub(super) struct HeadNorms {
    query: Norm,
    key: Norm,
}

impl HeadNorms {
    pub(super) fn load(
        weights: &Weights<'_>,
        [query, key]: [&str; 2],
        shape: &ModelConfig,
    ) -> Result<Self> {
        let mut query = load_norm(weights, query, shape, shape.head_size)?;
        query.divide(shape.score_divisor.sqrt());
        Ok(Self { query, key: load_norm(weights, key, shape, shape.head_size)? })
    }

    fn apply(&self, shape: &ModelConfig, projected: &mut [f32]) {
        for row in projected.chunks_exact_mut(shape.projected()) {
            let (queries, others) = row.split_at_mut(shape.heads * shape.head_size);
            let keys = others.get_mut(..shape.key_heads * shape.head_size).unwrap_or_default();
            self.query.apply(queries);
            self.key.apply(keys);
        }
    }
}

/// The tokens of a text, and how many of them others attend to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length {
    pub(super) tokens: usize,
    pub(super) keys: usize,
}

/// Attention of all heads.
pub(super) struct Heads<'a> {
    pub(super) shape: &'a ModelConfig,
    pub(super) norms: Option<&'a HeadNorms>,
    pub(super) positions: &'a PositionEncoding,
}

impl Heads<'_> {
    /// `projected` has a row per token: the queries, keys and values of its heads.
    pub(super) fn attend(
        &self,
        lengths: &[Length],
        mut projected: &mut [f32],
        mut context: &mut [f32],
        buffers: &mut AttentionBuffers,
    ) {
        let processor = Processor::detect();
        let stride = self.shape.projected();
        let width = self.shape.heads * self.shape.head_size;
        if let Some(norms) = self.norms {
            norms.apply(self.shape, projected);
        }
        for length in lengths {
            let Some((text, later)) =
                std::mem::take(&mut projected).split_at_mut_checked(length.tokens * stride)
            else {
                return;
            };
            let (own, others) = std::mem::take(&mut context).split_at_mut(length.tokens * width);
            if let Some(rotary) = &self.positions.rotary {
                let count = self.shape.heads + self.shape.key_heads;
                rotary.apply(text, stride, count);
            }
            for head in 0..self.shape.heads {
                let output = own.get_mut(head * self.shape.head_size..).unwrap_or_default();
                let head = self.head(text, *length, head);
                compute::attend(processor, &head, (output, width), buffers);
            }
            (projected, context) = (later, others);
        }
    }

    fn head<'a>(&'a self, text: &'a [f32], length: Length, number: usize) -> Head<'a> {
        let ModelConfig { heads, key_heads, head_size, .. } = *self.shape;
        let part = |vector: usize, count: usize| Rows {
            data: text.get(vector * head_size..).unwrap_or_default(),
            stride: self.shape.projected(),
            count,
        };
        let shared = heads + number / (heads / key_heads);
        Head {
            queries: part(number, length.tokens),
            keys: part(shared, length.keys),
            values: part(shared + key_heads, length.keys),
            size: head_size,
            position_bias: self.positions.bias(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_exact_when_near_and_shared_when_far() {
        let buckets = [0, 7, 8, 15, 16, 127, 128, 5000].map(bucket);
        assert_eq!(buckets, [0, 7, 8, 9, 10, 15, 15, 15]);
        assert_eq!([-1, -7, -8, -5000].map(bucket), [17, 23, 24, 31]);
    }
}
