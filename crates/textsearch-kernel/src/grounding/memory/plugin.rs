//! A memory as a plugin.

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_core::{TextSearchResult, vector::KeyKind};

use super::{MemoryEntry, MemoryPluginOptions, MemoryWrite, MemoryWriter, TextMemory, keys::Keys};
use crate::{
    KernelArguments, KernelError, KernelFunction, KernelPlugin, Result,
    chat::control_characters::clean_text,
    function::{FunctionMetadata, Invocation, ParameterMetadata, Returned},
};

const MAX_LABEL_CHARACTERS: usize = 2_000;

struct MemoryPlugin {
    memory: TextMemory,
    options: MemoryPluginOptions,
}

impl TextMemory {
    /// Creates a plugin with the functions of Semantic Kernel's text memory.
    ///
    /// | Function | Parameters | Returns |
    /// |---|---|---|
    /// | `Retrieve` | `key` | a list of the record with this key, or an empty list |
    /// | `Recall` | `query`, `limit`, `min_score` | a list of the records that match, best first |
    /// | `Save` | `text`, `key`, and `name` and `link` if the collection has them | nothing |
    /// | `Remove` | `key` | nothing |
    ///
    /// `Save` and `Remove` exist only if the options [name](MemoryPluginOptions::with_writers) them.
    ///
    /// A template calls `{{recall 'company budget by year'}}`, also without the plugin's name. The
    /// results are untrusted text, like search results.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidName`](KernelError::InvalidName) if the plugin's name is invalid, and
    /// [`InvalidFunction`](KernelError::InvalidFunction) if the limits contradict each other, a
    /// namespace's field is not filterable, or the collection cannot be written as the options say.
    pub fn create_plugin(
        &self,
        plugin_name: &str,
        options: MemoryPluginOptions,
    ) -> Result<KernelPlugin> {
        check(self, &options)?;
        let writers = options.writers.clone();
        let plugin = Arc::new(MemoryPlugin { memory: self.clone(), options });
        let mut functions = vec![plugin.retrieve()?, plugin.recall()?];
        for writer in [MemoryWriter::Save, MemoryWriter::Remove] {
            if writers.contains(&writer) {
                functions.push(plugin.writer(writer)?);
            }
        }
        let description = ["Remembers texts in ", self.collection().name(), "."].concat();
        KernelPlugin::new(plugin_name, description, functions)
    }
}

fn check(memory: &TextMemory, options: &MemoryPluginOptions) -> Result<()> {
    let definition = memory.collection().definition();
    let MemoryPluginOptions { default_limit, max_limit, writers, .. } = options;
    let saves = writers.contains(&MemoryWriter::Save);
    let (function, message) = if *default_limit == 0 || default_limit > max_limit {
        let message = format!(
            "its default limit is {default_limit}; expected from 1 to its maximum, which is {max_limit}"
        );
        ("Recall", message)
    } else if saves && definition.value_field.is_none() {
        let message = "the collection has no field for the text; set one with `with_value_field`";
        ("Save", message.to_owned())
    } else if saves && definition.key.kind != KeyKind::String && !memory.namespaces.is_empty() {
        let message =
            "a memory with namespaces saves only under text keys; use a collection with those";
        ("Save", message.to_owned())
    } else {
        let Some(filter) = memory.namespace_filter() else { return Ok(()) };
        return filter.check(memory.collection().store_name(), &memory.fields).map_err(|error| {
            KernelError::InvalidFunction {
                function: "Recall".to_owned(),
                message: "the collection cannot apply the namespaces".to_owned(),
                source: Some(error.into()),
            }
        });
    };
    Err(KernelError::invalid_function(function, message))
}

impl MemoryPlugin {
    fn retrieve(self: &Arc<Self>) -> Result<KernelFunction> {
        let description = "Return the text that is remembered under a key.";
        let metadata = reader("Retrieve", description, "A list of the text, or empty.")
            .with_parameter(text("key", "The key"));
        let plugin = Arc::clone(self);
        KernelFunction::with_returned(metadata, move |mut invocation| {
            let plugin = Arc::clone(&plugin);
            async move {
                let key = plugin.key(&mut invocation)?;
                let result = plugin.memory.retrieve(&key).await?;
                Ok(result.into_iter().collect::<Vec<TextSearchResult>>().into())
            }
        })
    }

    fn recall(self: &Arc<Self>) -> Result<KernelFunction> {
        let description = "Return the remembered texts that match the query, best first.";
        let limit = json!({ "type": "integer", "minimum": 1, "maximum": self.options.max_limit });
        let metadata = reader("Recall", description, "The texts found, best first.")
            .with_parameter(text("query", "What to look for"))
            .with_parameter(
                ParameterMetadata::optional("limit", "Number of texts to return", limit)
                    .with_default(self.options.default_limit),
            )
            .with_parameter(ParameterMetadata::optional(
                "min_score",
                "The least relevant score to return",
                json!({ "type": "number" }),
            ));
        let plugin = Arc::clone(self);
        KernelFunction::with_returned(metadata, move |mut invocation| {
            let plugin = Arc::clone(&plugin);
            async move {
                let query = take(&mut invocation.arguments, "query").unwrap_or_default();
                // It has a default and bounds, which are checked earlier.
                let limit = invocation.arguments.get("limit").and_then(Value::as_u64);
                let limit = limit.and_then(|limit| limit.try_into().ok()).unwrap_or(1);
                let min_score = invocation.arguments.get("min_score").and_then(Value::as_f64);
                Ok(plugin.memory.recall(&query, limit, min_score).await?.into())
            }
        })
    }

