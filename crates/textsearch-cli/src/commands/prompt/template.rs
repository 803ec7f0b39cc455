//! The template to render: a built-in one or the user's file.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, bail};
use textsearch_kernel::prompt::{HANDLEBARS_FORMAT, PromptTemplateConfig, SEMANTIC_KERNEL_FORMAT};

use crate::{
    arguments::{PromptArguments, TemplateFormat},
    corpus::template::built_in,
    errors::usage,
};

/// Some editors write it before the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

pub(crate) fn load(arguments: &PromptArguments) -> Result<PromptTemplateConfig> {
    match &arguments.template {
        Some(path) => from_file(path, arguments.format),
        None => Ok(built_in(arguments.selector.kind)),
    }
}

fn from_file(path: &Path, format: Option<TemplateFormat>) -> Result<PromptTemplateConfig> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("the template `{}` cannot be read", path.display()))?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    if text.trim().is_empty() {
        bail!("the template `{}` is empty: try another --template", path.display());
    }
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let mut config = match (ending.as_str(), format) {
        ("yaml" | "yml", _) => configuration(path, PromptTemplateConfig::from_yaml(text))?,
        ("json", _) => configuration(path, PromptTemplateConfig::from_json(text))?,
        ("hbs" | "handlebars", None) => {
            PromptTemplateConfig::new(text).with_template_format(HANDLEBARS_FORMAT)
        }
        (_, Some(_)) => PromptTemplateConfig::new(text),
        (_, None) => {
            return Err(usage(format!(
                "the ending of `{file_name}` does not tell its language: try --format handlebars or --format \
                 semantic-kernel"
            )));
        }
    };
    if let Some(format) = format {
        config = config.with_template_format(name_of(format));
    }
    Ok(if config.name.is_empty() { config.with_name(file_name) } else { config })
}

fn configuration(
    path: &Path,
    read: textsearch_kernel::Result<PromptTemplateConfig>,
) -> Result<PromptTemplateConfig> {
    let config = read.with_context(|| format!("the prompt `{}` cannot be used", path.display()))?;
    if config.template.is_empty() {
        bail!("the prompt `{}` has no template: try to add a field `template`", path.display());
    }
    Ok(config)
}

const fn name_of(format: TemplateFormat) -> &'static str {
    match format {
        TemplateFormat::Handlebars => HANDLEBARS_FORMAT,
        TemplateFormat::SemanticKernel => SEMANTIC_KERNEL_FORMAT,
    }
}
