//! Search plugins and their functions.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, KernelPlugin, Result, TextSearchPlugins,
    search::{OfferedFields, SearchPluginOptions, ShownMetadata},
    textsearch_core::{
        CheckedOptions, Error, ErrorKind, Filter, FilterableField, FixedSearch, SearchOptions,
        SearchResults, TextSearch, TextSearchConnector, TextSearchResult,
        filter::{DateTime, FilterOperator},
    },
};

use crate::support::set;

/// Returns nothing or an error.
#[derive(Clone, Default)]
struct Recorder {
    asked: Arc<Mutex<Vec<(String, SearchOptions)>>>,
    fields: Vec<FilterableField>,
    refuses_fixed_filters: bool,
    fails: bool,
}

impl TextSearchConnector for Recorder {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "recorder"
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>, Error> {
        self.asked.lock().unwrap().push((query.to_owned(), SearchOptions::clone(options)));
        if self.fails {
            return Err(Error::new(ErrorKind::RateLimited, "recorder", "slow down"));
        }
        Ok(SearchResults::from_vec(Vec::new()))
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        !self.refuses_fixed_filters
    }
}

impl Recorder {
    fn with_fields(fields: impl IntoIterator<Item = FilterableField>) -> Self {
        Self { fields: fields.into_iter().collect(), ..Self::default() }
    }

    async fn asked(&self, options: SearchPluginOptions, arguments: Value) -> Result<SearchOptions> {
        let function = function(self.create_with_search(options))?;
        call(&function, arguments).await?;
        Ok(self.asked.lock().unwrap().pop().unwrap().1)
    }

    async fn filter(&self, mut arguments: Value) -> Result<Option<Filter>> {
        arguments["query"] = json!("q");
        let options = self.asked(SearchPluginOptions::new("A"), arguments).await?;
        Ok(options.filter().map(std::borrow::Cow::into_owned))
    }
}

/// Returns the only function of a plugin.
fn function(plugin: Result<KernelPlugin>) -> Result<KernelFunction> {
    Ok(plugin?.functions()[0].clone())
}

async fn call(function: &KernelFunction, arguments: Value) -> Result<Value> {
    let arguments = KernelArguments::from(arguments.as_object().unwrap().clone());
    Ok(Kernel::new().invoke_function(function, arguments).await?.value.into_json())
}

fn pages() -> FixedSearch {
    let page = |number: usize| {
        TextSearchResult::new(format!("text {number}"))
            .with_name(format!("Page {number}"))
            .with_link(format!("https://example.com/{number}"))
    };
    FixedSearch::new((0..5).map(page).collect::<Vec<_>>())
}

#[tokio::test]
async fn a_plugin_takes_one_line_for_each_kind_of_result() {
    let search: Arc<dyn TextSearch> = Arc::new(pages());
    let mut kernel = Kernel::new();
    kernel.add_plugin(search.create_with_search("A").unwrap()).unwrap();
    kernel.add_plugin(search.create_with_get_search_results("B").unwrap()).unwrap();
    kernel.add_plugin(search.create_with_get_text_search_results("C").unwrap()).unwrap();
    kernel.add_plugin(search.create_with_records("D", "GetPages").unwrap()).unwrap();

    let arguments = || KernelArguments::new().with("query", "q").with("count", 1).with("skip", 1);
    let texts = kernel.invoke("A", "Search", arguments()).await.unwrap();
    assert_eq!(texts.value, json!(["text 1"]));
    assert_eq!(texts.text(), "text 1");
    let page = json!({ "Name": "Page 1", "Value": "text 1", "Link": "https://example.com/1" });
    let mut result = page.clone();
    result["Source"] = json!("fixed");
    for (plugin, function, expected) in [
        ("B", "GetSearchResults", &result),
        ("C", "GetTextSearchResults", &result),
        ("D", "GetPages", &page),
    ] {
        let result = kernel.invoke(plugin, function, arguments()).await.unwrap();
        assert_eq!(result.value, json!([expected]), "{plugin}");
    }
}

