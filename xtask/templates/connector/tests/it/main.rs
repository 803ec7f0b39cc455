//! Integration tests: the connector over real HTTP on loopback.

mod conformance;
