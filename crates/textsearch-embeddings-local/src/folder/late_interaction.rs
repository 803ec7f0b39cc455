//! The settings of a late-interaction model, as PyLate, sentence-transformers and ColBERT's authors
//! save them.

use textsearch_core::Result;

use super::{
    Folder, Sentences,
    fields::Fields,
    modules::{self, Module},
};

const SETTINGS: &str = "config_sentence_transformers.json";
/// Of ColBERT's authors.
const METADATA: &str = "artifact.metadata";
const TRANSFORMER: &str = "sentence_bert_config.json";
/// `string.punctuation` of Python: what PyLate skips unless told otherwise.
const PUNCTUATION: &str = r##"!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##;

/// Tokens of a query, unless the settings differ.
const QUERY_LENGTH: usize = 32;

/// How a late-interaction model reads queries and documents.
#[derive(Debug, Default)]
pub(crate) struct LateInteractionSettings {
    pub(crate) query_prefix: String,
    pub(crate) document_prefix: String,
    /// The most tokens of a query.
    pub(crate) query_length: Option<usize>,
    pub(crate) document_length: Option<usize>,
    pub(crate) expansion: Option<Expansion>,
    /// Tokens of documents that match nothing.
    pub(crate) skipped_words: Vec<String>,
    /// Folders of the matrices that each token's vector is multiplied by.
    pub(crate) dense: Vec<String>,
    /// Whether the transformer's file also has such a matrix.
    pub(crate) has_projection: bool,
    pub(crate) normalizes: bool,
}

/// Fills up short queries with a token whose vectors count as well.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Expansion {
    /// The tokens of a filled query.
    pub(crate) length: usize,
    /// Default: the tokenizer's mask.
    pub(crate) token: Option<String>,
    /// Whether the query's own tokens see the added ones.
    pub(crate) is_attended: bool,
}

impl LateInteractionSettings {
    /// Returns `None` for a folder of another kind.
    pub(crate) fn read(folder: &Folder, sentences: &Sentences) -> Result<Option<Self>> {
        let Some(modules) = modules::list(folder)? else {
            let metadata: Option<Fields> = folder.optional_json(METADATA)?;
            let settings = metadata.map(|metadata| Self::from_colbert(&metadata));
            return settings.transpose().map_err(|what| folder.error(METADATA, what));
        };
        let [first, rest @ ..] = modules.as_slice() else { return Ok(None) };
        let (dense, rest) = split_dense(rest);
        let kinds: Vec<&str> = rest.iter().map(Module::kind).collect();
        if first.kind() != "Transformer" || !first.path.is_empty() {
            return Ok(None);
        }
        let settings: Fields = folder.optional_json(SETTINGS)?.unwrap_or_default();
        let named = |what: String| folder.error(SETTINGS, what);
        let settings = match kinds.as_slice() {
            // PyLate masks and normalises without modules.
            [] if !dense.is_empty() => Self::from_pylate(&settings, sentences).map_err(named)?,
            ["MultiVectorMask", "Normalize"] | ["MultiVectorMask"] => {
                let mask = rest.first().map_or("", |module| &module.path);
                Self::from_sentence_transformers(folder, mask, sentences)?
            }
            _ => return Ok(None),
        };
        let normalizes = kinds != ["MultiVectorMask"];
        let dense = dense.iter().map(|module| module.path.clone()).collect();
        Ok(Some(Self { dense, normalizes, ..settings }))
    }

    fn from_pylate(settings: &Fields, sentences: &Sentences) -> Result<Self, String> {
        let prefix = |name: &str, prompt: &str| {
            let prefix: String = settings.optional(&[name])?.unwrap_or_default();
            let prompt = prompt.strip_prefix(prefix.as_str()).unwrap_or(prompt);
            Ok::<_, String>(format!("{prefix}{prompt}"))
        };
        let query_length = settings.optional_size("query_length")?.unwrap_or(QUERY_LENGTH);
        let expands: Option<bool> = settings.optional(&["do_query_expansion"])?;
        let is_attended: Option<bool> =
            settings.optional(&["attend_to_expansion_tokens", "attend_to_mask_tokens"])?;
        let words: Option<Vec<String>> = settings.optional(&["skiplist_words"])?;
        Ok(Self {
            query_prefix: prefix("query_prefix", &sentences.query_prefix)?,
            document_prefix: prefix("document_prefix", &sentences.document_prefix)?,
            query_length: Some(query_length),
            document_length: settings.optional_size("document_length")?,
            expansion: (expands != Some(false)).then(|| Expansion {
                length: query_length,
                token: None,
                is_attended: is_attended.unwrap_or(false),
            }),
            skipped_words: words.unwrap_or_else(punctuation),
            ..Self::default()
        })
    }