#[tokio::test]
async fn a_one_line_plugin_takes_options_for_its_function() {
    let options = |name| {
        set(SearchPluginOptions::new(name).with_function_name("Find"), |settings| {
            settings.default_count = 1;
        })
    };
    let search = pages();
    let mut kernel = Kernel::new();
    kernel.add_plugin(search.create_with_search(options("A")).unwrap()).unwrap();
    for (plugin, created) in [
        ("B", search.create_with_get_search_results(options("B"))),
        ("C", search.create_with_get_text_search_results(options("C"))),
        ("D", search.create_with_records(options("D"), "GetPages")),
    ] {
        kernel.add_plugin(created.unwrap()).unwrap();
        let arguments = KernelArguments::new().with("query", "q");
        let result = kernel.invoke(plugin, "Find", arguments).await.unwrap();
        assert_eq!(result.value.to_json().as_array().map(Vec::len), Some(1), "{plugin}");
    }
    let texts =
        kernel.invoke("A", "Find", KernelArguments::new().with("query", "q")).await.unwrap();
    assert_eq!(texts.value, json!(["text 0"]));
}

#[tokio::test]
async fn returns_two_results_by_default() {
    let texts = function(pages().create_with_search("A")).unwrap();
    assert_eq!(call(&texts, json!({ "query": "q" })).await.unwrap(), json!(["text 0", "text 1"]));
    let mut options = SearchPluginOptions::new("A");
    options.default_count = 3;
    options.max_count = 4;
    let function = function(pages().create_with_search(options)).unwrap();
    assert_eq!(
        call(&function, json!({ "query": "q" })).await.unwrap().as_array().unwrap().len(),
        3
    );
    let error = call(&function, json!({ "query": "q", "count": 5 })).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the argument `count` of `A-Search` must be from 1 to 4: found 5"
    );
}

#[tokio::test]
async fn an_empty_query_is_not_searched() {
    let recorder = Recorder::default();
    let function = function(recorder.create_with_search("A")).unwrap();
    assert_eq!(call(&function, json!({ "query": " " })).await.unwrap(), json!([]));
    assert!(recorder.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_query_reaches_the_search_unchanged() {
    let recorder = Recorder::default();
    let function = function(recorder.create_with_search("A")).unwrap();
    let query = " <b>&amp; \"site:a\" {{x}} ";
    call(&function, json!({ "query": query })).await.unwrap();
    assert_eq!(recorder.asked.lock().unwrap()[0].0, query);
}

#[tokio::test]
async fn descriptions_and_names_can_be_overridden() {
    let options = SearchPluginOptions::new("A")
        .with_function_name("FindPages")
        .with_description("Finds pages.")
        .with_parameter_description("Query", "What to find");
    let options =
        set(options, |options| options.return_description = Some("The pages.".to_owned()));
    let function = function(pages().create_with_search(options)).unwrap();
    let metadata = function.metadata();
    assert_eq!(
        (metadata.name.as_str(), metadata.description.as_str()),
        ("FindPages", "Finds pages.")
    );
    assert_eq!(metadata.parameter("query").unwrap().description, "What to find");
    assert_eq!(metadata.parameter("count").unwrap().description, "Number of results to return");
    assert_eq!(metadata.return_parameter.description, "The pages.");

    let options = SearchPluginOptions::new("A").with_parameter_description("site", "Where");
    let error = pages().create_with_search(options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the function `Search` cannot be made: it has no parameter `site`: its parameters are query, count, skip"
    );
}

#[tokio::test]
async fn the_operators_of_a_field_decide_its_parameters() {
    use FilterOperator::{Contains, Eq, Ge, In, Le, Lt};
    let recorder = Recorder::with_fields([
        FilterableField::string("site", "The site").with_operators([Eq]),
        FilterableField::string("tag", "A tag").with_operators([In]),
        FilterableField::integer("year", "The year").with_operators([Ge, Lt]),
        FilterableField::new(
            "labels",
            "Its labels",
            json!({ "type": "array", "items": { "type": "string" } }),
        )
        .with_all_operators(),
        FilterableField::string("text", "The text").with_operators([Contains]),
        FilterableField::number("meta.price-eur", "The price").with_operators([Le]),
        FilterableField::string("hidden", "Not for models").offered_to_model(false),
    ]);
    let function = function(recorder.create_with_search("A")).unwrap();
    let parameters: Vec<(&str, &str)> = function.metadata().parameters[3..]
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.description.as_str()))
        .collect();
    let expected = [
        ("site", "The site"),
        ("tag", "A tag"),
        ("year_min", "The year (minimum, inclusive)"),
        ("year_max", "The year (maximum, exclusive)"),
        ("labels", "Its labels"),
        ("meta_price_eur_max", "The price (maximum, inclusive)"),
    ];
    assert_eq!(parameters, expected);
    let several =
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 100 });
    assert_eq!(function.metadata().parameter("tag").unwrap().schema, several);
    assert_eq!(
        function.metadata().parameter("labels").unwrap().schema,
        json!({ "type": "string" })
    );
}

