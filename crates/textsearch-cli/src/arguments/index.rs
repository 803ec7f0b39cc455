//! The arguments of `textsearch index`, and those for reading JSON Lines.

use std::path::PathBuf;

use clap::Args;
use textsearch_documents::{
    ExternalLoader, InvalidLoader,
    ingest::{Embedder, FileWalker, FoundFiles, IngestError, Ingestion, JsonLinesConfig},
};

use super::{EmbeddingArguments, OutputFormat, language::NONE as NO_LANGUAGE};

const INDEX_EXAMPLES: &str = "\
Examples:
  textsearch index docs
  textsearch index docs README.md papers.jsonl --text-field abstract
  textsearch index saved-pages --store pages.index --language de
  textsearch index . --loader pdf='pdftotext {} -' --loader docx='pandoc --to plain {}' --text-extension py
  textsearch index docs --store meaning.index --embeddings openai:text-embedding-3-small
  textsearch index docs --store meaning.index --rebuild --embeddings openai:text-embedding-3-large
  textsearch index docs --store e5.index --embeddings local:models/e5-small-v2 --query-prefix 'query: ' --passage-prefix 'passage: '

What is read:
  Markdown     .md .markdown .mdown .mdx .mkd
  plain text   .txt .text .rst .adoc .org, and any other file that is named itself
  HTML         .html .htm .xhtml
  JSON Lines   .jsonl .ndjson, one object a line
  --text-extension py and --loader pdf='pdftotext {} -' add other kinds

Every field of a JSON object is kept but those that --exclude-field names, and filters can name it; those inside
objects by their path, such as author.name. A field that has the name of one of the store's own (id, name, text, link,
path, chunk, ...) is called record_id, record_name and so on.

Folders are read to the bottom, in the order of names. Left out are hidden files, and what .gitignore and .ignore
files name. Symbolic links in folders are listed but not followed, since they may lead anywhere: name their target as
another PATH. Inside the working folder paths are stored relative to it: run the command from the same place each time.

Running it again on a path replaces what changed below it and removes what is gone; nothing else is touched. A store
in a file is written once, at the end, whole or not at all. A line of JSON that cannot be read stops the run, and the store stays
as it was. Text is UTF-8 or UTF-16.

Files of a folder that are skipped:
  documents    cannot be read, are not text, or have another ending, such as .pdf or .docx: each kind with a warning
               and what would read it. The rest is indexed, what the store holds of them stays, and the exit code is 1
  others       images, audio, fonts, archives and programs, such as .png, .svg or .zip: counted by kind, exit code 0
  links        listed with a warning, exit code 0
  ignored      hidden files and those that .ignore or .gitignore name: not mentioned

A file without text is not stored. A record without text is found by its name. Both are counted in a warning.

A run with --embeddings that fails or is interrupted keeps the embeddings it made in a file beside the store. Run the
same command again to continue; the file is removed at the end.";

/// Read files and folders into a store, or bring the store up to date with them.
#[derive(Debug, Args)]
#[command(after_help = INDEX_EXAMPLES)]
pub(crate) struct IndexArguments {
    /// Files and folders.
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// The store to write: a path, `file:PATH`, or with the feature `qdrant` qdrant://HOST:PORT/COLLECTION (qdrants:// for
    /// an encrypted connection), whose key is in QDRANT_API_KEY. A file is written whole, at the end; a server as it goes.
    #[arg(long, value_name = "FILE", default_value = super::DEFAULT_STORE)]
    pub(crate) store: String,

    /// Index anew: the store then holds these paths and nothing else. This is how a store gains embeddings, gets those
    /// of another model, or takes the place of one that is damaged. A file is replaced at the end, whole or not at all; a
    /// server's collection is deleted first, once the paths were read. What another program made is left alone, and so is
    /// a store for which no document is found.
    #[arg(long)]
    pub(crate) rebuild: bool,

    #[command(flatten)]
    pub(crate) embeddings: EmbeddingArguments,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    /// For people, or for programs.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: OutputFormat,
}

