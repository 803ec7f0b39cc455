//! Dates, compared as instants.

use qdrant_client::qdrant::{Condition, DatetimeRange};
use textsearch_core::{filter::DateTime, vector::DataKind};

use super::{
    Expression, Field, Order,
    number::{range, strictly},
};
use crate::columns;

const MICROSECOND: i64 = 1_000;

impl Field<'_> {
    pub(super) fn date(&self, order: Order, date: DateTime) -> Expression {
        let (seconds, nanoseconds) = columns::seconds_of(date);
        let exact = self.exact_date(order, seconds, nanoseconds);
        match self.plain(&[DataKind::DateTime]) {
            Some(path) => {
                let plain = plain_date(path, order, seconds, nanoseconds);
                Expression::any([plain, self.in_columns(exact)])
            }
            // Fields of other kinds keep the seconds of every text that is a date.
            None => exact,
        }
    }

    fn exact_date(&self, order: Order, seconds: i64, nanoseconds: i64) -> Expression {
        let column = |name, order, value: i64| {
            Expression::from(range(self.column(name), order, value as f64))
        };
        let tie = Expression::all([
            column(columns::SECONDS, Order::Equal, seconds),
            column(columns::NANOSECONDS, order, nanoseconds),
        ]);
        match strictly(order) {
            None => tie,
            Some(strict) => Expression::any([column(columns::SECONDS, strict, seconds), tie]),
        }
    }
}

/// Matches dates with whole microseconds, the precision of the index.
fn plain_date(path: String, order: Order, seconds: i64, nanoseconds: i64) -> Expression {
    let is_whole = nanoseconds % MICROSECOND == 0;
    // Between two microseconds, "below the upper one" means "at or below the lower one".
    let order = match order {
        order if is_whole => order,
        Order::Equal => return Expression::False,
        Order::Less | Order::LessOrEqual => Order::LessOrEqual,
        Order::Greater | Order::GreaterOrEqual => Order::Greater,
    };
    let mut range = DatetimeRange::default();
    let bounds = match order {
        Order::Less => vec![&mut range.lt],
        Order::LessOrEqual => vec![&mut range.lte],
        Order::Greater => vec![&mut range.gt],
        Order::GreaterOrEqual => vec![&mut range.gte],
        Order::Equal => vec![&mut range.gte, &mut range.lte],
    };
    for bound in bounds {
        let bound = bound.get_or_insert_default();
        bound.seconds = seconds;
        // The value is less than one second, so it fits.
        bound.nanos = (nanoseconds - nanoseconds % MICROSECOND) as i32;
    }
    Condition::datetime_range(path, range).into()
}
