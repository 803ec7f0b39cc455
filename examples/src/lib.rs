//! Compiles the guides as documentation tests, and holds helpers of examples.

pub mod articles;
pub mod company;
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
    composing: "../../docs/guide/composing.md",
    evaluating: "../../docs/guide/evaluating.md",
    filters: "../../docs/guide/filters.md",
    from_semantic_kernel: "../../docs/guide/from-semantic-kernel.md",
    function_calling: "../../docs/guide/function-calling.md",
    getting_started: "../../docs/guide/getting-started.md",
    ingestion: "../../docs/guide/ingestion.md",
    mcp: "../../docs/guide/mcp.md",
    mlindex: "../../docs/guide/mlindex.md",
    openapi: "../../docs/guide/openapi.md",
    plans: "../../docs/guide/plans.md",
    prompts: "../../docs/guide/prompts.md",
    rag: "../../docs/guide/rag.md",
    readme: "../../README.md",
    security: "../../docs/guide/security.md",
    vectors: "../../docs/guide/vectors.md",
    writing_a_connector: "../../docs/contributing/writing-a-connector.md",
}
