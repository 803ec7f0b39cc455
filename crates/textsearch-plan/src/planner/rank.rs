//! Orders functions by how well their descriptions match a goal.

use textsearch_core::text_analysis::{Analyzer, Bm25, DocumentTerms, TermReader};
use textsearch_kernel::{KernelFunction, function::FunctionMetadata};

/// Returns the positions of `functions`, the most relevant first. Equally relevant ones keep
/// their order.
pub(super) fn ranked(goal: &str, functions: &[KernelFunction]) -> Vec<usize> {
    // Most descriptions are English; words of other languages match as they are.
    let analyzer = Analyzer::new(Some("en"));
    let mut reader = TermReader::new(&analyzer);
    let read = |function: &KernelFunction| {
        reader.read(texts(function.metadata()).iter().map(String::as_str))
    };
    let documents: Vec<DocumentTerms> = functions.iter().map(read).collect();
    let terms = reader.into_terms();
    let length: u32 = documents.iter().map(|document| document.length).sum();
    let bm25 = Bm25::new(documents.len() as u64, f64::from(length) / documents.len().max(1) as f64);
    let mut scored: Vec<(usize, f64)> = (0..functions.len()).map(|place| (place, 0.0)).collect();
    for query in analyzer.query_terms(goal) {
        let Some(term) = terms.iter().position(|term| **term == *query.term) else { continue };
        let frequency = |document: &DocumentTerms| {
            let mut frequencies = document.frequencies.iter();
            frequencies.find(|(place, _)| *place as usize == term).map_or(0, |(_, count)| *count)
        };
        let holders = documents.iter().filter(|document| frequency(document) > 0).count();
        let weight = f64::from(query.count) * bm25.rarity(holders as u64);
        for ((_, score), document) in scored.iter_mut().zip(&documents) {
            *score += weight * bm25.saturation(frequency(document), document.length);
        }
    }
    scored.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    scored.into_iter().map(|(place, _)| place).collect()
}

fn texts(function: &FunctionMetadata) -> Vec<String> {
    let names = function.plugin_name.iter().chain([&function.name]).map(|name| words(name));
    let parameters = function
        .parameters
        .iter()
        .flat_map(|parameter| [words(&parameter.name), parameter.description.clone()]);
    let described = [function.description.clone(), function.return_parameter.description.clone()];
    names.chain(described).chain(parameters).collect()
}

/// `GetWeatherForecast1` is the words "Get Weather Forecast 1".
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    let mut before = ' ';
    for character in name.chars() {
        let starts_word = (character.is_uppercase() && before.is_lowercase())
            || (character.is_numeric() && before.is_alphabetic());
        if starts_word {
            words.push(' ');
        }
        words.push(if character == '_' { ' ' } else { character });
        before = character;
    }
    words
}
