//! Judgements of a test collection: how relevant each document is to each query.

use std::collections::HashMap;

use crate::{Query, error::Result, lines::read_lines};

/// The score of each document judged for one query.
pub type Judged = HashMap<String, i32>;

/// In lower case and without punctuation.
const HEADINGS: [&str; 6] = ["queryid", "query", "qid", "topic", "topicid", "id"];

/// The relevance of documents to queries. A score above 0 is relevant; higher is better.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgements {
    by_query: HashMap<String, Judged>,
    queries: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    Headings,
    Judgement { query: &'a str, document: &'a str, score: i32 },
}

impl Judgements {
    /// Reads judgements: BEIR's (query, document and score between tabs, with or without headings)
    /// or TREC's (query, iteration, document and score between any white space).
    ///
    /// ```
    /// use textsearch_eval::Judgements;
    ///
    /// let judgements = Judgements::parse("query-id\tcorpus-id\tscore\nq1\tdocs/a.md\t2\n")?;
    /// assert_eq!(judgements.of("q1").unwrap()["docs/a.md"], 2);
    /// assert_eq!(judgements, Judgements::parse("q1 0 docs/a.md 2")?);
    /// # Ok::<(), textsearch_eval::EvalError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Line`](crate::EvalError::Line) if a line isn't a judgement or contradicts another.
    pub fn parse(text: &str) -> Result<Self> {
        let mut judgements = Self::default();
        let mut is_first = true;
        read_lines(text, |line| {
            let line = read_line(line, std::mem::take(&mut is_first))?;
            let Line::Judgement { query, document, score } = line else { return Ok(()) };
            judgements.add(query, document, score)
        })?;
        Ok(judgements)
    }

    /// Returns the judgements of a query; `None` if there are none.
    pub fn of(&self, query: &str) -> Option<&Judged> {
        self.by_query.get(query)
    }

    /// Returns the ids of the judged queries, in the order of the lines.
    pub fn queries(&self) -> impl ExactSizeIterator<Item = &str> {
        self.queries.iter().map(String::as_str)
    }

    pub(crate) fn not_among(&self, queries: &[Query]) -> Vec<String> {
        let asked: std::collections::HashSet<&str> =
            queries.iter().map(|query| query.id.as_str()).collect();
        let not_asked = self.queries().filter(|id| !asked.contains(id));
        not_asked.map(str::to_owned).collect()
    }

    fn add(&mut self, query: &str, document: &str, score: i32) -> Result<(), String> {
        if !self.by_query.contains_key(query) {
            self.queries.push(query.to_owned());
        }
        let judged = self.by_query.entry(query.to_owned()).or_default();
        match judged.insert(document.to_owned(), score) {
            Some(other) if other != score => Err(format!(
                "`{document}` has the score {other} for the query `{query}` on an earlier line, and {score} here: keep one \
                 of the lines"
            )),
            _ => Ok(()),
        }
    }
}

fn read_line(text: &str, is_first: bool) -> Result<Line<'_>, String> {
    let columns: Vec<&str> = if text.contains('\t') {
        text.split('\t').map(str::trim).collect()
    } else {
        text.split_whitespace().collect()
    };
    let (query, document, score) = match columns.as_slice() {
        [query, document, score] => (*query, *document, *score),
        [query, iteration, document, score]
            if is_iteration(iteration) || (is_first && is_heading(query)) =>
        {
            (*query, *document, *score)
        }
        _ => {
            return Err(format!(
                "a judgement is a query-id, a corpus-id and a score with tabs between them, found {} columns: try {}",
                columns.len(),
                example("q1", "docs/a.md"),
            ));
        }
    };
    if is_first && score.parse::<f64>().is_err() && is_heading(query) {
        return Ok(Line::Headings);
    }
    if query.is_empty() || document.is_empty() {
        let example = example("q1", "docs/a.md");
        return Err(format!("a judgement needs a query-id and a corpus-id: try {example}"));
    }
    let Ok(score) = score.parse() else {
        let example = example(query, document);
        return Err(format!("the score `{score}` isn't a whole number: try {example}"));
    };
    Ok(Line::Judgement { query, document, score })
}

/// TREC's second column has no meaning: a number or `Q0`.
fn is_iteration(column: &str) -> bool {
    column.eq_ignore_ascii_case("q0") || column.parse::<u32>().is_ok()
}

