//! What names stand for in a block.

use serde_json::Value;

use super::{
    path::LoopVariable,
    value::{Found, Origin},
};

/// What an expression may refer to: the block that it is in, and the blocks around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'s> {
    outer: Option<&'s Scope<'s>>,
    /// What the block is about; `None` for the template itself, which is about its variables.
    this: Option<&'s Value>,
    origin: Origin,
    turn: Option<Turn<'s>>,
    /// The names that the block gives to what it is about and to its key.
    names: &'s [String],
    /// The answers of the calls that the node itself makes; `None` for a name that is no function.
    answers: &'s [Option<Answer>],
}

/// A turn of a loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<'s> {
    pub(super) index: usize,
    /// How many turns there are.
    pub(super) count: usize,
    /// The key of an object's member.
    pub(super) key: Option<&'s str>,
}

/// What a function returned.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) value: Value,
    pub(super) is_trusted: bool,
}

impl<'s> Scope<'s> {
    /// The scope of the template itself.
    pub(super) const ROOT: Self = Self {
        outer: None,
        this: None,
        origin: Origin::Variables,
        turn: None,
        names: &[],
        answers: &[],
    };

    /// The scope of a block in this one that is about `value`. It has the turn of the loop around it, unless it is given
    /// its own.
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

    /// The same scope for a node that made these calls.
    pub(super) fn with_answers(self, answers: &'s [Option<Answer>]) -> Self {
        Self { answers, ..self }
    }

    /// The scope that is so many blocks up.
    pub(super) fn outer(&'s self, up: usize) -> Option<&'s Self> {
        (0..up).try_fold(self, |scope, _| scope.outer)
    }

    /// What the block is about; `None` where that is all variables.
    pub(super) fn this(&self) -> Option<Found<'s>> {
        let value = self.this.filter(|_| self.origin != Origin::Variables)?;
        Some(Found::at(value, self.origin))
    }

    /// The answer of the node's call with this index; `None` if it was a name that is no function.
    pub(super) fn answer(&self, index: usize) -> Option<Found<'s>> {
        let Answer { value, is_trusted } = self.answers.get(index)?.as_ref()?;
        Some(Found::at(value, Origin::Answer { is_trusted: *is_trusted, is_whole: true }))
    }

    /// What `name` stands for, if this block or one around it gives it to its value or its key.
    pub(super) fn named(&self, name: &str) -> Option<Found<'s>> {
        let mut scope = self;
        loop {
            if let Some(position) = scope.names.iter().position(|known| known == name) {
                return match position {
                    0 => Some(Found::at(scope.this?, scope.origin)),
                    _ => scope.loop_variable(LoopVariable::Key),
                };
            }
            scope = scope.outer?;
        }
    }

    /// The value of `@index` and the like.
    pub(super) fn loop_variable(&self, variable: LoopVariable) -> Option<Found<'s>> {
        let Turn { index, count, key } = self.turn?;
        Some(match (variable, key) {
            (LoopVariable::First, _) => Found::made(index == 0),
            (LoopVariable::Last, _) => Found::made(index + 1 == count),
            (LoopVariable::Key, Some(key)) => Found::made(key),
            (LoopVariable::Index | LoopVariable::Key, _) => Found::made(index),
        })
    }
}
