//! Shows a plan to a person, who decides whether it runs.

use std::io;

use anyhow::{Context as _, Result};
use textsearch_plan::CheckedPlan;

use crate::messages;

/// Prints the plan on standard error, one step a line.
pub(super) fn show(plan: &CheckedPlan) {
    messages::say("the plan:");
    // A line break in a value is written out.
    plan.to_string().lines().for_each(|line| messages::say(&format!("  {line}")));
    let steps = plan.plan().steps.iter().zip(plan.functions());
    let writing = steps.filter(|(_, function)| function.metadata().is_read_only != Some(true));
    let writing: Vec<String> = writing.map(|(step, _)| format!("`{}`", step.id)).collect();
    if !writing.is_empty() {
        messages::say(&format!("steps that may change something: {}", writing.join(", ")));
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
