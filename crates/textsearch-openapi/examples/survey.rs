//! Imports every OpenAPI document below some folders, and prints each refused operation with its
//! reason.
//!
//! `cargo run -p textsearch-openapi --example survey -- PERCENT FOLDER…` fails if less than this
//! share of all operations can be imported, or if a function's parameters aren't a JSON schema.
//!
//! Needs: folders of OpenAPI documents, as `cargo xtask integration openapi` installs them
#![expect(clippy::print_stdout, reason = "a program prints")]

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

use textsearch_kernel::function::tool_definitions;
use textsearch_openapi::{OpenApiPlugin, OpenApiSettings};

/// The limit of an import. Larger files are copies with all references inlined.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Default)]
struct Total {
    documents: usize,
    imported: usize,
    refused: usize,
    unreadable: usize,
    without_schema: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let min: usize = arguments.next().ok_or("which percentage is required?")?.parse()?;
    let mut total = Total::default();
    println!("| document | imported | refused | time |\n|---|---|---|---|");
    for folder in arguments {
        let folder = PathBuf::from(folder);
        for file in files(&folder)? {
            survey(file.strip_prefix(&folder)?, &fs::read_to_string(&file)?, &mut total);
        }
    }
    let operations = total.imported + total.refused;
    println!(
        "\n{} documents, {} unreadable; {} of {operations} operations imported",
        total.documents, total.unreadable, total.imported
    );
    if total.without_schema > 0 {
        return Err(format!("{} functions have no valid schema", total.without_schema).into());
    }
    if total.imported * 100 < operations * min || operations == 0 {
        return Err(format!("less than {min} % of the operations can be imported").into());
    }
    Ok(())
}

fn survey(name: &Path, text: &str, total: &mut Total) {
    let started = Instant::now();
    // Examples have servers such as `/`.
    let settings = OpenApiSettings::new().with_document_url("https://api.example.com/");
    let imported = OpenApiPlugin::from_text("Survey", text, settings);
    let name = name.display();
    let milliseconds = started.elapsed().as_millis();
    match imported {
        Ok(imported) => {
            let fine = imported.operations.len();
            let refused = imported.refused.len();
            println!("| {name} | {fine} | {refused} | {milliseconds} ms |");
            total.documents += 1;
            total.imported += fine;
            total.refused += refused;
            for tool in tool_definitions(&[imported.plugin]) {
                if !jsonschema::meta::is_valid(&tool.parameters) {
                    println!("|   `{}` has no valid schema | | | |", tool.name);
                    total.without_schema += 1;
                }
            }
            let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
            for refused in &imported.refused {
                *reasons.entry(&refused.reason).or_default() += 1;
            }
            reasons.iter().for_each(|(reason, count)| println!("|   {count} × {reason} | | | |"));
        }
        // Another format, or another version.
        Err(error) if error.to_string().contains("OpenAPI 3") => {}
        Err(error) => {
            println!("| {name} | {error} | | |");
            (total.documents, total.unreadable) = (total.documents + 1, total.unreadable + 1);
        }
    }
}

/// Returns the JSON and YAML files below a folder, in order.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let metadata = entry.metadata()?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        if metadata.is_dir() {
            files.extend(self::files(&path)?);
        } else if matches!(extension, Some("json" | "yaml" | "yml")) && metadata.len() <= MAX_BYTES
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
