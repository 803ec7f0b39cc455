//! Vectors of hashed words, without a model.

/// Returns a vector of length 1: texts that share words have similar ones.
pub(crate) fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0_f32; dimensions];
    let separators = |character: char| !character.is_alphanumeric();
    for word in text.split(separators).filter(|word| !word.is_empty()) {
        let hash = hash(&word.to_lowercase());
        let place = usize::try_from(hash >> 1).unwrap_or_default() % dimensions.max(1);
        if let Some(element) = vector.get_mut(place) {
            *element += if hash & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
    let length = vector.iter().map(|element| element * element).sum::<f32>().sqrt();
    match vector.first_mut() {
        // No words, or they cancel out.
        Some(first) if length == 0.0 => *first = 1.0,
        _ => vector.iter_mut().for_each(|element| *element /= length),
    }
    vector
}

/// FNV-1a: a text has the same vector on every machine and in every version.
fn hash(word: &str) -> u32 {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    word.bytes().fold(0x811c_9dc5, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closeness(left: &str, right: &str) -> f32 {
        vector(left, 256).iter().zip(vector(right, 256)).map(|(left, right)| left * right).sum()
    }

    #[test]
    fn texts_with_common_words_are_close() {
        assert!(
            closeness("The cat sat.", "the CAT slept") > closeness("The cat sat.", "Rust 1.95")
        );
        assert!((closeness("a b", "a, b!") - 1.0).abs() < 1e-6);
    }

    #[test]
    fn every_text_has_a_vector_of_length_one() {
        for text in ["", "word", "one two two"] {
            let length: f32 = vector(text, 8).iter().map(|element| element * element).sum();
            assert!((length - 1.0).abs() < 1e-6, "{text}");
        }
    }
}
