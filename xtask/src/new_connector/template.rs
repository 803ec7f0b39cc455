//! Files that belong to a connector called `acme`, written for one of another name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::name::ConnectorName;

/// The files of a folder below `xtask/templates`.
#[derive(Debug)]
pub(super) struct Template {
    /// Path inside of the crate, and text.
    files: Vec<(PathBuf, String)>,
}

impl Template {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let mut files = Vec::new();
        read_below(folder, folder, &mut files)?;
        Ok(Self { files })
    }

    /// Writes the files into `folder`, for a connector of that name.
    pub(super) fn write(&self, name: &ConnectorName, folder: &Path) -> Result<()> {
        for (path, text) in &self.files {
            let path = folder.join(path);
            let cannot = || format!("cannot write {}", path.display());
            fs::create_dir_all(path.parent().unwrap_or(folder)).with_context(cannot)?;
            fs::write(&path, renamed(text, name)).with_context(cannot)?;
        }
        Ok(())
    }
}

/// The text with the name in place of the template's, in each of the forms that code has for it.
fn renamed(text: &str, name: &ConnectorName) -> String {
    text.replace("textsearch_acme", &format!("textsearch_{}", name.snake()))
        .replace("ACME", &name.screaming())
        .replace("Acme", &name.pascal())
        .replace("acme", name.kebab())
}

fn read_below(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, String)>) -> Result<()> {
    let cannot = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        if path.is_dir() {
            read_below(root, &path, files)?;
        } else {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            files.push((path.strip_prefix(root).unwrap_or(&path).to_path_buf(), text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn each_form_of_the_name_is_replaced() {
        let name = ConnectorName::new("my-engine", &[]).unwrap();
        let text = "use textsearch_acme::AcmeConfig; // textsearch-acme, ACME_API_KEY, \"acme\"";
        let expected = "use textsearch_my_engine::MyEngineConfig; // textsearch-my-engine, MY_ENGINE_API_KEY, \"my-engine\"";
        assert_eq!(renamed(text, &name), expected);
    }

    #[test]
    fn the_places_to_fill_in_are_counted_right() {
        let template = Template::read(&shell::root().join("xtask/templates/connector")).unwrap();
        let text: String = template.files.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(text.matches("// Reference ").count(), 5);
        for number in 1..=5 {
            assert!(text.contains(&format!("// Reference {number} of 5:")), "{number}");
        }
    }
}
