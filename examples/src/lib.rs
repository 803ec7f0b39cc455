//! The documents of the repository, compiled and run as documentation tests; and what several examples need.

pub mod loopback;
mod meanings;
mod script;

pub use meanings::Meanings;
pub use script::Script;

macro_rules! guides {
    ($($name:ident: $path:literal),* $(,)?) => {
        $(
            #[doc = include_str!($path)]
            #[cfg(doctest)]
            pub mod $name {}
        )*
    };
}

guides! {
    adding_a_connector: "../../docs/adding-a-connector.md",
    coming_from_semantic_kernel: "../../docs/coming-from-semantic-kernel.md",
    evaluating_retrieval: "../../docs/evaluating-retrieval.md",
    filters: "../../docs/filters.md",
    function_calling: "../../docs/function-calling.md",
    ingestion: "../../docs/ingestion.md",
    prompt_formats: "../../docs/prompt-formats.md",
    readme: "../../README.md",
    security: "../../docs/security.md",
    vector_search: "../../docs/vector-search.md",
}
