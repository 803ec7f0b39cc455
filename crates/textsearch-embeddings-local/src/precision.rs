//! The numbers that a model computes with.

use twox_hash::XxHash3_128;

/// The numbers that a model stores its weights in, and multiplies with.
///
/// ```
/// use textsearch_embeddings_local::{LocalEmbeddingsConfig, Precision};
///
/// let config = LocalEmbeddingsConfig::new("models/all-MiniLM-L6-v2").with_precision(Precision::Int8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Precision {
    /// 32-bit floats, as the reference library computes.
    #[default]
    F32,
    /// 8-bit integers for the multiplications by weights, which take most of the time. Weights have
    /// a scale per output, activations one per token. Everything else is computed in 32-bit floats.
    ///
    /// With VNNI (x86 processors since about 2020) a model is two to three times as fast, and with
    /// AVX2 slightly faster. On other processors it is slower: use [`F32`](Self::F32). Vectors are
    /// close to those of [`F32`](Self::F32), but a store rejects a mix: embed queries and documents
    /// alike. Static embeddings multiply nothing, and ignore it.
    Int8,
}

impl Precision {
    /// Returns 32 hexadecimal digits of a hash over files of weights. Vectors of the same weights
    /// differ by precision.
    pub(crate) fn fingerprint(self, files: &[Vec<u8>]) -> String {
        let seed = match self {
            Self::F32 => 0,
            Self::Int8 => 8,
        };
        let mut hasher = XxHash3_128::with_seed(seed);
        files.iter().for_each(|file| hasher.write(file));
        format!("{:032x}", hasher.finish_128())
    }

    /// Returns what follows the folder's name in a model's name.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::F32 => "",
            Self::Int8 => "-int8",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_of_one_file_stay_as_in_stores() {
        let file: Vec<u8> = (0..100_000_u32).map(|place| place as u8).collect();
        let expected = format!("{:032x}", XxHash3_128::oneshot(&file));
        assert_eq!(Precision::F32.fingerprint(&[file]), expected);
    }
}
