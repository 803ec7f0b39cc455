//! The arguments of `textsearch index`, and those for reading JSON Lines.

use std::{num::NonZero, path::PathBuf};

use clap::Args;
use textsearch_documents::{
    ExternalLoader, HttpLoader, ReadLimits,
    ingest::{Embedder, FileWalker, IngestError, Ingestion, JsonLinesConfig, SourceFiles},
};

use super::{
    EmbeddingArguments, OutputFormat, chunks::ChunkArguments, language::NONE as NO_LANGUAGE,
};

const INDEX_EXAMPLES: &str = "\
Examples:
  textsearch index docs
  textsearch index docs README.md papers.jsonl --text-field abstract
  textsearch index reviews.csv --records --text-field review
  textsearch index saved-pages --store pages.index --language de
  textsearch index /usr/share/doc
  textsearch index notes --watch
  textsearch index https://site.example/docs/ --max-pages 200
  textsearch index . --loader doc='antiword {}' --loader rtf='pandoc --to plain {}'
  textsearch index docs --store meaning.index --embeddings openai:text-embedding-3-small
  textsearch index docs --store meaning.index --rebuild --embeddings openai:text-embedding-3-large
  textsearch index docs --store e5.index --embeddings local:models/e5-small-v2 --query-prefix 'query: ' --passage-prefix 'passage: '

Files that are read:
  text         in any encoding: Markdown, HTML, source code, notebooks, subtitles, manual pages, CSV, ...
  JSON Lines   .jsonl .ndjson, one object per line
  documents    PDF, Word, PowerPoint, Excel, OpenDocument, EPUB
  mail         .eml and .mbox, with attachments
  archives     ZIP, tar, gzip, xz, Zstandard, and what is in them
  others       with --loader doc='antiword {}'

A file is recognised by its content, then by its ending. A result's link leads to the place in the file:
report.pdf#page=3, deck.pptx#slide=4, book.xlsx#Sheet1!A2:F40, lib.rs#L10-L42, all.zip#notes.txt, mail.eml#invoice.pdf&page=3.

All fields of a JSON object are stored except those named by --exclude-field. Filters can use them;
nested fields have a path, such as author.name. A field named like one of the store's own (id, name,
text, link, path, chunk, ...) becomes record_id, record_name and so on.

Folders are read recursively, in the order of names. Hidden files and files excluded by .gitignore or
.ignore are left out. Symbolic links in folders are listed but not followed, because they may lead
anywhere: name their target as another PATH. Paths inside the working folder are stored relative to it:
run the command from the same folder each time.

An https:// or http:// URL is a site: its pages below the URL are read, those of sitemaps and those that other
pages link to, at most 4 requests a second. robots.txt, noindex and nofollow are respected. The pages are kept
in a folder beside the store, STORE.sites, or in the user's cache for a store on a server. The next run
requests only what changed, and a run after Ctrl-C continues. At --max-pages or another limit, nothing is removed,
and a warning says so.

A second run on a path updates changed documents below it and removes deleted ones. Other documents
stay. Documents are stored in batches: after a failure or an interruption, the same command continues.

Ctrl-C embeds and stores what was read, which can take half a minute; a second Ctrl-C stops at once.

A file fails if it can't be read or stored, is damaged or encrypted, has only images, is larger than 64 MiB,
or has an invalid line of JSON or a repeated id.
A warning names it, the store keeps its earlier version, and the other files are indexed.

Skipped files of folders:
  documents    in a format that nothing reads, such as .doc: a warning says how to read them
  others       images, audio, fonts and programs, such as .png or .svg: counted by kind
  links        listed in a warning
  ignored      hidden files and files excluded by .ignore or .gitignore: not mentioned

Exit codes: 0 done, perhaps with skipped files; 1 failed; 2 wrong usage; 5 some files failed;
130 stopped by Ctrl-C.

A file without text is not stored. A record without text is found by its name. Warnings count both.";

