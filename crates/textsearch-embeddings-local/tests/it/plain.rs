//! The model as the papers define it, in 64-bit floats.

use crate::tiny::{BERT, LAYERS, Size, Tensors, Tiny};

pub(crate) struct Plain<'a> {
    pub(crate) tensors: &'a Tensors,
    pub(crate) size: Size,
    pub(crate) prefix: &'a str,
    pub(crate) layers: &'a str,
    pub(crate) parts: [&'a str; 8],
    pub(crate) first_position: usize,
}

type Rows = Vec<Vec<f64>>;

impl<'a> Plain<'a> {
    pub(crate) fn bert(tiny: &'a Tiny) -> Self {
        let Tiny { tensors, size, .. } = tiny;
        let size = *size;
        Self { tensors, size, prefix: "", layers: "encoder.layer", parts: BERT, first_position: 0 }
    }

    pub(crate) fn encode(&self, ids: &[usize]) -> Rows {
        let hidden = self.size.hidden;
        let tables = ["word_embeddings", "position_embeddings", "token_type_embeddings"];
        let places = |position: usize| [ids[position], position + self.first_position, 0];
        let embedded = (0..ids.len()).map(|position| {
            let mut row = vec![0.0; hidden];
            for (table, place) in tables.iter().zip(places(position)) {
                let name = format!("embeddings.{table}.weight");
                if let Some(values) = self.find(&name) {
                    add(&mut row, &values[place * hidden..(place + 1) * hidden]);
                }
            }
            self.norm(&row, "embeddings.LayerNorm")
        });
        let mut rows: Rows = embedded.collect();
        for layer in 0..LAYERS {
            rows = self.layer(&rows, layer);
        }
        rows
    }

    fn layer(&self, rows: &Rows, layer: usize) -> Rows {
        let [query, key, value, output, norm, wide, narrow, last] =
            self.parts.map(|part| format!("{}.{layer}.{part}", self.layers));
        let all = |name: &str| rows.iter().map(|row| self.linear(row, name)).collect::<Rows>();
        let queries = all(&query);
        let keys = all(&key);
        let values = all(&value);
        let Size { hidden, heads, .. } = self.size;
        let size = hidden / heads;
        let mut next = Rows::new();
        for (row, query) in rows.iter().zip(&queries) {
            let mut context = vec![0.0; hidden];
            for head in 0..heads {
                let part = head * size..(head + 1) * size;
                let dot = |key: &Vec<f64>| -> f64 {
                    part.clone().map(|at| query[at] * key[at]).sum::<f64>() / (size as f64).sqrt()
                };
                let weights: Vec<f64> = keys.iter().map(|key| dot(key).exp()).collect();
                let total: f64 = weights.iter().sum();
                for (weight, value) in weights.iter().zip(&values) {
                    part.clone().for_each(|at| context[at] += weight / total * value[at]);
                }
            }
            let mut attended = self.linear(&context, &output);
            add(&mut attended, row);
            let attended = self.norm(&attended, &norm);
            let inner = self.linear(&attended, &wide).into_iter().map(gelu).collect::<Vec<_>>();
            let mut outer = self.linear(&inner, &narrow);
            add(&mut outer, &attended);
            next.push(self.norm(&outer, &last));
        }
        next
    }

    fn linear(&self, row: &[f64], name: &str) -> Vec<f64> {
        let (weight, bias) = self.pair(name);
        let products = weight.chunks(row.len()).zip(bias).map(|(weights, bias)| {
            let products = weights.iter().zip(row).map(|(value, other)| f64::from(*value) * other);
            f64::from(*bias) + products.sum::<f64>()
        });
        products.collect()
    }

    fn norm(&self, row: &[f64], name: &str) -> Vec<f64> {
        let (weight, bias) = self.pair(name);
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
        let scaled = row.iter().map(|x| (x - mean) / (variance + 1e-12).sqrt());
        let parts =
            weight.iter().zip(bias).map(|(value, other)| (f64::from(*value), f64::from(*other)));
        scaled.zip(parts).map(|(x, (weight, bias))| x * weight + bias).collect()
    }

    fn pair(&self, name: &str) -> (&[f32], &[f32]) {
        let part = |part: &str| self.find(&format!("{name}.{part}")).unwrap();
        (part("weight"), part("bias"))
    }

    fn find(&self, name: &str) -> Option<&[f32]> {
        self.tensors.get(&format!("{}{name}", self.prefix)).map(|(_, values)| values.as_slice())
    }
}

fn add<T: Copy + Into<f64>>(row: &mut [f64], other: &[T]) {
    row.iter_mut().zip(other).for_each(|(value, other)| *value += (*other).into());
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + erf(x / std::f64::consts::SQRT_2))
}

/// By its series. Beyond 4.5 the result is 1 to ten digits, and the terms are too large to cancel
/// out.
fn erf(x: f64) -> f64 {
    if x.abs() > 4.5 {
        return x.signum();
    }
    let mut term = x;
    let mut sum = x;
    for n in 1..200 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
        if term.abs() < 1e-18 {
            break;
        }
    }
    (sum * 2.0 / std::f64::consts::PI.sqrt()).clamp(-1.0, 1.0)
}
