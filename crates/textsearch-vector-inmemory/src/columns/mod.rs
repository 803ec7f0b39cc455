//! The values of filterable fields, and the indexes by which filters find their rows.

mod column;
mod index;
mod sorted_values;
mod values;

pub(crate) use self::column::Column;