/// Index files, folders and sites into a store, or update it.
#[derive(Debug, Args)]
#[command(after_long_help = INDEX_EXAMPLES)]
pub(crate) struct IndexArguments {
    /// Files, folders and sites to index; a site is a URL such as `https://site.example/docs/`.
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Store to write: a folder, or a collection on a server.
    ///
    /// A folder is a path or `file:PATH`. One process writes to it, and others may search meanwhile. A
    /// file that an earlier version wrote becomes a folder. Servers need a build with the feature
    /// `stores`:
    ///
    /// qdrant://HOST:PORT/COLLECTION, or qdrants:// with TLS; the key is in QDRANT_API_KEY.
    ///
    /// postgres://USER@HOST:PORT/DATABASE?collection=NAME; the password is in PGPASSWORD or in the
    /// address. `&schema=` and options of Postgres such as `&sslmode=require` may follow.
    ///
    /// milvus://HOST:PORT/COLLECTION, or milvuss:// with TLS; token, database and consistency
    /// level are in MILVUS_TOKEN, MILVUS_DATABASE and MILVUS_CONSISTENCY_LEVEL.
    ///
    /// azure-search://SERVICE/INDEX; the key is in AZURE_SEARCH_API_KEY.
    /// SERVICE is a name or a full host. --mode hybrid needs --fusion reciprocal-rank.
    ///
    /// chroma://HOST:PORT/COLLECTION, or chromas:// with TLS; key, tenant and database are in
    /// CHROMA_API_KEY, CHROMA_TENANT and CHROMA_DATABASE. Chroma has no full text: pass --embeddings.
    ///
    /// pinecone://INDEX, or pinecone://INDEX/NAMESPACE; the key is in PINECONE_API_KEY, cloud and
    /// region of new indexes in PINECONE_CLOUD and PINECONE_REGION. It has no full text: pass
    /// --embeddings.
    #[arg(long, value_name = "URI", default_value = super::DEFAULT_STORE)]
    pub(crate) store: String,

    /// Replace the store with a new one from these paths.
    ///
    /// Use this to add embeddings, change their model, or replace a damaged store. A folder is
    /// replaced at the end, whole or not at all; after an interruption, the same command continues. A
    /// collection on a server is deleted once the paths have been read. Never replaces files, folders or
    /// collections of other programs. Changes nothing without documents.
    #[arg(long)]
    pub(crate) rebuild: bool,

    /// Stay, and update the store after each change below the paths, until Ctrl-C.
    ///
    /// A change is indexed after a second of quiet, or after ten seconds of changes. Only changed files
    /// are read and embedded. Each round prints its line. A round that fails, such as while the server of the
    /// embeddings is away, is tried again after 30 s. A file that fails waits for the next change of any file.
    #[arg(long)]
    pub(crate) watch: bool,

    /// Maximum number of pages of a site [default: 1000].
    #[arg(long, value_name = "NUMBER", help_heading = "Sites", hide_short_help = true)]
    pub(crate) max_pages: Option<NonZero<usize>>,

    /// Host of sites to allow besides public addresses, such as 127.0.0.1:8000; repeatable.
    ///
    /// Without a port, all its ports are allowed.
    #[arg(long, value_name = "HOST", help_heading = "Sites", hide_short_help = true)]
    pub(crate) allow_host: Vec<String>,

    #[command(flatten)]
    pub(crate) embeddings: EmbeddingArguments,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: OutputFormat,
}

#[derive(Debug, Clone)]
pub(crate) enum Loader {
    Program(ExternalLoader),
    Server(Box<HttpLoader>),
}

fn read_loader(text: &str) -> Result<(String, Loader), String> {
    let (extension, loader) =
        text.split_once('=').ok_or("write it as in doc='antiword {}', with a `=`")?;
    let loader = if is_of_web(loader) {
        HttpLoader::new(loader).map(|loader| Loader::Server(Box::new(loader)))
    } else {
        loader.parse().map(Loader::Program)
    };
    Ok((read_extension(extension)?, loader.map_err(|error| error.to_string())?))
}

/// Rejects other schemes: a browser would run `javascript:`.
fn read_base(text: &str) -> Result<String, String> {
    if !text.is_empty() && !is_of_web(text) {
        return Err("try a URL such as https://docs.example/".to_owned());
    }
    Ok(text.to_owned())
}

/// Returns whether the text is a URL of the web, by its scheme.
pub(crate) fn is_of_web(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme))
}

