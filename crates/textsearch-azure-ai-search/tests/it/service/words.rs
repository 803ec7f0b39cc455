//! Search by words: the [simple syntax](https://learn.microsoft.com/azure/search/query-simple-syntax)
//! without operators, and BM25 over all documents.

use std::collections::HashMap;

use serde_json::Value;
use textsearch_core::text_analysis::{Analyzer, Bm25, texts_of};

use super::{
    check::Checked,
    documents::Document,
    index::{Definition, Field},
};

const MAX_CLAUSES: usize = 3_000;

/// Returns the text that the query looks for.
///
/// An operator is valid there; here it shows that the connector forgot to escape it.
pub(crate) fn unescaped(query: &str) -> Checked<String> {
    let mut text = String::new();
    let mut characters = query.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => text.push(characters.next().ok_or("search: it ends with an escape")?),
            '+' | '|' | '-' | '"' | '(' | ')' | '*' | '~' => {
                return Err(format!("search: '{c}' is an operator in '{query}'"));
            }
            other => text.push(other),
        }
    }
    Ok(text)
}

/// Returns the scores of the documents with any of the words, by their keys.
pub(crate) fn scores(
    text: &str,
    fields: &[&Field],
    definition: &Definition,
    documents: &[(&String, &Document)],
) -> Checked<HashMap<String, f64>> {
    let mut scores: HashMap<String, f64> = HashMap::new();
    let mut clauses = 0;
    for field in fields {
        let analyzer = Analyzer::new(field.language.as_deref());
        let weight = definition.weights.get(&field.name).copied().unwrap_or(1.0);
        let terms: Vec<HashMap<String, u32>> = documents
            .iter()
            .map(|(_, document)| frequencies(document.get(&field.name), &analyzer))
            .collect();
        let length = |terms: &HashMap<String, u32>| terms.values().sum::<u32>();
        let lengths: u32 = terms.iter().map(length).sum();
        let holders = terms.iter().filter(|terms| !terms.is_empty()).count().max(1);
        let bm25 = Bm25::new(documents.len() as u64, f64::from(lengths) / holders as f64);
        for query in analyzer.query_terms(text) {
            clauses += 1;
            let count = |terms: &HashMap<String, u32>| terms.get(&query.term).copied().unwrap_or(0);
            let rarity = bm25.rarity(terms.iter().filter(|terms| count(terms) > 0).count() as u64);
            for ((key, _), terms) in
                documents.iter().zip(&terms).filter(|(_, terms)| count(terms) > 0)
            {
                let score = weight * rarity * bm25.saturation(count(terms), length(terms));
                // Scores have 32 bits.
                *scores.entry((*key).clone()).or_default() += f64::from(score as f32);
            }
        }
    }
    if clauses > MAX_CLAUSES {
        return Err(format!("search: {clauses} clauses, of at most {MAX_CLAUSES}"));
    }
    Ok(scores)
}

fn frequencies(value: Option<&Value>, analyzer: &Analyzer) -> HashMap<String, u32> {
    let mut counts = HashMap::new();
    for text in value.map(texts_of).unwrap_or_default() {
        analyzer.for_each_term(&text, |term, _| *counts.entry(term.to_owned()).or_default() += 1);
    }
    counts
}
