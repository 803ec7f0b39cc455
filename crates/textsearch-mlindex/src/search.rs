//! From a store to the search of an index.

use std::sync::Arc;

use textsearch_core::{
    Error, Result, TextSearch,
    vector::{
        Collection, EmbeddingCollection, RecordDefinition, SearchMode, VectorStore,
        VectorStoreTextSearch,
    },
};

use crate::{IndexContext, sections::FIELD_MAPPING};

const EMBEDDING: &str = "embedding";

impl IndexContext {
    /// Returns a text search over the index in `store`, whose records have the key and vectors of
    /// `known`: see [`IndexSection::definition`](crate::IndexSection::definition).
    ///
    /// It searches by embedding, by full text, or both, as far as the file has a model and the
    /// collection has full text. It writes nothing, and creates no collection.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions), with the setting's
    /// path and line, if a field isn't mapped, if several vectors exist and none is mapped, if the
    /// model and the index have vectors of different lengths, or if the index has neither
    /// full text nor a model.
    pub fn text_search(
        &self,
        store: &dyn VectorStore,
        known: RecordDefinition,
    ) -> Result<Arc<dyn TextSearch>> {
        let name = self.settings.required_index()?;
        let definition = self.settings.definition(known)?;
        let has_full_text = definition.full_text_fields().next().is_some();
        if self.embeddings.is_some() {
            self.check_vector(&definition)?;
        } else if !has_full_text {
            let allowed = "one with full text, or a model in the section `embeddings`";
            return Err(self.unfit("an index without full text", allowed));
        }
        let stored = store.stored_collection(name, definition)?;
        let (collection, mode): (Collection, _) = match &self.embeddings {
            Some(model) => {
                let stored = EmbeddingCollection::new(stored, Arc::clone(model));
                let mode = if has_full_text { SearchMode::Hybrid } else { SearchMode::Vector };
                (Collection::new(stored), mode)
            }
            None => (Collection::new(stored), SearchMode::FullText),
        };
        let search = VectorStoreTextSearch::new(collection).with_mode(mode);
        Ok(Arc::new(search.with_fusion(self.fusion)))
    }

    fn unfit(&self, actual: &str, allowed: &str) -> Error {
        self.settings.invalid(self.settings.named_by, actual, allowed)
    }

    /// The first vector is the mapped one, if one is mapped.
    fn check_vector(&self, definition: &RecordDefinition) -> Result<()> {
        let place = self.settings.place.inside(FIELD_MAPPING);
        let [vector, others @ ..] = definition.vectors.as_slice() else {
            return Err(self.unfit("an index without vectors", "one with vectors"));
        };
        if self.settings.fields.embedding.is_none() && !others.is_empty() {
            let names = definition.vectors.iter().map(|field| format!("`{}`", field.name));
            let names = names.collect::<Vec<_>>().join(" or ");
            return Err(place.missing(EMBEDDING, &names));
        }
        let made = self.embeddings.as_ref().and_then(|model| model.dimensions());
        match made.or(self.dimension) {
            Some(made) if made != vector.dimensions => {
                let actual = format!("a vector of {} elements", vector.dimensions);
                Err(place.invalid(EMBEDDING, actual, &format!("{made}, the length of the model's")))
            }
            _ => Ok(()),
        }
    }
}