fn is_heading(column: &str) -> bool {
    let letters: String = column.chars().filter(|c| c.is_alphanumeric()).collect();
    HEADINGS.contains(&letters.to_lowercase().as_str())
}

fn example(query: &str, document: &str) -> String {
    format!("`{query}<TAB>{document}<TAB>1`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Judgements> {
        Judgements::parse(text)
    }

    fn not_asked(judgements: &Judgements) -> Vec<String> {
        judgements.not_among(&["q1", "q2"].map(|id| Query::new(id, "x")))
    }

    fn judged(text: &str, query: &str) -> Vec<(String, i32)> {
        let judgements = read(text).unwrap();
        let mut judged: Vec<_> =
            judgements.of(query).cloned().unwrap_or_default().into_iter().collect();
        judged.sort();
        judged
    }

    fn failure(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    fn judgement(document: &str, score: i32) -> Vec<(String, i32)> {
        vec![(document.to_owned(), score)]
    }

    #[test]
    fn skips_headings_in_any_spelling() {
        for headings in [
            "",
            "query-id\tcorpus-id\tscore\n",
            "Query_ID\tCorpus ID\tScore\r\n",
            "\u{feff}qid\tdocid\trel\n",
            "\n\ntopic iteration document relevance\n",
            "query-id corpus-id score\n",
        ] {
            assert_eq!(
                judged(&format!("{headings}q1\ta b.md\t2\n"), "q1"),
                judgement("a b.md", 2),
                "{headings}"
            );
        }
    }

    #[test]
    fn first_line_is_headings_only_if_it_resembles_them() {
        assert_eq!(
            failure("q1\ta.md\thigh\n"),
            "line 1: the score `high` isn't a whole number: try `q1<TAB>a.md<TAB>1`"
        );
        let id = read("id\tdoc\t1\n").unwrap();
        assert_eq!(not_asked(&id), ["id"], "a query may be called so");
        assert!(
            failure("q1\ta\t1\nquery-id\tcorpus-id\tscore\n")
                .starts_with("line 2: the score `score`")
        );
    }

    #[test]
    fn parses_four_trec_columns_with_any_white_space() {
        assert_eq!(judged("q1 0 a.md 1\nq2\tQ0\tb.md\t-2\n", "q1"), judgement("a.md", 1));
        assert_eq!(judged("q1 0 a.md 1\nq2\tQ0\tb.md\t-2\n", "q2"), judgement("b.md", -2));
    }

    #[test]
    fn a_name_with_a_space_needs_tabs() {
        let message = "line 2: a judgement is a query-id, a corpus-id and a score with tabs between them, found 4 \
                       columns: try `q1<TAB>docs/a.md<TAB>1`";
        assert_eq!(failure("q1 a.md 1\nq1 my notes.md 1\n"), message);
        assert_eq!(failure("q1 my notes.md 1\n"), message.replace("line 2", "line 1"));
    }

    #[test]
    fn trims_columns_and_line_ends() {
        assert_eq!(judged("q1 \t a.md\t1 \r\n\r\n", "q1"), judgement("a.md", 1));
    }

    #[test]
    fn repeated_judgements_count_once_and_contradictions_fail() {
        assert_eq!(judged("q1\ta\t1\nq1\ta\t1\n", "q1"), judgement("a", 1));
        assert_eq!(
            failure("q1\ta\t2\nq2\ta\t1\nq1\ta\t1\n"),
            "line 3: `a` has the score 2 for the query `q1` on an earlier line, and 1 here: keep one of the lines"
        );
    }

    #[test]
    fn lists_each_unasked_query_once_in_file_order() {
        let judgements = read("z\ta\t1\nq1\ta\t1\ny\ta\t1\nz\tb\t1\n").unwrap();
        assert_eq!(not_asked(&judgements), ["z", "y"]);
        assert!(judgements.of("z").is_some() && judgements.of("q2").is_none());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        assert!(failure("q1\ta\n").starts_with("line 1: a judgement is a query-id, a corpus-id"));
        assert!(
            failure("q1\t\t1\n")
                .starts_with("line 1: a judgement needs a query-id and a corpus-id")
        );
        assert!(
            failure("q1\ta\t0.5\n").starts_with("line 1: the score `0.5` isn't a whole number")
        );
    }

    #[test]
    fn an_empty_file_holds_no_judgements() {
        let judgements = read("\u{feff}").unwrap();
        assert!(judgements.of("q1").is_none() && judgements.queries().next().is_none());
    }
}
