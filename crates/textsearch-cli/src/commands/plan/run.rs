//! Runs `textsearch plan`.

use std::{
    io::{self, IsTerminal as _},
    time::Instant,
};

use anyhow::{Context as _, Result, anyhow};
use textsearch_kernel::Kernel;
use textsearch_plan::{CheckedPlan, PlanChecker, PlanError, PlanOutcome, Planner, RunOptions};

use super::{
    approval, follower::Follower, functions, origin::Origin, plugin::Plugin, saved::SavedRun,
};
use crate::{
    arguments::PlanArguments,
    commands::ask,
    errors::{self, Interrupted, usage},
    messages,
    output::{Output, counted},
    signals,
};

pub(crate) async fn run(arguments: &PlanArguments, output: &mut Output) -> Result<()> {
    check(arguments)?;
    let plugins = functions::plugins(arguments)?;
    let saved = arguments.state.as_deref().map(SavedRun::new);
    let written = saved.as_ref().filter(|_| !arguments.dry_run);
    let _lock = written.map(SavedRun::lock).transpose()?;
    let origin = Origin::read(arguments)?;
    // A signal ends the program while a search opens, which seldom lets other work run.
    let kernel = functions::kernel(arguments, matches!(origin, Origin::Goal(_))).await?;
    let stopped = signals::stopped().context("the plan cannot listen for signals")?;
    tokio::select! {
        done = plan(arguments, &plugins, kernel, origin, output) => done,
        // MCP servers lead their own process groups: they end because their connections are dropped.
        () = stopped => {
            written.and_then(SavedRun::advice).iter().for_each(|advice| messages::say(advice));
            Err(Interrupted.into())
        }
    }
}

async fn plan(
    arguments: &PlanArguments,
    plugins: &[Plugin],
    mut kernel: Kernel,
    origin: Origin,
    output: &mut Output,
) -> Result<()> {
    let targets = functions::add_plugins(&mut kernel, plugins).await?;
    let plan = checked(&origin, &kernel).await?;
    let state = match &origin {
        Origin::Saved(state) => Some(state),
        Origin::Goal(_) | Origin::File(..) => None,
    };
    approval::show(&plan, state, &targets, !arguments.yes);
    if arguments.dry_run {
        return output.json(plan.plan());
    }
    if !arguments.yes && !approval::ask().await? {
        return Err(anyhow!("the plan was not run"));
    }
    let outcome = carry_out(arguments, &kernel, &plan, origin).await?;
    output.json(&outcome.value)
}

fn check(arguments: &PlanArguments) -> Result<()> {
    let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal();
    if !arguments.yes && !arguments.dry_run && !can_ask {
        return Err(usage(
            "a plan runs after a person agrees, and there is no terminal to ask on: try --dry-run to see the plan, or \
             --yes to run it",
        ));
    }
    // Clap doesn't enforce `requires` with a goal, which excludes --plan.
    if arguments.plan.is_none() && !arguments.inputs.is_empty() {
        return Err(usage("--input is for a plan in a file: try it with --plan FILE"));
    }
    if arguments.goal.as_ref().is_some_and(|goal| goal.trim().is_empty()) {
        return Err(usage("the goal is empty: try to say what the plan should find or do"));
    }
    Ok(())
}

async fn checked(origin: &Origin, kernel: &Kernel) -> Result<CheckedPlan> {
    let plan = match origin {
        Origin::Goal(goal) => {
            let made = Planner::new().plan(kernel, goal).await.map_err(failure)?;
            if !made.left_out.is_empty() {
                messages::warn(&format!(
                    "the model was offered only the functions that fit; left out: {}",
                    made.left_out.join(", ")
                ));
            }
            return Ok(made.plan);
        }
        Origin::File(plan, _) => plan.clone(),
        Origin::Saved(state) => (*state.plan).clone(),
    };
    PlanChecker::new(kernel).check(plan).map_err(|mistakes| failure(mistakes.into()))
}

async fn carry_out(
    arguments: &PlanArguments,
    kernel: &Kernel,
    plan: &CheckedPlan,
    origin: Origin,
) -> Result<PlanOutcome> {
    let begun = Instant::now();
    let saved = arguments.state.as_deref().map(SavedRun::new);
    let options = RunOptions::new().with_observer(Follower::new(plan.plan(), saved.clone()));
    let outcome = match origin {
        Origin::Goal(_) => plan.run_with(kernel, Default::default(), &options).await,
        Origin::File(_, inputs) => plan.run_with(kernel, inputs, &options).await,
        Origin::Saved(state) => plan.resume(kernel, state, &options).await,
    };
    if let Some(saved) = &saved {
        save_end(saved, &outcome);
    }
    let outcome = outcome.map_err(failure)?;
    let calls = counted(outcome.state.calls as u64, "call");
    messages::say(&format!("done with {calls} in {:.1?}", begun.elapsed()));
    Ok(outcome)
}

/// Saves the number of calls too. A failure hides neither the result nor the error of the run.
fn save_end(saved: &SavedRun, outcome: &Result<PlanOutcome, PlanError>) {
    let state = match outcome {
        Ok(outcome) => Some(&outcome.state),
        Err(error) => error.state(),
    };
    let Some(state) = state else { return };
    match saved.write(state) {
        Err(error) => messages::warn(&errors::one_line(&error)),
        Ok(()) if outcome.as_ref().is_err_and(may_pass) => {
            saved.advice().iter().for_each(|advice| messages::say(advice));
        }
        Ok(()) => {}
    }
}

/// Returns whether the run may get further if it is resumed. Saved calls and results count towards
/// limits again.
fn may_pass(error: &PlanError) -> bool {
    match error {
        PlanError::LimitExceeded { limit, dropped, .. } => {
            dropped.is_empty() && matches!(*limit, "max_time" | "max_scanned_bytes")
        }
        // A value or a result with a mistake stays as it is.
        PlanError::StepFailed { source, dropped, .. } => source.is_some() && dropped.is_empty(),
        PlanError::ObserverFailed { dropped, .. } => dropped.is_empty(),
        _ => true,
    }
}

/// Prints the mistakes of a plan, one a line, and removes the context of a chat's error.
fn failure(error: PlanError) -> anyhow::Error {
    match error {
        PlanError::Kernel(error) => ask::failure(error),
        PlanError::InvalidInput { .. } => usage(format!("{error}: try another --input")),
        PlanError::Invalid(mistakes) => {
            mistakes.problems.iter().for_each(|problem| messages::say(&problem.to_string()));
            let count = counted((mistakes.problems.len() + mistakes.more) as u64, "mistake");
            anyhow!("the plan cannot run: it has {count}")
        }
        // Only --state can fail.
        PlanError::ObserverFailed { source, dropped, .. } if dropped.is_empty() => anyhow!(source),
        error => error.into(),
    }
}
