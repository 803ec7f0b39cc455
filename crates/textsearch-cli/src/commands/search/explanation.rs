//! Explanations of results as aligned lines with bars.

use console::measure_text_width;
use textsearch_core::results::{Explanation, ExplanationStep};

use crate::output::excerpt;

const INDENT: &str = "   ";

/// In columns.
const BAR: f64 = 20.0;

/// Of details, which may be texts of strangers.
const MAX_DETAIL: usize = 60;

/// Name, rank, score, and what they mean; without a bar if there is no share.
struct Row {
    cells: [String; 4],
    share: Option<f64>,
}

/// Returns a line for each step and term.
pub(super) fn lines(explanation: &Explanation) -> String {
    let contributions = explanation.steps().iter().filter_map(|step| step.contribution);
    let max = contributions.fold(0.0, f64::max);
    let rows: Vec<Row> = explanation.steps().iter().flat_map(|step| rows(step, max)).collect();
    let widths = [0, 1, 2, 3].map(|column| {
        let width = |row: &Row| row.cells.get(column).map_or(0, |cell| measure_text_width(cell));
        rows.iter().map(width).max().unwrap_or_default()
    });
    let line = |row: &Row| {
        let mut line = INDENT.to_owned();
        for (cell, width) in row.cells.iter().zip(widths).filter(|(_, width)| *width > 0) {
            let padding = width - measure_text_width(cell);
            line.push_str(&format!("{cell}{}  ", " ".repeat(padding)));
        }
        let columns = row.share.map_or(0.0, |share| (share.clamp(0.0, 1.0) * BAR).ceil());
        line.push_str(&"█".repeat(columns as usize));
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

fn rows(step: &ExplanationStep, max: f64) -> Vec<Row> {
    let heaviest = step.terms.first().map_or(0.0, |term| term.weight);
    let terms = step.terms.iter().map(|term| Row {
        cells: [
            format!("  {}", excerpt(&term.term, MAX_DETAIL)),
            String::new(),
            // Below the number of the score.
            format!("      {}", number(term.weight)),
            String::new(),
        ],
        share: Some(term.weight / heaviest),
    });
    // A factor is a share of the score that is left.
    let factor = step.weight.filter(|_| step.score_before.is_some());
    let share = step.contribution.map(|contribution| contribution / max).or(factor);
    let row = Row {
        cells: [
            excerpt(&step.name.replace('_', " "), MAX_DETAIL),
            changed("rank", step.rank_before, step.rank, |rank| rank.to_string()),
            changed("score", step.score_before, step.score, number),
            meaning(step),
        ],
        share,
    };
    std::iter::once(row).chain(terms).collect()
}

fn meaning(step: &ExplanationStep) -> String {
    let weight = step.weight.map(|weight| format!("× {}", number(weight)));
    let contribution = step.contribution.map(|added| format!("adds {}", number(added)));
    let detail = step.detail.as_deref().map(|detail| excerpt(detail, MAX_DETAIL));
    [weight, contribution, detail].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn changed<T: PartialEq>(
    name: &str,
    before: Option<T>,
    after: Option<T>,
    shown: impl Fn(T) -> String,
) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before != after => {
            format!("{name} {} → {}", shown(before), shown(after))
        }
        (before, after) => {
            after.or(before).map(|value| format!("{name} {}", shown(value))).unwrap_or_default()
        }
    }
}

fn number(number: f64) -> String {
    format!("{number:.3}")
}

#[cfg(test)]
mod tests {
    use textsearch_core::results::MatchedTerm;

    use super::*;

    #[test]
    fn lines_are_aligned_and_have_bars() {
        let term = |term: &str, weight| MatchedTerm { term: term.to_owned(), weight };
        let mut explanation = Explanation::from(ExplanationStep {
            rank: Some(2),
            score: Some(0.71),
            weight: Some(0.5),
            contribution: Some(0.25),
            ..ExplanationStep::new(ExplanationStep::VECTOR)
        });
        explanation.push(ExplanationStep {
            rank: Some(1),
            score: Some(3.0),
            weight: Some(0.5),
            contribution: Some(0.5),
            terms: vec![term("tide", 2.0), term("table", 1.0)],
            ..ExplanationStep::new(ExplanationStep::FULL_TEXT)
        });
        explanation.push(ExplanationStep {
            rank_before: Some(4),
            rank: Some(1),
            score_before: Some(0.75),
            score: Some(0.9),
            detail: Some("a\u{1b}[2Jmodel\n9. x".to_owned()),
            ..ExplanationStep::new(ExplanationStep::RERANKING)
        });
        let expected = [
            "   vector     rank 2      score 0.710          × 0.500, adds 0.250  ██████████",
            "   full text  rank 1      score 3.000          × 0.500, adds 0.500  ████████████████████",
            "     tide                       2.000                               ████████████████████",
            "     table                      1.000                               ██████████",
            "   reranking  rank 4 → 1  score 0.750 → 0.900  a[2Jmodel 9. x\n",
        ];
        assert_eq!(lines(&explanation), expected.join("\n"));
    }

    #[test]
    fn a_factor_is_a_bar() {
        let explanation = Explanation::from(ExplanationStep {
            rank: Some(1),
            rank_before: Some(1),
            score_before: Some(1.0),
            score: Some(0.75),
            weight: Some(0.75),
            detail: Some("2024-12-22T00:00:00Z".to_owned()),
            ..ExplanationStep::new(ExplanationStep::RECENCY)
        });
        let expected = "   recency  rank 1  score 1.000 → 0.750  × 0.750, 2024-12-22T00:00:00Z  ███████████████\n";
        assert_eq!(lines(&explanation), expected);
    }
}
