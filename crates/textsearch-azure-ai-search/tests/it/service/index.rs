//! Definitions of indexes.

use std::collections::HashMap;

use serde_json::Value;

use super::check::{Checked, Object};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edm {
    Text,
    Int64,
    Double,
    Boolean,
    Date,
    Texts,
    Vector,
}

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) edm: Edm,
    pub(crate) is_key: bool,
    pub(crate) is_searchable: bool,
    pub(crate) is_filterable: bool,
    pub(crate) is_sortable: bool,
    pub(crate) is_retrievable: bool,
    pub(crate) language: Option<String>,
    pub(crate) dimensions: usize,
    pub(crate) metric: String,
    pub(crate) is_approximate: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Definition {
    pub(crate) sent: Value,
    pub(crate) fields: Vec<Field>,
    pub(crate) weights: HashMap<String, f64>,
    pub(crate) semantic: Vec<String>,
}

const LUCENE: [&str; 35] = [
    "ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "eu", "fa", "fi", "fr", "ga", "gl", "hi",
    "hu", "hy", "id", "it", "ja", "ko", "lv", "nl", "no", "pl", "pt-BR", "pt-PT", "ro", "ru", "sv",
    "th", "tr", "zh-Hans", "zh-Hant",
];

impl Definition {
    pub(crate) fn read(sent: &Value, name: &str) -> Checked<Self> {
        let known = [
            "name",
            "description",
            "fields",
            "scoringProfiles",
            "defaultScoringProfile",
            "corsOptions",
            "suggesters",
            "analyzers",
            "tokenizers",
            "tokenFilters",
            "charFilters",
            "normalizers",
            "encryptionKey",
            "similarity",
            "semantic",
            "vectorSearch",
            "@odata.etag",
        ];
        let index = Object::new(sent, "index", &known)?;
        if index.text("name")? != name {
            return Err("index.name: differs from the name in the address".to_owned());
        }
        check_name(name)?;
        let algorithms = vector_search(&index)?;
        let mut fields = Vec::new();
        for (place, value) in index.list("fields")?.iter().enumerate() {
            fields.push(field(value, &format!("fields[{place}]"), &algorithms)?);
        }
        if fields.iter().filter(|field| field.is_key).count() != 1 {
            return Err("fields: exactly one must be the key".to_owned());
        }
        let mut names: Vec<String> = fields.iter().map(|field| field.name.to_lowercase()).collect();
        names.sort();
        names.dedup();
        if names.len() != fields.len() {
            return Err("fields: a name is used twice".to_owned());
        }
        let weights = weights(&index, &fields)?;
        let semantic = semantic(&index, &fields)?;
        Ok(Self { sent: sent.clone(), fields, weights, semantic })
    }

    pub(crate) fn field(&self, name: &str) -> Checked<&Field> {
        let field = self.fields.iter().find(|field| field.name == name);
        field.ok_or_else(|| format!("Could not find a property named '{name}'"))
    }

    pub(crate) fn key(&self) -> &Field {
        self.fields.iter().find(|field| field.is_key).unwrap()
    }
}

fn check_name(name: &str) -> Checked<()> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_valid = (2..=128).contains(&name.len())
        && name.chars().all(|c| is_letter(c) || "-_".contains(c))
        && name.starts_with(is_letter)
        && !["--", "__", "-_", "_-"].iter().any(|pair| name.contains(pair));
    if is_valid { Ok(()) } else { Err(format!("Invalid index name: '{name}'")) }
}

struct Algorithm {
    metric: String,
    is_approximate: bool,
}

