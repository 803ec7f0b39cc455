//! The folder `templates`: crates that `cargo generate` writes for authors outside this repository.

pub(crate) mod check;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use crate::{shell, tidy};

/// Settings of `cargo generate` itself.
const SETTINGS: &str = "cargo-generate.toml";

/// What an author answers.
pub(crate) struct Answers<'a> {
    /// The package, such as `textsearch-my-engine`.
    pub(crate) project_name: &'a str,
    /// As in errors, such as `my-engine`.
    pub(crate) id: &'a str,
    /// As in code, such as `MyEngine`.
    pub(crate) type_name: &'a str,
    pub(crate) has_key: bool,
}

/// Writes a connector of an invented engine, as an author outside this repository gets it.
pub(crate) fn write_example(folder: &Path) -> Result<()> {
    let answers = Answers {
        project_name: "textsearch-my-engine",
        id: "my-engine",
        type_name: "MyEngine",
        has_key: true,
    };
    Template::read("web-connector")?.write(&answers, folder)
}

/// The files of a template: their paths in it, and their texts.
#[derive(Debug)]
pub(crate) struct Template {
    files: Vec<(PathBuf, String)>,
}

impl Template {
    pub(crate) fn read(name: &str) -> Result<Self> {
        let folder = shell::root().join("templates").join(name);
        let read = |path: String| {
            let text = fs::read_to_string(folder.join(&path));
            Ok((path.clone().into(), text.with_context(|| format!("cannot read {path}"))?))
        };
        let paths = tidy::paths(&folder)?.into_iter().filter(|path| path != SETTINGS);
        Ok(Self { files: paths.map(read).collect::<Result<_>>()? })
    }

    /// Writes the crate into `folder`, with the language that `cargo generate` uses.
    pub(crate) fn write(&self, answers: &Answers<'_>, folder: &Path) -> Result<()> {
        let parser = liquid::ParserBuilder::with_stdlib().build()?;
        let values = liquid::object!({
            "project-name": answers.project_name,
            "crate_name": answers.project_name.replace('-', "_"),
            "id": answers.id,
            "type_name": answers.type_name,
            "has_key": answers.has_key,
        });
        for (path, text) in &self.files {
            let cannot = || format!("cannot write {}", path.display());
            let text = parser.parse(text).and_then(|text| text.render(&values));
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder)).with_context(cannot)?;
            fs::write(&path, text.with_context(cannot)?).with_context(cannot)?;
        }
        Ok(())
    }
}
