//! Shows a plan to a person, who decides whether it runs.

use std::io;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use textsearch_core::invisible::escape_json;
use textsearch_kernel::function::FunctionMetadata;
use textsearch_plan::{CheckedPlan, PlanState, StepState};

use super::target::Target;
use crate::{messages, output::counted};

/// Prints the plan on standard error, one step a line, then whom it calls. Marks the steps that
/// finished in `state`. For a person who decides, prints the values that the run goes on with too; a
/// log shouldn't hold them.
pub(super) fn show(
    plan: &CheckedPlan,
    state: Option<&PlanState>,
    targets: &[Target],
    for_person: bool,
) {
    let steps = &plan.plan().steps;
    let done = |id: &str| state.and_then(|state| state.steps.get(id));
    messages::say("the plan:");
    // A line break in a value is written out. The last line is the result.
    for (place, line) in plan.to_string().lines().enumerate() {
        let mark = mark(steps.get(place).and_then(|step| done(&step.id)));
        messages::say(&format!("  {mark}{line}"));
    }
    let decided = state.filter(|_| for_person);
    decided.into_iter().flat_map(|state| values(plan, state)).for_each(|line| messages::say(&line));
    let is_left = |id: &str| !matches!(done(id), Some(StepState::Finished(_) | StepState::Skipped));
    let is_of_mcp = |function: &FunctionMetadata| {
        let is_it = |target: &Target| function.plugin_name.as_ref() == Some(&target.plugin);
        targets.iter().any(|target| target.is_mcp() && is_it(target))
    };
    let say_steps = |title: &str, is_it: &dyn Fn(&FunctionMetadata) -> bool| {
        let all = steps.iter().zip(plan.functions());
        let selected =
            all.filter(|(step, function)| is_left(&step.id) && is_it(function.metadata()));
        let names: Vec<String> = selected.map(|(step, _)| format!("`{}`", step.id)).collect();
        if !names.is_empty() {
            messages::say(&format!("{title}: {}", names.join(", ")));
        }
    };
    say_steps("steps that may change something", &|function| function.read_only != Some(true));
    // A dishonest server may say so of any tool.
    say_steps("read-only, as the MCP server says", &|function| {
        function.read_only == Some(true) && is_of_mcp(function)
    });
    targets.iter().filter_map(|target| target.line(plan)).for_each(|line| messages::say(&line));
}

/// Returns the inputs and results of a saved run, each in a line. A person who resumes another
/// person's run hasn't seen them.
fn values(plan: &CheckedPlan, state: &PlanState) -> Vec<String> {
    let inputs = plan.plan().inputs.keys().map(|name| {
        let value = state.inputs.get(name).unwrap_or(&Value::Null);
        (format!("$.inputs.{name}"), value.clone())
    });
    let results = plan.plan().steps.iter().filter_map(|step| {
        let value = match state.steps.get(&step.id)? {
            StepState::Finished(value) => value.clone(),
            StepState::Partial(items) => json!(items),
            _ => return None,
        };
        Some((format!("$.steps.{}.result", step.id), value))
    });
    let lines: Vec<String> = inputs
        .chain(results)
        .map(|(name, value)| format!("  {name} = {}", shown(&value)))
        .collect();
    let title = (!lines.is_empty()).then(|| "the values of the saved run:".to_owned());
    title.into_iter().chain(lines).collect()
}

/// Returns the start of the value's JSON, with hidden characters escaped, and how much follows.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 200;
    let json = escape_json(&value.to_string());
    let Some((end, _)) = json.char_indices().nth(LONGEST) else { return json };
    let (start, rest) = json.split_at(whole_escapes(&json, end));
    format!("{start}… ({} not shown)", counted(rest.chars().count() as u64, "character"))
}

/// Returns the last position up to `end` that is in no escape of a string: half of one would read as
/// another text.
fn whole_escapes(json: &str, end: usize) -> usize {
    let mut rest = json.char_indices().peekable();
    let mut whole = 0;
    while let Some((place, character)) = rest.next().filter(|(place, _)| *place <= end) {
        whole = place;
        let length = match (character, rest.peek()) {
            ('\\', Some((_, 'u'))) => "u0000".len(),
            ('\\', _) => 1,
            _ => 0,
        };
        rest.by_ref().take(length).for_each(drop);
    }
    whole
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
    fn a_long_value_is_cut_between_escapes() {
        let end = |escape: &str| {
            let text = format!("{}{escape}{}", "x".repeat(197), "y".repeat(9));
            let shown = shown(&json!(text));
            shown.strip_prefix(&format!("\"{}", "x".repeat(197))).unwrap().to_owned()
        };
        assert_eq!(end(""), "yy… (8 characters not shown)");
        assert_eq!(end("\\"), "\\\\… (10 characters not shown)");
        assert_eq!(end("é\""), "é… (12 characters not shown)");
        assert_eq!(end("\u{202e}"), "… (16 characters not shown)");
        assert_eq!(shown(&json!("x".repeat(198))), format!("\"{}\"", "x".repeat(198)));
        assert_eq!(
            shown(&json!("x".repeat(199))),
            format!("\"{}… (1 character not shown)", "x".repeat(199))
        );
    }

    #[test]
    fn only_a_clear_yes_agrees() {
        assert!(["y\n", "Yes\r\n", " YES "].into_iter().all(is_yes));
        assert!(!["", "\n", "n\n", "yesterday\n", "ok\n"].into_iter().any(is_yes));
    }
}
