//! Shows a plan to a person, who decides whether it runs.

use std::io;

use anyhow::{Context as _, Result};
use textsearch_plan::{CheckedPlan, PlanState, StepState};

use super::target::Target;
use crate::{messages, output::counted};

/// Prints the plan on standard error, one step a line, then whom it calls. Marks the steps that
/// finished in `state`.
pub(super) fn show(plan: &CheckedPlan, state: Option<&PlanState>, targets: &[Target]) {
    let steps = &plan.plan().steps;
    let done = |id: &str| state.and_then(|state| state.steps.get(id));
    messages::say("the plan:");
    // A line break in a value is written out. The last line is the result.
    for (place, line) in plan.to_string().lines().enumerate() {
        let mark = mark(steps.get(place).and_then(|step| done(&step.id)));
        messages::say(&format!("  {mark}{line}"));
    }
    let is_left = |id: &str| !matches!(done(id), Some(StepState::Finished(_) | StepState::Skipped));
    let writing = steps.iter().zip(plan.functions()).filter(|(step, function)| {
        function.metadata().is_read_only != Some(true) && is_left(&step.id)
    });
    let writing: Vec<String> = writing.map(|(step, _)| format!("`{}`", step.id)).collect();
    if !writing.is_empty() {
        messages::say(&format!("steps that may change something: {}", writing.join(", ")));
    }
    targets.iter().filter_map(|target| target.line(plan)).for_each(|line| messages::say(&line));
}

fn mark(state: Option<&StepState>) -> String {
    match state {
        Some(StepState::Finished(_)) => "(finished) ".to_owned(),
        Some(StepState::Skipped) => "(skipped) ".to_owned(),
        Some(StepState::Partial(items)) => {
            format!("({} finished) ", counted(items.len() as u64, "item"))
        }
        _ => String::new(),
    }
}

/// Waits for the person's answer on standard input.
pub(super) async fn ask() -> Result<bool> {
    messages::ask("run this plan? [y/N]");
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|_| line)
    });
    // Connections to MCP servers need the runtime meanwhile.
    let line = read.await.context("the answer cannot be read")?;
    Ok(is_yes(&line.context("the answer cannot be read")?))
}

fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_agrees() {
        assert!(["y\n", "Yes\r\n", " YES "].into_iter().all(is_yes));
        assert!(!["", "\n", "n\n", "yesterday\n", "ok\n"].into_iter().any(is_yes));
    }
}
