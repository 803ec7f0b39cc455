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
    adding_a_connector: "../../docs/contributing/writing-a-connector.md",
    coming_from_semantic_kernel: "../../docs/guide/from-semantic-kernel.md",
    evaluating_retrieval: "../../docs/guide/evaluating.md",
    filters: "../../docs/guide/filters.md",
    function_calling: "../../docs/guide/function-calling.md",
    ingestion: "../../docs/guide/ingestion.md",
    prompt_formats: "../../docs/guide/prompts.md",
    readme: "../../README.md",
    security: "../../docs/guide/security.md",
    vector_search: "../../docs/guide/vectors.md",
}
