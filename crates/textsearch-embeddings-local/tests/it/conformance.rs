//! The conformance suite for embedding generators.

use crate::tiny::Tiny;

textsearch_conformance::embedding_suite_without_http!(|| async { Ok(Tiny::bert().load()) });
