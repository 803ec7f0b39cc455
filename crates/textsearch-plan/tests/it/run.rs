//! Runs.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use textsearch_core::{BoxError, async_trait};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, KernelPlugin, Result,
    chat::{AutoFunctionInvocationContext, AutoFunctionInvocationFilter, NextAutoInvocation},
    function::{
        FunctionInvocationContext, FunctionInvocationFilter, FunctionMetadata, Next,
        ParameterMetadata,
    },
};
use textsearch_plan::{
    PlanChecker, PlanError, PlanEvent, PlanObserver, PlanState, RunOptions, StepState,
};

use crate::support::{check, function, kernel_of, limits, plan, seed_kernel, seed_plan};

/// Functions without schemas: `Same` returns its value, `Fail` fails.
fn untyped() -> Kernel {
    let fail = FunctionMetadata::new("Fail", "").with_parameter(ParameterMetadata::required(
        "value",
        "",
        Value::Null,
    ));
    let fail =
        KernelFunction::new(fail, |_| async { Err(KernelError::reported("F-Fail", "no luck")) });
    kernel_of([function("Same", (Value::Null, Value::Null), |value| value), fail.unwrap()])
}

async fn value_of(steps: Value, result: Value) -> Value {
    let kernel = untyped();
    let checked = check(&kernel, plan(json!({ "steps": steps, "result": result }))).unwrap();
    checked.run(&kernel, KernelArguments::new()).await.unwrap().value
}

fn same(id: &str, value: Value) -> Value {
    json!({ "id": id, "function": "F.Same", "arguments": { "value": value } })
}

#[tokio::test]
async fn the_plan_of_the_decision_record_returns_degrees() {
    let kernel = seed_kernel();
    let checked = check(&kernel, seed_plan("$.steps.date.result.date")).unwrap();
    let outcome = checked.run(&kernel, KernelArguments::new().with("days", 1)).await.unwrap();
    assert_eq!(outcome.result::<i32>().unwrap(), 61);
    let finished = outcome.state.steps.get("date");
    assert_eq!(finished, Some(&StepState::Finished(json!({ "date": "day 1" }))));
    let error = outcome.result::<String>().unwrap_err();
    assert!(matches!(error, PlanError::WrongType(_)), "{error}");
}

#[tokio::test]
async fn inputs_are_checked_before_anything_runs() {
    let kernel = seed_kernel();
    let checked = check(&kernel, seed_plan("$.steps.date.result.date")).unwrap();
    for (inputs, message) in [
        (
            KernelArguments::new(),
            "the plan cannot start: the input `days` must be an integer: found null",
        ),
        (
            KernelArguments::new().with("days", "1"),
            "the plan cannot start: the input `days` must be an integer: found \"1\"",
        ),
        (
            KernelArguments::new().with("days", 1).with("hours", 1),
            "the plan cannot start: the input `hours` is unknown; the inputs are `days`",
        ),
    ] {
        assert_eq!(checked.run(&kernel, inputs).await.unwrap_err().to_string(), message);
    }
}

#[tokio::test]
async fn references_select_values_anywhere() {
    let week = json!([{ "name": "Mo", "rain": 3 }, { "name": "Tu", "rain": 0 }]);
    let steps = json!([
        same("week", week),
        same(
            "list",
            json!(["$.steps.week.result[-1].name", { "wet": "$.steps.week.result[?@.rain > 0].name" }, "$$.item"])
        ),
    ]);
    assert_eq!(
        value_of(steps, json!({ "all": "$.steps.list.result", "none": "$.steps.week.result[7]" }))
            .await,
        json!({ "all": ["Tu", { "wet": ["Mo"] }, "$.item"], "none": null })
    );
}