    fn from_colbert(metadata: &Fields) -> Result<Self, String> {
        let marker = |name: &str, default: &str| {
            let marker: Option<String> = metadata.optional(&[name])?;
            Ok::<_, String>(format!("{} ", marker.as_deref().unwrap_or(default)))
        };
        let query_length = metadata.optional_size("query_maxlen")?.unwrap_or(QUERY_LENGTH);
        let is_attended: Option<bool> = metadata.optional(&["attend_to_mask_tokens"])?;
        let skips: Option<bool> = metadata.optional(&["mask_punctuation"])?;
        let is_attended = is_attended.unwrap_or(false);
        Ok(Self {
            query_prefix: marker("query_token_id", "[unused0]")?,
            document_prefix: marker("doc_token_id", "[unused1]")?,
            query_length: Some(query_length),
            document_length: metadata.optional_size("doc_maxlen")?,
            expansion: Some(Expansion { length: query_length, token: None, is_attended }),
            skipped_words: if skips == Some(false) { Vec::new() } else { punctuation() },
            dense: Vec::new(),
            has_projection: true,
            normalizes: true,
        })
    }

    /// `mask` is the folder of the module that leaves tokens out.
    fn from_sentence_transformers(
        folder: &Folder,
        mask: &str,
        sentences: &Sentences,
    ) -> Result<Self> {
        let mask: Fields =
            folder.optional_json(&format!("{mask}/config.json"))?.unwrap_or_default();
        let transformer: Fields = folder.optional_json(TRANSFORMER)?.unwrap_or_default();
        let read = || {
            let query_length = transformer.optional_size("query_length")?;
            let expansion: Option<Fields> = transformer.optional(&["query_expansion"])?;
            let expansion = expansion.as_ref().map(Expansion::new).transpose()?;
            let fixed = expansion.as_ref().filter(|(_, is_fixed)| *is_fixed);
            Ok(Self {
                query_prefix: sentences.query_prefix.clone(),
                document_prefix: sentences.document_prefix.clone(),
                query_length: fixed.map(|(fixed, _)| fixed.length).or(query_length),
                document_length: transformer.optional_size("document_length")?,
                expansion: expansion.map(|(expansion, _)| expansion),
                skipped_words: mask.optional(&["skiplist_words"])?.unwrap_or_default(),
                ..Self::default()
            })
        };
        read().map_err(|what: String| folder.error(TRANSFORMER, what))
    }
}

impl Expansion {
    /// Also returns whether longer queries are cut to the length.
    fn new(fields: &Fields) -> Result<(Self, bool), String> {
        let strategy: Option<String> = fields.optional(&["strategy"])?;
        let is_fixed = match strategy.as_deref() {
            Some("fixed") => true,
            Some("min") => false,
            _ => {
                let strategy = strategy.unwrap_or_default();
                return Err(format!(
                    "`query_expansion.strategy` is `{strategy}`: supported are `fixed`, `min`"
                ));
            }
        };
        let is_attended: Option<bool> = fields.optional(&["attend"])?;
        let expansion = Self {
            length: fields.size(&["length"])?,
            token: fields.optional(&["token"])?,
            is_attended: is_attended.unwrap_or(false),
        };
        Ok((expansion, is_fixed))
    }
}

fn punctuation() -> Vec<String> {
    PUNCTUATION.chars().map(String::from).collect()
}

/// Returns the modules `Dense` at the start, and the others.
fn split_dense(modules: &[Module]) -> (&[Module], &[Module]) {
    let count = modules.iter().take_while(|module| module.kind() == "Dense").count();
    modules.split_at(count)
}
