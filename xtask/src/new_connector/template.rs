//! Renders the files of the connector `acme` for another name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::name::ConnectorName;
use crate::tidy;

#[derive(Debug)]
pub(super) struct Template {
    /// Path inside the crate, and text.
    files: Vec<(PathBuf, String)>,
}

impl Template {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let read = |path: String| {
            let text = fs::read_to_string(folder.join(&path));
            Ok((path.clone().into(), text.with_context(|| format!("cannot read {path}"))?))
        };
        let files = tidy::paths(folder)?.into_iter().map(read).collect::<Result<_>>()?;
        Ok(Self { files })
    }

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

/// Replaces all spellings in one pass: inserted names may contain the template's name.
fn renamed(text: &str, name: &ConnectorName) -> String {
    let forms = [
        ("textsearch_acme", format!("textsearch_{}", name.snake())),
        ("ACME", name.upper_snake()),
        ("Acme", name.pascal()),
        ("acme", name.kebab().to_owned()),
    ];
    let (mut renamed, mut rest) = (String::new(), text);
    let first = |text: &str| {
        let found = forms.iter().filter_map(|(old, new)| Some((text.find(old)?, *old, new)));
        found.min_by_key(|(place, ..)| *place)
    };
    while let Some((place, old, new)) = first(rest) {
        let (before, after) = rest.split_at(place);
        renamed.push_str(before);
        renamed.push_str(new);
        rest = after.strip_prefix(old).unwrap_or_default();
    }
    renamed + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn each_spelling_of_the_name_is_replaced() {
        let name = ConnectorName::new("my-engine", &[]).unwrap();
        let text = "use textsearch_acme::AcmeConfig; // textsearch-acme, ACME_API_KEY, \"acme\"";
        let expected = "use textsearch_my_engine::MyEngineConfig; // textsearch-my-engine, MY_ENGINE_API_KEY, \"my-engine\"";
        assert_eq!(renamed(text, &name), expected);
    }

    #[test]
    fn a_name_may_contain_the_templates_name() {
        let name = ConnectorName::new("acme2", &[]).unwrap();
        let text = "use textsearch_acme::AcmeConfig; // textsearch-acme, ACME_API_KEY, \"acme\"";
        let expected =
            "use textsearch_acme2::Acme2Config; // textsearch-acme2, ACME2_API_KEY, \"acme2\"";
        assert_eq!(renamed(text, &name), expected);
    }

    #[test]
    fn the_template_has_five_places_to_fill_in() {
        let template = Template::read(&shell::root().join("xtask/templates/connector")).unwrap();
        let text: String = template.files.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(text.matches("// Reference ").count(), 5);
        for number in 1..=5 {
            assert!(text.contains(&format!("// Reference {number} of 5:")), "{number}");
        }
    }
}
