//! Measures the check of a plan of 20 steps against 100 functions, and what a run adds to each call:
//! the lines `plan` of `docs/performance.md`.
//!
//! Runs take turns with the same calls in sequence, and each turn's difference counts. Nothing here
//! waits: a call finishes at its first poll.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

#[expect(dead_code, reason = "no memory is measured here")]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;

use std::{hint::black_box, time::Instant};

use report::{Report, median};
use serde_json::json;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelFunction, KernelPlugin,
    function::{FunctionMetadata, ParameterMetadata},
};
use textsearch_plan::{CheckedPlan, Plan, PlanChecker, Step};

const STEPS: usize = 20;
const FUNCTIONS: usize = 100;

/// Checks or runs per turn, and turns.
const TIMES: usize = 500;
const TURNS: usize = 100;

fn function(number: usize) -> KernelFunction {
    let place = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "number": { "type": "integer" }, "near": { "type": "array", "items": { "type": "string" } } },
    });
    let metadata = FunctionMetadata::new(format!("Find{number}"), "Finds a place.")
        .with_parameter(ParameterMetadata::required("name", "", json!({ "type": "string" })))
        .with_parameter(ParameterMetadata::optional("number", "", json!({ "type": "integer" })))
        .with_return("", place);
    let page = json!({ "name": "Leith", "number": 4, "near": ["Granton", "Newhaven"] });
    KernelFunction::new(metadata, move |_| std::future::ready(Ok(page.clone())))
        .expect("a function")
}

fn kernel() -> Kernel {
    let mut kernel = Kernel::new();
    let plugin = KernelPlugin::new("Places", "", (0..FUNCTIONS).map(function)).expect("a plugin");
    kernel.add_plugin(plugin).expect("a name");
    kernel
}

/// Each step uses two fields of the one before it.
fn plan() -> Plan {
    let last = STEPS - 1;
    let first = Step::new("s0", "Places.Find0").with_argument("name", "Leith");
    let step = |number: usize| {
        let before = number - 1;
        Step::new(format!("s{number}"), format!("Places.Find{}", number * 4))
            .with_argument("name", format!("$.steps.s{before}.result.near[0]"))
            .with_argument("number", format!("$.steps.s{before}.result.number"))
    };
    let plan = Plan::new(format!("$.steps.s{last}.result.name")).with_step(first);
    (1..STEPS).map(step).fold(plan, Plan::with_step)
}

async fn run(kernel: &Kernel, plan: &CheckedPlan) {
    let outcome = plan.run(kernel, KernelArguments::new()).await.expect("an outcome");
    assert_eq!(black_box(outcome).value, "Leith");
}

/// The same calls in sequence.
async fn by_hand(kernel: &Kernel, plan: &CheckedPlan) {
    let mut name = "Leith".to_owned();
    for function in plan.functions() {
        let arguments = KernelArguments::new().with("name", name.as_str()).with("number", 4);
        let result = kernel.invoke_function(function, arguments).await.expect("a result");
        let value = result.value.into_json();
        name = value.pointer("/near/0").and_then(|name| name.as_str()).expect("a name").to_owned();
        black_box(value);
    }
}

fn main() {
    let report = Report::from_arguments();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let kernel = kernel();
    let checker = PlanChecker::new(&kernel);
    let checked = checker.check(plan()).expect("a plan without mistakes");
    let (times, turns) = if report.quick { (2, 2) } else { (TIMES, TURNS) };

    let mut checks = Vec::with_capacity(turns);
    let mut added = Vec::with_capacity(turns);
    for _ in 0..turns {
        let plans: Vec<Plan> = (0..times).map(|_| plan()).collect();
        let start = Instant::now();
        for plan in plans {
            black_box(checker.check(plan)).expect("a plan without mistakes");
        }
        checks.push(start.elapsed().as_secs_f64() / times as f64);

        let start = Instant::now();
        runtime.block_on(async {
            for _ in 0..times {
                run(&kernel, &checked).await;
            }
        });
        let whole = start.elapsed();
        let start = Instant::now();
        runtime.block_on(async {
            for _ in 0..times {
                by_hand(&kernel, &checked).await;
            }
        });
        let difference = whole.as_secs_f64() - start.elapsed().as_secs_f64();
        added.push(difference / (times * STEPS) as f64);
    }
    report.seconds("plan, check", median(&mut checks));
    report.seconds("plan, added by a step", median(&mut added));
}
