//! The conformance suites, once with all records in memory and the log, once with most of them in
//! segments.

mod logs {
    use textsearch_conformance::vector::VectorCapabilities;

    use crate::disk::tests::support::TemporaryStore;

    textsearch_conformance::vector_suite!(
        TemporaryStore::opening(usize::MAX),
        VectorCapabilities::default(),
    );
}

mod segments {
    use textsearch_conformance::vector::VectorCapabilities;

    use crate::disk::tests::support::TemporaryStore;

    textsearch_conformance::vector_suite!(
        TemporaryStore::opening(1),
        VectorCapabilities::default(),
    );
}

mod text_search {
    use crate::disk::tests::support::TemporaryStore;

    textsearch_conformance::store_search_suite!(TemporaryStore::opening(1));
}