/// Parses a file extension, with or without its dot.
fn read_extension(text: &str) -> Result<String, String> {
    let extension = text.strip_prefix('.').unwrap_or(text);
    if extension.contains(['.', '/', '\\']) {
        return Err("write the last ending alone, such as gz for .tar.gz".to_owned());
    }
    Ok(extension.to_lowercase())
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReadingArguments {
    /// Whether to read files again after changes: the `--watch` of servers.
    #[arg(skip)]
    pub(crate) watch: bool,

    /// Read each row of CSV and TSV as a record, like a line of JSON Lines.
    ///
    /// The first row names the fields. Without it, a file is a table. Repeat it for each run on these files.
    #[arg(long, help_heading = "JSON Lines")]
    pub(crate) records: bool,

    /// Field that identifies a record [default: id or _id, else the line number].
    #[arg(long, value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) id_field: Option<String>,

    /// Field to search [default: text, body, content, abstract, description or passage].
    #[arg(long, value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) text_field: Option<String>,

    /// Field with the name of a result [default: name or title].
    #[arg(long, value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) name_field: Option<String>,

    /// Field with the link of a result [default: link or url, else file and record id].
    #[arg(long, value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) link_field: Option<String>,

    /// Field to leave out of the store, such as a vector; repeatable.
    ///
    /// A nested field has a path, such as author.name.
    #[arg(long = "exclude-field", value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) excluded_fields: Vec<String>,

    /// Read files with this extension through a program, such as doc='antiword {}', or a server, such as
    /// doc=http://localhost:9998/tika; repeatable.
    ///
    /// {} stands for the file. The program runs without a shell and prints the text. A server receives the
    /// file by PUT and answers with text, HTML or Markdown. Both have at most 60 s and 64 MiB of text.
    #[arg(long = "loader", value_name = "EXT=COMMAND|URL", value_parser = read_loader)]
    #[arg(help_heading = "Files")]
    pub(crate) loaders: Vec<(String, Loader)>,

    /// URL of the folder on the web, such as `https://docs.example/`.
    ///
    /// A result of guide/a.md then links to `https://docs.example/guide/a.md`, which browsers open.
    /// The store keeps it; an empty one makes links paths again.
    #[arg(long, value_name = "URL", value_parser = read_base, help_heading = "Files")]
    pub(crate) link_base: Option<String>,

    /// Language for word endings and stop words, such as de [default: the store's, else en].
    ///
    /// `none` matches words exactly as written.
    #[arg(long, value_name = "CODE", value_parser = super::language::read, help_heading = "Language")]
    pub(crate) language: Option<String>,

    #[command(flatten)]
    pub(crate) chunks: ChunkArguments,
}

impl ReadingArguments {
    /// Finds the files at and below `paths`. Fails if a path can't be read.
    pub(crate) fn walk(&self, paths: &[PathBuf]) -> Result<SourceFiles, IngestError> {
        let mut walker = FileWalker::new().with_records(self.records);
        for (extension, loader) in &self.loaders {
            walker = match loader {
                Loader::Program(loader) => walker.with_loader(extension, loader.clone()),
                Loader::Server(loader) => walker.with_http_loader(extension, (**loader).clone()),
            };
        }
        walker.walk(paths)
    }

    pub(crate) fn ingestion(
        &self,
        files: SourceFiles,
        embedder: Option<Embedder>,
        limits: ReadLimits,
    ) -> anyhow::Result<Ingestion> {
        let mut config = JsonLinesConfig::default();
        config.id_field.clone_from(&self.id_field);
        config.text_field.clone_from(&self.text_field);
        config.name_field.clone_from(&self.name_field);
        config.link_field.clone_from(&self.link_field);
        config.excluded_fields.clone_from(&self.excluded_fields);
        let mut ingestion = Ingestion::new(files).with_json_lines(config);
        ingestion = ingestion.with_read_limits(limits);
        if let Some(url) = &self.link_base {
            ingestion = ingestion.with_link_base(url);
        }
        if let Some(language) = &self.language {
            ingestion = match language.as_str() {
                NO_LANGUAGE => ingestion.with_exact_words(true),
                language => ingestion.with_language(language),
            };
        }
        let model = embedder.as_ref().map(|embedder| &embedder.generator);
        let counts_tokens = model.is_some_and(|model| model.count_tokens("").is_some());
        if let Some(chunker) = self.chunks.chunker(counts_tokens)? {
            ingestion = ingestion.with_chunker(chunker);
        }
        Ok(match embedder {
            Some(embedder) => ingestion.with_embedder(embedder),
            None => ingestion,
        })
    }
}
