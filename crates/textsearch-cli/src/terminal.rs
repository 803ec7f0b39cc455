//! Search results on a terminal: colours, highlighted words, lines as wide as the terminal.

use std::collections::{HashMap, VecDeque};

use console::{Style, Term, measure_text_width, truncate_str};
use textsearch_compose::PhraseQuery;
use textsearch_core::{TextSearchResult, text_analysis::Analyzer};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::output::{excerpt, in_one_line};

/// In columns. Longer lines are hard to read.
const MAX_WIDTH: usize = 100;

const INDENT: &str = "   ";

/// Columns of an excerpt, and how many of them precede the match.
const EXCERPT_WIDTH: usize = 300;
const WIDTH_BEFORE_MATCH: usize = 60;

/// Formats results for the terminal at standard output.
pub(crate) struct Terminal {
    width: usize,
    is_coloured: bool,
    analyzer: Analyzer,
    /// The words of the query, each with its position.
    terms: HashMap<String, usize>,
    query: PhraseQuery,
}

impl Terminal {
    /// Returns `None` if standard output isn't a terminal.
    pub(crate) fn of_stdout(query: &str, language: Option<&str>) -> Option<Self> {
        let terminal = Term::stdout();
        let width = usize::from(terminal.size().1);
        // NO_COLOR and TERM=dumb turn colours off.
        let is_coloured = terminal.features().colors_supported();
        terminal.is_term().then(|| Self::new(width, is_coloured, query, language))
    }

    fn new(width: usize, is_coloured: bool, query: &str, language: Option<&str>) -> Self {
        let analyzer = Analyzer::new(language);
        let query = PhraseQuery::parse(query);
        let terms = analyzer.query_terms(&query.text).into_iter().map(|term| term.term);
        let terms = terms.enumerate().map(|(position, term)| (term, position)).collect();
        Self { width: width.clamp(20, MAX_WIDTH), is_coloured, analyzer, terms, query }
    }

    /// Returns the lines of a result. Their only control characters are line breaks and colours.
    pub(crate) fn result(&self, rank: usize, result: &TextSearchResult) -> String {
        let name = result.name.as_deref().or(result.id.as_deref()).unwrap_or("(no name)");
        let mut lines =
            self.wrapped(&format!("{rank}. "), &excerpt(name, EXCERPT_WIDTH), &self.style().bold());
        if let Some(score) = result.score {
            lines.push_str(&self.style().dim().apply_to(format!("  ({score:.3})")).to_string());
        }
        lines.push('\n');
        if let Some(link) = &result.link {
            let link = self.style().cyan().apply_to(in_one_line(link));
            lines.push_str(&format!("{INDENT}{link}\n"));
        }
        let excerpt = self.excerpt(&in_one_line(body(name, &result.value)));
        lines + &self.wrapped(INDENT, &excerpt, &self.style()) + "\n\n"
    }

    /// Returns the part of `line` with a phrase of the query, or else with the most of its words.
    fn excerpt(&self, line: &str) -> String {
        if measure_text_width(line) <= EXCERPT_WIDTH {
            return line.to_owned();
        }
        let column = |start| measure_text_width(line.split_at(start).0);
        let phrase = self.query.find(line).map(|start| (start, column(start)));
        let (match_start, match_column) = phrase.unwrap_or_else(|| self.best_match(line));
        let hidden = truncate_str(line, match_column.saturating_sub(WIDTH_BEFORE_MATCH), "").len();
        let context = line.get(hidden..match_start).unwrap_or_default();
        let start = match context.find(' ') {
            _ if hidden == 0 => 0,
            Some(space) => hidden + space + 1,
            None => match_start,
        };
        let before = if start > 0 { "… " } else { "" };
        let (_, rest) = line.split_at(start);
        let shown = truncate_str(rest, EXCERPT_WIDTH, "");
        if shown.len() == rest.len() {
            return format!("{before}{rest}");
        }
        let shown = shown.rsplit_once(' ').map_or(&*shown, |(words, _)| words);
        format!("{before}{shown} …")
    }

