//! Searches.

use std::{
    cmp::Ordering,
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash as _, Hasher as _},
};

use serde_json::{Map, Value, json};
use textsearch_core::vector::Distance;

use super::{
    Index, Standin,
    check::{Checked, Object},
    documents::Document,
    evaluate::matches,
    index::{Definition, Edm, Field},
    odata::parse,
    words,
};

const PROPERTIES: [&str; 25] = [
    "count",
    "facets",
    "filter",
    "highlight",
    "highlightPostTag",
    "highlightPreTag",
    "minimumCoverage",
    "orderby",
    "queryType",
    "scoringStatistics",
    "sessionId",
    "scoringParameters",
    "scoringProfile",
    "debug",
    "search",
    "searchFields",
    "searchMode",
    "select",
    "skip",
    "top",
    "semanticConfiguration",
    "answers",
    "captions",
    "vectorQueries",
    "vectorFilterMode",
];

/// Valid properties that this stand-in lacks.
const ELSEWHERE: [&str; 11] = [
    "facets",
    "highlight",
    "highlightPostTag",
    "highlightPreTag",
    "minimumCoverage",
    "sessionId",
    "scoringParameters",
    "scoringProfile",
    "debug",
    "answers",
    "captions",
];

/// The constant of reciprocal rank fusion.
const CONSTANT: f64 = 60.0;
const MAX_FUSED: usize = 1_000;
const MAX_RERANKED: usize = 50;

type Ranked = Vec<(String, f64)>;

pub(crate) fn run(standin: &Standin, index: &Index, body: &Value) -> Checked<Value> {
    let request = Object::new(body, "searchRequest", &PROPERTIES)?;
    if let Some(name) = ELSEWHERE.into_iter().find(|name| request.has(name)) {
        return Err(format!("'{name}' is not in this stand-in"));
    }
    let definition = &index.definition;
    let top = request.within("top", 0..=1_000)?.unwrap_or(50) as usize;
    let skip = request.within("skip", 0..=100_000)?.unwrap_or(0) as usize;
    request.one_of("searchMode", &["any", "all"])?;
    request.one_of("scoringStatistics", &["local", "global"])?;
    let kind = request.one_of("queryType", &["simple", "semantic"])?.unwrap_or("simple");
    let filter = request.opt_text("filter")?.map(|text| parse(text, definition)).transpose()?;
    let selected = selected(&request, definition)?;
    let orders = orders(&request, definition, kind)?;

    let documents: Vec<(&String, &Document)> = index.visible().collect();
    let is_matching =
        |document: &Document| filter.as_ref().is_none_or(|filter| matches(filter, document));
    let matching: HashMap<&String, &Document> =
        documents.iter().copied().filter(|(_, document)| is_matching(document)).collect();

    let by_words = by_words(&request, definition, &documents, &matching)?;
    let by_vector = by_vector(&request, definition, &matching)?;
    let mut ranked = match (by_words, by_vector) {
        (None, None) => matching.keys().map(|key| ((*key).clone(), 1.0)).collect(),
        (Some(only), None) | (None, Some(only)) => only,
        (Some(words), Some(vectors)) => fused(&words, &vectors),
    };
    sort(&mut ranked, &orders, &matching);
    let reranked = reranked(&request, definition, kind, &mut ranked)?;

    let count = ranked.len();
    let mut value = Vec::new();
    let mut bytes = 0;
    let mut is_early = false;
    for (key, score) in ranked.into_iter().skip(skip).take(top) {
        let mut hit = Map::new();
        hit.insert("@search.score".to_owned(), json!(score));
        if let Some(scores) = &reranked {
            hit.insert("@search.rerankerScore".to_owned(), json!(scores.get(&key)));
        }
        for field in &selected {
            let stored = matching[&key].get(&field.name).cloned();
            // The documentation doesn't say how a missing vector looks.
            let missing = if key.len() % 2 == 0 && field.edm == Edm::Vector {
                json!([])
            } else {
                Value::Null
            };
            hit.insert(field.name.clone(), stored.unwrap_or(missing));
        }
        let hit = Value::Object(hit);
        bytes += hit.to_string().len();
        if bytes > standin.max_bytes() && !value.is_empty() {
            is_early = true;
            break;
        }
        value.push(hit);
    }
    let mut answer = json!({});
    if request.flag("count")?.unwrap_or(false) {
        answer["@odata.count"] = json!(count);
    }
    if is_early {
        let mut next = body.clone();
        next["skip"] = json!(skip + value.len());
        answer["@search.nextPageParameters"] = next;
    }
    answer["value"] = json!(value);
    Ok(answer)
}

