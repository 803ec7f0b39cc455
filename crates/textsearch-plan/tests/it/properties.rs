//! No generated plan makes the checker or the runner panic, or exceed a limit.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use proptest::{
    collection::vec, option, prelude::*, sample::select, strategy::ValueTree as _,
    test_runner::TestRunner,
};
use serde_json::{Map, Value, json};
use textsearch_core::{BoxError, async_trait};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelFunction,
    function::{FunctionMetadata, ParameterMetadata},
};
use textsearch_plan::{
    CheckedPlan, Condition, Operator, Plan, PlanChecker, PlanError, PlanEvent, PlanLimits,
    PlanObserver, PlanState, RunOptions, Step, StepState,
};

use crate::support::{kernel_of, limits};

const MAX_CALLS: usize = 12;
const MAX_RESULT: usize = 2_000;
/// By the paused clock, which only waiting functions move.
const MAX_TIME: Duration = Duration::from_secs(2);

/// Far above what a check takes, since other programs may hold the processor.
const SOON: Duration = Duration::from_secs(30);

fn small_limits() -> PlanLimits {
    limits(|limits| {
        limits.max_steps = 6;
        limits.max_time = MAX_TIME;
        limits.max_calls = MAX_CALLS;
        limits.max_result_bytes = MAX_RESULT;
        limits.max_total_bytes = 3 * MAX_RESULT;
    })
}

/// Functions of different types; each returns its value, a list of it, or an object with it. Some
/// wait: one for less than a run may last, one for more.
fn kernel() -> (Kernel, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let any = || Value::Null;
    let object = || json!({ "type": "object", "properties": { "a": {}, "b": { "$ref": "#" } } });
    let function = |name: &str, input: Value, output: Value, body: fn(Value) -> Value| {
        let metadata = FunctionMetadata::new(name, "")
            .with_parameter(ParameterMetadata::required("value", "", input))
            .with_parameter(ParameterMetadata::optional(
                "more",
                "",
                json!({ "type": ["integer", "string"] }),
            ))
            .with_return("", output);
        let calls = Arc::clone(&calls);
        let pause = match name {
            "Wait" => MAX_TIME * 3 / 4,
            "Hang" => MAX_TIME * 100,
            _ => Duration::ZERO,
        };
        KernelFunction::new(metadata, move |invocation| {
            calls.fetch_add(1, Ordering::SeqCst);
            let value = body(invocation.arguments.get("value").cloned().unwrap_or_default());
            async move {
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                Ok(value)
            }
        })
        .unwrap()
    };
    let kernel = kernel_of([
        function("Any", any(), any(), |value| value),
        function("Wait", any(), any(), |value| value),
        function("Hang", any(), any(), |value| value),
        function("Text", json!({ "type": "string" }), json!({ "type": "string" }), |value| value),
        function(
            "Twice",
            any(),
            json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, object()] } }),
            |value| json!([value, value]),
        ),
        function("Object", object(), object(), |value| json!({ "a": value, "b": { "a": 1 } })),
    ]);
    (kernel, calls)
}