#[tokio::test]
async fn no_text_of_a_result_becomes_a_reference() {
    let hostile = json!(["$.steps.other.result", { "a": "$.item" }, "$$.item"]);
    // `$$$.item` is the literal text `$$.item`.
    let literal = json!(["$$.steps.other.result", { "a": "$$.item" }, "$$$.item"]);
    let steps = json!([
        same("other", json!("secret")),
        same("hostile", literal),
        same("copy", json!({ "of": "$.steps.hostile.result" })),
        { "id": "each", "function": "F.Same", "for_each": "$.steps.copy.result.of", "arguments": { "value": "$.item" } },
    ]);
    let result = json!(["$.steps.copy.result.of", "$.steps.each.result"]);
    assert_eq!(value_of(steps, result).await, json!([hostile, hostile]));
}

#[tokio::test]
async fn loops_keep_the_order_of_their_items() {
    let steps = json!([
        same("list", json!([3, 1, 2])),
        {
            "id": "each", "function": "F.Same", "for_each": "$.steps.list.result",
            "when": { "value": "$.item", "is": "greater_than", "other": 1 },
            "arguments": { "value": { "n": "$.item" } },
        },
        { "id": "none", "function": "F.Same", "for_each": [], "arguments": { "value": 1 } },
    ]);
    assert_eq!(
        value_of(steps, json!(["$.steps.each.result[*].n", "$.steps.none.result"])).await,
        json!([[3, 2], []])
    );
}

#[tokio::test]
async fn a_skipped_step_skips_those_that_need_it() {
    let mut skipped = same("skipped", json!(1));
    skipped["when"] = json!({ "value": "$.steps.zero.result", "is": "not_equal_to", "other": 0.0 });
    let steps = json!([
        same("zero", json!(0)),
        skipped,
        same("after", json!(["$.steps.skipped.result"])),
        same("other", json!(2)),
    ]);
    let result = json!(["$.steps.skipped.result", "$.steps.after.result", "$.steps.other.result"]);
    assert_eq!(value_of(steps, result).await, json!([null, null, 2]));
}

#[tokio::test]
async fn each_operator_decides() {
    for (value, is, other, expected) in [
        (json!(1), "equal_to", json!(1.0), true),
        (json!("a"), "not_equal_to", json!("a"), false),
        (json!(2), "less_than", json!(2.5), true),
        (json!("b"), "at_most", json!("a"), false),
        (json!(3), "greater_than", json!(3), false),
        (json!(3), "at_least", json!(3), true),
        (json!([1, 2]), "contains", json!(2), true),
        (json!("abc"), "contains", json!("x"), false),
        (json!([]), "empty", Value::Null, true),
        (json!(0), "not_empty", Value::Null, true),
        (Value::Null, "equal_to", Value::Null, true),
        (json!([null]), "contains", Value::Null, true),
    ] {
        let mut step = same("x", json!("ran"));
        step["when"] = json!({ "value": "$.steps.v.result[0]", "is": is, "other": other });
        let ran =
            value_of(json!([same("v", json!([value])), step]), json!("$.steps.x.result")).await;
        assert_eq!(ran == "ran", expected, "{value} {is} {other}");
    }
}

#[tokio::test]
async fn a_condition_on_nothing_fails_the_step() {
    let run = async |value: &str, is: &str, other: Value| {
        let kernel = untyped();
        let mut step = same("x", json!("ran"));
        step["when"] = json!({ "value": value, "is": is, "other": other });
        let steps = json!([same("v", json!({ "known": 1 })), step]);
        let written = plan(json!({ "steps": steps, "result": "$.steps.x.result" }));
        check(&kernel, written).unwrap().run(&kernel, KernelArguments::new()).await
    };
    let nothing = "$.steps.v.result.unknown";
    for (value, is, other) in [
        (nothing, "not_equal_to", json!("done")),
        (nothing, "equal_to", Value::Null),
        (nothing, "less_than", json!(1)),
        ("$.steps.v.result.known", "not_equal_to", json!(nothing)),
    ] {
        let error = run(value, is, other).await.unwrap_err().to_string();
        let message =
            "step `x`: `when` can't compare `$.steps.v.result.unknown`, which matches nothing; use";
        assert!(error.starts_with(message), "{error}");
    }
    assert_eq!(run(nothing, "empty", Value::Null).await.unwrap().value, "ran");
    assert_eq!(run(nothing, "not_empty", Value::Null).await.unwrap().value, Value::Null);
}

