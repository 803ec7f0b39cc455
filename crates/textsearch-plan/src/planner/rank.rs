//! Orders functions by how well their descriptions match a goal.

use std::sync::Arc;

use textsearch_core::text_analysis::{Analyzer, Bm25, DocumentTerms, TermReader};
use textsearch_kernel::{KernelFunction, function::FunctionMetadata};

/// Returns the positions of `functions`, the most relevant first. Equally relevant ones keep
/// their order.
pub(super) fn ranked(goal: &str, functions: &[KernelFunction]) -> Vec<usize> {
    // Most descriptions are English; words of other languages match as they are.
    let analyzer = Analyzer::new(Some("en"));
    let mut reader = TermReader::new(&analyzer);
    let documents: Vec<DocumentTerms> = functions
        .iter()
        .map(|function| {
            let texts = texts(function.metadata());
            reader.read(texts.iter().map(String::as_str))
        })
        .collect();
    let scores = scores(&analyzer, goal, &documents, &reader.into_terms());
    let mut places: Vec<usize> = (0..functions.len()).collect();
    let score = |place: &usize| scores.get(*place).copied().unwrap_or_default();
    places.sort_by(|one, other| score(other).total_cmp(&score(one)));
    places
}

fn scores(
    analyzer: &Analyzer,
    goal: &str,
    documents: &[DocumentTerms],
    terms: &[Arc<str>],
) -> Vec<f64> {
    let total: u32 = documents.iter().map(|one| one.length).sum();
    let bm25 = Bm25::new(documents.len() as u64, f64::from(total) / documents.len().max(1) as f64);
    let mut scores = vec![0.0; documents.len()];
    for query in analyzer.query_terms(goal) {
        let is_it =
            |place: u32| terms.get(place as usize).is_some_and(|term| **term == *query.term);
        let frequency = |one: &DocumentTerms| {
            one.frequencies.iter().find(|(place, _)| is_it(*place)).map_or(0, |(_, count)| *count)
        };
        let frequencies: Vec<u32> = documents.iter().map(frequency).collect();
        let holders = frequencies.iter().filter(|count| **count > 0).count();
        let weight = f64::from(query.count) * bm25.rarity(holders as u64);
        for ((score, document), frequency) in scores.iter_mut().zip(documents).zip(frequencies) {
            *score += weight * bm25.saturation(frequency, document.length);
        }
    }
    scores
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
