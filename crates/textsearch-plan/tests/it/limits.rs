//! Limits of a run.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use textsearch_core::{BoxError, async_trait};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, function::FunctionMetadata,
};
use textsearch_plan::{
    CheckedPlan, PlanChecker, PlanError, PlanEvent, PlanLimits, PlanObserver, PlanState, RunOptions,
};

use crate::support::{function, kernel_of, limits, plan};

fn kernel() -> Kernel {
    let same = function("Same", (Value::Null, Value::Null), |value| value);
    let large = function("Large", (Value::Null, Value::Null), |size| {
        Value::from("x".repeat(size.as_u64().unwrap() as usize))
    });
    let never = KernelFunction::new(FunctionMetadata::new("Never", ""), |_| std::future::pending());
    kernel_of([same, large, never.unwrap()])
}

/// The limit, its value, and the step.
async fn exceeded(
    limits: PlanLimits,
    steps: Value,
    result: Value,
) -> (String, String, Option<String>) {
    let kernel = kernel();
    let checker = PlanChecker::new(&kernel).with_limits(limits);
    let checked = checker.check(plan(json!({ "steps": steps, "result": result }))).unwrap();
    match checked.run(&kernel, KernelArguments::new()).await.unwrap_err() {
        PlanError::LimitExceeded { limit, value, step, .. } => (limit.to_owned(), value, step),
        other => panic!("{other}"),
    }
}

fn step(id: &str, function: &str, value: Value) -> Value {
    json!({ "id": id, "function": function, "arguments": { "value": value } })
}

fn reached(limit: &str, value: &str, step: &str) -> (String, String, Option<String>) {
    (limit.to_owned(), value.to_owned(), Some(step.to_owned()))
}

#[tokio::test]
async fn a_loop_with_too_many_items_calls_nothing() {
    let items: Value = (0..11).collect();
    let list = step("list", "F.Same", items);
    let each = json!({ "id": "each", "function": "F.Same", "for_each": "$.steps.list.result", "arguments": { "value": "$.item" } });
    let kernel = kernel();
    let checker = PlanChecker::new(&kernel).with_limits(limits(|limits| limits.max_calls = 11));
    let checked = checker.check(plan(json!({ "steps": [list, each], "result": null }))).unwrap();
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the plan reached `max_calls` (11) at step `each`; finished: `list`; not finished: `each`"
    );
    assert_eq!(error.state().unwrap().calls, 1);
}

#[tokio::test]
async fn a_condition_does_not_lengthen_a_loop() {
    let items: Value = (0..12).collect();
    let each = json!({
        "id": "each", "function": "F.Same", "for_each": "$.steps.list.result", "arguments": { "value": 1 },
        "when": { "value": "$.item", "is": "equal_to", "other": 3 },
    });
    let limits = limits(|limits| limits.max_calls = 11);
    // The literal is no loop's list, so only the run can find out.
    let steps = json!([step("list", "F.Same", items), each]);
    assert_eq!(exceeded(limits, steps, json!(1)).await, reached("max_calls", "11", "each"));
}

#[tokio::test]
async fn retries_count_as_calls() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let fail = KernelFunction::new(FunctionMetadata::new("Fail", ""), move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Err(KernelError::reported("F-Fail", "no")) }
    });
    let kernel = kernel_of([fail.unwrap()]);
    let checker = PlanChecker::new(&kernel).with_limits(limits(|limits| limits.max_calls = 4));
    let checked = checker
        .check(plan(json!({ "steps": [{ "id": "a", "function": "F.Fail" }], "result": 1 })))
        .unwrap();
    let options = RunOptions::new().with_retry(|_| Some(Duration::ZERO));
    let error = checked.run_with(&kernel, KernelArguments::new(), &options).await.unwrap_err();
    // The error that used up the calls says more than the limit, which is named too.
    assert_eq!(
        error.to_string(),
        "step `a`: the function `F-Fail` reported: no; the plan also reached `max_calls`; \
         no step finished; not finished: `a`"
    );
    assert_eq!((calls.load(Ordering::SeqCst), error.state().unwrap().calls), (4, 0));
}

