//! The origin of a plan: a goal, a file, or a run that stopped.

use std::path::Path;

use anyhow::{Result, anyhow};
use serde_json::Value;
use textsearch_kernel::KernelArguments;
use textsearch_plan::{Plan, PlanState};

use super::saved::SavedRun;
use crate::{arguments::PlanArguments, errors::usage, files};

pub(super) enum Origin {
    /// For a model.
    Goal(String),
    File(Plan, KernelArguments),
    Saved(PlanState),
}

impl Origin {
    pub(super) fn read(arguments: &PlanArguments) -> Result<Self> {
        let PlanArguments { goal, plan, state, .. } = arguments;
        if let Some(state) = state.as_deref().filter(|state| state.exists())
            && (goal.is_some() || plan.is_some())
        {
            return Err(usage(format!(
                "`{}` exists: try --state without a goal and --plan to go on with the run in it, or another file",
                state.display()
            )));
        }
        match (goal, plan, state) {
            (Some(goal), ..) => Ok(Self::Goal(goal.clone())),
            (None, Some(path), _) => {
                let plan = read_plan(path)?;
                let inputs = inputs(&plan, &arguments.inputs);
                Ok(Self::File(plan, inputs))
            }
            (None, None, Some(path)) => Ok(Self::Saved(SavedRun::new(path).read()?)),
            (None, None, None) => Err(usage(
                "there is nothing to plan: try a goal, --plan FILE, or --state FILE of a run that stopped",
            )),
        }
    }
}

fn read_plan(path: &Path) -> Result<Plan> {
    let text = files::read(path, "--plan")?;
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let read = if matches!(ending.as_str(), "yaml" | "yml") {
        let options = serde_saphyr::options! { with_snippet: false };
        serde_saphyr::from_str_with_options(&text, options).map_err(|error| error.to_string())
    } else {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    };
    read.map_err(|error| anyhow!("`{}` is no plan: {error}: try another --plan", path.display()))
}

/// A value is JSON, unless its input takes text, or fits only as text. Names ignore case, as in a run.
fn inputs(plan: &Plan, texts: &[(String, String)]) -> KernelArguments {
    texts.iter().fold(KernelArguments::new(), |inputs, (name, text)| {
        let input = plan.inputs.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let kind = input.and_then(|(_, schema)| schema.get("type"));
        let takes_text = kind.is_some_and(|kind| match kind {
            Value::Array(kinds) => kinds.iter().any(|kind| kind == "string"),
            kind => kind == "string",
        });
        let as_text = Value::from(text.as_str());
        let fits = |value: &Value| plan.check_input(name, value).is_ok();
        let json = serde_json::from_str(text).ok().filter(|_| !takes_text);
        let json = json.filter(|json| fits(json) || !fits(&as_text));
        inputs.with(name.as_str(), json.unwrap_or(as_text))
    })
}
