//! The conformance suite of text searches, on the stand-in.

use crate::stand_in::{Behavior, StandIn};

textsearch_conformance::store_search_suite!(|| async {
    Ok(StandIn::start(Behavior::default()).store())
});