    fn writer(self: &Arc<Self>, writer: MemoryWriter) -> Result<KernelFunction> {
        let plugin = Arc::clone(self);
        KernelFunction::with_returned(self.writer_metadata(writer), move |mut invocation| {
            let plugin = Arc::clone(&plugin);
            async move {
                let write = match writer {
                    MemoryWriter::Save => MemoryWrite::Save(plugin.entry(&mut invocation)?),
                    MemoryWriter::Remove => {
                        MemoryWrite::Remove { key: plugin.key(&mut invocation)? }
                    }
                };
                plugin.approve(&invocation, &write).await?;
                match write {
                    MemoryWrite::Save(entry) => plugin.memory.save(entry).await?,
                    MemoryWrite::Remove { key } => plugin.memory.remove(&key).await?,
                }
                Ok(Returned::from(Value::Null))
            }
        })
    }

    fn writer_metadata(&self, writer: MemoryWriter) -> FunctionMetadata {
        let (name, description) = match writer {
            MemoryWriter::Save => {
                ("Save", "Remember a text under a key, in place of an earlier one.")
            }
            MemoryWriter::Remove => ("Remove", "Forget the text that is remembered under a key."),
        };
        let mut metadata = FunctionMetadata::new(name, description);
        if writer == MemoryWriter::Save {
            metadata.parameters.push(text("text", "The text to remember"));
        }
        metadata.parameters.push(text("key", "The key"));
        let definition = self.memory.collection().definition();
        let optional = [("name", &definition.name_field), ("link", &definition.link_field)];
        for (name, field) in optional {
            if writer == MemoryWriter::Save && field.is_some() {
                let description = format!("The {name} of the source");
                let schema = json!({ "type": "string" });
                metadata.parameters.push(ParameterMetadata::optional(name, description, schema));
            }
        }
        metadata.read_only = Some(false);
        metadata.opt_in = true;
        metadata.with_return("Nothing.", json!({ "type": "null" }))
    }

    fn entry(&self, invocation: &mut Invocation) -> Result<MemoryEntry> {
        let key = self.key(invocation)?;
        let max = self.options.max_text_characters;
        let text = take_checked(invocation, "text", max)?.unwrap_or_default();
        let mut entry = MemoryEntry::new(key, text);
        let line = |text: String| text.replace('\n', " ");
        entry.name = take_checked(invocation, "name", MAX_LABEL_CHARACTERS)?.map(line);
        entry.link = take_checked(invocation, "link", MAX_LABEL_CHARACTERS)?.map(line);
        Ok(entry)
    }

    /// The memory checks keys too, but a model sees no error of a memory.
    fn key(&self, invocation: &mut Invocation) -> Result<String> {
        let key = take(&mut invocation.arguments, "key").unwrap_or_default();
        let definition = self.memory.collection().definition();
        let keys = Keys { definition, namespaces: &[] };
        match keys.own(&key) {
            Ok(_) => Ok(key),
            Err(allowed) => {
                let function = invocation.function.qualified_name();
                Err(KernelError::invalid_argument(function, "key", format!("must be {allowed}")))
            }
        }
    }

    async fn approve(&self, invocation: &Invocation, write: &MemoryWrite) -> Result<()> {
        if !invocation.kernel.is_for_model() {
            return Ok(());
        }
        let reason = match &self.options.approval {
            Some(approval) if (approval.0)(write.clone()).await => return Ok(()),
            Some(_) => "it was not approved",
            None => "a model may not write: set who approves with `with_approval`",
        };
        Err(KernelError::refused(invocation.function.qualified_name(), reason))
    }
}

fn reader(name: &str, description: &str, returned: &str) -> FunctionMetadata {
    let schema = json!({ "type": "array", "items": schemars::schema_for!(TextSearchResult) });
    let mut metadata = FunctionMetadata::new(name, description).with_return(returned, schema);
    metadata.read_only = Some(true);
    metadata
}

fn text(name: &str, description: &str) -> ParameterMetadata {
    ParameterMetadata::required(name, description, json!({ "type": "string" }))
}

/// Removes control characters: they could show the one who approves another text.
fn take_checked(invocation: &mut Invocation, name: &str, max: usize) -> Result<Option<String>> {
    let Some(text) = take(&mut invocation.arguments, name) else {
        return Ok(None);
    };
    let length = text.chars().count();
    let cleaned = clean_text(&text);
    let message = if length > max {
        format!("must have at most {max} characters: found {length}")
    } else if cleaned.trim().is_empty() {
        "must not be blank".to_owned()
    } else {
        return Ok(Some(cleaned.into_owned()));
    };
    Err(KernelError::invalid_argument(invocation.function.qualified_name(), name, message))
}

fn take(arguments: &mut KernelArguments, name: &str) -> Option<String> {
    match arguments.take(name) {
        Some((_, Value::String(text))) => Some(text),
        _ => None,
    }
}
