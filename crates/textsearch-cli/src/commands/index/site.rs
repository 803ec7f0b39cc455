//! Fetches the pages of sites for `textsearch index`.

use anyhow::{Context as _, Result};
use textsearch_documents::ingest::{SiteSettings, SiteWalker, SourceFiles};

use crate::{
    arguments::IndexArguments, corpus::store::StoreLocation, errors::Interrupted, files, messages,
    progress::Progress, signals::Interruption,
};

/// Fetches the site at `url`. A signal stops it, and keeps the pages so far.
pub(super) async fn walk(
    url: &str,
    arguments: &IndexArguments,
    location: &StoreLocation,
    mut interruption: Interruption,
) -> Result<SourceFiles> {
    let mut settings = SiteSettings::default();
    if let Some(max) = arguments.max_pages {
        settings.max_pages = max.get();
    }
    for host in &arguments.allow_host {
        settings = settings.with_allowed_host(host)?;
    }
    let folder = match location.file_path() {
        Some(store) => files::beside(store, ".sites"),
        None => {
            let variable = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_CACHE_HOME" };
            let cache = files::folder_of_user(variable, ".cache");
            cache.context("there is no home folder for the pages of sites")?.join("sites")
        }
    };
    let progress = Progress::over_site(settings.max_pages);
    let walker = SiteWalker::new(url, &folder, settings)?.with_progress(progress.site_callback());
    tokio::select! {
        pages = walker.walk() => Ok(pages?),
        () = interruption.requested() => {
            drop(progress);
            messages::say(&format!(
                "the pages fetched so far are kept in `{}`: run the same command again for the rest",
                folder.display()
            ));
            Err(Interrupted.into())
        }
    }
}
