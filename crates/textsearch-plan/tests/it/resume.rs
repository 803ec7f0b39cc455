//! Resuming from a saved state.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use textsearch_core::{BoxError, async_trait};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction,
    function::{FunctionMetadata, ParameterMetadata},
};
use textsearch_plan::{
    CheckedPlan, PlanError, PlanEvent, PlanObserver, PlanState, RunOptions, StepState,
};

use crate::support::{check, kernel_of, limits, plan, seed_kernel, seed_plan};

/// A function `Count` that records its values, and fails once at `fatal`.
fn counting(fatal: i64) -> (Kernel, Arc<Mutex<Vec<i64>>>) {
    let seen: Arc<Mutex<Vec<i64>>> = Arc::default();
    let record = Arc::clone(&seen);
    let has_failed = Mutex::new(false);
    let metadata = FunctionMetadata::new("Count", "").with_parameter(ParameterMetadata::required(
        "value",
        "",
        json!({ "type": "integer" }),
    ));
    let count = KernelFunction::new(metadata, move |invocation| {
        let value = invocation.arguments.get("value").and_then(Value::as_i64).unwrap();
        let mut has_failed = has_failed.lock().unwrap();
        let fails = value == fatal && !std::mem::replace(&mut *has_failed, true);
        record.lock().unwrap().push(value);
        async move {
            if fails {
                Err(KernelError::reported("F-Count", "power cut"))
            } else {
                Ok(json!(value * 10))
            }
        }
    });
    (kernel_of([count.unwrap()]), seen)
}

fn loop_plan(kernel: &Kernel) -> CheckedPlan {
    let steps = json!([
        { "id": "first", "function": "F.Count", "arguments": { "value": 0 } },
        { "id": "each", "function": "F.Count", "for_each": [1, 2, 3, 4], "arguments": { "value": "$.item" },
          "when": { "value": "$.steps.first.result", "is": "equal_to", "other": 0 } },
    ]);
    let written = plan(json!({ "steps": steps, "result": "$.steps.each.result" }));
    let limits = limits(|limits| limits.concurrent_calls = 1);
    textsearch_plan::PlanChecker::new(kernel).with_limits(limits).check(written).unwrap()
}

#[tokio::test]
async fn what_finished_is_not_run_again() {
    let (kernel, seen) = counting(3);
    let checked = loop_plan(&kernel);
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    let saved = serde_json::to_string(error.state().unwrap()).unwrap();
    let state: PlanState = serde_json::from_str(&saved).unwrap();
    assert_eq!(&state, error.state().unwrap());
    let partial = BTreeMap::from([(0, json!(10)), (1, json!(20))]);
    assert_eq!(state.steps.get("each"), Some(&StepState::Partial(partial)));

    let outcome = checked.resume(&kernel, state, &RunOptions::new()).await.unwrap();
    assert_eq!(outcome.value, json!([10, 20, 30, 40]));
    assert_eq!(*seen.lock().unwrap(), [0, 1, 2, 3, 3, 4]);
    assert_eq!(outcome.state.calls, 5);
}

#[tokio::test]
async fn a_loop_as_long_as_the_limit_resumes() {
    let (kernel, seen) = counting(3);
    let steps = json!([
        { "id": "each", "function": "F.Count", "for_each": [1, 2, 3, 4], "arguments": { "value": "$.item" } },
    ]);
    let written = plan(json!({ "steps": steps, "result": "$.steps.each.result" }));
    // The four calls run at once, so the failed one has company.
    let limits = limits(|limits| limits.max_calls = 4);
    let checker = textsearch_plan::PlanChecker::new(&kernel).with_limits(limits);
    let checked = checker.check(written).unwrap();
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    let state = error.state().unwrap().clone();
    assert_eq!(state.calls, 3);
    let outcome = checked.resume(&kernel, state, &RunOptions::new()).await.unwrap();
    assert_eq!(outcome.value, json!([10, 20, 30, 40]));
    assert_eq!((outcome.state.calls, seen.lock().unwrap().len()), (4, 5));
}

/// Saves each state, and the run is dropped at the second.
#[derive(Default)]
struct Saved(Mutex<Option<String>>);