/// Parses `EXT=COMMAND`.
fn read_loader(text: &str) -> Result<(String, ExternalLoader), String> {
    let (extension, command) =
        text.split_once('=').ok_or("write it as in pdf='pdftotext {} -', with a `=`")?;
    let loader: ExternalLoader =
        command.parse().map_err(|error: InvalidLoader| error.to_string())?;
    Ok((read_extension(extension)?, loader))
}

/// Parses the ending of file names, with or without its dot.
fn read_extension(text: &str) -> Result<String, String> {
    let extension = text.strip_prefix('.').unwrap_or(text);
    if extension.contains(['.', '/', '\\']) {
        return Err("write the last ending alone, such as gz for .tar.gz".to_owned());
    }
    Ok(extension.to_lowercase())
}

/// How files are read.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReadingArguments {
    /// The field that identifies a record [default: id or _id, else the number of the line].
    #[arg(long, value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) id_field: Option<String>,

    /// The field that is searched [default: text, body, content, abstract, description or passage].
    #[arg(long, value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) text_field: Option<String>,

    /// The field that is the name of a result [default: name or title].
    #[arg(long, value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) name_field: Option<String>,

    /// The field that is the link of a result [default: link or url, else the file and the record's id].
    #[arg(long, value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) link_field: Option<String>,

    /// A field that is not kept, such as one of vectors; those inside objects by their path. May be given several times.
    #[arg(long = "exclude-field", value_name = "FIELD", help_heading = "JSON Lines")]
    pub(crate) excluded_fields: Vec<String>,

    /// Read files with this ending with a program that prints their text, such as pdf='pdftotext {} -', where {} is the
    /// file. Runs without a shell, for 60 s and 64 MiB of text at most. May be given several times.
    #[arg(long = "loader", value_name = "EXT=COMMAND", value_parser = read_loader)]
    #[arg(help_heading = "Files")]
    pub(crate) loaders: Vec<(String, ExternalLoader)>,

    /// Read files with this ending as plain text too, such as py; '' for files without one. May be given several times.
    #[arg(long = "text-extension", value_name = "EXT", value_parser = read_extension)]
    #[arg(help_heading = "Files")]
    pub(crate) text_extensions: Vec<String>,

    /// The language whose word endings and stop words the search knows, such as de; `none` for words as they are
    /// written [default: that of the store, en for a new one].
    #[arg(long, value_name = "CODE", value_parser = super::language::read, help_heading = "Words")]
    pub(crate) language: Option<String>,
}

impl ReadingArguments {
    /// Finds the files at `paths` and in the folders there.
    ///
    /// # Errors
    ///
    /// If a path can't be read.
    pub(crate) fn walk(&self, paths: &[PathBuf]) -> Result<FoundFiles, IngestError> {
        let mut walker = FileWalker::new();
        for (extension, loader) in &self.loaders {
            walker = walker.with_loader(extension, loader.clone());
        }
        for extension in &self.text_extensions {
            walker = walker.with_text_extension(extension);
        }
        walker.walk(paths)
    }

    /// Returns the ingestion of files that are read as the arguments say.
    pub(crate) fn ingestion(&self, files: FoundFiles, embedder: Option<Embedder>) -> Ingestion {
        let mut config = JsonLinesConfig::default();
        config.id_field.clone_from(&self.id_field);
        config.text_field.clone_from(&self.text_field);
        config.name_field.clone_from(&self.name_field);
        config.link_field.clone_from(&self.link_field);
        config.excluded_fields.clone_from(&self.excluded_fields);
        let mut ingestion = Ingestion::new(files).with_json_lines(config);
        if let Some(language) = &self.language {
            ingestion = match language.as_str() {
                NO_LANGUAGE => ingestion.with_exact_words(true),
                language => ingestion.with_language(language),
            };
        }
        match embedder {
            Some(embedder) => ingestion.with_embedder(embedder),
            None => ingestion,
        }
    }

    /// Whether the user says anything about how files are read.
    pub(crate) fn is_any_given(&self) -> bool {
        let fields = [&self.id_field, &self.text_field, &self.name_field, &self.link_field];
        fields.into_iter().chain([&self.language]).any(Option::is_some)
            || !self.excluded_fields.is_empty()
            || !self.loaders.is_empty()
            || !self.text_extensions.is_empty()
    }
}
