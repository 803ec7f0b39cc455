//! The transformer: from tokens to a vector for each.

mod attention;
mod dense;
mod head;
mod layer;
mod linear;
mod max_sim;
mod norm;
mod static_table;
mod workspace;

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use textsearch_core::Result;

pub(crate) use dense::Dense;
pub(crate) use head::Head;
pub(crate) use max_sim::QueryVectors;
pub(crate) use static_table::StaticTable;

use crate::{
    Precision,
    batches::Numbered,
    compute::Norm,
    folder::{ModelConfig, Positions, Weights},
    task::Task,
};
use attention::{Length, PositionEncoding};
use layer::Layer;
use norm::load_norm;
use workspace::Workspace;

const POSITIONS: &str = "embeddings.position_embeddings.weight";
const TYPES: &str = "embeddings.token_type_embeddings.weight";

#[derive(Debug)]
pub(crate) struct Encoder {
    task: Task,
    shape: ModelConfig,
    /// Each table has a row per token, position or type.
    token_embeddings: Vec<f32>,
    positions: Vec<f32>,
    types: Vec<f32>,
    norm: Option<Norm>,
    layers: Vec<Layer>,
    /// Of layers that see the whole text.
    full: PositionEncoding,
    /// Of layers with a window, if there are any.
    windowed: Option<PositionEncoding>,
    final_norm: Option<Norm>,
    /// Idle buffers.
    workspaces: Mutex<Vec<Workspace>>,
}

impl Encoder {
    /// `max_tokens` is the most tokens of a text.
    pub(crate) fn load(
        weights: &Weights<'_>,
        shape: ModelConfig,
        precision: Precision,
        max_tokens: usize,
    ) -> Result<Self> {
        let layout = shape.layout;
        let hidden = shape.hidden;
        let types = match shape.types {
            0 => Vec::new(),
            types => weights.values(TYPES, &[types, hidden])?,
        };
        weights.check_layers(shape.layers)?;
        let numbers = (0..shape.layers).into_par_iter();
        let load = |number| Layer::load(weights, &shape, precision, number);
        let layers = numbers.map(load);
        // If several layers have a fault, report the first layer's, in whatever order they load.
        let layers: Vec<Result<Layer>> = layers.collect();
        let layers = layers.into_iter().collect::<Result<_>>()?;
        let norm = |name: Option<&str>| {
            name.map(|name| load_norm(weights, name, &shape, hidden)).transpose()
        };
        let encoding = |kind| PositionEncoding::load(weights, &shape, kind, max_tokens);
        Ok(Self {
            task: weights.folder().task(),
            token_embeddings: token_embeddings(weights, &shape)?,
            positions: match layout.positions {
                Positions::Rotary => Vec::new(),
                _ => weights.values(POSITIONS, &[shape.positions, hidden])?,
            },
            types,
            norm: norm(layout.embeddings_norm)?,
            layers,
            full: encoding(shape.full)?,
            windowed: shape.windowed.map(encoding).transpose()?,
            final_norm: norm(layout.final_norm)?,
            shape,
            workspaces: Mutex::default(),
        })
    }

    pub(crate) fn shape(&self) -> &ModelConfig {
        &self.shape
    }

    /// Passes each text and the vectors of its tokens to `read`, and returns what it returns. Texts
    /// are concatenated without padding: only the attention knows their boundaries.
    pub(crate) fn encode<T>(
        &self,
        texts: &[Numbered<'_>],
        read: impl Fn(Numbered<'_>, &[f32]) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut workspace = self.free_workspaces().pop().unwrap_or_default();
        let outcome = self.compute(texts, &mut workspace).and_then(|()| {
            let mut rows = workspace.hidden.as_slice();
            let values = texts.iter().map(|(place, text)| {
                let (own, others) = rows.split_at(text.ids.len() * self.shape.hidden);
                rows = others;
                read((*place, text), own)
            });
            values.collect()
        });
        self.free_workspaces().push(workspace);
        outcome
    }

    fn compute(&self, texts: &[Numbered<'_>], workspace: &mut Workspace) -> Result<()> {
        let length = |(_, text): &Numbered<'_>| {
            let tokens = text.ids.len();
            Length { tokens, keys: tokens.saturating_sub(text.masked) }
        };
        let lengths: Vec<Length> = texts.iter().map(length).collect();
        workspace.resize(lengths.iter().map(|length| length.tokens).sum(), &self.shape);
        let rows = workspace.hidden.chunks_exact_mut(self.shape.hidden);
        let places = texts.iter().flat_map(|(_, text)| {
            let tokens = text.ids.iter().zip(&text.types).enumerate();
            tokens.map(|(position, (id, kind))| (position, *id, *kind))
        });
        for (row, (position, id, kind)) in rows.zip(places) {
            self.look_up(row, position, id, kind)?;
        }
        if let Some(norm) = &self.norm {
            norm.apply(&mut workspace.hidden);
        }
        for (layer, has_window) in self.layers.iter().zip(&self.shape.has_window) {
            let windowed = self.windowed.as_ref().filter(|_| *has_window);
            let positions = windowed.unwrap_or(&self.full);
            layer.apply(&self.shape, positions, &lengths, workspace);
        }
        if let Some(norm) = &self.final_norm {
            norm.apply(&mut workspace.hidden);
        }
        Ok(())
    }

    fn free_workspaces(&self) -> MutexGuard<'_, Vec<Workspace>> {
        // A panic cannot leave invalid state in the buffers.
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look_up(&self, row: &mut [f32], position: usize, id: u32, kind: u32) -> Result<()> {
        let position = position + self.shape.first_position;
        let tables = [
            (&self.token_embeddings, id as usize),
            (&self.positions, position),
            (&self.types, kind as usize),
        ];
        row.fill(0.0);
        for (table, place) in tables.into_iter().filter(|(table, _)| !table.is_empty()) {
            let length = row.len();
            let embedding = table.get(place * length..(place + 1) * length).ok_or_else(|| {
                self.task.error(format!(
                    "the token {id} of type {kind} at position {position} is not among the {} of the model: \
                     `tokenizer.json` and `config.json` do not belong together",
                    table.len() / length
                ))
            })?;
            row.iter_mut().zip(embedding).for_each(|(value, other)| *value += other);
        }
        Ok(())
    }
}

fn token_embeddings(weights: &Weights<'_>, shape: &ModelConfig) -> Result<Vec<f32>> {
    let mut token_embeddings =
        weights.values(&shape.token_embeddings(), &[shape.vocabulary, shape.hidden])?;
    if shape.layout.scales_token_embeddings {
        let scale = (shape.hidden as f32).sqrt();
        token_embeddings.iter_mut().for_each(|value| *value *= scale);
    }
    Ok(token_embeddings)
}
