//! `textsearch search`: prints search results.

mod explanation;

use std::sync::Arc;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use textsearch_compose::Phrased;
use textsearch_core::{
    SearchOptions, SearchResults, TextSearch, TextSearchResult,
    invisible::escape_json,
    results::{Metadata, TotalCount},
};
use textsearch_documents::{Around, ingest::PATH};

use crate::{
    arguments::{Kind, OutputFormat, ResultArguments, SearchArguments},
    corpus::selector,
    errors::usage,
    messages,
    output::{Output, excerpt, in_one_line, printable, written_out},
    terminal::Terminal,
};

/// In characters.
const EXCERPT_LENGTH: usize = 300;

/// The JSON output.
#[derive(Debug, Serialize)]
struct Answer<T> {
    results: Vec<T>,
    total_count: Option<TotalCount>,
    metadata: Metadata,
}

pub(crate) async fn run(arguments: &SearchArguments, output: &mut Output) -> Result<()> {
    let mut selected = selector::open_even_empty(&arguments.selector).await?;
    let why_empty = selected.why_empty.clone();
    let language = selected.language.clone();
    if let Some(reason) = &why_empty {
        messages::warn(reason);
    }
    let SearchArguments {
        query,
        selector,
        results: ResultArguments { skip, kind, around, .. },
        explain,
        output: format,
    } = arguments;
    if *explain && *kind == Kind::Text {
        return Err(usage(
            "--explain has no place in plain texts: try --kind results or --kind records",
        ));
    }
    // Engines read phrases and exclusions in queries themselves.
    let is_web = selector.source.is_some();
    if !is_web {
        selected.search = Arc::new(Phrased::new(selected.search));
    }
    let search = arguments.results.applied_to(&selected);
    let options = selector::options(selector, &search)?
        .with_skip(*skip)
        .with_explanation(*explain)
        .with_total_count(*format == OutputFormat::Json);
    let printer = Printer { format: *format, skip: *skip, is_styled: false, output };
    let is_found = match kind {
        Kind::Text => {
            let show = |_, text: &String| show_text(text);
            printer.print(search.search(query, &options).await?, show).await?
        }
        Kind::Results => {
            let results = search.text_search_results(query, &options).await?;
            match Terminal::of_stdout(query, language.as_deref()) {
                _ if selector.pages.full_pages || *around != Around::None => {
                    printer.print(results, show_whole_result).await?
                }
                Some(terminal) => {
                    let printer = Printer { is_styled: true, ..printer };
                    let show = |rank, result: &_| explained(terminal.result(rank, result), result);
                    printer.print(results, show).await?
                }
                None => printer.print(results, show_result).await?,
            }
        }
        Kind::Records => {
            printer.print(search.search_values(query, &options).await?, show_record).await?
        }
    };
    if selector.top == 0 && *format == OutputFormat::Text {
        messages::say("--top is 0, so no result is shown: try 1 or more");
    } else if !is_found && why_empty.is_none() {
        let advice = selector::advice(selector, *skip);
        let path = usual_path(&search, arguments).await.unwrap_or_default();
        messages::say(&format!("nothing was found: {advice}{path}"));
    }
    Ok(())
}

/// Returns how paths look, if only a filter by path excludes the results.
async fn usual_path(
    search: &Arc<dyn TextSearch>,
    SearchArguments { query, selector, .. }: &SearchArguments,
) -> Option<String> {
    selector.filter.as_ref()?.fields().find(|field| *field == PATH)?;
    let mut options = SearchOptions::top(1);
    if let Some(filter) = &selector.fixed_filter {
        options = options.with_fixed_filter(filter.clone());
    }
    let record = search.search_values(query, &options).await.ok()?.next().await?.ok()?;
    let path = record.get(PATH)?.as_str()?;
    Some(format!("; without --filter, the best result has the path `{}`", written_out(path)))
}

struct Printer<'a> {
    format: OutputFormat,
    skip: usize,
    /// The text has colours.
    is_styled: bool,
    output: &'a mut Output,
}