fn selected<'a>(request: &Object<'_>, definition: &'a Definition) -> Checked<Vec<&'a Field>> {
    let Some(names) = request.opt_text("select")? else {
        return Ok(definition.fields.iter().filter(|field| field.is_retrievable).collect());
    };
    let field = |name: &str| {
        let field = definition.field(name.trim())?;
        if field.is_retrievable { Ok(field) } else { Err(format!("'{name}' is not retrievable")) }
    };
    names.split(',').map(field).collect()
}

/// A field, or `None` for the score, and whether it descends.
type Order = (Option<String>, bool);

fn orders(request: &Object<'_>, definition: &Definition, kind: &str) -> Checked<Vec<Order>> {
    let Some(text) = request.opt_text("orderby")? else { return Ok(Vec::new()) };
    if kind == "semantic" {
        return Err("orderby: not together with queryType=semantic".to_owned());
    }
    let clauses: Vec<&str> = text.split(',').collect();
    if clauses.len() > 32 {
        return Err("orderby: more than 32 clauses".to_owned());
    }
    let order = |clause: &&str| {
        let (target, direction) = clause.trim().split_once(' ').unwrap_or((clause.trim(), "asc"));
        if !["asc", "desc"].contains(&direction) {
            return Err(format!("orderby: syntax error in '{clause}'"));
        }
        let target = match target {
            "search.score()" if request.has("vectorQueries") => {
                return Err("orderby: no search.score() together with vectorQueries".to_owned());
            }
            "search.score()" => None,
            name if definition.field(name)?.is_sortable => Some(name.to_owned()),
            name => return Err(format!("orderby: '{name}' is not sortable")),
        };
        Ok((target, direction == "desc"))
    };
    clauses.iter().map(order).collect()
}

/// `None` if the request has no query.
fn by_words(
    request: &Object<'_>,
    definition: &Definition,
    documents: &[(&String, &Document)],
    matching: &HashMap<&String, &Document>,
) -> Checked<Option<Ranked>> {
    let searchable = |name: &str| {
        let field = definition.field(name.trim())?;
        let is_text = matches!(field.edm, Edm::Text | Edm::Texts);
        if field.is_searchable && is_text {
            Ok(field)
        } else {
            Err(format!("'{name}' is not searchable"))
        }
    };
    let fields: Vec<&Field> = match request.opt_text("searchFields")? {
        Some(names) => names.split(',').map(searchable).collect::<Checked<_>>()?,
        None => {
            let is_text = |field: &&Field| field.is_searchable && field.edm != Edm::Vector;
            definition.fields.iter().filter(is_text).collect()
        }
    };
    let Some(query) = request.opt_text("search")?.filter(|query| !["", "*"].contains(query)) else {
        return Ok(None);
    };
    let scores = words::scores(&words::unescaped(query)?, &fields, definition, documents)?;
    let ranked = scores.into_iter().filter(|(key, _)| matching.contains_key(key)).collect();
    Ok(Some(ranked))
}

fn by_vector(
    request: &Object<'_>,
    definition: &Definition,
    matching: &HashMap<&String, &Document>,
) -> Checked<Option<Ranked>> {
    let queries = request.list("vectorQueries")?;
    if request.one_of("vectorFilterMode", &["preFilter", "postFilter"])? == Some("postFilter") {
        return Err("postFilter is not in this stand-in".to_owned());
    }
    let [query] = queries else {
        return if queries.is_empty() { Ok(None) } else { Err("several vectors".to_owned()) };
    };
    let known = ["kind", "vector", "fields", "k", "exhaustive", "oversampling", "weight"];
    let query = Object::new(query, "vectorQueries[0]", &known)?;
    query.one_of("kind", &["vector"])?.ok_or("vectorQueries[0]: no kind")?;
    query.number("oversampling")?;
    query.number("weight")?;
    let k = query.within("k", 1..=10_000)?.unwrap_or(50) as usize;
    let is_exhaustive = query.flag("exhaustive")?.unwrap_or(false);
    let field = definition.field(query.text("fields")?)?;
    query.value("vector")?;
    let vector = singles(query.list("vector")?);
    if field.edm != Edm::Vector || vector.len() != field.dimensions {
        return Err(format!("vectorQueries[0]: no vector of the field '{}'", field.name));
    }
    let distance = match field.metric.as_str() {
        "cosine" => Distance::CosineSimilarity,
        "dotProduct" => Distance::DotProduct,
        _ => Distance::Euclidean,
    };
    let mut near: Ranked = Vec::new();
    let candidates = in_order(matching);
    // An approximate search misses some of the nearest, unless there are few.
    let misses_some = field.is_approximate && !is_exhaustive && candidates.len() > 10;
    for (place, (key, document)) in candidates.into_iter().enumerate() {
        let Some(Value::Array(items)) = document.get(&field.name) else { continue };
        if misses_some && place % 5 == 0 {
            continue;
        }
        let similarity = match distance.score(&vector, &singles(items)) {
            score if distance.is_higher_better() => score,
            score => -score,
        };
        near.push((key.clone(), similarity));
    }
    sort(&mut near, &[], matching);
    near.truncate(k);
    Ok(Some(near.into_iter().map(|(key, raw)| (key, score_of(distance, raw))).collect()))
}

