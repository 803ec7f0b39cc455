//! Checks that a definition makes sense.

use super::{FullText, RecordDefinition};
use crate::{
    Error, Result,
    languages::{LANGUAGES, language_code},
};

impl RecordDefinition {
    /// Checks that the definition is valid. Errors name `connector`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if:
    ///
    /// - a name is empty or used twice;
    /// - a vector has no dimensions;
    /// - a mean length or a weight is not more than 0;
    /// - full text has no rules for a language;
    /// - a setting names a field that does not exist.
    pub fn validate(&self, connector: &str) -> Result<()> {
        let mut seen = std::collections::HashSet::new();
        let vectors = self.vectors.iter().map(|field| field.name.as_str());
        for name in self.data_names().chain(vectors) {
            if name.is_empty() || !seen.insert(name) {
                let allowed = "a name for each field, used once";
                return Err(Error::invalid_options(
                    connector,
                    "definition",
                    format_args!("naming a field `{name}` again or not at all"),
                    allowed,
                ));
            }
        }
        if let Some(field) = self.vectors.iter().find(|field| field.dimensions == 0) {
            return Err(Error::invalid_options(
                connector,
                &field.name,
                "0 dimensions",
                "at least 1",
            ));
        }
        self.validate_languages(connector)?;
        self.validate_full_text_numbers(connector)?;
        self.validate_references(connector)
    }

    fn validate_languages(&self, connector: &str) -> Result<()> {
        let languages = self.full_text_fields().filter_map(|field| {
            Some((field, field.full_text.as_ref().and_then(|text| text.language.as_deref())?))
        });
        for (field, language) in languages {
            if language_code(language).is_none() {
                let option = format!("{}.language", field.name);
                let known: Vec<&str> = LANGUAGES.iter().map(|(code, _)| *code).collect();
                let allowed =
                    format!("one of {}, or no language (`DataField::full_text`)", known.join(", "));
                return Err(Error::invalid_options(
                    connector,
                    option,
                    format_args!("`{language}`"),
                    allowed,
                ));
            }
        }
        Ok(())
    }

    fn validate_full_text_numbers(&self, connector: &str) -> Result<()> {
        let numbers = self.full_text_fields().flat_map(|field| {
            let parameter = |name, number: fn(&FullText) -> Option<f64>| {
                Some((field, name, field.full_text.as_ref().and_then(number)?))
            };
            [
                parameter("mean_length", |text| text.mean_length),
                parameter("weight", |text| text.weight),
            ]
        });
        for (field, name, number) in numbers.flatten() {
            if !(number.is_finite() && number > 0.0) {
                let option = format!("{}.{name}", field.name);
                return Err(Error::invalid_options(connector, option, number, "more than 0"));
            }
        }
        Ok(())
    }

    fn validate_references(&self, connector: &str) -> Result<()> {
        let roles = [&self.name_field, &self.value_field, &self.link_field, &self.published_field];
        let roles = roles.into_iter().flatten();
        let sources = self.vectors.iter().flat_map(|vector| &vector.embedded_from);
        for name in roles.chain(sources) {
            if self.data_field(name).is_none() && *name != self.key.name {
                let names: Vec<&str> = self.data_names().collect();
                let value = format_args!("referring to the data field `{name}`");
                let allowed = format!("the name of a field: {}", names.join(", "));
                return Err(Error::invalid_options(connector, "definition", value, allowed));
            }
        }
        Ok(())
    }
}
