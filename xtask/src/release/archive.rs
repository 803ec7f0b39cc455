//! Reads a package as users get it.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    path::Path,
};

use anyhow::{Context as _, Result};
use flate2::read::GzDecoder;

/// Crates.io takes 10 MB; every user downloads the package.
const LARGEST: u64 = 400_000;
const REQUIRED: &[&str] = &["CHANGELOG.md", "Cargo.toml", "README.md"];
/// Unit tests below `src` are modules, which `cargo test` of the package compiles.
const UNWANTED: &[&str] = &["benches/", "tests/"];

#[derive(Debug)]
pub(crate) struct Archive {
    /// Bytes of the archive.
    pub(crate) packed: u64,
    /// Path in the package, and content.
    files: BTreeMap<String, Vec<u8>>,
}

impl Archive {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let context = || format!("{} cannot be read", path.display());
        let packed = fs::metadata(path).with_context(context)?.len();
        let mut archive = tar::Archive::new(GzDecoder::new(File::open(path)?));
        let mut files = BTreeMap::new();
        for entry in archive.entries().with_context(context)? {
            let mut entry = entry?;
            // The first folder is the name and version.
            let name: Vec<_> = entry
                .path()?
                .iter()
                .skip(1)
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            files.insert(name.join("/"), content);
        }
        Ok(Self { packed, files })
    }

    pub(crate) fn files(&self) -> usize {
        self.files.len()
    }

    /// Bytes of the files.
    pub(crate) fn unpacked(&self) -> usize {
        self.files.values().map(Vec::len).sum()
    }

    /// Names missing files, unwanted files and excess size. `licences` holds names and texts.
    pub(crate) fn complaints(&self, licences: &[(&str, Vec<u8>)]) -> Vec<String> {
        let missing = REQUIRED.iter().filter(|name| !self.files.contains_key(**name));
        let missing = missing.map(|name| format!("lacks {name}"));
        let licences = licences
            .iter()
            .filter(|(name, text)| self.files.get(*name) != Some(text))
            .map(|(name, _)| format!("lacks the text of {name}"));
        let is_unwanted = |name: &&String| {
            UNWANTED.iter().any(|folder| name.starts_with(folder)) || name.contains("fixtures/")
        };
        let unwanted = self.files.keys().filter(is_unwanted);
        let unwanted = unwanted.map(|name| format!("has {name}, which users don't need"));
        let size = (self.packed > LARGEST)
            .then(|| format!("has {} bytes, more than {LARGEST}", self.packed));
        missing.chain(licences).chain(unwanted).chain(size).collect()
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};
    use tempfile::TempDir;

    use super::*;

    fn open(files: &[(&str, &str)]) -> Archive {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a-0.1.0.crate");
        let mut builder =
            tar::Builder::new(GzEncoder::new(File::create(&path).unwrap(), Compression::fast()));
        for (name, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            let name = format!("a-0.1.0/{name}");
            builder.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap();
        Archive::open(&path).unwrap()
    }

    const GOOD: &[(&str, &str)] = &[
        ("CHANGELOG.md", "log"),
        ("Cargo.toml", "[package]"),
        ("LICENSE-MIT", "MIT"),
        ("README.md", "# a"),
        ("src/filter/tests/mod.rs", ""),
    ];

    fn licence() -> Vec<(&'static str, Vec<u8>)> {
        vec![("LICENSE-MIT", b"MIT".to_vec())]
    }

    #[test]
    fn a_complete_package_is_fine() {
        let archive = open(GOOD);
        assert_eq!(archive.complaints(&licence()), Vec::<String>::new());
        assert_eq!((archive.files(), archive.unpacked()), (5, 18));
    }

    #[test]
    fn a_link_in_place_of_a_licence_is_found() {
        let mut files = GOOD.to_vec();
        files[2].1 = "../../LICENSE-MIT";
        assert_eq!(open(&files).complaints(&licence()), ["lacks the text of LICENSE-MIT"]);
    }

    #[test]
    fn missing_and_unwanted_files_are_named() {
        let files = [&GOOD[1..], &[("src/fixtures/a.json", ""), ("tests/a.rs", "")]].concat();
        assert_eq!(
            open(&files).complaints(&licence()),
            [
                "lacks CHANGELOG.md",
                "has src/fixtures/a.json, which users don't need",
                "has tests/a.rs, which users don't need",
            ]
        );
    }

    #[test]
    fn a_large_package_is_found() {
        let mut archive = open(GOOD);
        archive.packed = LARGEST + 1;
        assert_eq!(archive.complaints(&licence()), ["has 400001 bytes, more than 400000"]);
    }
}
