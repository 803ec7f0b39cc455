//! The template to render: a built-in one or the user's file.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use textsearch_kernel::{
    KernelError,
    prompt::{HANDLEBARS_FORMAT, PromptTemplateConfig, SEMANTIC_KERNEL_FORMAT},
};

use crate::{
    arguments::{PromptArguments, TemplateFormat},
    corpus::template::built_in,
    errors::usage,
    files,
};

/// Some editors write it before the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

pub(crate) fn load(arguments: &PromptArguments) -> Result<PromptTemplateConfig> {
    match &arguments.template {
        Some(path) => from_file(path, arguments.format, "--template"),
        None => Ok(built_in(arguments.results.kind)),
    }
}

/// Errors name `argument`, such as `--template`.
pub(crate) fn from_file(
    path: &Path,
    format: Option<TemplateFormat>,
    argument: &str,
) -> Result<PromptTemplateConfig> {
    let text = files::read(path, argument)?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    if text.trim().is_empty() {
        bail!("the template `{}` is empty: try another {argument}", path.display());
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
            let formats = match argument {
                "--template" => "--format handlebars or --format semantic-kernel",
                _ => "a file that ends in .hbs, .yaml or .json",
            };
            return Err(usage(format!(
                "the ending of `{file_name}` does not tell its language: try {formats}"
            )));
        }
    };
    if let Some(format) = format {
        config = config.with_template_format(name_of(format));
    }
    Ok(if config.name.is_empty() { config.with_name(file_name) } else { config })
}

/// Adds the name of the file to an error about the prompt's configuration. Other errors have their
/// place.
pub(super) fn unusable(path: &Path, error: KernelError) -> anyhow::Error {
    match error {
        KernelError::InvalidPromptConfig { message, .. } => {
            anyhow!("the prompt `{}` cannot be used: {message}", path.display())
        }
        error => error.into(),
    }
}

fn configuration(
    path: &Path,
    read: textsearch_kernel::Result<PromptTemplateConfig>,
) -> Result<PromptTemplateConfig> {
    let config = read.map_err(|error| unusable(path, error))?;
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
