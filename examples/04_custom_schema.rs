//! Stores records of your own type, and searches them as text. Only the key is required.
//!
//! Needs: nothing; it runs offline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use textsearch_core::{
    Filter, SearchOptions, TextSearch as _, TextSearchConnector as _, TextSearchResult,
    vector::{
        DataField, RecordDefinition, VectorRecord, VectorStoreExt as _, VectorStoreTextSearch,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// A recipe. No field is called name, value or link.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Recipe {
    number: String,
    dish: String,
    steps: String,
    minutes: u32,
    #[serde(default)]
    ingredients: Vec<String>,
}

impl VectorRecord for Recipe {
    fn definition() -> RecordDefinition {
        RecordDefinition::new("number")
            .with_data(DataField::string("dish").full_text_in("en"))
            .with_data(DataField::string("steps").full_text_in("en"))
            .with_data(DataField::integer("minutes").filterable())
            .with_data(DataField::strings("ingredients").filterable())
            .with_name_field("dish")
            .with_value_field("steps")
    }
}

fn recipe(number: &str, dish: &str, minutes: u32, ingredients: &[&str], steps: &str) -> Recipe {
    Recipe {
        number: number.to_owned(),
        dish: dish.to_owned(),
        steps: steps.to_owned(),
        minutes,
        ingredients: ingredients.iter().map(|&name| name.to_owned()).collect(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let recipes = InMemoryVectorStore::new().collection::<Recipe>("recipes")?;
    recipes.ensure_exists().await?;
    recipes
        .upsert(vec![
            recipe(
                "r1",
                "Tomato soup",
                25,
                &["tomato", "basil"],
                "Cook the tomatoes, then blend them.",
            ),
            recipe(
                "r2",
                "Slow tomato stew",
                180,
                &["tomato", "bean"],
                "Stew tomatoes and beans for hours.",
            ),
            recipe("r3", "Bean salad", 10, &["bean", "onion"], "Mix beans and onions."),
        ])
        .await?;

    let quick = Filter::le("minutes", 60).and(Filter::contains("ingredients", "tomato"));
    let search = VectorStoreTextSearch::new(recipes);

    // The connector's own records, with their scores.
    let options = SearchOptions::top(5).with_filter(quick);
    for found in search.records("tomatoes", &options).await?.into_vec().await? {
        println!(
            "{} in {} minutes (score {:.2})",
            found.record.dish, found.record.minutes, found.score
        );
    }

    // The same search, mapped to the results this application wants.
    let search = search.with_result(|found| {
        let name = format!("{} ({} min)", found.record.dish, found.record.minutes);
        TextSearchResult::new(&found.record.steps).with_name(name)
    });
    for result in
        search.text_search_results("beans", &SearchOptions::top(2)).await?.into_vec().await?
    {
        println!("{}: {}", result.name.unwrap_or_default(), result.value);
    }
    Ok(())
}
