//! The judgements of a test collection: which document is how relevant to which query.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    str,
};

use anyhow::{Context as _, Result, bail};

use super::queries::Query;
use crate::lines::Lines;

/// The score of each document that was judged for one query.
pub(super) type Judged = HashMap<String, i32>;

/// What the first column of a line of headings may be called, in small letters and without what is between words.
const HEADINGS: [&str; 6] = ["queryid", "query", "qid", "topic", "topicid", "id"];

/// The judgements of the queries that are asked; of others their ids alone, however many there are.
#[derive(Debug, Default)]
pub(super) struct Judgements {
    by_query: HashMap<String, Judged>,
    not_asked: Vec<String>,
}

/// A line of a file of judgements.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    Headings,
    Judgement { query: &'a str, document: &'a str, score: i32 },
}

impl Judgements {
    /// Reads a file with tabs between its columns: query, document, score; or the four of TREC.
    ///
    /// # Errors
    ///
    /// For a line that is no judgement, and for one that contradicts another.
    pub(super) fn read(location: &Path, queries: &[Query]) -> Result<Self> {
        let path = location.display().to_string();
        let mut lines = Lines::open(location, &path)?;
        let mut judgements = Self::default();
        for query in queries {
            judgements.by_query.insert(query.id.clone(), Judged::new());
        }
        let (mut not_asked, mut is_first) = (HashSet::new(), true);
        while lines.read(|text, _| judgements.add(text, is_first, &mut not_asked))?.is_some() {
            is_first = false;
        }
        Ok(judgements)
    }

    /// The judgements of a query; `None` where there are none.
    pub(super) fn of(&self, query: &str) -> Option<&Judged> {
        self.by_query.get(query).filter(|judged| !judged.is_empty())
    }

    /// The queries that are judged and not asked, in the order of the file.
    pub(super) fn not_asked(&self) -> &[String] {
        &self.not_asked
    }

    fn add(&mut self, text: &[u8], is_first: bool, not_asked: &mut HashSet<String>) -> Result<()> {
        let text = str::from_utf8(text).context("it is not UTF-8: try to convert the file")?;
        let Line::Judgement { query, document, score } = read_line(text, is_first)? else {
            return Ok(());
        };
        let Some(judged) = self.by_query.get_mut(query) else {
            if !not_asked.contains(query) {
                not_asked.insert(query.to_owned());
                self.not_asked.push(query.to_owned());
            }
            return Ok(());
        };
        match judged.insert(document.to_owned(), score) {
            Some(other) if other != score => bail!(
                "`{document}` was judged {other} for the query `{query}` before, and is {score} here: try to keep one \
                 of the lines"
            ),
            _ => Ok(()),
        }
    }
}

fn read_line(text: &str, is_first: bool) -> Result<Line<'_>> {
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
        _ => bail!(
            "a judgement is a query-id, a corpus-id and a score with tabs between them, found {} columns: try {}",
            columns.len(),
            example("q1", "docs/a.md"),
        ),
    };
    if is_first && score.parse::<f64>().is_err() && is_heading(query) {
        return Ok(Line::Headings);
    }
    if query.is_empty() || document.is_empty() {
        bail!("a judgement needs a query-id and a corpus-id: try {}", example("q1", "docs/a.md"));
    }
    let Ok(score) = score.parse() else {
        bail!("the score `{score}` is no whole number: try {}", example(query, document));
    };
    Ok(Line::Judgement { query, document, score })
}

/// TREC's second column, which says nothing: a number or `Q0`.
fn is_iteration(column: &str) -> bool {
    column.eq_ignore_ascii_case("q0") || column.parse::<u32>().is_ok()
}

fn is_heading(column: &str) -> bool {
    let letters: String = column.chars().filter(|one| one.is_alphanumeric()).collect();
    HEADINGS.contains(&letters.to_lowercase().as_str())
}