#[test]
fn only_ordered_fields_get_bounds() {
    // A store declares every operator for every type, since it evaluates filters itself.
    let field = |name: &str, schema| {
        FilterableField::new(name, "", schema).with_operators(FilterOperator::ALL_COMPARISONS)
    };
    let list = json!({ "type": "array", "items": { "type": "string" } });
    let recorder = Recorder::with_fields([
        field("open", json!({ "type": "boolean" })),
        field("labels", list.clone()),
        field("notes", json!({ "type": ["array", "null"], "items": { "type": "string" } })),
        field("title", json!({ "type": ["string", "null"] })),
        field("about", json!({ "type": "object" })),
        field("year", json!({ "type": "integer" })),
    ]);
    let function = function(recorder.create_with_search("A")).unwrap();
    let parameters = &function.metadata().parameters[3..];
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(
        names,
        ["open", "labels", "notes", "title", "about", "year", "year_min", "year_max"]
    );
    // The parameter takes one value of the list, even if the list may be null.
    assert_eq!(parameters[1].schema, json!({ "type": "string" }));
    assert_eq!(parameters[2].schema, json!({ "type": "string" }));
}

#[derive(Clone)]
struct Endless;

impl TextSearchConnector for Endless {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "endless"
    }

    async fn search_records(
        &self,
        _query: &str,
        _options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>, Error> {
        let results = futures_util::stream::repeat_with(|| Ok(TextSearchResult::new("again")));
        Ok(SearchResults::from_stream(results.take(1_000)))
    }
}

#[tokio::test]
async fn a_connector_cannot_exceed_the_count() {
    for plugin in [
        Endless.create_with_search("A"),
        Endless.create_with_get_search_results("A"),
        Endless.create_with_records("A", "Records"),
    ] {
        let results =
            call(&function(plugin).unwrap(), json!({ "query": "q", "count": 3 })).await.unwrap();
        assert_eq!(results.as_array().unwrap().len(), 3);
    }
}

#[tokio::test]
async fn arguments_become_conditions() {
    let recorder = Recorder::with_fields([
        FilterableField::string("site", "The site").with_all_operators(),
        FilterableField::integer("year", "The year").with_all_operators(),
        FilterableField::boolean("open", "Whether it is open"),
        FilterableField::new(
            "labels",
            "Its labels",
            json!({ "type": "array", "items": { "type": "string" } }),
        )
        .with_all_operators(),
    ]);
    let filter = |arguments| recorder.filter(arguments);
    assert_eq!(filter(json!({})).await.unwrap(), None);
    assert_eq!(
        filter(json!({ "site": "a.com" })).await.unwrap(),
        Some(Filter::eq("site", "a.com"))
    );
    assert_eq!(filter(json!({ "open": "true" })).await.unwrap(), Some(Filter::eq("open", true)));
    let any = Filter::In { field: "site".to_owned(), values: vec!["a.com".into(), "b.com".into()] };
    assert_eq!(filter(json!({ "site": ["a.com", "b.com"] })).await.unwrap(), Some(any));
    let labels = filter(json!({ "labels": "rust" })).await.unwrap();
    assert_eq!(labels, Some(Filter::contains("labels", "rust")));
    let both =
        filter(json!({ "year_max": "2024", "year_min": 2020.0, "site": null })).await.unwrap();
    assert_eq!(both, Some(Filter::And(vec![Filter::ge("year", 2020), Filter::le("year", 2024)])));
}

