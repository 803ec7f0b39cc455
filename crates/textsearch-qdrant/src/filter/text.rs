//! Conditions on texts: equality, substrings, prefixes and order by code point.

use qdrant_client::qdrant::{Condition, Range};
use textsearch_core::{Result, filter::FilterOperator, vector::DataKind};

use super::{
    Expression, Field, Order, keyword,
    number::{range, strictly},
};
use crate::columns::{self, LONGEST_COMPARED};

pub(super) const TEXTS: &[DataKind] = &[DataKind::String, DataKind::DateTime];

impl Field<'_> {
    pub(super) fn equal_text(&self, texts: Vec<String>) -> Expression {
        self.text(|path| matches(path, texts.clone()))
    }

    /// Without a text index on the field, the server compares characters; `check_readable` rejects
    /// fields that have one.
    pub(super) fn contains_text(&self, part: &str) -> Expression {
        self.text(|path| Condition::matches_text(path, part))
    }

    fn text(&self, condition: impl Fn(String) -> Condition) -> Expression {
        let plain = self.plain(TEXTS).map(|path| condition(path).into());
        let in_columns = self.in_columns(condition(self.column(columns::TEXT)));
        Expression::any(plain.into_iter().chain([in_columns]))
    }

    pub(super) fn starts_with(&self, prefix: &str) -> Result<Expression> {
        let parts = columns::parts_of_prefix(prefix).ok_or_else(|| {
            let reason =
                format!("only the first {} bytes of a text are indexed", LONGEST_COMPARED + 1);
            self.unsupported(FilterOperator::StartsWith, &reason)
        })?;
        let conditions = (0..).zip(parts).map(|(place, part)| {
            let range = Range { gte: Some(part.min), lte: Some(part.max), ..Range::default() };
            Condition::range(self.part(place), range).into()
        });
        Ok(Expression::all(conditions))
    }

    pub(super) fn ordered_text(&self, order: Order, text: &str) -> Result<Expression> {
        if text.len() > LONGEST_COMPARED {
            let reason = format!("only texts of at most {LONGEST_COMPARED} bytes can be ordered");
            return Err(self.unsupported(order.into(), &reason));
        }
        let parts: Vec<f64> = columns::parts(text).collect();
        Ok(self.ordered_parts(order, 0, &parts))
    }

    /// The first part that differs decides.
    fn ordered_parts(&self, order: Order, place: usize, parts: &[f64]) -> Expression {
        let column = |order, value| Expression::from(range(self.part(place), order, value));
        match (parts, strictly(order)) {
            ([last], _) => column(order, *last),
            ([first, rest @ ..], Some(strict)) => {
                let tie = Expression::all([
                    column(Order::Equal, *first),
                    self.ordered_parts(order, place + 1, rest),
                ]);
                Expression::any([column(strict, *first), tie])
            }
            _ => Expression::False,
        }
    }

    fn part(&self, place: usize) -> String {
        self.column(&format!("{}.{}", columns::ORDER, columns::part_name(place)))
    }
}

fn matches(path: String, mut texts: Vec<String>) -> Condition {
    match (texts.len(), texts.pop()) {
        (1, Some(only)) => keyword(path, only),
        (_, last) => {
            texts.extend(last);
            Condition::matches(path, texts)
        }
    }
}