fn reference() -> impl Strategy<Value = String> {
    let root = select(
        &[
            "$.steps.s0.result",
            "$.steps.s1.result",
            "$.steps.s2.result",
            "$.inputs.i",
            "$.item",
            "$.x",
            "$..a",
            "$$",
        ][..],
    );
    let part = select(
        &[
            ".a",
            ".b",
            "[0]",
            "[-1]",
            "[*]",
            "['a']",
            "[1:]",
            "[?@.a]",
            "[?@.a > 1]",
            "[0,1]",
            "[::0]",
            "[?in(in(in(in(in(in(in(in(in(in(in(in(in(in(in(in(in(in(in(in(in(in(in(",
            "[?((((((((((((((((((((((((((((((@.a",
            "[?@[?@[?@[?@[?@[?@[?@[?@[?@[?@[?@[?@[?@[?@[?@[?@.a",
            "[",
            "..b",
            ".b.b.b",
        ][..],
    );
    (root, vec(part, 0..4)).prop_map(|(root, parts)| format!("{root}{}", parts.concat()))
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => reference().prop_map(Value::from),
        1 => any::<i8>().prop_map(Value::from),
        1 => ".{0,8}".prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((select(&["a", "b", "c"][..]), inner), 0..3).prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

fn step() -> impl Strategy<Value = Step> {
    let id = select(&["s0", "s1", "s2", "s3", "", "a b"][..]);
    let function =
        select(&["F.Any", "F.Wait", "F.Hang", "F.Text", "f-twice", "F.Object", "F.Nothing"][..]);
    let name = select(&["value", "value", "VALUE", "more", "other"][..]);
    let operator = select(
        &[Operator::EqualTo, Operator::LessThan, Operator::Contains, Operator::NotEmpty][..],
    );
    let condition = (value(), operator, option::of(value())).prop_map(|(value, is, other)| {
        let condition = Condition::new(value, is);
        match other {
            Some(other) => condition.with_other(other),
            None => condition,
        }
    });
    (
        id,
        function,
        vec((name, value()), 0..3),
        option::of(value()),
        option::weighted(0.2, condition),
    )
        .prop_map(|(id, function, arguments, list, when)| {
            let mut step = Step::new(id, function);
            step.arguments =
                arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            step.for_each = list;
            step.when = when;
            step
        })
}

fn plans() -> impl Strategy<Value = Plan> {
    (vec(step(), 0..6), value(), option::of(select(&["string", "array"][..]))).prop_map(
        |(steps, result, kind)| {
            let schema = kind.map_or(Value::Bool(true), |kind| json!({ "type": kind }));
            steps.into_iter().fold(Plan::new(result).with_input("i", schema), Plan::with_step)
        },
    )
}

const FUNCTIONS: &[&str] = &["F.Any", "F.Any", "F.Wait", "F.Wait", "F.Hang", "F.Twice", "F.Object"];

/// Steps whose references are often fine, so that most plans run.
fn likely_plans() -> impl Strategy<Value = Plan> {
    // References at random seldom fit.
    let value = || prop_oneof![9 => any::<i8>().prop_map(Value::from), 1 => value()];
    let step = (0..4usize, any::<bool>(), value(), select(FUNCTIONS));
    (vec(step, 1..5), value()).prop_map(|(steps, literal)| {
        let mut plan = Plan::new("$.steps.s0.result");
        for (place, (from, is_loop, value, function)) in steps.into_iter().enumerate() {
            let earlier = match place {
                0 => literal.clone(),
                _ => Value::from(format!("$.steps.s{}.result", from % place)),
            };
            let mut step = Step::new(format!("s{place}"), function);
            let argument = if function == "F.Object" {
                json!({ "a": earlier })
            } else {
                json!([earlier, value])
            };
            step = step.with_argument("value", argument);
            if is_loop && place > 0 {
                step = step.with_for_each(format!("$.steps.s{}.result", from % place));
            }
            plan = plan.with_step(step);
        }
        plan.with_input("i", true)
    })
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let begun = (Instant::now(), tokio::time::Instant::now());
        let done = work.await;
        // The timer counts whole milliseconds.
        assert!(begun.1.elapsed() <= MAX_TIME + Duration::from_millis(10));
        assert!(begun.0.elapsed() < SOON);
        done
    })
}

fn size(state: &PlanState) -> usize {
    let weight = |state: &StepState| match state {
        StepState::Finished(value) => value.to_string().len(),
        StepState::Partial(items) => items.values().map(|value| value.to_string().len()).sum(),
        _ => 0,
    };
    state.steps.values().map(weight).sum()
}

/// The steps that start, with the number of their calls.
#[derive(Default)]
struct Started(Mutex<Vec<(String, usize)>>);

#[async_trait]
impl PlanObserver for Started {
    async fn on_event(&self, event: &PlanEvent<'_>, _: &PlanState) -> Result<(), BoxError> {
        if let PlanEvent::StepStarted { step, calls, .. } = event {
            self.0.lock().unwrap().push(((*step).to_owned(), *calls));
        }
        Ok(())
    }
}

/// Resumes the run, to the same end unless only the time was over, without repeating what finished.
fn resume(checked: &CheckedPlan, kernel: &Kernel, calls: &AtomicUsize, error: &PlanError) {
    let state = error.state().unwrap_or_else(|| panic!("{error}"));
    calls.store(0, Ordering::SeqCst);
    let started = Arc::new(Started::default());
    let options = RunOptions::new().with_observer(Arc::clone(&started));
    let is_late = matches!(error, PlanError::LimitExceeded { limit: "max_time", .. });
    let again = match block_on(checked.resume(kernel, state.clone(), &options)) {
        Ok(outcome) if is_late => outcome.state,
        Ok(_) => panic!("{error}"),
        Err(again) => again.state().unwrap().clone(),
    };
    let started = started.0.lock().unwrap();
    for (id, kept) in &state.steps {
        if !matches!(kept, StepState::Partial(_)) {
            assert_eq!(again.steps.get(id), Some(kept), "{id}");
            assert!(started.iter().all(|(step, _)| step != id), "{id} started again");
        }
    }
    // So no finished step was called again.
    let calls = calls.load(Ordering::SeqCst);
    assert!(calls <= started.iter().map(|(_, calls)| calls).sum());
    assert!(state.calls + calls <= MAX_CALLS, "{} and {calls} calls", state.calls);
}