/// By the names of their profiles.
fn vector_search(index: &Object<'_>) -> Checked<HashMap<String, Algorithm>> {
    if !index.has("vectorSearch") {
        return Ok(HashMap::new());
    }
    let known = ["profiles", "algorithms", "vectorizers", "compressions"];
    let search = Object::new(index.value("vectorSearch")?, "vectorSearch", &known)?;
    let metrics = ["cosine", "euclidean", "dotProduct", "hamming"];
    let mut algorithms = HashMap::new();
    for value in search.list("algorithms")? {
        let known = ["name", "kind", "hnswParameters", "exhaustiveKnnParameters"];
        let object = Object::new(value, "vectorSearch.algorithms", &known)?;
        let kind = object.one_of("kind", &["hnsw", "exhaustiveKnn"])?.ok_or("no kind")?;
        let (own, other) = match kind {
            "hnsw" => ("hnswParameters", "exhaustiveKnnParameters"),
            _ => ("exhaustiveKnnParameters", "hnswParameters"),
        };
        if object.has(other) {
            return Err(format!("{other}: not for the kind {kind}"));
        }
        let known = ["metric", "m", "efConstruction", "efSearch"];
        let known = if kind == "hnsw" { &known[..] } else { &known[..1] };
        let parameters = Object::new(object.value(own)?, own, known)?;
        parameters.within("m", 4..=10)?;
        parameters.within("efConstruction", 100..=1_000)?;
        parameters.within("efSearch", 100..=1_000)?;
        let metric = parameters.one_of("metric", &metrics)?.unwrap_or("cosine").to_owned();
        let algorithm = Algorithm { metric, is_approximate: kind == "hnsw" };
        algorithms.insert(object.text("name")?.to_owned(), algorithm);
    }
    let mut profiles = HashMap::new();
    for value in search.list("profiles")? {
        let known = ["name", "algorithm", "vectorizer", "compression"];
        let object = Object::new(value, "vectorSearch.profiles", &known)?;
        let name = object.text("algorithm")?;
        let base = algorithms.get(name).ok_or_else(|| format!("no algorithm '{name}'"))?;
        let algorithm =
            Algorithm { metric: base.metric.clone(), is_approximate: base.is_approximate };
        profiles.insert(object.text("name")?.to_owned(), algorithm);
    }
    Ok(profiles)
}

fn field(value: &Value, place: &str, profiles: &HashMap<String, Algorithm>) -> Checked<Field> {
    let known = [
        "name",
        "type",
        "key",
        "retrievable",
        "stored",
        "searchable",
        "filterable",
        "sortable",
        "facetable",
        "analyzer",
        "searchAnalyzer",
        "indexAnalyzer",
        "normalizer",
        "dimensions",
        "vectorSearchProfile",
        "vectorEncoding",
        "synonymMaps",
        "fields",
    ];
    let object = Object::new(value, place, &known)?;
    let name = object.text("name")?;
    check_field_name(name, place)?;
    let edm = edm(object.text("type")?, place)?;
    // Defaults depend on the type.
    let (is_text, is_vector) = (matches!(edm, Edm::Text | Edm::Texts), edm == Edm::Vector);
    let can_be_sorted = !matches!(edm, Edm::Texts | Edm::Vector);
    let is_searchable = object.flag("searchable")?.unwrap_or(is_text || is_vector);
    let is_filterable = object.flag("filterable")?.unwrap_or(!is_vector);
    let is_sortable = object.flag("sortable")?.unwrap_or(can_be_sorted);
    let is_facetable = object.flag("facetable")?.unwrap_or(!is_vector);
    let is_key = object.flag("key")?.unwrap_or(false);
    object.flag("stored")?;
    let is_impossible = (is_searchable && !is_text && !is_vector)
        || (is_sortable && !can_be_sorted)
        || ((is_filterable || is_facetable) && is_vector)
        || (is_key && edm != Edm::Text);
    if is_impossible {
        return Err(format!("{place}: '{name}' cannot have these attributes"));
    }
    let language = match object.opt_text("analyzer")? {
        Some(_) if !is_searchable || !is_text => {
            return Err(format!("{place}: an analyzer needs a searchable text"));
        }
        Some(analyzer) => language(analyzer, place)?,
        None => None,
    };
    let dimensions = object.within("dimensions", 2..=4_096)?;
    let profile = object.opt_text("vectorSearchProfile")?;
    if dimensions.is_some() != is_vector || profile.is_some() != is_vector {
        return Err(format!("{place}: a vector, and nothing else, has dimensions and a profile"));
    }
    let algorithm = match profile {
        Some(name) => Some(profiles.get(name).ok_or_else(|| format!("no profile '{name}'"))?),
        None => None,
    };
    Ok(Field {
        name: name.to_owned(),
        edm,
        is_key,
        is_searchable,
        is_filterable,
        is_sortable,
        is_retrievable: object.flag("retrievable")?.unwrap_or(!is_vector),
        language,
        dimensions: dimensions.unwrap_or_default() as usize,
        metric: algorithm.map(|algorithm| algorithm.metric.clone()).unwrap_or_default(),
        is_approximate: algorithm.is_some_and(|algorithm| algorithm.is_approximate),
    })
}