#[tokio::test(start_paused = true)]
async fn steps_that_do_not_wait_for_each_other_run_together() {
    let max = Arc::new(AtomicUsize::new(0));
    let running = Arc::new(AtomicUsize::new(0));
    let peak = Arc::clone(&max);
    let now = Arc::clone(&running);
    let slow = KernelFunction::new(FunctionMetadata::new("Slow", ""), move |_| {
        let peak = Arc::clone(&peak);
        let now = Arc::clone(&now);
        async move {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(1)).await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(Value::Null)
        }
    });
    let kernel = kernel_of([slow.unwrap()]);
    let steps: Value =
        (0..6).map(|n| json!({ "id": format!("s{n}"), "function": "F.Slow" })).collect();
    let checker =
        PlanChecker::new(&kernel).with_limits(limits(|limits| limits.concurrent_calls = 3));
    let checked = checker.check(plan(json!({ "steps": steps, "result": null }))).unwrap();
    let begun = tokio::time::Instant::now();
    checked.run(&kernel, KernelArguments::new()).await.unwrap();
    assert_eq!((begun.elapsed().as_secs(), max.load(Ordering::SeqCst)), (2, 3));
}

#[tokio::test]
async fn a_failed_step_reports_what_ran_and_what_did_not() {
    let kernel = untyped();
    let steps = json!([
        same("first", json!(1)),
        { "id": "bad", "function": "F.Fail", "arguments": { "value": "$.steps.first.result" } },
        same("after", json!("$.steps.bad.result")),
    ]);
    let checked = check(&kernel, plan(json!({ "steps": steps, "result": null }))).unwrap();
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "step `bad`: the function `F-Fail` reported: no luck; finished: `first`; not finished: `bad`, `after`"
    );
    assert_eq!(error.state().unwrap().calls, 1);
}

#[tokio::test]
async fn values_are_checked_when_they_exist() {
    let text = || json!({ "type": "string" });
    let kernel = kernel_of([
        function("Any", (Value::Null, Value::Null), |value| value),
        function("Text", (text(), text()), |_| panic!("called with a wrong value")),
        function(
            "Named",
            (
                json!({ "type": "object", "properties": { "n": { "type": "integer" } } }),
                Value::Null,
            ),
            |_| panic!("called"),
        ),
    ]);
    let run = async |value: Value, user: Value| {
        let any = json!({ "id": "any", "function": "F.Any", "arguments": { "value": value } });
        let checked =
            check(&kernel, plan(json!({ "steps": [any, user], "result": null }))).unwrap();
        checked.run(&kernel, KernelArguments::new()).await.unwrap_err().to_string()
    };
    let user = |function: &str| json!({ "id": "x", "function": function, "arguments": { "value": "$.steps.any.result" } });
    let error = run(json!(5), user("F.Text")).await;
    assert!(
        error.starts_with("step `x`: argument `value` must be a text: found 5; finished: `any`"),
        "{error}"
    );
    // The call itself would accept that text as a number.
    let error = run(json!({ "n": "7" }), user("F.Named")).await;
    assert!(
        error.starts_with("step `x`: argument `value` at `n` must be an integer: found \"7\""),
        "{error}"
    );
    let mut each = user("F.Any");
    each["for_each"] = json!("$.steps.any.result");
    let error = run(json!({ "a": 1 }), each).await;
    assert!(error.starts_with("step `x`: `for_each` must be a list: found {\"a\":1}"), "{error}");
    let mut when = user("F.Any");
    when["when"] = json!({ "value": "$.steps.any.result", "is": "less_than", "other": 3 });
    let error = run(json!("2"), when).await;
    assert!(
        error.starts_with("step `x`: `when` can't tell whether \"2\" is less_than 3"),
        "{error}"
    );
}

/// Refuses each call that a model decided, and counts the others.
struct Approval(Arc<AtomicUsize>);

