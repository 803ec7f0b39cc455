//! The values of filterable fields, and the indexes that filters use.

mod column;
mod index;
mod sorted_values;
mod values;

pub(crate) use self::column::Column;
