//! Support code for the derives' output. It may change with any release.

mod result;
#[cfg(feature = "vector")]
mod vector;

pub use result::{ResultDate, ResultScore, ResultText, add_metadata};
#[cfg(feature = "vector")]
pub use vector::{
    FieldText, VectorValue, from_stored, into_stored, present, result_of, text_of, value_text,
};