#[async_trait]
impl FunctionInvocationFilter for Approval {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        if context.kernel.is_for_model() {
            return Err(KernelError::refused(context.function.qualified_name(), "not approved"));
        }
        self.0.fetch_add(1, Ordering::SeqCst);
        next.run(context).await
    }
}

#[tokio::test]
async fn filters_and_approvals_apply_to_each_call() {
    let calls = Arc::default();
    let mut kernel = seed_kernel();
    kernel.add_function_filter(Approval(Arc::clone(&calls)));
    let checked = check(&kernel, seed_plan("$.steps.date.result.date")).unwrap();
    let inputs = || KernelArguments::new().with("days", 1);
    checked.run(&kernel, inputs()).await.unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    let error = checked.with_for_model(true).run(&kernel, inputs()).await.unwrap_err();
    assert!(error.to_string().contains("was refused: not approved"), "{error}");
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

/// Lets every call of a model run.
struct Lenient;

#[async_trait]
impl AutoFunctionInvocationFilter for Lenient {
    async fn on_auto_function_invocation(
        &self,
        context: &mut AutoFunctionInvocationContext,
        next: NextAutoInvocation<'_>,
    ) -> Result<()> {
        next.run(context).await
    }
}

#[tokio::test]
async fn auto_function_filters_are_not_skipped_unnoticed() {
    let mut kernel = seed_kernel();
    kernel.add_auto_function_filter(Lenient);
    let checked = check(&kernel, seed_plan("$.steps.date.result.date")).unwrap();
    let inputs = || KernelArguments::new().with("days", 1);
    // A person's plan has no calls of a model.
    let own = checked.run(&kernel, inputs()).await.unwrap();
    let made = checked.clone().with_for_model(true);
    let error = made.run(&kernel, inputs()).await.unwrap_err();
    assert!(matches!(error, PlanError::SkippedFilters), "{error}");
    let inside = checked.run(&kernel.for_model(), inputs()).await.unwrap_err();
    assert!(matches!(inside, PlanError::SkippedFilters), "{inside}");
    let options = RunOptions::new().with_auto_filters_skipped(true);
    assert_eq!(made.run_with(&kernel, inputs(), &options).await.unwrap().value, own.value);
}

#[tokio::test(start_paused = true)]
async fn failed_calls_are_repeated_by_the_callers_policy() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let flaky = KernelFunction::new(FunctionMetadata::new("Flaky", ""), move |_| {
        let call = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if call < 2 { Err(KernelError::reported("F-Flaky", "busy")) } else { Ok(json!(call)) }
        }
    });
    let kernel = kernel_of([flaky.unwrap()]);
    let steps = json!([{ "id": "a", "function": "F.Flaky" }]);
    let checked =
        check(&kernel, plan(json!({ "steps": steps, "result": "$.steps.a.result" }))).unwrap();
    let options = RunOptions::new().with_retry(|failed| {
        assert_eq!((failed.step, failed.function.name.as_str()), ("a", "Flaky"));
        (failed.attempt < 3).then_some(Duration::from_secs(9))
    });
    let begun = tokio::time::Instant::now();
    let outcome = checked.run_with(&kernel, KernelArguments::new(), &options).await.unwrap();
    assert_eq!((outcome.value, outcome.state.calls, begun.elapsed().as_secs()), (json!(2), 1, 18));
}

#[derive(Default)]
struct Events(Mutex<Vec<String>>);

#[async_trait]
impl PlanObserver for Events {
    async fn on_event(
        &self,
        event: &PlanEvent<'_>,
        state: &PlanState,
    ) -> std::result::Result<(), BoxError> {
        self.0
            .lock()
            .unwrap()
            .push(format!("{event:?} {}", state.plan.steps.len() - state.unfinished().count()));
        Ok(())
    }
}

