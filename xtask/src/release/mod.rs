//! `cargo xtask release`: releases crates, one or many.

pub(crate) mod checkout;
pub(crate) mod family;
pub(crate) mod version;

mod changelog;
mod check;
mod plan;
mod prepare;
mod publish;
mod status;

use anyhow::Result;
use clap::Subcommand;

use checkout::Checkout;

#[derive(Debug, Subcommand)]
pub(crate) enum Release {
    /// Show what changed since each crate's last release, and which crates must follow
    Status,
    /// Package and build each published crate, check its files, and compare its API with its last release
    Check {
        /// Skip the build of each package, which takes most of the time
        #[arg(long)]
        no_verify: bool,
    },
    /// Set versions and changelog headings; a dry run without --execute
    Prepare(prepare::Prepare),
    /// Upload and tag prepared crates; a dry run without --execute
    Publish {
        /// Upload and tag; without it, cargo stops before the upload
        #[arg(long)]
        execute: bool,
    },
}

pub(crate) fn run(release: &Release) -> Result<()> {
    let checkout = Checkout::here();
    match release {
        Release::Status => status::print(&checkout),
        Release::Check { no_verify } => check::check(&checkout, *no_verify),
        Release::Prepare(request) => prepare::prepare(&checkout, request),
        Release::Publish { execute } => publish::publish(&checkout, *execute),
    }
}