#[tokio::test]
async fn dates_compare_as_instants_and_bad_ones_are_refused() {
    let recorder = Recorder::with_fields([
        FilterableField::date_time("seen", "When it was seen").with_all_operators()
    ]);
    let day = DateTime::parse("2024-08-21").unwrap();
    let filter = recorder.filter(json!({ "seen_min": "2024-08-21" })).await.unwrap();
    assert_eq!(filter, Some(Filter::ge("seen", day)));
    let filter = recorder.filter(json!({ "seen": ["2024-08-21T02:00:00+02:00"] })).await.unwrap();
    assert_eq!(filter, Some(Filter::In { field: "seen".to_owned(), values: vec![day.into()] }));
    for bad in ["yesterday", "2024-13-01", ""] {
        let error = recorder.filter(json!({ "seen_min": bad })).await.unwrap_err();
        assert!(
            matches!(&error, KernelError::InvalidArgument { parameter, .. } if parameter == "seen_min")
        );
        assert!(error.to_string().contains("must be a date such as 2024-08-21"), "{error}");
    }
}

#[tokio::test]
async fn an_integer_that_a_filter_cannot_hold_is_refused() {
    let recorder =
        Recorder::with_fields([FilterableField::integer("size", "The size").with_all_operators()]);
    let error = recorder.filter(json!({ "size_min": u64::MAX })).await.unwrap_err();
    assert!(error.to_string().contains("must be at most 9223372036854775807"), "{error}");
}

