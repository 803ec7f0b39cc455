//! Checked vectors.

use std::{ops::Deref, sync::Arc};

use textsearch_core::vector::VectorField;

use super::{codes::Coding, norm::sum_of_squares};

pub(crate) struct Vector<'a> {
    pub(crate) elements: Elements<'a>,
    pub(crate) norm: f32,
    pub(crate) coding: Option<Coding>,
}

pub(crate) enum Elements<'a> {
    OfRecord(Arc<[f32]>),
    OfSnapshot(&'a [f32]),
}

impl<'a> Vector<'a> {
    /// Returns the fault of elements that do not fit `field`.
    pub(crate) fn checked(elements: Elements<'a>, field: &VectorField) -> Result<Self, String> {
        // One pass tells that all is well. Search for the fault only if there is one.
        let squares = sum_of_squares(&elements);
        let is_sound = elements.len() == field.dimensions && squares.is_finite() && squares > 0.0;
        match if is_sound { None } else { field.fault(&elements) } {
            Some(fault) => Err(fault),
            None => {
                Ok(Self { elements, norm: squares.sqrt() as f32, coding: Coding::for_field(field) })
            }
        }
    }
}

impl Deref for Elements<'_> {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Self::OfRecord(elements) => elements,
            Self::OfSnapshot(elements) => elements,
        }
    }
}