#[tokio::test]
async fn an_observer_sees_each_event_in_order() {
    let kernel = untyped();
    let mut skipped = same("b", json!(1));
    skipped["when"] = json!({ "value": [], "is": "not_empty" });
    let steps = json!([
        { "id": "a", "function": "F.Same", "for_each": [7, 8], "arguments": { "value": "$.item" } },
        skipped,
        { "id": "c", "function": "F.Fail", "arguments": { "value": "$.steps.a.result" } },
    ]);
    let checked = check(&kernel, plan(json!({ "steps": steps, "result": null }))).unwrap();
    let events = Arc::new(Events::default());
    let options = RunOptions::new().with_observer(Arc::clone(&events));
    checked.run_with(&kernel, KernelArguments::new(), &options).await.unwrap_err();
    assert_eq!(
        *events.0.lock().unwrap(),
        [
            r#"StepStarted { step: "a", calls: 2 } 0"#,
            r#"StepSkipped { step: "b" } 1"#,
            r#"CallFinished { step: "a", item: Some(0) } 1"#,
            r#"CallFinished { step: "a", item: Some(1) } 2"#,
            r#"StepFinished { step: "a" } 2"#,
            r#"StepStarted { step: "c", calls: 1 } 2"#,
            r#"StepFailed { step: "c", item: None, error: "the function `F-Fail` reported: no luck" } 2"#,
        ]
    );
}