#[tokio::test]
async fn a_list_chooses_the_fields_that_are_offered() {
    let recorder = Recorder::with_fields([
        FilterableField::string("site", "The site"),
        FilterableField::string("hidden", "Not by default").offered_to_model(false),
    ]);
    let names = |offered| {
        let options = SearchPluginOptions::new("A").with_offered_fields(offered);
        let function = function(recorder.create_with_search(options))?;
        let parameters = function.metadata().parameters.iter().skip(3);
        Ok::<_, KernelError>(parameters.map(|parameter| parameter.name.clone()).collect::<Vec<_>>())
    };
    assert_eq!(names(OfferedFields::Default).unwrap(), ["site"]);
    assert_eq!(names(OfferedFields::None).unwrap(), Vec::<String>::new());
    assert_eq!(names(OfferedFields::list(["hidden"])).unwrap(), ["hidden"]);
    let error = names(OfferedFields::list(["nothing"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`nothing` is not a field of `recorder`: its fields are site, hidden"
    );
    let text = Recorder::with_fields([
        FilterableField::string("text", "").with_operators([FilterOperator::Contains])
    ]);
    let options = SearchPluginOptions::new("A").with_offered_fields(OfferedFields::list(["text"]));
    let error = text.create_with_search(options).unwrap_err();
    assert!(error.to_string().starts_with("`text` cannot be offered"), "{error}");
}

#[tokio::test]
async fn names_that_clash_are_refused() {
    let clash = |fields: &[&str]| {
        let fields =
            fields.iter().map(|name| FilterableField::integer(*name, "").with_all_operators());
        Recorder::with_fields(fields).create_with_search("A")
    };
    for fields in
        [&["query"][..], &["Count"], &["skip"], &["a.b", "a_b"], &["a", "A"], &["year", "year_min"]]
    {
        assert!(matches!(clash(fields), Err(KernelError::InvalidName { .. })), "{fields:?}");
    }
    assert!(clash(&["a", "b"]).is_ok());
}

#[tokio::test]
async fn the_fixed_filter_is_separate_from_a_calls_filter() {
    let recorder = Recorder::with_fields([FilterableField::string("site", "The site")]);
    let fixed = Filter::eq("site", "a.com");
    let options = SearchPluginOptions::new("A").with_fixed_filter(fixed.clone());
    let asked = recorder.asked(options, json!({ "query": "q", "site": "b.com" })).await.unwrap();
    assert_eq!(asked.fixed_filter(), Some(&fixed));
    let both = Filter::And(vec![fixed, Filter::eq("site", "b.com")]);
    assert_eq!(asked.filter().as_deref(), Some(&both));
}

#[tokio::test]
async fn a_fixed_filter_that_cannot_hold_is_refused_at_creation() {
    let options = || SearchPluginOptions::new("A").with_fixed_filter(Filter::eq("site", "a.com"));
    let refusing = Recorder {
        refuses_fixed_filters: true,
        ..Recorder::with_fields([FilterableField::string("site", "The site")])
    };
    let refused_kind = |recorder: Recorder| {
        let error = recorder.create_with_search(options()).unwrap_err();
        assert!(error.to_string().contains("`recorder` cannot apply its fixed filter"), "{error}");
        let source = std::error::Error::source(&error).unwrap().downcast_ref::<Error>().unwrap();
        source.kind().clone()
    };
    let kind = refused_kind(refusing);
    assert!(matches!(kind, ErrorKind::InvalidOptions { option, .. } if option == "fixed_filter"));
    let kind = refused_kind(Recorder::default());
    assert!(matches!(kind, ErrorKind::UnsupportedFilter { field, .. } if field == "site"));
}

#[tokio::test]
async fn counts_that_contradict_each_other_are_refused() {
    for (default, max) in [(0, 50), (3, 2), (1, 0)] {
        let mut options = SearchPluginOptions::new("A");
        options.default_count = default;
        options.max_count = max;
        let error = pages().create_with_search(options).unwrap_err();
        assert!(matches!(error, KernelError::InvalidFunction { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_search_that_fails_is_the_source_of_the_error() {
    let recorder = Recorder { fails: true, ..Recorder::default() };
    let mut kernel = Kernel::new();
    kernel.add_plugin(recorder.create_with_search("Web").unwrap()).unwrap();
    let error = kernel
        .invoke("Web", "Search", KernelArguments::new().with("query", "q"))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the function `Web-Search` failed");
    assert!(error.search_error().unwrap().is_retryable());
}

#[tokio::test]
async fn functions_of_one_search_can_share_a_plugin() {
    let search = pages();
    let functions = [
        function(search.create_with_search("A")).unwrap(),
        function(search.create_with_get_search_results("B")).unwrap(),
    ];
    let plugin = KernelPlugin::new("Pages", "Searches pages.", functions).unwrap();
    let names: Vec<&str> = plugin.functions().iter().map(KernelFunction::name).collect();
    assert_eq!(names, ["Search", "GetSearchResults"]);
    assert_eq!(plugin.description(), "Searches pages.");
}

/// One ordinary entry, and one that is named after an error.
async fn shown(shown: Option<ShownMetadata>) -> [Value; 2] {
    let result = TextSearchResult::new("text")
        .with_metadata("language", "en")
        .with_metadata("full_page_Error", "`vm` (127.0.0.1) is a loopback address");
    let search = FixedSearch::new([result]);
    let options = || match shown.clone() {
        Some(shown) => {
            set(SearchPluginOptions::new("A"), |settings| settings.shown_metadata = shown)
        }
        None => SearchPluginOptions::new("A"),
    };
    let results = function(search.create_with_get_search_results(options())).unwrap();
    let records = function(search.create_with_records(options(), "Records")).unwrap();
    let arguments = || json!({ "query": "q" });
    let written = Kernel::new()
        .invoke_function(&results, KernelArguments::new().with("query", "q"))
        .await
        .unwrap();
    let [as_results, as_records] =
        [call(&results, arguments()).await, call(&records, arguments()).await];
    let as_results = as_results.unwrap();
    let as_records = as_records.unwrap();
    assert_eq!(written.text(), as_results.to_string());
    [as_results[0]["Metadata"].clone(), as_records[0]["Metadata"].clone()]
}

#[tokio::test]
async fn metadata_named_after_an_error_is_hidden_by_default() {
    let expected = json!({ "language": "en" });
    assert_eq!(shown(None).await, [expected.clone(), expected]);
}

#[tokio::test]
async fn the_options_choose_the_metadata_a_function_returns() {
    let all =
        json!({ "language": "en", "full_page_Error": "`vm` (127.0.0.1) is a loopback address" });
    for (options, expected) in [
        (ShownMetadata::All, all),
        (ShownMetadata::None, Value::Null),
        (ShownMetadata::list(["language", "other"]), json!({ "language": "en" })),
    ] {
        assert_eq!(shown(Some(options)).await, [expected.clone(), expected]);
    }
}

#[tokio::test]
async fn a_call_lists_at_most_100_values_per_field() {
    let operators = [FilterOperator::Eq, FilterOperator::In];
    let field = FilterableField::string("site", "The site").with_operators(operators);
    let recorder = Recorder::with_fields([field]);
    let sites = |count: usize| json!({ "site": vec!["a.example"; count] });
    assert!(recorder.filter(sites(100)).await.unwrap().is_some());
    let error = recorder.filter(sites(101)).await.unwrap_err();
    assert!(error.to_string().contains("must have at most 100 items: found 101"), "{error}");
}
