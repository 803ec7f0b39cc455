//! The connector, over real HTTP on loopback.

mod conformance;
