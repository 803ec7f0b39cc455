//! A search over texts of the program, with the core alone.

use textsearch_core::{
    Filter, FilterableField, FixedSearch, SearchOptions, TextSearch as _, TextSearchResult,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> textsearch_core::Result<()> {
    let search = FixedSearch::new([
        TextSearchResult::new("Readers never wait for a writer.").with_name("Stores"),
        TextSearchResult::new("A filter is plain data.").with_name("Filters"),
    ])
    .with_fields([FilterableField::string("Name", "The title of the page")]);
    let options = SearchOptions::top(3).with_filter(Filter::eq("Name", "Filters"));
    let results = search.search("data", &options).await?.into_vec().await?;
    assert_eq!(results, ["A filter is plain data."]);
    Ok(())
}
