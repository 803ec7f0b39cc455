//! Turns Rust code into functions for a model: an `impl` block into a plugin, and one function.
//!
//! Names, descriptions and JSON schemas come from the code. The program prints the tools that a
//! model receives, and then calls them.
//!
//! Needs: nothing; it runs offline.

use std::{num::TryFromIntError, sync::Mutex};

use schemars::JsonSchema;
use serde::Serialize;
use textsearch_kernel::{Result, function::functions_manual, prelude::*};

/// Shared by calls: a search, and the notes kept so far.
struct Library {
    search: FixedSearch,
    notes: Mutex<Vec<String>>,
}

/// A page of the library.
#[derive(Serialize, JsonSchema)]
struct Page {
    title: String,
    /// The page's text.
    text: String,
}

/// Searches a library, and keeps notes.
#[kernel_plugin]
impl Library {
    /// Finds pages of the library.
    ///
    /// # Errors
    ///
    /// If the search fails. Models don't see text below a heading.
    #[kernel_function(name = "FindPages")]
    async fn find_pages(
        &self,
        /// What to search for.
        query: &str,
        /// The number of pages.
        #[parameter(default = 2, minimum = 1, maximum = 10)]
        count: usize,
    ) -> textsearch_core::Result<Vec<Page>> {
        let results = self.search.text_search_results(query, &SearchOptions::top(count)).await?;
        let pages = results.into_vec().await?;
        let page = |result: TextSearchResult| Page {
            title: result.name.unwrap_or_default(),
            text: result.value,
        };
        Ok(pages.into_iter().map(page).collect())
    }

    /// Keeps a note.
    #[kernel_function(name = "KeepNote", returns = "The number of notes that there are now.")]
    fn keep_note(
        &self,
        /// The text of the note.
        text: String,
        /// The topic of the note.
        topic: Option<&str>,
    ) -> usize {
        let mut notes = self.notes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        notes.push(topic.map_or_else(|| text.clone(), |topic| format!("{topic}: {text}")));
        notes.len()
    }
}

/// Counts the words of a text.
#[kernel_function]
fn count_words(text: &str) -> std::result::Result<u32, TryFromIntError> {
    text.split_whitespace().count().try_into()
}

fn kernel() -> Result<Kernel> {
    let page = |title: &str, text: &str| TextSearchResult::new(text).with_name(title);
    let search = FixedSearch::new(vec![
        page("Filters", "A filter is applied or refused."),
        page("Paging", "Later pages are fetched when they are read."),
    ]);
    let library = Library { search, notes: Mutex::default() };
    let mut kernel = Kernel::new();
    kernel.add_plugin(library.into_plugin("Library")?)?;
    kernel.add_plugin(KernelPlugin::new("Text", "Texts.", [count_words::kernel_function()?])?)?;
    Ok(kernel)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let kernel = kernel()?;
    println!("What a model is told:\n{:#}\n", functions_manual(kernel.plugins()));

    let calls = [
        ("Library-FindPages", r#"{"query": "filters", "count": 1}"#),
        ("Library-FindPages", r#"{"query": "filters", "count": 100}"#),
        ("Library-KeepNote", r#"{"text": "A filter is never dropped.", "topic": "filters"}"#),
        ("Text-count_words", r#"{"text": "A filter is never dropped."}"#),
    ];
    for (name, arguments) in calls {
        match kernel.invoke_tool_call(&ToolCall::new("call", name, arguments)).await {
            Ok(result) => println!("{name} {arguments}\n  -> {}", result.value),
            Err(error) => println!("{name} {arguments}\n  -> error: {error}"),
        }
    }
    // It is still a Rust function.
    println!("count_words by hand: {}", count_words("two words")?);
    Ok(())
}
