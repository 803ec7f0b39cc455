//! `cargo xtask release`: releases all published crates together, at one version.

pub(crate) mod checkout;

mod changelog;
mod check;
mod prepare;
mod publish;
mod state;
mod status;

use anyhow::Result;
use clap::Subcommand;

use checkout::Checkout;

#[derive(Debug, Subcommand)]
pub(crate) enum Release {
    /// Show the last release, the next version, and which changelogs have entries
    Status,
    /// Package and build the published crates, check their files, and compare their APIs with the last release
    Check {
        /// Skip the builds, which take most of the time
        #[arg(long)]
        no_verify: bool,
    },
    /// Set the version and the changelog headings; a dry run without --execute
    Prepare(prepare::Prepare),
    /// Upload and tag a prepared release; a dry run without --execute
    Publish(publish::Publish),
}

pub(crate) fn run(release: &Release) -> Result<()> {
    let checkout = Checkout::here();
    match release {
        Release::Status => status::print(&checkout),
        Release::Check { no_verify } => check::check(&checkout, *no_verify),
        Release::Prepare(request) => prepare::prepare(&checkout, request),
        Release::Publish(request) => publish::publish(&checkout, request),
    }
}