fn run(checked: &CheckedPlan, kernel: &Kernel, calls: &AtomicUsize) {
    let inputs = KernelArguments::new().with("i", json!(["x", { "a": 2 }]));
    let outcome = block_on(checked.run(kernel, inputs));
    assert!(calls.load(Ordering::SeqCst) <= MAX_CALLS);
    let state = match outcome {
        Ok(outcome) => outcome.state,
        Err(PlanError::InvalidInput { .. }) => return,
        Err(error) => {
            resume(checked, kernel, calls, &error);
            error.state().unwrap().clone()
        }
    };
    // JSON has quotes, commas and escapes that a weight doesn't count.
    assert!(size(&state) <= 8 * 3 * MAX_RESULT, "{}", size(&state));
    let saved = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<PlanState>(&saved).unwrap(), state);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_plan_is_checked_and_run_within_its_limits(plan in prop_oneof![plans(), likely_plans()]) {
        let (kernel, calls) = kernel();
        let begun = Instant::now();
        let checked = PlanChecker::new(&kernel).with_limits(small_limits()).check(plan.clone());
        prop_assert!(begun.elapsed() < SOON);
        prop_assert!(!plan.to_string().is_empty());
        match checked {
            Ok(checked) => run(&checked, &kernel, &calls),
            Err(error) => prop_assert!(!error.problems.is_empty() && calls.load(Ordering::SeqCst) == 0),
        }
    }

    #[test]
    fn any_schema_ends_the_check_soon(schema in schemas(), other in schemas(), value in value()) {
        let metadata = FunctionMetadata::new("A", "")
            .with_parameter(ParameterMetadata::required("value", "", other))
            .with_return("", schema);
        let function = KernelFunction::new(metadata, |_| async { Ok(Value::Null) }).unwrap();
        let checker = PlanChecker::new(&kernel_of([function]));
        let begun = Instant::now();
        for value in [value, json!("$.steps.s0.result"), json!("$.steps.s0.result.a[0].b")] {
            let step = |id: &str, value: Value| Step::new(id, "F.A").with_argument("value", value);
            let plan = Plan::new(1).with_input("i", true).with_step(step("s0", json!("x"))).with_step(step("s1", value));
            let _ = checker.check(plan);
        }
        prop_assert!(begun.elapsed() < SOON);
    }
}

/// Or the other properties would say nothing about runs.
#[test]
fn most_of_the_likely_plans_run() {
    let mut runner = TestRunner::deterministic();
    let passes = |_: &usize| {
        let (kernel, calls) = kernel();
        let plan = likely_plans().new_tree(&mut runner).unwrap().current();
        let checked = PlanChecker::new(&kernel).with_limits(small_limits()).check(plan);
        checked.is_ok_and(|checked| {
            let inputs = KernelArguments::new().with("i", json!(["x", { "a": 2 }]));
            let _ended = block_on(checked.run(&kernel, inputs));
            calls.load(Ordering::SeqCst) > 0
        })
    };
    let ran = (0..200).filter(passes).count();
    assert!(ran >= 100, "{ran} of 200");
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        select(&["string", "integer", "null", "array", "object", "nonsense"][..])
            .prop_map(|kind| json!({ "type": kind })),
        select(&["#", "#/properties/a", "#/$defs/A", "#/anyOf/0", "other.json"][..])
            .prop_map(|place| json!({ "$ref": place })),
        any::<bool>().prop_map(Value::Bool),
        Just(json!({ "enum": ["x", 1] })),
        (0..9usize, 1..150usize).prop_map(|(start, length)| {
            json!({ "enum": (start * 1_000..start * 1_000 + length).collect::<Vec<_>>() })
        }),
    ];
    leaf.prop_recursive(5, 64, 5, |inner| {
        let some = || vec(inner.clone(), 1..5);
        prop_oneof![
            some().prop_map(|all| json!({ "anyOf": all })),
            some().prop_map(|all| json!({ "allOf": all })),
            (some(), inner.clone()).prop_map(|(all, extra)| {
                let names = ["a", "b", "c", "d"].into_iter().map(str::to_owned);
                let properties: Map<String, Value> = names.zip(all).collect();
                json!({ "type": "object", "properties": properties, "additionalProperties": extra, "required": ["a"] })
            }),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            (inner.clone(), inner.clone()).prop_map(|(schema, named)| json!({ "$defs": { "A": named }, "allOf": [schema], "$ref": "#/$defs/A" })),
        ]
    })
}
