//! Faults in reading a definition.

use textsearch_conformance::core::vector::{DataField, Distance, RecordDefinition, VectorField};

use super::fault::Fault;

/// Returns the definition as the store reads it.
pub(super) fn changed(fault: Fault, mut definition: RecordDefinition) -> RecordDefinition {
    definition.data.iter_mut().for_each(|field| change_data(fault, field));
    definition.vectors.iter_mut().for_each(|field| change_vector(fault, field));
    definition.key.text_order |= fault == Fault::OrdersUnorderedTexts;
    definition
}

/// Returns the definition as the handle reports it.
pub(super) fn shown(fault: Fault, mut definition: RecordDefinition) -> RecordDefinition {
    if fault == Fault::ForgetsWhatToEmbed {
        definition.vectors.iter_mut().for_each(|field| field.embedded_from.clear());
    }
    definition
}

fn change_data(fault: Fault, field: &mut DataField) {
    match (fault, &mut field.full_text) {
        (Fault::FiltersEveryField, _) => field.filterable = true,
        (Fault::OrdersUnorderedTexts, _) => field.text_order = true,
        (Fault::IgnoresLanguages, Some(text)) => text.language = None,
        (Fault::ReadsAllInEnglish, Some(text)) => text.language = Some("en".to_owned()),
        (Fault::IgnoresMeanLengths, Some(text)) => text.mean_length = None,
        (Fault::IgnoresWeights, Some(text)) => text.weight = None,
        _ => {}
    }
}

fn change_vector(fault: Fault, field: &mut VectorField) {
    match (fault, field.distance) {
        (Fault::ComparesByCosine, _) => field.distance = Distance::CosineSimilarity,
        (Fault::TakesNoRoot, Distance::Euclidean) => field.distance = Distance::EuclideanSquared,
        _ => {}
    }
}