impl Printer<'_> {
    /// Returns whether there is any result. JSON says so itself, so it counts as one.
    async fn print<T>(
        self,
        results: SearchResults<T>,
        show: impl Fn(usize, &T) -> String,
    ) -> Result<bool>
    where
        T: Serialize + Send + 'static,
    {
        match self.format {
            OutputFormat::Json => self.print_answer(results).await.map(|()| true),
            OutputFormat::Text => self.print_each(results, show).await,
        }
    }

    async fn print_answer<T>(self, results: SearchResults<T>) -> Result<()>
    where
        T: Serialize + Send + 'static,
    {
        let total_count = results.total_count();
        let metadata = results.metadata().clone();
        let results = results.into_vec().await?;
        self.output.json(&Answer { results, total_count, metadata })
    }

    async fn print_each<T: Send + 'static>(
        self,
        mut results: SearchResults<T>,
        show: impl Fn(usize, &T) -> String,
    ) -> Result<bool> {
        let mut rank = self.skip;
        while let Some(result) = results.next().await {
            rank += 1;
            let text = show(rank, &result?);
            if self.is_styled { self.output.styled(&text) } else { self.output.line(&text) }?;
        }
        Ok(rank > self.skip)
    }
}

fn show_text(text: &str) -> String {
    format!("{}\n\n", printable(text).trim_end())
}

fn show_result(rank: usize, result: &TextSearchResult) -> String {
    let shown = excerpt(&result.value, EXCERPT_LENGTH);
    explained(format!("{}   {shown}\n\n", heading(rank, result)), result)
}

/// Indents the whole value, so that no line can imitate the start of another result.
fn show_whole_result(rank: usize, result: &TextSearchResult) -> String {
    let mut lines = heading(rank, result);
    if let Some(why) = result.metadata.get("full_page_error").and_then(Value::as_str) {
        lines.push_str(&format!(
            "   (the snippet alone: {}; --verbose says why)\n",
            in_one_line(why)
        ));
    }
    for line in printable(&result.value).lines() {
        lines.push_str(format!("   {line}").trim_end());
        lines.push('\n');
    }
    explained(lines + "\n", result)
}

/// Adds the explanation of `result` to its lines, which end with an empty one.
fn explained(lines: String, result: &TextSearchResult) -> String {
    if result.explanation.is_empty() {
        return lines;
    }
    format!("{}\n{}\n", lines.trim_end(), explanation::lines(&result.explanation))
}

fn heading(rank: usize, result: &TextSearchResult) -> String {
    let name = result.name.as_deref().or(result.id.as_deref()).unwrap_or("(no name)");
    let score = result.score.map(|score| format!("  ({score:.3})")).unwrap_or_default();
    let link = result.link.as_deref().map(|link| format!("   {}\n", in_one_line(link)));
    format!("{rank}. {}{score}\n{}", excerpt(name, EXCERPT_LENGTH), link.unwrap_or_default())
}

/// Returns one line, for tools that read lines.
fn show_record(_: usize, record: &Value) -> String {
    escape_json(&record.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_shows_rank_name_score_link_and_excerpt() {
        let result = TextSearchResult::new("First.\n\nSecond.")
            .with_name("Filters")
            .with_link("docs/filters.md#semantics")
            .with_score(1.23456);
        let expected = "3. Filters  (1.235)\n   docs/filters.md#semantics\n   First. Second.\n\n";
        assert_eq!(show_result(3, &result), expected);
    }

    #[test]
    fn a_result_takes_three_lines() {
        let result = TextSearchResult::new("x\n9. y").with_name("a\n8. b").with_link("c\n7. d");
        assert_eq!(show_result(1, &result), "1. a 8. b\n   c 7. d\n   x 9. y\n\n");
    }

    #[test]
    fn lines_of_full_pages_never_look_like_results() {
        let mut result = TextSearchResult::new("x\n\n9. y\r8. z").with_name("a");
        result.metadata.insert("full_page_error".to_owned(), "b\nc".into());
        let expected =
            "1. a\n   (the snippet alone: b c; --verbose says why)\n   x\n\n   9. y8. z\n\n";
        assert_eq!(show_whole_result(1, &result), expected);
    }

    #[test]
    fn a_result_without_name_and_link_shows_its_id() {
        let result = TextSearchResult::new("x").with_id("7");
        assert_eq!(show_result(1, &result), "1. 7\n   x\n\n");
    }
}
