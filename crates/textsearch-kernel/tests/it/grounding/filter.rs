//! The prompt filter.

use textsearch_kernel::{
    KernelArguments, KernelError,
    citations::check_citations,
    grounding::{GroundingFilter, GroundingOptions, MemoryConfig},
    prompt::{ExecutionSettings, PromptTemplateConfig, RenderedPrompt},
    textsearch_core::Filter,
};

use super::{AFTER, BEFORE, Search, kernel, page, sent};
use crate::support::{Scripted, text};

fn config(template: &str) -> PromptTemplateConfig {
    PromptTemplateConfig::new(template).with_template_format("brackets")
}

async fn render(filter: GroundingFilter, template: &str) -> Result<RenderedPrompt, KernelError> {
    let mut kernel = kernel(&Scripted::new([]));
    kernel.add_prompt_filter(filter);
    let prompt = kernel.compile_prompt(&config(template))?;
    let arguments = KernelArguments::new().with("year", 2024).with("topic", "money");
    prompt.render(&kernel, &arguments).await
}

fn filter(search: &Search, options: GroundingOptions) -> GroundingFilter {
    GroundingFilter::new(search.clone(), options).unwrap()
}

#[tokio::test]
async fn results_come_before_a_plain_prompt() {
    let search = Search::new([page("a"), page("b")]);
    let rendered =
        render(filter(&search, GroundingOptions::new()), "Budget for [year]?").await.unwrap();
    let expected = format!(
        "{BEFORE}\n\
         {{\"Citation\":\"[1]\",\"Name\":\"a\",\"Value\":\"The text of a.\",\"Link\":\"https://example.com/a\"}}\n\
         {{\"Citation\":\"[2]\",\"Name\":\"b\",\"Value\":\"The text of b.\",\"Link\":\"https://example.com/b\"}}\n\
         {AFTER}\n\n\
         Budget for 2024?"
    );
    assert_eq!(rendered.text, expected);
    assert_eq!(search.queries(), ["Budget for 2024?"]);
    assert_eq!(rendered.sources.len(), 2);
}

#[tokio::test]
async fn results_join_the_last_user_message_of_a_chat_prompt() {
    let search = Search::new([page("<a>")]);
    let template = "<message role=\"system\">Be brief.</message>\
                    <message role=\"user\">For [year] &lt; 2025?</message>";
    let rendered = render(filter(&search, GroundingOptions::new()), template).await.unwrap();
    let history = rendered.into_history();
    let texts: Vec<String> = history.messages().iter().map(|message| message.text()).collect();
    assert_eq!(texts[0], "Be brief.");
    assert!(
        texts[1].starts_with(BEFORE) && texts[1].ends_with("\n\nFor 2024 < 2025?"),
        "{}",
        texts[1]
    );
    assert!(texts[1].contains("\"Name\":\"<a>\""), "{}", texts[1]);
    assert_eq!(texts.len(), 2);
    assert_eq!(search.queries(), ["For 2024 < 2025?"]);
}

#[tokio::test]
async fn a_variable_can_be_the_query() {
    let search = Search::new([page("a")]);
    let topic = || filter(&search, GroundingOptions::new()).with_query_variable("Topic");
    let rendered = render(topic(), "Budget?").await.unwrap();
    assert!(rendered.text.contains("The text of a."));
    assert_eq!(search.queries(), ["money"]);
}

#[tokio::test]
async fn a_prompt_without_the_query_variable_stays_unchanged() {
    let search = Search::new([page("a")]);
    let filter = filter(&search, GroundingOptions::new()).with_query_variable("missing");
    assert_eq!(render(filter, "Budget?").await.unwrap().text, "Budget?");
    assert!(search.queries().is_empty());
}

#[tokio::test]
async fn an_empty_search_adds_nothing() {
    let rendered = render(filter(&Search::new([]), GroundingOptions::new()), "Budget?").await;
    assert_eq!(rendered.unwrap().text, "Budget?");
}

