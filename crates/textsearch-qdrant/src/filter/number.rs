//! Conditions on numbers, compared exactly by value.

use qdrant_client::qdrant::{Condition, Range};
use textsearch_core::{filter::FilterValue, vector::DataKind};

use super::{Expression, Field, Order};
use crate::columns::{self, LARGEST_FLOAT};

#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    /// A fraction, or a number larger than any integer in a record.
    Float(f64),
}

impl Field<'_> {
    pub(super) fn number(&self, order: Order, value: &FilterValue) -> Expression {
        let Some(number) = Number::from_value(value) else { return Expression::False };
        let plain = self.plain(&[DataKind::Integer, DataKind::Number]);
        let plain = plain.map(|path| match (order, number) {
            // Integers have a separate index for equality.
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

    fn large(&self, order: Order, number: Number) -> Expression {
        let (order, number) = match number {
            Number::Integer(number) => (order, number),
            // Between two integers, "below the upper one" means "at or below the lower one".
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
    fn from_value(value: &FilterValue) -> Option<Self> {
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

/// Takes a number between two integers, because the integer index truncates the fraction of a
/// bound.
fn integers(path: String, order: Order, number: f64) -> Expression {
    match order {
        Order::Equal => Expression::False,
        Order::Less | Order::LessOrEqual => range(path, Order::LessOrEqual, number.floor()).into(),
        Order::Greater | Order::GreaterOrEqual => {
            range(path, Order::GreaterOrEqual, number.ceil()).into()
        }
    }
}

/// Takes a number that may not be a float itself.
fn float(path: String, order: Order, number: Number) -> Expression {
    let number = match number {
        Number::Float(number) => return range(path, order, number).into(),
        Number::Integer(number) => number,
    };
    let nearest = number as f64;
    let (order, bound) = match (nearest as i128).cmp(&number) {
        std::cmp::Ordering::Equal => (order, nearest),
        // No float lies between the number and its nearest float.
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

/// `None` for equality.
pub(super) fn strictly(order: Order) -> Option<Order> {
    match order {
        Order::Less | Order::LessOrEqual => Some(Order::Less),
        Order::Greater | Order::GreaterOrEqual => Some(Order::Greater),
        Order::Equal => None,
    }
}
