//! From a field mapping to the definition of records.

use textsearch_core::{
    Result,
    vector::{DataField, DataKind, RecordDefinition},
};

use crate::{CONNECTOR, IndexSection, sections::FIELD_MAPPING};

impl IndexSection {
    /// Returns `known`, the key and vectors of the stored records, with the mapped fields and their
    /// roles: the title is the name of a result, the content its value, and the URL its link.
    ///
    /// Fields that `known` lacks are added: the metadata as JSON, the others as texts. Filters may
    /// name the title, the URL and the file name. The mapped vector becomes the first.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the content isn't
    /// mapped, or the mapped vector doesn't exist: the error names the existing ones.
    pub fn definition(&self, known: RecordDefinition) -> Result<RecordDefinition> {
        let fields = &self.fields;
        let place = self.place.inside(FIELD_MAPPING);
        let Some(content) = &fields.content else {
            return Err(place.missing("content", "the field that holds the text"));
        };
        let mut definition = with_vector_first(known, fields.embedding.as_deref())
            .map_err(|names| place.invalid("embedding", "no vector of the index", &names))?;
        let filterable = [&fields.title, &fields.url, &fields.filename].into_iter().flatten();
        let filterable = filterable.map(|name| DataField::string(name).filterable());
        let metadata = fields.metadata.as_ref().map(|name| DataField::new(name, DataKind::Json));
        let mapped = filterable.chain([DataField::string(content)]).chain(metadata);
        for field in mapped.collect::<Vec<_>>() {
            let is_known = definition.data_field(&field.name).is_some();
            if !is_known && field.name != definition.key.name {
                definition = definition.with_data(field);
            }
        }
        definition.value_field = Some(content.clone());
        definition.name_field = fields.title.clone().or_else(|| fields.filename.clone());
        definition.link_field.clone_from(&fields.url);
        definition.validate(CONNECTOR)?;
        Ok(definition)
    }
}

/// Fails with the allowed names if there is no vector `name`.
fn with_vector_first(
    mut definition: RecordDefinition,
    name: Option<&str>,
) -> Result<RecordDefinition, String> {
    let Some(name) = name else { return Ok(definition) };
    let Some(place) = definition.vectors.iter().position(|field| field.name == name) else {
        let names = definition.vectors.iter().map(|field| format!("`{}`", field.name));
        let names: Vec<String> = names.collect();
        return Err(match names.as_slice() {
            [] => "an index with vectors".to_owned(),
            names => names.join(" or "),
        });
    };
    definition.vectors.swap(0, place);
    Ok(definition)
}
