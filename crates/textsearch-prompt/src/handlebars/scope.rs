//! Name lookup inside blocks.

use serde_json::Value;

use super::{
    path::LoopVariable,
    value::{Evaluated, Origin},
};

#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'s> {
    outer: Option<&'s Scope<'s>>,
    /// `None` for the template itself, whose context is its variables.
    this: Option<&'s Value>,
    origin: Origin,
    turn: Option<Turn<'s>>,
    /// For the context and its key.
    names: &'s [String],
    /// `None` for a name that is not a function.
    answers: &'s [Option<Answer>],
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<'s> {
    pub(super) index: usize,
    pub(super) count: usize,
    pub(super) key: Option<&'s str>,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) value: Value,
    pub(super) trusted: bool,
}

impl<'s> Scope<'s> {
    pub(super) const ROOT: Self = Self {
        outer: None,
        this: None,
        origin: Origin::Variables,
        turn: None,
        names: &[],
        answers: &[],
    };

    /// It inherits the loop iteration unless it gets its own.
    pub(super) fn inside(
        &'s self,
        value: &'s Value,
        origin: Origin,
        turn: Option<Turn<'s>>,
        names: &'s [String],
    ) -> Self {
        let turn = turn.or(self.turn);
        Self { outer: Some(self), this: Some(value), origin, turn, names, answers: &[] }
    }

    pub(super) fn with_answers(self, answers: &'s [Option<Answer>]) -> Self {
        Self { answers, ..self }
    }

    pub(super) fn outer(&'s self, up: usize) -> Option<&'s Self> {
        (0..up).try_fold(self, |scope, _| scope.outer)
    }

    pub(super) fn this(&self) -> Option<Evaluated<'s>> {
        let value = self.this.filter(|_| self.origin != Origin::Variables)?;
        Some(Evaluated::at(value, self.origin))
    }

    pub(super) fn answer(&self, index: usize) -> Option<Evaluated<'s>> {
        let Answer { value, trusted } = self.answers.get(index)?.as_ref()?;
        Some(Evaluated::at(value, Origin::Answer { trusted: *trusted, is_whole: true }))
    }

    pub(super) fn named(&self, name: &str) -> Option<Evaluated<'s>> {
        let mut scope = self;
        loop {
            if let Some(position) = scope.names.iter().position(|known| known == name) {
                return match position {
                    0 => Some(Evaluated::at(scope.this?, scope.origin)),
                    _ => scope.loop_variable(LoopVariable::Key),
                };
            }
            scope = scope.outer?;
        }
    }

    pub(super) fn loop_variable(&self, variable: LoopVariable) -> Option<Evaluated<'s>> {
        let Turn { index, count, key } = self.turn?;
        Some(match (variable, key) {
            (LoopVariable::First, _) => Evaluated::made(index == 0),
            (LoopVariable::Last, _) => Evaluated::made(index + 1 == count),
            (LoopVariable::Key, Some(key)) => Evaluated::made(key),
            (LoopVariable::Index | LoopVariable::Key, _) => Evaluated::made(index),
        })
    }
}