    /// Finds the stretch with the most different words of the query. Returns the byte and the
    /// column of its start.
    fn best_match(&self, line: &str) -> (usize, usize) {
        let mut best = (0, 0);
        let mut max = 0;
        let mut column = 0;
        let mut stretch = VecDeque::new();
        let mut counts = HashMap::new();
        for (start, word) in line.split_word_bound_indices() {
            let Some(term) = self.term(word) else {
                column += measure_text_width(word);
                continue;
            };
            stretch.push_back((start, column, term));
            *counts.entry(term).or_insert(0) += 1;
            let earliest = (column + WIDTH_BEFORE_MATCH).saturating_sub(EXCERPT_WIDTH);
            while let Some((start, at, first)) = stretch.front().copied() {
                if at >= earliest {
                    if counts.len() > max {
                        (max, best) = (counts.len(), (start, at));
                    }
                    break;
                }
                stretch.pop_front();
                counts.entry(first).and_modify(|count| *count -= 1);
                counts.retain(|_, count| *count > 0);
            }
            column += measure_text_width(word);
        }
        best
    }

    /// Returns the position in the query of `word`, by its stem.
    fn term(&self, word: &str) -> Option<usize> {
        let mut position = None;
        self.analyzer.for_each_term(word, |term, _| {
            position = position.or_else(|| self.terms.get(term).copied());
        });
        position
    }

    /// Breaks `line` into lines after `prefix`, and highlights the words of the query.
    fn wrapped(&self, prefix: &str, line: &str, plain: &Style) -> String {
        let highlighted = self.style().yellow().bold();
        let mut lines = prefix.to_owned();
        let mut used = measure_text_width(prefix);
        for (index, words) in line.split(' ').enumerate() {
            let needed = usize::from(index > 0) + measure_text_width(words);
            if index > 0 && used + needed > self.width {
                lines.push('\n');
                lines.push_str(INDENT);
                used = INDENT.len();
            } else if index > 0 {
                lines.push(' ');
                used += 1;
            }
            // Languages without spaces break between any two words.
            for word in words.split_word_bounds() {
                let width = measure_text_width(word);
                if used > INDENT.len() && used + width > self.width {
                    lines.push('\n');
                    lines.push_str(INDENT);
                    used = INDENT.len();
                }
                let style = if self.term(word).is_some() { &highlighted } else { plain };
                lines.push_str(&style.apply_to(word).to_string());
                used += width;
            }
        }
        lines
    }

    fn style(&self) -> Style {
        Style::new().force_styling(self.is_coloured)
    }
}

/// Returns `text` without headings at its start that repeat `name`.
fn body<'a>(name: &str, text: &'a str) -> &'a str {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let name = letters(name);
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let is_repeated = line.starts_with('#') && name.contains(&letters(line));
        if !is_repeated && !line.trim().is_empty() {
            break;
        }
        rest = after;
    }
    if rest.trim().is_empty() { text } else { rest }
}

#[cfg(test)]
mod tests {
    use console::strip_ansi_codes;
    use textsearch_conformance::assert_linear;

    use super::*;

    fn plain(width: usize, query: &str, result: &TextSearchResult) -> String {
        Terminal::new(width, false, query, Some("en")).result(1, result)
    }

    #[test]
    fn words_of_the_query_are_highlighted_by_stem() {
        let result = TextSearchResult::new("Two rankings (joined) here").with_name("Fusion");
        let text = Terminal::new(80, true, "join ranking", Some("en")).result(1, &result);
        let highlighted = |word: &str| format!("\u{1b}[33m\u{1b}[1m{word}\u{1b}[0m");
        let expected =
            format!("   Two {} ({}) here\n", highlighted("rankings"), highlighted("joined"));
        assert!(text.contains(&expected), "{text:?}");
        assert_eq!(strip_ansi_codes(&text), plain(80, "join ranking", &result));
    }

