//! The arguments of `textsearch read`.

use std::path::PathBuf;

use clap::{Arg, Args};
use textsearch_core::Filter;

use super::{OutputFormat, ReadingArguments, search::needing_from_instead_of};

const READ_EXAMPLES: &str = "\
Examples:
  textsearch read docs/guide.md
  textsearch read --list --filter 'path starts_with \"docs/\"'
  textsearch read 'docs/guide.md#3' --from docs --output json
  textsearch read docs/manual.pdf --offset 60

An id is the path of a document, the `Id` of a search result, or an id that --list prints. The text is what
searches find: extracted from HTML, PDF and other formats.

With --output json the answer is one page of up to 64 KiB: an object with Id, Name, Link, Metadata, Text,
Offset and NextOffset, which is the --offset of the next page. With --list it is an object with `documents`
and `total_count`. Pages of the web are read by `textsearch page`.";

/// Print a whole document, or list the documents.
#[derive(Debug, Args)]
#[command(after_long_help = READ_EXAMPLES, mut_args(needing_from))]
pub(crate) struct ReadArguments {
    /// Id of the document.
    #[arg(value_name = "ID", required_unless_present = "list", conflicts_with = "list")]
    pub(crate) id: Option<String>,

    /// List the documents instead.
    #[arg(long)]
    pub(crate) list: bool,

    /// Begin at this offset, as a page names it.
    #[arg(long, value_name = "OFFSET", default_value_t = 0, conflicts_with = "list")]
    pub(crate) offset: u64,

    /// Read these files and folders, for this run only; repeatable.
    #[arg(long, value_name = "PATH", conflicts_with = "store", help_heading = "What to read")]
    pub(crate) from: Vec<PathBuf>,

    /// Read from this store: a folder, or a collection on a server [default: .textsearch/index].
    #[arg(long, value_name = "URI", help_heading = "What to read")]
    pub(crate) store: Option<String>,

    /// Read or list only matching documents, such as 'kind = "pdf"'.
    #[arg(long, value_name = "CONDITION", help_heading = "What to read")]
    pub(crate) filter: Option<Filter>,

    /// Maximum number of documents to list [default: all].
    #[arg(long, value_name = "NUMBER", requires = "list", help_heading = "List")]
    pub(crate) top: Option<usize>,

    /// Number of documents to leave out.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        requires = "list",
        help_heading = "List"
    )]
    pub(crate) skip: usize,

    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: OutputFormat,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
}

fn needing_from(argument: Arg) -> Arg {
    needing_from_instead_of(argument, &["store"])
}
