#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use textsearch_core as core;

#[cfg(feature = "azure-ai-search")]
pub use textsearch_azure_ai_search as azure_ai_search;
#[cfg(feature = "bing")]
pub use textsearch_bing as bing;
#[cfg(feature = "brave")]
pub use textsearch_brave as brave;
#[cfg(feature = "chroma")]
pub use textsearch_chroma as chroma;
#[cfg(feature = "compose")]
pub use textsearch_compose as compose;
#[cfg(feature = "documents")]
pub use textsearch_documents as documents;
#[cfg(feature = "embeddings-local")]
pub use textsearch_embeddings_local as embeddings_local;
#[cfg(feature = "eval")]
pub use textsearch_eval as eval;
#[cfg(feature = "google")]
pub use textsearch_google as google;
#[cfg(feature = "html")]
pub use textsearch_html as html;
#[cfg(feature = "kernel")]
pub use textsearch_kernel as kernel;
#[cfg(feature = "mcp")]
pub use textsearch_mcp as mcp;
#[cfg(feature = "milvus")]
pub use textsearch_milvus as milvus;
#[cfg(feature = "mlindex")]
pub use textsearch_mlindex as mlindex;
#[cfg(feature = "openai")]
pub use textsearch_openai as openai;
#[cfg(feature = "openapi")]
pub use textsearch_openapi as openapi;
#[cfg(feature = "pgvector")]
pub use textsearch_pgvector as pgvector;
#[cfg(feature = "pinecone")]
pub use textsearch_pinecone as pinecone;
#[cfg(feature = "plan")]
pub use textsearch_plan as plan;
#[cfg(feature = "prompt")]
pub use textsearch_prompt as prompt;
#[cfg(feature = "qdrant")]
pub use textsearch_qdrant as qdrant;
#[cfg(feature = "rerank")]
pub use textsearch_rerank as rerank;
#[cfg(feature = "searxng")]
pub use textsearch_searxng as searxng;
#[cfg(feature = "server")]
pub use textsearch_server as server;
#[cfg(feature = "tavily")]
pub use textsearch_tavily as tavily;
#[cfg(feature = "vector-inmemory")]
pub use textsearch_vector_inmemory as vector_inmemory;
#[cfg(feature = "web-page")]
pub use textsearch_web_page as web_page;