#[async_trait]
impl PlanObserver for Saved {
    async fn on_event(&self, event: &PlanEvent<'_>, state: &PlanState) -> Result<(), BoxError> {
        if let PlanEvent::CallFinished { step: "first", .. } = event {
            *self.0.lock().unwrap() = Some(serde_json::to_string(state)?);
            // The program is killed here.
            std::future::pending::<()>().await;
        }
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_saved_before_a_kill_goes_on() {
    let (kernel, seen) = counting(-1);
    let saved = Arc::new(Saved::default());
    let options = RunOptions::new().with_observer(Arc::clone(&saved));
    let checked = loop_plan(&kernel);
    let running = checked.run_with(&kernel, KernelArguments::new(), &options);
    assert!(tokio::time::timeout(std::time::Duration::from_millis(20), running).await.is_err());

    let state: PlanState = serde_json::from_str(saved.0.lock().unwrap().as_ref().unwrap()).unwrap();
    assert_eq!(state.finished().collect::<Vec<_>>(), ["first"]);
    let outcome = loop_plan(&kernel).resume(&kernel, state, &RunOptions::new()).await.unwrap();
    assert_eq!(outcome.value, json!([10, 20, 30, 40]));
    assert_eq!(*seen.lock().unwrap(), [0, 1, 2, 3, 4]);
}

#[tokio::test]
async fn a_finished_state_calls_nothing() {
    let (kernel, seen) = counting(-1);
    let checked = loop_plan(&kernel);
    let state = checked.run(&kernel, KernelArguments::new()).await.unwrap().state;
    let outcome = checked.resume(&kernel, state.clone(), &RunOptions::new()).await.unwrap();
    assert_eq!((outcome.value, outcome.state), (json!([10, 20, 30, 40]), state));
    assert_eq!(seen.lock().unwrap().len(), 5);
}

#[tokio::test]
async fn states_of_other_plans_are_refused() {
    let kernel = seed_kernel();
    let checked = check(&kernel, seed_plan("$.steps.date.result.date")).unwrap();
    let state = checked.run(&kernel, KernelArguments::new().with("days", 1)).await.unwrap().state;
    let resume = async |change: &dyn Fn(&mut Value)| {
        let mut written = serde_json::to_value(&state).unwrap();
        change(&mut written);
        let state: PlanState = serde_json::from_value(written).unwrap();
        checked.resume(&kernel, state, &RunOptions::new()).await.unwrap_err()
    };
    let error = resume(&|state| state["plan"]["result"] = json!(1)).await;
    assert!(matches!(error, PlanError::InvalidState { .. }), "{error}");
    let error = resume(&|state| state["steps"]["x"] = json!("skipped")).await;
    assert_eq!(error.to_string(), "the plan cannot resume: its state has the unknown step `x`");
    let error = resume(&|state| state["steps"]["date"] = json!({ "partial": { "0": 1 } })).await;
    assert_eq!(
        error.to_string(),
        "the plan cannot resume: its state has items of step `date`, which is no loop"
    );
    let error = resume(&|state| state["inputs"]["days"] = json!("x")).await;
    assert!(matches!(error, PlanError::InvalidInput { .. }), "{error}");
}

/// Returns whether the kernel runs a call of a model.
fn asking() -> Kernel {
    let ask = KernelFunction::new(FunctionMetadata::new("Ask", ""), |invocation| {
        let is_for_model = invocation.kernel.is_for_model();
        async move { Ok(json!(is_for_model)) }
    });
    kernel_of([ask.unwrap()])
}

#[tokio::test]
async fn a_resumed_plan_of_a_model_stays_a_models() {
    let kernel = asking();
    let steps = json!([{ "id": "a", "function": "F.Ask" }, { "id": "b", "function": "F.Ask" }]);
    let written = plan(json!({ "steps": steps, "result": "$.steps.b.result" }));
    let by_model = check(&kernel, written.clone()).unwrap().with_for_model(true);
    let state = by_model.run(&kernel, KernelArguments::new()).await.unwrap().state;
    let mut saved = serde_json::to_value(&state).unwrap();
    saved["steps"].as_object_mut().unwrap().remove("b");
    let state: PlanState = serde_json::from_value(saved).unwrap();
    let again = check(&kernel, written).unwrap();
    let outcome = again.resume(&kernel, state, &RunOptions::new()).await.unwrap();
    assert_eq!((outcome.value, outcome.state.is_for_model), (json!(true), true));
    let own = again.run(&kernel, KernelArguments::new()).await.unwrap();
    assert_eq!((own.value, own.state.is_for_model), (json!(false), false));
}

#[tokio::test]
async fn a_plan_run_inside_a_chat_stays_a_models() {
    let kernel = asking();
    let written = plan(
        json!({ "steps": [{ "id": "a", "function": "F.Ask" }], "result": "$.steps.a.result" }),
    );
    let checked = check(&kernel, written).unwrap();
    let outcome = checked.run(&kernel.for_model(), KernelArguments::new()).await.unwrap();
    assert_eq!((outcome.value, outcome.state.is_for_model), (json!(true), true));
    let mut state = outcome.state;
    state.steps.clear();
    let outcome = checked.resume(&kernel, state, &RunOptions::new()).await.unwrap();
    assert_eq!(outcome.value, json!(true));
}

#[tokio::test]
async fn a_state_of_another_version_is_refused() {
    let kernel = asking();
    let checked = check(&kernel, plan(json!({ "steps": [], "result": 1 }))).unwrap();
    let state = checked.run(&kernel, KernelArguments::new()).await.unwrap().state;
    let saved = serde_json::to_string(&state).unwrap();
    assert!(saved.starts_with(r#"{"version":1,"#), "{saved}");
    // A later version may have other fields and forms, and a database may sort them.
    let mut later = serde_json::to_value(&state).unwrap();
    later["version"] = json!(2);
    later["added"] = json!(true);
    later["calls"] = json!({ "all": 0 });
    let sorted: BTreeMap<String, Value> = serde_json::from_value(later.clone()).unwrap();
    let sorted = serde_json::to_string(&sorted).unwrap();
    assert!(sorted.starts_with(r#"{"added":true,"#), "{sorted}");
    let error = serde_json::from_str::<PlanState>(&sorted).unwrap_err().to_string();
    assert_eq!(
        error,
        "the state has version 2, and this release reads version 1; resume it with the release that saved it"
    );
    later["version"] = json!(1);
    later["calls"] = json!(0);
    let error = serde_json::from_value::<PlanState>(later).unwrap_err().to_string();
    assert!(error.starts_with("unknown field `added`"), "{error}");
}

#[tokio::test]
async fn a_raised_limit_lets_a_run_go_on() {
    let (kernel, _) = counting(-1);
    let checked = loop_plan(&kernel);
    let small = limits(|limits| limits.max_calls = 4);
    let checked = checked.with_limits(small);
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    assert!(matches!(error, PlanError::LimitExceeded { limit: "max_calls", .. }), "{error}");
    let state = error.state().unwrap().clone();
    let raised = limits(|limits| limits.max_calls = 5);
    let outcome = checked.with_limits(raised).resume(&kernel, state, &RunOptions::new()).await;
    assert_eq!(outcome.unwrap().value, json!([10, 20, 30, 40]));
}

#[tokio::test]
async fn debug_shows_no_values() {
    let (kernel, _) = counting(3);
    let checked = loop_plan(&kernel);
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    let shown = format!("{error:?} {:?}", StepState::Finished(json!("secret")));
    assert!(shown.contains(r#""each": Partial(2 items), "first": Finished"#), "{shown}");
    assert!(!shown.contains("secret") && !shown.contains("10"), "{shown}");
    let outcome =
        checked.resume(&kernel, error.state().unwrap().clone(), &RunOptions::new()).await.unwrap();
    let shown = format!("{outcome:?}");
    assert!(shown.contains("calls: 5") && !shown.contains("40"), "{shown}");
}

#[tokio::test]
async fn forged_states_are_refused() {
    let (kernel, seen) = counting(3);
    let checked = loop_plan(&kernel);
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    let state = serde_json::to_value(error.state().unwrap()).unwrap();
    let resume = async |checked: &CheckedPlan, change: &dyn Fn(&mut Value)| {
        let mut written = state.clone();
        change(&mut written);
        let state: PlanState = serde_json::from_value(written).unwrap();
        checked.resume(&kernel, state, &RunOptions::new()).await.unwrap_err().to_string()
    };
    let before = seen.lock().unwrap().len();
    let error = resume(&checked, &|state| state["calls"] = json!(u64::MAX)).await;
    assert!(error.starts_with("the plan reached `max_calls` (200) at step `each`"), "{error}");
    let error = resume(&checked, &|state| state["steps"]["each"]["partial"]["99"] = json!(1)).await;
    assert_eq!(
        error,
        "the plan cannot resume: its state has item 99 of step `each`, whose list has 4 items"
    );
    let limits = limits(|limits| limits.max_result_bytes = 17);
    let written = checked.plan().clone();
    let small = textsearch_plan::PlanChecker::new(&kernel).with_limits(limits).check(written);
    let error = resume(&small.unwrap(), &|_| {}).await;
    assert_eq!(
        error,
        "the plan cannot resume: the result of step `each` exceeds `max_result_bytes`"
    );
    assert_eq!(seen.lock().unwrap().len(), before);
}

#[tokio::test]
async fn restored_items_count_towards_their_steps_limit() {
    let (kernel, _) = counting(3);
    let checked = loop_plan(&kernel);
    let error = checked.run(&kernel, KernelArguments::new()).await.unwrap_err();
    // Two of four items are restored; each weighs 9.
    let limits = limits(|limits| limits.max_result_bytes = 30);
    let written = checked.plan().clone();
    let small = textsearch_plan::PlanChecker::new(&kernel).with_limits(limits).check(written);
    let state = error.state().unwrap().clone();
    let error = small.unwrap().resume(&kernel, state, &RunOptions::new()).await.unwrap_err();
    assert!(matches!(error, PlanError::LimitExceeded { limit: "max_result_bytes", .. }), "{error}");
}
