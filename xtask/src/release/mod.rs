//! `cargo xtask release`: releases crates, one or many.

pub(crate) mod checkout;
pub(crate) mod family;
pub(crate) mod version;

mod archive;
mod breaks;
mod changelog;
mod check;
mod consumer;
mod plan;
mod prepare;
mod publish;
mod published;
mod registry;
mod rehearse;
mod status;
mod table;

use anyhow::Result;
use clap::Subcommand;

use checkout::Checkout;

#[derive(Debug, Subcommand)]
pub(crate) enum Release {
    /// Show what changed since each crate's last release, and which crates must follow
    Status,
    /// Package and build each published crate, check its files, and compare its API with its last release
    Check(check::Check),
    /// Set versions and changelog headings; a dry run without --execute
    Prepare(prepare::Prepare),
    /// Upload and tag prepared crates; a dry run without --execute
    Publish(publish::Publish),
    /// Release to a registry on loopback, from a clean clone; needs python3 and the network
    Rehearse,
}

pub(crate) fn run(release: Release) -> Result<()> {
    let checkout = Checkout::here();
    match release {
        Release::Status => status::print(&checkout),
        Release::Check(request) => check::check(&checkout, &request),
        Release::Prepare(request) => prepare::prepare(&checkout, &request),
        Release::Publish(request) => publish::publish(&checkout, &request),
        Release::Rehearse => rehearse::rehearse(),
    }
}
