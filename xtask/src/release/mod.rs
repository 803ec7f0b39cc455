//! `cargo xtask release`: releases crates, one or many.

pub(crate) mod checkout;

mod changelog;
mod family;
mod plan;
mod prepare;
mod status;
mod table;
mod version;

use anyhow::Result;
use clap::Subcommand;

use checkout::Checkout;

#[derive(Debug, Subcommand)]
pub(crate) enum Release {
    /// Show what changed since each crate's last release, and which crates must follow
    Status,
    /// Set versions and changelog headings; refuses a dirty tree or too small a bump
    Prepare(prepare::Prepare),
}

pub(crate) fn run(release: Release) -> Result<()> {
    let checkout = Checkout::here();
    match release {
        Release::Status => status::print(&checkout),
        Release::Prepare(request) => prepare::prepare(&checkout, &request),
    }
}