#[tokio::test]
async fn only_results_with_the_minimum_score_are_added() {
    let search = Search::new([page("a").with_score(0.8), page("b").with_score(0.79)]);
    let options = GroundingOptions::new().with_min_score(0.8);
    let rendered = render(filter(&search, options), "Budget?").await.unwrap();
    assert_eq!(rendered.sources.len(), 1);
    assert!(!rendered.text.contains("The text of b."));
}

#[tokio::test]
async fn a_minimum_needs_scores() {
    let options = GroundingOptions::new().with_min_score(0.8);
    let error = render(filter(&Search::new([page("a")]), options), "Budget?").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "shelf: `min_score` is 0.8; expected none: a result of this search has no score"
    );
}

#[tokio::test]
async fn the_best_of_results_with_one_link_stays() {
    let twin = page("b").with_link("https://example.com/a");
    let search = Search::new([page("a"), twin]);
    let rendered = render(filter(&search, GroundingOptions::new()), "Budget?").await.unwrap();
    assert!(!rendered.text.contains("The text of b."));
    let mut options = GroundingOptions::new();
    options.deduplicate = false;
    let rendered = render(filter(&search, options), "Budget?").await.unwrap();
    assert!(rendered.text.contains("The text of b."));
    // Both are the same source.
    assert_eq!(rendered.sources.len(), 1);
}

#[tokio::test]
async fn no_more_than_the_top_results_are_added() {
    let search = Search::new(["a", "b", "c"].map(page));
    let rendered =
        render(filter(&search, GroundingOptions::new().with_top(2)), "Budget?").await.unwrap();
    assert_eq!(rendered.sources.len(), 2);
    assert!(!rendered.text.contains("The text of c."));
}

#[tokio::test]
async fn a_fixed_filter_applies_to_every_search() {
    let search = Search::new([page("a")]);
    let tenant = Filter::eq("tenant", "acme");
    let options = GroundingOptions::new().with_fixed_filter(tenant.clone());
    render(filter(&search, options), "tenant:evil").await.unwrap();
    let asked = search.asked.lock().unwrap();
    assert_eq!(asked[0].1.fixed_filter(), Some(&tenant));
}

#[tokio::test]
async fn a_failed_search_fails_the_rendering() {
    let error = render(filter(&Search::broken(), GroundingOptions::new()), "Budget?").await;
    let error = error.unwrap_err();
    assert_eq!(error.to_string(), "shelf: it fell on its face");
    assert!(error.search_error().is_some());
}

#[tokio::test]
async fn a_failed_search_may_leave_the_prompt_unchanged() {
    let mut options = GroundingOptions::new();
    options.continue_on_error = true;
    let rendered = render(filter(&Search::broken(), options), "Budget?").await.unwrap();
    assert_eq!(rendered.text, "Budget?");
}

#[tokio::test]
async fn the_application_may_write_the_context() {
    let search = Search::new([page("a"), page("b")]);
    let options = GroundingOptions::new().with_formatter(|results| {
        let lines = results.iter().map(|result| format!("{} {}", result.citation, result.value));
        lines.collect::<Vec<_>>().join("\n")
    });
    let rendered = render(filter(&search, options), "Budget?").await.unwrap();
    assert_eq!(rendered.text, "[1] The text of a.\n[2] The text of b.\n\nBudget?");
}

#[tokio::test]
async fn a_blank_context_adds_neither_text_nor_sources() {
    let options = GroundingOptions::new().with_formatter(|_| " \n".to_owned());
    let rendered = render(filter(&Search::new([page("a")]), options), "Budget?").await.unwrap();
    assert_eq!(rendered.text, "Budget?");
    assert!(rendered.sources.is_empty());
}

