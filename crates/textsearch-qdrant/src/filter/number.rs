//! Numbers, compared by value and exactly.

use qdrant_client::qdrant::{Condition, Range};
use textsearch_core::{filter::FilterValue, vector::DataKind};

use super::{Expression, Field, Order};
use crate::columns::{self, LARGEST_FLOAT};

/// The number of a filter.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    /// One that is not whole, or beyond all integers of records.
    Float(f64),
}

impl Field<'_> {
    pub(super) fn number(&self, order: Order, value: &FilterValue) -> Expression {
        let Some(number) = Number::of(value) else { return Expression::False };
        let plain = self.plain(&[DataKind::Integer, DataKind::Number]);
        let plain = plain.map(|path| match (order, number) {
            // Integers have an index for equality of their own.
            (Order::Equal, Number::Integer(number))
                if self.kind == DataKind::Integer && number.abs() <= LARGEST_FLOAT =>
            {
                Condition::matches(path, number as i64).into()
            }
            (_, Number::Float(number)) if self.kind == DataKind::Integer => {
                integers(path, order, number)
            }
            _ => float(path, order, number),
        });
        let in_columns = self.in_columns(Expression::any([
            float(self.column(columns::NUMBER), order, number),
            self.large(order, number),
        ]));
        Expression::any(plain.into_iter().chain([in_columns]))
    }

    /// The condition on integers in two halves.
    fn large(&self, order: Order, number: Number) -> Expression {
        let (order, number) = match number {
            Number::Integer(number) => (order, number),
            // Between two integers: below the upper one is below or at the lower one.
            Number::Float(number) => match order {
                Order::Equal => return Expression::False,
                Order::Less | Order::LessOrEqual => (Order::LessOrEqual, number.floor() as i128),
                Order::Greater | Order::GreaterOrEqual => (Order::Greater, number.floor() as i128),
            },
        };
        let (high, low) = columns::halves(number.clamp(-(1 << 70), 1 << 70));
        let column = |name, order, value| Expression::from(range(self.column(name), order, value));
        let tie = Expression::all([
            column(columns::HIGH, Order::Equal, high),
            column(columns::LOW, order, low),
        ]);
        match strictly(order) {
            None => tie,
            Some(strict) => Expression::any([column(columns::HIGH, strict, high), tie]),
        }
    }
}

impl Number {
    fn of(value: &FilterValue) -> Option<Self> {
        match value {
            FilterValue::Integer(number) => Some(Self::Integer(i128::from(*number))),
            FilterValue::Float(number) if !number.is_finite() => None,
            FilterValue::Float(number) if number.fract() == 0.0 && number.abs() < 1e30 => {
                Some(Self::Integer(*number as i128))
            }
            FilterValue::Float(number) => Some(Self::Float(*number)),
            _ => None,
        }
    }
}

/// The condition on integers with a number between two of them: their index cuts the fraction of a bound off.
fn integers(path: String, order: Order, number: f64) -> Expression {
    match order {
        Order::Equal => Expression::False,
        Order::Less | Order::LessOrEqual => range(path, Order::LessOrEqual, number.floor()).into(),
        Order::Greater | Order::GreaterOrEqual => {
            range(path, Order::GreaterOrEqual, number.ceil()).into()
        }
    }
}

/// The condition on values that are floats, with a number that need not be one.
fn float(path: String, order: Order, number: Number) -> Expression {
    let number = match number {
        Number::Float(number) => return range(path, order, number).into(),
        Number::Integer(number) => number,
    };
    let nearest = number as f64;
    let (order, bound) = match (nearest as i128).cmp(&number) {
        std::cmp::Ordering::Equal => (order, nearest),
        // No float lies between the number and the nearest one.
        std::cmp::Ordering::Greater => match order {
            Order::Equal => return Expression::False,
            Order::Less | Order::LessOrEqual => (Order::Less, nearest),
            Order::Greater | Order::GreaterOrEqual => (Order::GreaterOrEqual, nearest),
        },
        std::cmp::Ordering::Less => match order {
            Order::Equal => return Expression::False,
            Order::Less | Order::LessOrEqual => (Order::LessOrEqual, nearest),
            Order::Greater | Order::GreaterOrEqual => (Order::Greater, nearest),
        },
    };
    range(path, order, bound).into()
}

/// The condition that a value is so ordered with `bound`.
pub(super) fn range(path: String, order: Order, bound: f64) -> Condition {
    let mut range = Range::default();
    match order {
        Order::Less => range.lt = Some(bound),
        Order::LessOrEqual => range.lte = Some(bound),
        Order::Greater => range.gt = Some(bound),
        Order::GreaterOrEqual => range.gte = Some(bound),
        Order::Equal => (range.gte, range.lte) = (Some(bound), Some(bound)),
    }
    Condition::range(path, range)
}

/// The order without equality; none where there is nothing but equality.
pub(super) fn strictly(order: Order) -> Option<Order> {
    match order {
        Order::Less | Order::LessOrEqual => Some(Order::Less),
        Order::Greater | Order::GreaterOrEqual => Some(Order::Greater),
        Order::Equal => None,
    }
}
