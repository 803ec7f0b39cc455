//! Shows: what a text search does, at its smallest: rank texts by the words they share with a question.
//! Needs: nothing, runs offline.
//! Run: `cargo run -p examples --example 01_search`
#![expect(clippy::print_stdout, reason = "an example shows its output")]

const NOTES: [&str; 3] = [
    "A connector turns one search engine into a text search.",
    "The kernel offers functions to a language model.",
    "A text search answers a question with results that can be cited.",
];

fn main() {
    let question = "what is a text search";
    let mut ranked = NOTES.map(|note| (shared_words(question, note), note));
    ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    for (score, note) in ranked {
        println!("{score} {note}");
    }
}

fn shared_words(question: &str, note: &str) -> usize {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .map(str::to_lowercase)
            .collect()
    };
    let asked = words(question);
    words(note)
        .iter()
        .filter(|word| !word.is_empty() && asked.contains(word))
        .count()
}