/// In 32 bits. Only the formula of the cosine is documented.
fn score_of(distance: Distance, similarity: f64) -> f64 {
    let score = match distance {
        Distance::CosineSimilarity => 1.0 / (2.0 - similarity),
        Distance::DotProduct if similarity < 0.0 => 1.0 / (1.0 - similarity),
        Distance::DotProduct => 1.0 + similarity,
        _ => 1.0 / (1.0 - similarity),
    };
    f64::from(score as f32)
}

fn singles(items: &[Value]) -> Vec<f32> {
    items.iter().map(|item| item.as_f64().unwrap_or_default() as f32).collect()
}

fn in_order<'a>(matching: &HashMap<&'a String, &'a Document>) -> Vec<(&'a String, &'a Document)> {
    let mut all: Vec<_> = matching.iter().map(|(key, document)| (*key, *document)).collect();
    all.sort_by_key(|(key, _)| *key);
    all
}

fn fused(words: &Ranked, vectors: &Ranked) -> Ranked {
    let mut words = words.clone();
    words.sort_by(scrambled);
    words.truncate(MAX_FUSED);
    let mut scores: HashMap<String, f64> = HashMap::new();
    for ranking in [&words, vectors] {
        for (rank, (key, _)) in (1_u32..).zip(ranking) {
            *scores.entry(key.clone()).or_default() += 1.0 / (CONSTANT + f64::from(rank));
        }
    }
    scores.into_iter().map(|(key, score)| (key, f64::from(score as f32))).collect()
}

fn sort(ranked: &mut Ranked, orders: &[Order], matching: &HashMap<&String, &Document>) {
    ranked.sort_by(|entry, other| {
        let each = orders.iter().map(|(target, descends)| {
            let order = match target {
                None => entry.1.total_cmp(&other.1),
                Some(name) => {
                    let text = |key: &String| matching[key].get(name).map(Value::to_string);
                    text(&entry.0).cmp(&text(&other.0))
                }
            };
            if *descends { order.reverse() } else { order }
        });
        each.fold(Ordering::Equal, Ordering::then).then_with(|| scrambled(entry, other))
    });
}

/// The best first; the order of equal scores is not documented.
fn scrambled(entry: &(String, f64), other: &(String, f64)) -> Ordering {
    let hash = |key: &String| {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        hasher.finish()
    };
    other.1.total_cmp(&entry.1).then_with(|| hash(&entry.0).cmp(&hash(&other.0)))
}

/// The semantic ranker orders the best 50 by scores of 0 to 4, and leaves the rest behind them.
fn reranked(
    request: &Object<'_>,
    definition: &Definition,
    kind: &str,
    ranked: &mut Ranked,
) -> Checked<Option<HashMap<String, f64>>> {
    let configuration = request.opt_text("semanticConfiguration")?;
    if kind != "semantic" {
        return match configuration {
            Some(_) => Err("semanticConfiguration: only with queryType=semantic".to_owned()),
            None => Ok(None),
        };
    }
    let name = configuration.ok_or("no semanticConfiguration")?;
    if !definition.semantic.iter().any(|known| known == name) {
        return Err(format!("no semantic configuration '{name}'"));
    }
    request.text("search")?;
    // Reversed, so that tests can tell this order from that of other rankings.
    let best = ranked.len().min(MAX_RERANKED);
    ranked[..best].reverse();
    let score = |place: usize| 4.0 - place as f64 / MAX_RERANKED as f64;
    let scores = ranked.iter().take(best).enumerate();
    Ok(Some(scores.map(|(place, (key, _))| (key.clone(), score(place))).collect()))
}
