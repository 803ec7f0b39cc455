//! The calls of one rendering: those that are answered, and the one that is asked for next.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ::handlebars::{Context, PathAndJson, RenderError, RenderErrorReason, ScopedJson};
use serde_json::Value;
use textsearch_kernel::{Kernel, KernelArguments, KernelFunction};

use super::{data, error::Failure};
use crate::{binding::Bindings, variables::Variables};

/// The most calls that one rendering makes: a template that asks for more is taken for one that never ends.
pub(super) const MAX_CALLS: usize = 1000;

/// A call of a function.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: KernelFunction,
    pub(super) arguments: KernelArguments,
    pub(super) is_trusted: bool,
}

/// The value of a variable that the template has set.
#[derive(Debug, Clone)]
pub(super) enum SetValue {
    /// What is at this path of the data: it stays as trusted, or not, as it is there.
    At(Vec<String>),
    /// A value that a helper made.
    Value(Arc<Value>),
}

/// How far a pass over the template has come: what has to be undone to go over a part of it again.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    /// How many calls the template has reached.
    calls: usize,
    /// How many loops it has entered.
    loops: usize,
    /// The variables that it has set.
    variables: BTreeMap<String, SetValue>,
}

/// What is finished of a loop, so that its turns are rendered once although the template around it is rendered again.
#[derive(Debug)]
pub(super) struct Turns {
    /// How many turns are finished.
    pub(super) count: usize,
    /// What they rendered.
    pub(super) text: String,
    /// How far the template had come after them.
    pub(super) progress: Progress,
}

/// The loops that are begun, by the ordinal of entering them.
pub(super) type Loops = BTreeMap<usize, Turns>;

/// One pass over the template, from a place where it stopped until it stops again.
pub(super) struct Pass<'a> {
    kernel: &'a Kernel,
    variables: Variables<'a>,
    answered: &'a [Call],
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    progress: Progress,
    loops: Loops,
    /// The call that the template waits for.
    asked: Option<Call>,
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        kernel: &'a Kernel,
        variables: Variables<'a>,
        answered: &'a [Call],
        progress: Progress,
        loops: Loops,
    ) -> Self {
        let state = Mutex::new(State { progress, loops, asked: None });
        Self { kernel, variables, answered, state }
    }

    pub(super) fn kernel(&self) -> &'a Kernel {
        self.kernel
    }

    pub(super) fn progress(&self) -> Progress {
        self.state().progress.clone()
    }

    pub(super) fn take_asked(&self) -> Option<Call> {
        self.state().asked.take()
    }

    pub(super) fn take_loops(&self) -> Loops {
        std::mem::take(&mut self.state().loops)
    }

    /// Enters a loop: its ordinal, and what is finished of it.
    pub(super) fn enter_loop(&self) -> (usize, Option<Turns>) {
        let mut state = self.state();
        let ordinal = state.progress.loops;
        state.progress.loops += 1;
        let turns = state.loops.remove(&ordinal);
        if let Some(turns) = &turns {
            state.progress = turns.progress.clone();
        }
        (ordinal, turns)
    }

    /// Keeps what is finished of the loop with this ordinal.
    pub(super) fn keep_loop(&self, ordinal: usize, turns: Turns) {
        self.state().loops.insert(ordinal, turns);
    }

    pub(super) fn set(&self, name: String, value: SetValue) {
        self.state().progress.variables.insert(name, value);
    }

    pub(super) fn set_value(&self, name: &str) -> Option<SetValue> {
        self.state().progress.variables.get(name).cloned()
    }

    /// The answer of a call, if it is there; or else the error that stops the pass.
    pub(super) fn answer<'rc>(
        &self,
        function: &KernelFunction,
        bindings: &Bindings<'_>,
        context: &'rc Context,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let mut state = self.state();
        let ordinal = state.progress.calls;
        state.progress.calls += 1;
        let Some(call) = self.answered.get(ordinal) else {
            return Err(match ordinal {
                MAX_CALLS.. => Failure::too_many_calls(),
                _ => {
                    let arguments = self.arguments(bindings, &state.progress, context);
                    let function = function.clone();
                    state.asked = Some(Call { function, arguments, is_trusted: false });
                    RenderErrorReason::NestedError(Box::new(Failure::Unanswered)).into()
                }
            });
        };
        // The engine is deterministic; if it ever is not, a wrong answer must not go unnoticed.
        let is_same = call.function.metadata().name == function.metadata().name
            && call.function.metadata().plugin_name == function.metadata().plugin_name
            && bindings.are_in(&call.arguments);
        if !is_same {
            return Err(Failure::message(
                "the template asked for other calls when it was rendered again",
            ));
        }
        Ok(data::answer(context, ordinal, call.is_trusted))
    }

    fn arguments(
        &self,
        bindings: &Bindings<'_>,
        progress: &Progress,
        context: &Context,
    ) -> KernelArguments {
        bindings.to_arguments(self.variables.arguments(), |name| {
            let mut set = progress.variables.iter();
            match set.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                Some((_, value)) => Some(value.read(&[], context).as_json().clone()),
                None => self.variables.get(name).cloned(),
            }
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock, and what is in it would still be whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress {
    /// How many calls the template has reached.
    pub(super) fn calls(&self) -> usize {
        self.calls
    }
}

impl SetValue {
    pub(super) fn of(value: &PathAndJson<'_>) -> Self {
        match value.context_path() {
            Some(path) => Self::At(path.clone()),
            None => Self::Value(Arc::new(value.value().clone())),
        }
    }

    /// What the value has at `members`.
    pub(super) fn read<'rc>(&self, members: &[String], context: &'rc Context) -> ScopedJson<'rc> {
        match self {
            Self::At(path) => data::at(context, [path, members].concat()),
            Self::Value(value) => {
                let found =
                    members.iter().try_fold(&**value, |value, member| data::member(value, member));
                found.map_or(ScopedJson::Missing, |value| ScopedJson::Derived(value.clone()))
            }
        }
    }
}