#[tokio::test]
async fn an_observer_sees_each_failure_of_parallel_steps() {
    let kernel = untyped();
    let fail = |id: &str| json!({ "id": id, "function": "F.Fail", "arguments": { "value": 1 } });
    let written = plan(json!({ "steps": [fail("a"), fail("b")], "result": null }));
    let checked = check(&kernel, written).unwrap();
    let events = Arc::new(Events::default());
    let options = RunOptions::new().with_observer(Arc::clone(&events));
    let error = checked.run_with(&kernel, KernelArguments::new(), &options).await.unwrap_err();
    let events = events.0.lock().unwrap().join("\n");
    assert!(events.contains(r#"StepFailed { step: "a""#), "{events}");
    assert!(events.contains(r#"StepFailed { step: "b""#), "{events}");
    assert!(matches!(&error, PlanError::StepFailed { step, .. } if step == "a"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_run_stops_its_calls() {
    let dropped = Arc::new(AtomicUsize::new(0));
    struct Count(Arc<AtomicUsize>);
    impl Drop for Count {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let counted = Arc::clone(&dropped);
    let endless = KernelFunction::new(FunctionMetadata::new("Endless", ""), move |_| {
        let count = Count(Arc::clone(&counted));
        async move {
            let _count = count;
            std::future::pending().await
        }
    });
    let mut kernel = Kernel::new();
    kernel.add_plugin(KernelPlugin::new("F", "", [endless.unwrap()]).unwrap()).unwrap();
    let steps =
        json!([{ "id": "a", "function": "F.Endless" }, { "id": "b", "function": "F.Endless" }]);
    let checked = check(&kernel, plan(json!({ "steps": steps, "result": null }))).unwrap();
    let running = checked.run(&kernel, KernelArguments::new());
    assert!(tokio::time::timeout(Duration::from_millis(10), running).await.is_err());
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
}

/// A function whose result says which optional arguments it got.
fn searching(schema: Value) -> Kernel {
    let metadata = FunctionMetadata::new("Search", "")
        .with_parameter(ParameterMetadata::optional("tenant", "", schema))
        .with_return("", Value::Null);
    let search = KernelFunction::new(metadata, |invocation| {
        let tenant = invocation.arguments.get("tenant").cloned();
        async move { Ok(json!({ "tenant": tenant, "has": invocation.arguments.contains("tenant") })) }
    });
    kernel_of([function("Same", (Value::Null, Value::Null), |value| value), search.unwrap()])
}

#[tokio::test]
async fn a_reference_to_nothing_never_drops_an_argument() {
    let search = async |schema: Value, user: Value, tenant: &str| {
        let kernel = searching(schema);
        let steps = json!([
            same("user", user),
            { "id": "found", "function": "F.Search", "arguments": { "tenant": tenant } },
        ]);
        let written = plan(json!({ "steps": steps, "result": "$.steps.found.result.has" }));
        check(&kernel, written).unwrap().run(&kernel, KernelArguments::new()).await
    };
    let text = json!({ "type": "string" });
    let tenant = "$.steps.user.result.tenant";
    let error = search(text.clone(), json!({ "name": "x" }), tenant).await.unwrap_err();
    assert!(
        error.to_string().starts_with(
            "step `found`: argument `tenant` `$.steps.user.result.tenant` matches nothing; refer to"
        ),
        "{error}"
    );
    let outcome = search(text.clone(), json!({ "tenant": "a" }), tenant).await.unwrap();
    assert_eq!(outcome.value, json!(true));
    let error = search(text, json!({ "tenant": null }), tenant).await.unwrap_err();
    assert!(
        error.to_string().starts_with("step `found`: argument `tenant` is null; refer to a value"),
        "{error}"
    );
    // A schema that says nothing doesn't allow it either.
    for unknown in [Value::Null, json!({})] {
        search(unknown.clone(), json!({ "name": "x" }), tenant).await.unwrap_err();
        search(unknown, json!({ "tenant": null }), tenant).await.unwrap_err();
    }
}

/// Keeps the arguments of the search.
#[derive(Clone, Default)]
struct Tenants(Arc<Mutex<Vec<Option<Value>>>>);

#[async_trait]
impl FunctionInvocationFilter for Tenants {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        if context.function.name == "Search" {
            self.0.lock().unwrap().push(context.arguments.get("tenant").cloned());
        }
        next.run(context).await
    }
}

#[tokio::test]
async fn only_an_existing_null_reaches_a_nullable_argument() {
    let tenants = Tenants::default();
    let mut kernel = searching(json!({ "type": ["string", "null"] }));
    kernel.add_function_filter(tenants.clone());
    for user in [json!({ "tenant": null }), json!({ "name": "x" })] {
        let steps = json!([
            same("user", user),
            { "id": "found", "function": "F.Search", "arguments": { "tenant": "$.steps.user.result.tenant" } },
        ]);
        let written = plan(json!({ "steps": steps, "result": "$.steps.found.result.has" }));
        let checked = check(&kernel, written).unwrap();
        checked.run(&kernel, KernelArguments::new()).await.unwrap();
    }
    assert_eq!(*tenants.0.lock().unwrap(), [Some(Value::Null), None]);
}

#[tokio::test]
async fn large_values_are_checked_to_their_end() {
    let sum = |name: &str, input: Value| function(name, (input, Value::Null), |_| json!("summed"));
    let integers = json!({ "type": "array", "items": { "type": ["integer", "boolean"] } });
    let any = || function("Same", (Value::Null, Value::Null), |value| value);
    let kernel = kernel_of([any(), sum("Sum", integers)]);
    let run = async |items: Vec<Value>| {
        let steps = json!([
            same("list", Value::from(items)),
            { "id": "sum", "function": "F.Sum", "arguments": { "value": "$.steps.list.result" } },
        ]);
        let limits = limits(|limits| limits.max_plan_bytes = 1 << 20);
        let checker = PlanChecker::new(&kernel).with_limits(limits);
        let checked =
            checker.check(plan(json!({ "steps": steps, "result": "$.steps.sum.result" })));
        checked.unwrap().run(&kernel, KernelArguments::new()).await
    };
    let mut items = vec![json!(true); 30_000];
    assert_eq!(run(items.clone()).await.unwrap().value, "summed");
    items.push(json!("no number"));
    let error = run(items.clone()).await.unwrap_err().to_string();
    let message = "at [30000] must be an integer or true or false: found \"no number\"";
    assert!(error.contains(message), "{error}");

    let step =
        json!({ "id": "sum", "function": "F.Sum", "arguments": { "value": "$.inputs.list" } });
    let inputs = json!({ "list": { "items": { "type": ["integer", "boolean"] } } });
    let written = plan(json!({ "inputs": inputs, "steps": [step], "result": 1 }));
    let checked = check(&kernel, written).unwrap();
    let error = checked.run(&kernel, KernelArguments::new().with("list", items)).await.unwrap_err();
    assert_eq!(error.to_string(), format!("the plan cannot start: the input `list` {message}"));
}

#[tokio::test]
async fn a_plan_runs_the_functions_of_the_given_kernel() {
    let kernel = kernel_of([function("Same", (Value::Null, Value::Null), |_| json!("one"))]);
    let other = kernel_of([function("Same", (Value::Null, Value::Null), |_| json!("other"))]);
    let written = plan(json!({ "steps": [same("a", json!(1))], "result": "$.steps.a.result" }));
    let checked = check(&kernel, written).unwrap();
    let run = async |kernel: &Kernel| checked.run(kernel, KernelArguments::new()).await;
    assert_eq!(run(&kernel).await.unwrap().value, "one");
    assert_eq!(run(&other).await.unwrap().value, "other");
    let different =
        kernel_of([function("Same", (json!({ "type": "string" }), Value::Null), |_| json!(1))]);
    for (kernel, message) in [
        (Kernel::new(), "is not in this kernel; add its plugin"),
        (different, "differs from the one that was checked; check the plan again"),
    ] {
        assert_eq!(
            run(&kernel).await.unwrap_err().to_string(),
            format!("the plan cannot run:\nstep `a`, function: {message}")
        );
    }
}

#[tokio::test]
async fn a_literal_from_outside_is_no_reference() {
    let hostile = json!(["$.steps.secret.result", "$$.item", "$", "$5", { "a": "$['inputs']" }]);
    let written = textsearch_plan::Plan::new("$.steps.a.result")
        .with_step(textsearch_plan::Step::new("secret", "F.Same").with_argument("value", "secret"))
        .with_step(
            textsearch_plan::Step::new("a", "F.Same").with_literal("value", hostile.clone()),
        );
    let kernel = untyped();
    let checked = check(&kernel, written).unwrap();
    assert_eq!(checked.run(&kernel, KernelArguments::new()).await.unwrap().value, hostile);
}

#[tokio::test]
async fn a_long_list_with_a_documented_enum_is_passed() {
    let currencies: Value =
        (0..170).map(|n| json!({ "description": "One.", "const": format!("C{n}") })).collect();
    let price = json!({
        "type": "object", "required": ["amount", "currency"],
        "properties": { "amount": { "type": "integer" }, "currency": { "$ref": "#/$defs/Currency" } },
    });
    let schema = json!({
        "$defs": { "Currency": { "type": "string", "oneOf": currencies }, "Price": price },
        "type": "array", "items": { "$ref": "#/$defs/Price" },
    });
    let prices = json!(vec![json!({ "amount": 5, "currency": "C169" }); 1_000]);
    let made = prices.clone();
    let kernel = kernel_of([
        function("Prices", (Value::Null, Value::Null), move |_| made.clone()),
        function("Count", (schema, Value::Null), |list| list.as_array().unwrap().len().into()),
    ]);
    let count = |id: &str, value: Value| json!({ "id": id, "function": "F.Count", "arguments": { "value": value } });
    let checked = check(
        &kernel,
        plan(json!({
            "steps": [
                { "id": "prices", "function": "F.Prices", "arguments": { "value": 1 } },
                count("found", json!("$.steps.prices.result")),
                count("literal", prices),
            ],
            "result": ["$.steps.found.result", "$.steps.literal.result"],
        })),
    );
    let outcome = checked.unwrap().run(&kernel, KernelArguments::new()).await.unwrap();
    assert_eq!(outcome.value, json!([1_000, 1_000]));
}

#[test]
fn an_input_is_checked_alone() {
    let inputs = json!({ "day": { "enum": ["1", "2"] }, "city": { "type": "string" } });
    let plan = plan(json!({ "inputs": inputs, "steps": [], "result": 1 }));
    assert!(plan.check_input("Day", &json!("1")).is_ok());
    let message =
        |name: &str, value: Value| plan.check_input(name, &value).unwrap_err().to_string();
    assert_eq!(
        message("day", json!(1)),
        "the plan cannot start: the input `day` must be one of \"1\", \"2\": found 1"
    );
    assert_eq!(
        message("year", json!(1)),
        "the plan cannot start: the input `year` is unknown; the inputs are `city`, `day`"
    );
}