fn example(query: &str, document: &str) -> String {
    format!("`{query}<TAB>{document}<TAB>1`")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read(text: impl AsRef<[u8]>) -> Result<Judgements> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_ref()).unwrap();
        let queries = ["q1", "q2"].map(|id| Query { id: id.to_owned(), text: "x".to_owned() });
        Judgements::read(file.path(), &queries)
    }

    fn judged(text: &str, query: &str) -> Vec<(String, i32)> {
        let judgements = read(text).unwrap();
        let mut judged: Vec<_> =
            judgements.of(query).cloned().unwrap_or_default().into_iter().collect();
        judged.sort();
        judged
    }

    fn failure(text: impl AsRef<[u8]>) -> String {
        let message = format!("{:#}", read(text).unwrap_err());
        message.split_once("` ").unwrap().1.to_owned()
    }

    fn one(document: &str, score: i32) -> Vec<(String, i32)> {
        vec![(document.to_owned(), score)]
    }

    #[test]
    fn a_line_of_headings_is_left_out_however_it_is_written() {
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
                one("a b.md", 2),
                "{headings}"
            );
        }
    }

    #[test]
    fn a_first_line_is_headings_only_where_it_looks_like_them() {
        assert_eq!(
            failure("q1\ta.md\thigh\n"),
            "line 1: the score `high` is no whole number: try `q1<TAB>a.md<TAB>1`"
        );
        let id = read("id\tdoc\t1\n").unwrap();
        assert_eq!(id.not_asked(), ["id"], "a query may be called so");
        assert!(
            failure("q1\ta\t1\nquery-id\tcorpus-id\tscore\n")
                .starts_with("line 2: the score `score`")
        );
    }

    #[test]
    fn the_four_columns_of_trec_are_read_with_any_white_space() {
        assert_eq!(judged("q1 0 a.md 1\nq2\tQ0\tb.md\t-2\n", "q1"), one("a.md", 1));
        assert_eq!(judged("q1 0 a.md 1\nq2\tQ0\tb.md\t-2\n", "q2"), one("b.md", -2));
    }

    #[test]
    fn a_name_with_a_space_needs_tabs() {
        let message = "line 2: a judgement is a query-id, a corpus-id and a score with tabs between them, found 4 \
                       columns: try `q1<TAB>docs/a.md<TAB>1`";
        assert_eq!(failure("q1 a.md 1\nq1 my notes.md 1\n"), message);
        assert_eq!(failure("q1 my notes.md 1\n"), message.replace("line 2", "line 1"));
    }

    #[test]
    fn ends_of_lines_and_blanks_around_columns_are_no_part_of_them() {
        assert_eq!(judged("q1 \t a.md\t1 \r\n\r\n", "q1"), one("a.md", 1));
    }

    #[test]
    fn the_same_judgement_twice_counts_once_and_a_contradiction_is_an_error() {
        assert_eq!(judged("q1\ta\t1\nq1\ta\t1\n", "q1"), one("a", 1));
        assert_eq!(
            failure("q1\ta\t2\nq2\ta\t1\nq1\ta\t1\n"),
            "line 3: `a` was judged 2 for the query `q1` before, and is 1 here: try to keep one of the lines"
        );
    }

    #[test]
    fn queries_that_are_not_asked_are_named_once_in_the_order_of_the_file() {
        let judgements = read("z\ta\t1\nq1\ta\t1\ny\ta\t1\nz\tb\t1\n").unwrap();
        assert_eq!(judgements.not_asked(), ["z", "y"]);
        assert!(judgements.of("z").is_none() && judgements.of("q2").is_none());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        assert!(failure("q1\ta\n").starts_with("line 1: a judgement is a query-id, a corpus-id"));
        assert!(
            failure("q1\t\t1\n")
                .starts_with("line 1: a judgement needs a query-id and a corpus-id")
        );
        assert!(failure("q1\ta\t0.5\n").starts_with("line 1: the score `0.5` is no whole number"));
        assert!(failure(b"q1\t\xFF\t1\n").starts_with("line 1: it is not UTF-8"));
    }

    #[test]
    fn an_empty_file_holds_no_judgements() {
        let judgements = read("\u{feff}").unwrap();
        assert!(judgements.of("q1").is_none() && judgements.not_asked().is_empty());
    }
}
