#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod charset;
mod content_type;
mod full_pages;
#[doc(hidden)]
pub mod fuzzing;
mod html;
mod page;
mod page_reader;
mod reader;
mod readers;
mod result_pages;
mod service;
mod settings;

pub use content_type::UnsupportedContentType;
pub use full_pages::{FullPage, FullPages, FullPagesSettings, TextBudget};
pub use html::{MAX_DEPTH, MAX_ELEMENTS};
pub use page::WebPage;
pub use page_reader::PageReader;
pub use reader::WebPageReader;
pub use result_pages::ResultPages;
pub use service::{ReaderService, ServicePageReader};
pub use settings::WebPageSettings;