/// A function that fails after `pause`.
fn failing(name: &str, pause: Duration) -> KernelFunction {
    let message = format!("no {name}");
    KernelFunction::new(FunctionMetadata::new(name, ""), move |_| {
        let error = KernelError::reported("F", message.clone());
        async move {
            tokio::time::sleep(pause).await;
            Err(error)
        }
    })
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_hanging_call_does_not_hide_a_failure() {
    let never = KernelFunction::new(FunctionMetadata::new("Never", ""), |_| std::future::pending());
    let kernel = kernel_of([failing("Soon", Duration::from_secs(1)), never.unwrap()]);
    let steps = json!([{ "id": "a", "function": "F.Soon" }, { "id": "b", "function": "F.Never" }]);
    let checked =
        crate::support::check(&kernel, plan(json!({ "steps": steps, "result": 1 }))).unwrap();
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "step `a`: the function `F` reported: no Soon; the plan also reached `max_time`; \
         no step finished; not finished: `a`, `b`"
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_preferred_to_used_up_calls() {
    let same = function("Same", (Value::Null, Value::Null), |value| value);
    let kernel = kernel_of([failing("Soon", Duration::from_secs(1)), same]);
    // The loop would exceed the limit while `a` is running.
    let each = json!({ "id": "each", "function": "F.Same", "for_each": "$.steps.list.result", "arguments": { "value": 1 } });
    let list = step("list", "F.Same", json!([1, 2, 3]));
    let steps = json!([{ "id": "a", "function": "F.Soon" }, list, each]);
    let checker = PlanChecker::new(&kernel).with_limits(limits(|limits| limits.max_calls = 3));
    let checked = checker.check(plan(json!({ "steps": steps, "result": 1 }))).unwrap();
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    assert!(matches!(&error, PlanError::StepFailed { step, .. } if step == "a"), "{error}");
    // A resume would reach the limit again.
    let shown = error.to_string();
    assert!(
        shown.contains("no Soon; the plan also reached `max_calls`; finished: `list`"),
        "{shown}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_when_its_time_is_over() {
    let limits = limits(|limits| limits.max_time = Duration::from_secs(2));
    let steps = json!([{ "id": "a", "function": "F.Never" }]);
    assert_eq!(
        exceeded(limits, steps, json!(1)).await,
        ("max_time".to_owned(), "2 s".to_owned(), None)
    );
}

#[tokio::test]
async fn functions_that_never_wait_are_stopped_too() {
    let busy = function("Busy", (Value::Null, Value::Null), |_| {
        std::thread::sleep(Duration::from_millis(5));
        Value::Null
    });
    let kernel = kernel_of([busy]);
    let items: Value = (0..100).collect();
    let each = json!({ "id": "each", "function": "F.Busy", "for_each": items, "arguments": { "value": 1 } });
    let limits = limits(|limits| limits.max_time = Duration::from_millis(20));
    let checked = PlanChecker::new(&kernel)
        .with_limits(limits)
        .check(plan(json!({ "steps": [each], "result": 1 })))
        .unwrap();
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    assert!(matches!(error, PlanError::LimitExceeded { limit: "max_time", .. }), "{error}");
    assert!(error.state().unwrap().calls < 100);
}

#[tokio::test]
async fn results_arguments_and_totals_are_limited() {
    let small = || limits(|limits| limits.max_result_bytes = 100);
    let result = exceeded(small(), json!([step("a", "F.Large", json!(100))]), json!(1)).await;
    assert_eq!(result, reached("max_result_bytes", "100", "a"));

    let each = json!({ "id": "a", "function": "F.Large", "for_each": [60, 60], "arguments": { "value": "$.item" } });
    assert_eq!(
        exceeded(small(), json!([each]), json!(1)).await,
        reached("max_result_bytes", "100", "a")
    );

    // Many references to one value: each copy counts.
    let copies: Value = (0..10).map(|_| "$.steps.a.result").collect();
    let steps = json!([step("a", "F.Large", json!(30)), step("b", "F.Same", copies.clone())]);
    assert_eq!(exceeded(small(), steps, json!(1)).await, reached("max_result_bytes", "100", "b"));

    let steps = json!([step("a", "F.Large", json!(30))]);
    let (limit, _, step_of) = exceeded(small(), steps, copies).await;
    assert_eq!((limit.as_str(), step_of), ("max_result_bytes", None));

    let total = limits(|limits| limits.max_total_bytes = 100);
    let steps = json!([step("a", "F.Large", json!(60)), step("b", "F.Large", json!(60))]);
    let (limit, value, _) = exceeded(total, steps, json!(1)).await;
    assert_eq!((limit.as_str(), value.as_str()), ("max_total_bytes", "100"));
}

#[tokio::test]
async fn a_dropped_result_is_told_from_a_call_that_did_not_run() {
    let kernel = kernel();
    let run = async |steps: Value| {
        let checker = PlanChecker::new(&kernel);
        let checker = checker.with_limits(limits(|limits| limits.max_result_bytes = 100));
        let checked = checker.check(plan(json!({ "steps": steps, "result": 1 }))).unwrap();
        checked.run(&kernel, KernelArguments::new()).await.unwrap_err()
    };
    let ran = run(json!([step("a", "F.Large", json!(100))])).await;
    assert_eq!(
        ran.to_string(),
        "the plan reached `max_result_bytes` (100) at step `a`; some results of `a` were dropped, and a resume repeats those \
         calls; no step finished; not finished: `a`"
    );
    let copies = json!(vec!["$.steps.a.result"; 4]);
    let waits = run(json!([step("a", "F.Large", json!(30)), step("b", "F.Same", copies)])).await;
    assert_eq!(
        waits.to_string(),
        "the plan reached `max_result_bytes` (100) at step `b`; finished: `a`; not finished: `b`"
    );
    assert_eq!((dropped(&ran), dropped(&waits)), (&["a".to_owned()][..], &[][..]));
}

/// The steps whose results were dropped.
fn dropped(error: &PlanError) -> &[String] {
    match error {
        PlanError::StepFailed { dropped, .. }
        | PlanError::LimitExceeded { dropped, .. }
        | PlanError::ObserverFailed { dropped, .. } => dropped,
        other => panic!("{other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_result_is_named_beside_other_failures() {
    let returning = |name: &str, pause, value: Value| {
        let run = move |_| {
            let value = value.clone();
            async move {
                tokio::time::sleep(Duration::from_secs(pause)).await;
                Ok(value)
            }
        };
        KernelFunction::new(FunctionMetadata::new(name, ""), run).unwrap()
    };
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let kernel = kernel_of([
        failing("Soon", Duration::from_secs(1)),
        failing("Late", Duration::from_secs(3)),
        returning("Large", 2, Value::from("x".repeat(100))),
        returning("Larger", 2, Value::from("x".repeat(101))),
        returning("Deep", 2, deep),
        function("Same", (Value::Null, Value::Null), |value| value),
    ]);
    let run = async |functions: &[&str]| {
        let limits = limits(|limits| {
            limits.max_calls = 5;
            limits.max_result_bytes = 100;
        });
        let mut steps: Vec<Value> = functions
            .iter()
            .map(|name| json!({ "id": name.to_lowercase(), "function": format!("F.{name}") }))
            .collect();
        if functions.contains(&"Same") {
            steps.retain(|step| step["id"] != "same");
            steps.push(step("list", "F.Same", json!([1, 2, 3, 4, 5])));
            steps.push(json!({ "id": "each", "function": "F.Same", "for_each": "$.steps.list.result", "arguments": { "value": 1 } }));
        }
        let checker = PlanChecker::new(&kernel).with_limits(limits);
        let checked = checker.check(plan(json!({ "steps": steps, "result": 1 }))).unwrap();
        checked.run(&kernel, KernelArguments::new()).await.unwrap_err()
    };
    let note = "some results of `large` were dropped, and a resume repeats those calls";
    let limit = "the plan also reached `max_result_bytes`";
    for (functions, start, steps) in [
        (&["Soon", "Large"][..], format!("step `soon`: the function `F` reported: no Soon; {limit}; {note}; no"), &["large"][..]),
        // The step that failed says more, even if it failed later.
        (&["Large", "Late"], format!("step `late`: the function `F` reported: no Late; {limit}; {note}; no"), &["large"]),
        // The loop exceeds the limit of calls while `large` is running.
        (&["Large", "Same"], format!("the plan reached `max_result_bytes` (100) at step `large`; {note}; finished"), &["large"]),
        (&["Large", "Same", "Late"], format!("step `late`: the function `F` reported: no Late; {limit}; {note}; finished"), &["large"]),
        (
            &["Large", "Larger"],
            "the plan reached `max_result_bytes` (100) at step `large`; some results of `large`, `larger` were dropped, and a \
             resume repeats those calls; no step finished"
                .to_owned(),
            &["large", "larger"],
        ),
        (
            &["Soon", "Deep"],
            "step `soon`: the function `F` reported: no Soon; some results of `deep` were dropped, and a resume repeats those \
             calls; no step finished"
                .to_owned(),
            &["deep"],
        ),
        (&["Deep"], "step `deep`: the result is nested more than ".to_owned(), &["deep"]),
    ] {
        let error = run(functions).await;
        assert!(error.to_string().starts_with(&start), "{functions:?}: {error}");
        assert_eq!(dropped(&error), steps, "{functions:?}");
    }
}

/// Can't save the first call.
struct FullDisk;

#[async_trait]
impl PlanObserver for FullDisk {
    async fn on_event(&self, event: &PlanEvent<'_>, _: &PlanState) -> Result<(), BoxError> {
        match event {
            PlanEvent::CallFinished { .. } => Err("the disk is full".into()),
            _ => Ok(()),
        }
    }
}

#[tokio::test]
async fn the_failure_of_an_observer_names_dropped_results() {
    let slow = KernelFunction::new(FunctionMetadata::new("Slow", ""), |_| async {
        tokio::task::yield_now().await;
        Ok(Value::from("x".repeat(100)))
    });
    let kernel =
        kernel_of([function("Same", (Value::Null, Value::Null), |value| value), slow.unwrap()]);
    let steps = json!([step("fast", "F.Same", json!(1)), { "id": "slow", "function": "F.Slow" }]);
    let checker = PlanChecker::new(&kernel);
    let checker = checker.with_limits(limits(|limits| limits.max_result_bytes = 100));
    let checked = checker.check(plan(json!({ "steps": steps, "result": 1 }))).unwrap();
    let options = RunOptions::new().with_observer(FullDisk);
    let error = checked.run_with(&kernel, KernelArguments::new(), &options).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the observer of the plan failed: the disk is full; some results of `slow` were dropped, and a resume repeats those \
         calls; finished: `fast`; not finished: `slow`"
    );
    assert_eq!(dropped(&error), ["slow"]);
}

#[tokio::test]
async fn other_tasks_get_turns_between_the_arguments_of_calls() {
    let listed = json!({ "items": { "enum": (0..64_000).collect::<Vec<_>>() } });
    let turns = Arc::new(AtomicUsize::new(0));
    let at_first = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    let noted = Arc::clone(&at_first);
    let slow = function("Slow", (listed, Value::Null), move |value| {
        let turns = counted.load(Ordering::SeqCst);
        let _ = noted.compare_exchange(0, turns, Ordering::SeqCst, Ordering::SeqCst);
        value
    });
    let kernel = kernel_of([slow]);
    // Each takes milliseconds to compare.
    let items = json!(vec![vec![63_999; 4]; 20]);
    let each = json!({ "id": "each", "function": "F.Slow", "for_each": items, "arguments": { "value": "$.item" } });
    let limits = limits(|limits| limits.concurrent_calls = 20);
    let checker = PlanChecker::new(&kernel).with_limits(limits);
    let checked = checker.check(plan(json!({ "steps": [each], "result": 1 }))).unwrap();
    let spin = async {
        loop {
            turns.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        outcome = checked.run(&kernel, KernelArguments::new()) => assert_eq!(outcome.unwrap().state.calls, 20),
        () = spin => {}
    }
    assert!(at_first.load(Ordering::SeqCst) >= 10, "{at_first:?}");
}

#[tokio::test]
async fn filters_use_up_a_budget_of_the_run() {
    let big: Value = (0..1_000).collect();
    let steps =
        |value: Value| json!([step("big", "F.Same", big.clone()), step("use", "F.Same", value)]);
    let filters = |count: usize| Value::from(vec!["$.steps.big.result[?@.x == 1]"; count]);
    // The list weighs 9,001, and each comparison 32 more.
    let limits = || limits(|limits| limits.max_scanned_bytes = 100_000);
    let kernel = kernel();
    let checker = PlanChecker::new(&kernel).with_limits(limits());
    let small = checker.check(plan(json!({ "steps": steps(filters(2)), "result": 1 }))).unwrap();
    small.run(&kernel, KernelArguments::new()).await.unwrap();
    let budget = |step: &str| reached("max_scanned_bytes", "100000", step);
    assert_eq!(exceeded(limits(), steps(filters(3)), json!(1)).await, budget("use"));
    // Each comparison reads the items again.
    let twice = json!(vec!["$.steps.big.result[?@.x == 1 || @.y == 1]"; 2]);
    assert_eq!(exceeded(limits(), steps(twice), json!(1)).await, budget("use"));
    let literals = json!("$.steps.big.result[?1 == 2 || !(1 == 2 && 3 == 4)]");
    assert_eq!(exceeded(limits(), steps(literals), json!(1)).await, budget("use"));
    let wildcards = json!(vec!["$.steps.big.result[*].x"; 51]);
    assert_eq!(exceeded(limits(), steps(wildcards), json!(1)).await, budget("use"));
    // The plan's result counts too.
    let (limit, _, step) = exceeded(limits(), steps(filters(1)), filters(2)).await;
    assert_eq!((limit.as_str(), step), ("max_scanned_bytes", None));
}

#[tokio::test]
async fn filters_stop_when_the_time_is_over() {
    let list = function("List", (Value::Null, Value::Null), |_| json!(vec![""; 400_000]));
    let same = function("Same", (Value::Null, Value::Null), |value| value);
    let kernel = kernel_of([list, same]);
    let filter = format!("$.steps.list.result[?{}]", vec!["1==2"; 75].join("||"));
    let steps =
        json!([step("list", "F.List", json!(1)), step("use", "F.Same", json!(vec![filter; 5]))]);
    let limits = limits(|limits| {
        limits.max_time = Duration::from_secs(1);
        limits.max_scanned_bytes = usize::MAX;
    });
    let checker = PlanChecker::new(&kernel).with_limits(limits);
    let checked = checker.check(plan(json!({ "steps": steps, "result": 1 }))).unwrap();
    let begun = std::time::Instant::now();
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    assert!(matches!(error, PlanError::LimitExceeded { limit: "max_time", .. }), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn conditions_of_loops_stop_when_the_time_is_over() {
    let big = Value::from("x".repeat(500_000));
    let when = json!({ "value": "$.inputs.big", "is": "equal_to", "other": "" });
    let each = |id: usize| {
        json!({
            "id": format!("s{id}"), "function": "F.Same", "for_each": "$.inputs.items",
            "arguments": { "value": 1 }, "when": when,
        })
    };
    let steps: Value = (0..40).map(each).collect();
    let kernel = kernel();
    let limits = limits(|limits| limits.max_time = Duration::from_millis(20));
    let written = json!({ "inputs": { "big": true, "items": true }, "steps": steps, "result": 1 });
    let checked = PlanChecker::new(&kernel).with_limits(limits).check(plan(written)).unwrap();
    let items: Value = (0..200).collect();
    let inputs = KernelArguments::new().with("big", big).with("items", items);
    let error = checked.run(&kernel, inputs).await.unwrap_err();
    assert!(matches!(error, PlanError::LimitExceeded { limit: "max_time", .. }), "{error}");
    assert!(error.state().unwrap().finished().count() < 40);
}

#[tokio::test]
async fn results_that_no_state_could_hold_are_refused() {
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let deep = function("Deep", (Value::Null, Value::Null), move |depth| {
        nested(depth.as_u64().unwrap() as usize)
    });
    let kernel = kernel_of([deep]);
    let run = async |depth: u64| {
        let steps = json!([step("a", "F.Deep", json!(depth))]);
        let checked = crate::support::check(&kernel, plan(json!({ "steps": steps, "result": 1 })));
        checked.unwrap().run(&kernel, KernelArguments::new()).await
    };
    let saved = serde_json::to_string(&run(99).await.unwrap().state).unwrap();
    assert!(serde_json::from_str::<textsearch_plan::PlanState>(&saved).is_ok());
    assert_eq!(
        run(101).await.unwrap_err().to_string(),
        "step `a`: the result is nested more than 100 levels deep; some results of `a` were dropped, and a resume \
         repeats those calls; no step finished; not finished: `a`"
    );
}

/// Two steps at once: `a` fails after a second, `b` after two.
fn failing_twice() -> (Kernel, CheckedPlan) {
    let kernel = kernel_of([
        failing("Soon", Duration::from_secs(1)),
        failing("Late", Duration::from_secs(2)),
    ]);
    let steps = json!([{ "id": "a", "function": "F.Soon" }, { "id": "b", "function": "F.Late" }]);
    let checked =
        crate::support::check(&kernel, plan(json!({ "steps": steps, "result": 1 }))).unwrap();
    (kernel, checked)
}

#[tokio::test(start_paused = true)]
async fn no_call_is_repeated_after_another_step_failed() {
    let (kernel, checked) = failing_twice();
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&attempts);
    let options = RunOptions::new().with_retry(move |failed| {
        counted.fetch_add(1, Ordering::SeqCst);
        (failed.step == "b").then_some(Duration::from_secs(1))
    });
    checked.run_with(&kernel, KernelArguments::new(), &options).await.unwrap_err();
    assert_eq!(attempts.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_failure_ends_the_pauses_before_retries() {
    let (kernel, checked) = failing_twice();
    let options = RunOptions::new()
        .with_retry(|failed| (failed.step == "a").then_some(Duration::from_secs(200)));
    let begun = tokio::time::Instant::now();
    let error = checked.run_with(&kernel, KernelArguments::new(), &options).await.unwrap_err();
    assert!(matches!(&error, PlanError::StepFailed { step, .. } if step == "b"), "{error}");
    assert_eq!(begun.elapsed().as_secs(), 2);
}