fn check_field_name(name: &str, place: &str) -> Checked<()> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_valid = (1..=128).contains(&name.len())
        && name.chars().all(is_word)
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !name.starts_with("azureSearch");
    if is_valid { Ok(()) } else { Err(format!("{place}: Invalid field name: '{name}'")) }
}

fn edm(name: &str, place: &str) -> Checked<Edm> {
    Ok(match name {
        "Edm.String" => Edm::Text,
        "Edm.Int64" => Edm::Int64,
        "Edm.Double" => Edm::Double,
        "Edm.Boolean" => Edm::Boolean,
        "Edm.DateTimeOffset" => Edm::Date,
        "Collection(Edm.String)" => Edm::Texts,
        "Collection(Edm.Single)" => Edm::Vector,
        other => return Err(format!("{place}: the type '{other}' is not in this stand-in")),
    })
}

/// Returns the code of the analyzer's language, if it has one.
fn language(analyzer: &str, place: &str) -> Checked<Option<String>> {
    if ["standard.lucene", "ta.microsoft"].contains(&analyzer) {
        return Ok(None);
    }
    let own = analyzer.strip_suffix(".lucene").filter(|own| LUCENE.contains(own));
    let own = own.ok_or_else(|| format!("{place}: no analyzer '{analyzer}'"))?;
    Ok(Some(own[..2].to_owned()))
}

/// Of the default profile.
fn weights(index: &Object<'_>, fields: &[Field]) -> Checked<HashMap<String, f64>> {
    let default = index.opt_text("defaultScoringProfile")?;
    let mut weights = HashMap::new();
    let mut is_found = default.is_none();
    for value in index.list("scoringProfiles")? {
        let known = ["name", "text", "functions", "functionAggregation"];
        let profile = Object::new(value, "scoringProfiles", &known)?;
        let name = profile.text("name")?;
        let text = Object::new(profile.value("text")?, "scoringProfiles.text", &["weights"])?;
        let of_fields = text.value("weights")?.as_object().ok_or("weights: not an object")?;
        for (name, weight) in of_fields {
            let weight = weight.as_f64().filter(|weight| *weight > 0.0);
            let weight = weight.ok_or_else(|| format!("weights.{name}: not a positive number"))?;
            if !fields.iter().any(|field| field.name == *name && field.is_searchable) {
                return Err(format!("weights.{name}: no searchable field"));
            }
            if default.is_some() {
                weights.insert(name.clone(), weight);
            }
        }
        is_found |= default == Some(name);
    }
    if is_found { Ok(weights) } else { Err("defaultScoringProfile: no such profile".to_owned()) }
}

fn semantic(index: &Object<'_>, fields: &[Field]) -> Checked<Vec<String>> {
    if !index.has("semantic") {
        return Ok(Vec::new());
    }
    let known = ["defaultConfiguration", "configurations"];
    let semantic = Object::new(index.value("semantic")?, "semantic", &known)?;
    let mut names = Vec::new();
    for value in semantic.list("configurations")? {
        let known = ["name", "prioritizedFields", "rankingOrder"];
        let object = Object::new(value, "semantic.configurations", &known)?;
        let known = ["titleField", "prioritizedContentFields", "prioritizedKeywordsFields"];
        let prioritized =
            Object::new(object.value("prioritizedFields")?, "prioritizedFields", &known)?;
        let mut named: Vec<&Value> = Vec::new();
        named.extend(prioritized.list("prioritizedContentFields")?);
        named.extend(prioritized.list("prioritizedKeywordsFields")?);
        if prioritized.has("titleField") {
            named.push(prioritized.value("titleField")?);
        }
        for value in named {
            let name = Object::new(value, "semantic field", &["fieldName"])?.text("fieldName")?;
            let is_it = |field: &&Field| field.name == name && field.is_searchable;
            if !fields.iter().any(|field| is_it(&field) && field.is_retrievable) {
                return Err(format!("semantic: '{name}' is no searchable field"));
            }
        }
        names.push(object.text("name")?.to_owned());
    }
    Ok(names)
}