#[tokio::test]
async fn blank_prompts_are_left_out() {
    let mut options = GroundingOptions::new();
    options.context_prompt = "".to_owned();
    options.citations_prompt = " ".to_owned();
    let rendered = render(filter(&Search::new([page("a")]), options), "Budget?").await.unwrap();
    assert!(rendered.text.starts_with("{\"Citation\":\"[1]\""), "{}", rendered.text);
    assert!(rendered.text.ends_with("}\n\nBudget?"), "{}", rendered.text);
}

#[tokio::test]
async fn a_chat_knows_the_sources_of_its_prompt() {
    let model = Scripted::new([text("It is so [1], and not [2].")]);
    let mut kernel = kernel(&model);
    kernel.add_prompt_filter(filter(&Search::new([page("a")]), GroundingOptions::new()));
    let outcome = kernel.chat_prompt(config("Budget?"), KernelArguments::new()).await.unwrap();
    let citations = check_citations(&outcome.answer().unwrap(), &outcome.run.sources);
    let sources: Vec<Option<usize>> = citations.iter().map(|citation| citation.source).collect();
    assert_eq!(sources, [Some(1), None]);
}

#[tokio::test]
async fn a_blank_prompt_is_not_searched_for() {
    let search = Search::new([page("a")]);
    assert_eq!(render(filter(&search, GroundingOptions::new()), " \n").await.unwrap().text, " \n");
    assert!(search.queries().is_empty());
}

#[tokio::test]
async fn a_long_query_is_cut_to_its_end() {
    let search = Search::new([]);
    let long = format!("{} What is the budget?", "word ".repeat(1_000));
    render(filter(&search, GroundingOptions::new()), &long).await.unwrap();
    let query = search.queries().remove(0);
    assert!(query.len() <= 2_000 && query.starts_with("word word"), "{query}");
    assert!(query.ends_with("What is the budget?"), "{query}");
}

#[test]
fn impossible_options_are_refused() {
    let refused = |options| GroundingFilter::new(Search::new([]), options).unwrap_err().to_string();
    let options = GroundingOptions::new;
    for (options, expected) in [
        (options().with_top(0), "shelf: `top` is 0; expected 1 or more"),
        (options().with_min_score(f64::NAN), "shelf: `min_score` is NaN; expected a finite number"),
        (
            options().with_max_characters(199),
            "shelf: `max_characters` is 199; expected 200 or more",
        ),
        (
            options().with_fixed_filter(Filter::eq("owner", "a")),
            "shelf: cannot filter on `owner`: there is no such filterable field; there is tenant",
        ),
    ] {
        assert_eq!(refused(options), expected);
    }
}

#[tokio::test]
async fn no_search_gets_the_results_of_another_as_its_query() {
    for template in ["Budget?", "<message role=\"user\">Budget?</message>", CHAT_WITH_PARTS] {
        let [first, second, third] =
            ["a", "b", "c"].map(|name| Search::new([page(name).with_score(1.0)]));
        let model = Scripted::new([text("Done.")]);
        let mut kernel = kernel(&model);
        kernel.add_prompt_filter(filter(&first, GroundingOptions::new()));
        kernel.add_prompt_filter(filter(&second, GroundingOptions::new()));
        let settings = ExecutionSettings::new().with_memory(MemoryConfig::new(third.clone()));
        let arguments = KernelArguments::new().with_default_settings(settings);
        let outcome = kernel.chat_prompt(config(template), arguments).await.unwrap();
        for search in [first, second, third] {
            assert_eq!(search.queries(), ["Budget?"], "{template}");
        }
        assert_eq!(outcome.run.sources.len(), 3);
        let sent = sent(&model, 0).remove(0);
        let names = ["\"[3]\",\"Name\":\"c\"", "\"[2]\",\"Name\":\"a\"", "\"[1]\",\"Name\":\"b\""];
        let places: Vec<usize> = names.iter().map(|name| sent.find(name).unwrap()).collect();
        assert!(places.is_sorted(), "{sent}");
    }
}

const CHAT_WITH_PARTS: &str = "<message role=\"user\"><text>Budget?</text></message>";