    #[test]
    fn a_result_is_wrapped_to_the_width() {
        let result = TextSearchResult::new("one two three four five six")
            .with_name("A rather long name here")
            .with_link("docs/a.md#b")
            .with_score(0.5);
        let expected = "1. A rather long\n   name here  (0.500)\n   docs/a.md#b\n   one two three\n   four five six\n\n";
        assert_eq!(plain(20, "none", &result), expected);
    }

    #[test]
    fn text_without_spaces_is_wrapped_and_highlighted() {
        let result = TextSearchResult::new("全文検索".repeat(9)).with_name("日本");
        let text = Terminal::new(40, true, "検", Some("en")).result(1, &result);
        assert!(text.contains("文\u{1b}[33m\u{1b}[1m検\u{1b}[0m"), "{text:?}");
        assert!(text.lines().all(|line| measure_text_width(line) <= 40), "{text}");
    }

    #[test]
    fn an_excerpt_shows_the_stretch_with_most_words() {
        let hay = "hay ".repeat(99);
        let value = format!("needle {hay} needle and thread {hay}");
        let text = plain(80, "needle thread", &TextSearchResult::new(value));
        assert!(text.starts_with("1. (no name)\n   … hay hay"), "{text}");
        assert!(text.contains("needle and thread") && text.ends_with(" …\n\n"), "{text}");
        assert_eq!(text.lines().count(), 6, "{text}");
    }

    #[test]
    fn an_excerpt_shows_the_phrase() {
        let hay = "hay ".repeat(99);
        let value = format!("thread needle {hay} Needle, thread {hay}");
        let text = plain(80, "\"needle thread\" -hay", &TextSearchResult::new(&value));
        assert!(
            text.contains("Needle, thread") && text.starts_with("1. (no name)\n   … hay"),
            "{text}"
        );
        let coloured = Terminal::new(80, true, "needle -hay", Some("en"))
            .result(1, &TextSearchResult::new(value));
        assert!(!coloured.contains("\u{1b}[1mhay"), "{coloured:?}");
    }

    #[test]
    fn headings_in_the_name_are_not_repeated() {
        let value = "# Guide\n\n## `Fusion`\n\nTwo rankings.";
        let result = TextSearchResult::new(value).with_name("Guide > Fusion");
        assert_eq!(plain(60, "x", &result), "1. Guide > Fusion\n   Two rankings.\n\n");
        let result = TextSearchResult::new("# Other\n\nText").with_name("Guide");
        assert_eq!(plain(60, "x", &result), "1. Guide\n   # Other Text\n\n");
        let result = TextSearchResult::new("# Guide\n").with_name("Guide");
        assert_eq!(plain(60, "x", &result), "1. Guide\n   # Guide\n\n");
    }

    #[test]
    fn results_cannot_control_the_terminal() {
        let evil = "a\u{1b}]0;title\u{7}\u{1b}[2J \u{9b}31m b\r\n9. c\u{202e}";
        let result = TextSearchResult::new(evil).with_name(evil).with_link(evil);
        let text = plain(80, "none", &result);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(!text.contains('\u{202e}') && !text.contains("\n9."), "{text:?}");
        let coloured = Terminal::new(80, true, "a", Some("en")).result(1, &result);
        assert_eq!(strip_ansi_codes(&coloured), text);
    }

    #[test]
    fn long_words_are_cut() {
        let text = plain(80, "x", &TextSearchResult::new("a".repeat(100_000)));
        assert!(text.len() < 400 && text.ends_with(" …\n\n"), "{text}");
    }

    #[test]
    fn time_is_linear_in_the_text() {
        let terminal = Terminal::new(80, true, "needle", Some("en"));
        for word in ["needle ", "a", "\u{301}"] {
            assert_linear(10_000, |size| {
                terminal.result(1, &TextSearchResult::new(word.repeat(size)));
            });
        }
    }
}
