//! Filters see typed search records, and JSON only on request.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use textsearch_kernel::{
    Kernel, KernelArguments, Result, TextSearchPlugins,
    chat::{AutoFunctionInvocationContext, AutoFunctionInvocationFilter, NextAutoInvocation},
    function::{FunctionInvocationContext, FunctionInvocationFilter, FunctionValue, Next},
    textsearch_core::{
        FixedSearch, TextSearchRecord, TextSearchResult, async_trait,
        chat::{ChatHistory, ChatMessage},
    },
};

use crate::support::{Scripted, calls, kernel_with, settings, text};

/// A page of one team, which counts how often it is made a result.
#[derive(Clone, Serialize, JsonSchema)]
struct Page {
    team: &'static str,
    text: &'static str,
    #[serde(skip)]
    made: Arc<AtomicUsize>,
}

impl TextSearchRecord for Page {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.text)
    }

    fn to_result(&self) -> TextSearchResult {
        self.made.fetch_add(1, Ordering::Relaxed);
        TextSearchResult::new(self.text)
    }
}

/// Also returns the counter of conversions.
fn kernel() -> (Kernel, Arc<AtomicUsize>) {
    let made = Arc::default();
    let page = |team, text| Page { team, text, made: Arc::clone(&made) };
    let search = FixedSearch::new([page("a", "one"), page("b", "two")]);
    let mut kernel = Kernel::new();
    kernel.add_plugin(search.create_with_search("Texts").unwrap()).unwrap();
    kernel.add_plugin(search.create_with_get_search_results("Results").unwrap()).unwrap();
    (kernel, made)
}

struct OnlyTeam(&'static str);

impl OnlyTeam {
    fn keep(&self, value: Option<&mut FunctionValue>) {
        let records = value.and_then(FunctionValue::records_mut).unwrap();
        assert_eq!(records.records().len(), 2);
        records.retain(|record| record.downcast_ref::<Page>().unwrap().team == self.0);
    }
}

#[async_trait]
impl FunctionInvocationFilter for OnlyTeam {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        next.run(context).await?;
        self.keep(context.result.as_mut());
        Ok(())
    }
}

#[async_trait]
impl AutoFunctionInvocationFilter for OnlyTeam {
    async fn on_auto_function_invocation(
        &self,
        context: &mut AutoFunctionInvocationContext,
        next: NextAutoInvocation<'_>,
    ) -> Result<()> {
        next.run(context).await?;
        self.keep(context.result.as_mut());
        Ok(())
    }
}

#[tokio::test]
async fn a_filter_drops_records_by_their_own_fields() {
    let (mut kernel, made) = kernel();
    kernel.add_function_filter(OnlyTeam("b"));
    let query = || KernelArguments::new().with("query", "?");
    let texts = kernel.invoke("Texts", "Search", query()).await.unwrap();
    let results = kernel.invoke("Results", "GetSearchResults", query()).await.unwrap();
    assert_eq!(made.load(Ordering::Relaxed), 0);
    assert_eq!(texts.text(), "two");
    assert_eq!(results.value, json!([{ "Value": "two", "Source": "fixed" }]));
}

#[tokio::test]
async fn a_chat_filter_sees_typed_records() {
    let call = calls([("Results-GetSearchResults", json!({ "query": "?" }))]);
    let model = Scripted::new([call, text("Done.")]);
    let mut kernel = kernel_with(kernel().0, &model);
    kernel.add_auto_function_filter(OnlyTeam("a"));
    let history = ChatHistory::from(vec![ChatMessage::user("?")]);
    let outcome = kernel.chat(history, settings()).await.unwrap();
    assert_eq!(model.tool_results_json()[0][0]["Value"], "one");
    assert_eq!(model.tool_results_json()[0].as_array().unwrap().len(), 1);
    let records = outcome.run.calls[0].result.as_ref().unwrap().records().unwrap();
    assert_eq!(records.records()[0].downcast_ref::<Page>().unwrap().team, "a");
}

#[tokio::test]
async fn a_filter_answers_with_its_own_results() {
    struct Answer;

    #[async_trait]
    impl FunctionInvocationFilter for Answer {
        async fn on_function_invocation(
            &self,
            context: &mut FunctionInvocationContext,
            _: Next<'_>,
        ) -> Result<()> {
            context.result = Some(vec![TextSearchResult::new("mine")].into());
            Ok(())
        }
    }

    let (mut kernel, _) = kernel();
    kernel.add_function_filter(Answer);
    let arguments = KernelArguments::new().with("query", "?");
    let result = kernel.invoke("Results", "GetSearchResults", arguments).await.unwrap();
    assert_eq!(result.value, json!([{ "Value": "mine" }]));
}
