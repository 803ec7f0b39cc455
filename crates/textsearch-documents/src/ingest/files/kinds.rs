//! How files are read, by their extensions.

use std::path::Path;

/// Extensions of files that hold no text for people: images, audio, video, fonts, archives, programs, databases.
const BINARY: &[&str] = &[
    "7z", "a", "aac", "avi", "avif", "bin", "bmp", "bz2", "class", "db", "dll", "dylib", "eot",
    "exe", "flac", "gif", "gz", "heic", "ico", "jar", "jpeg", "jpg", "m4a", "mkv", "mov", "mp3",
    "mp4", "o", "ogg", "otf", "png", "psd", "pyc", "rar", "so", "sqlite", "tar", "tgz", "tif",
    "tiff", "ttf", "wasm", "wav", "webm", "webp", "woff", "woff2", "xz", "zip", "zst",
];

/// Returns whether files with the extension `extension`, in lower case, hold no text.
pub(super) fn is_binary(extension: &str) -> bool {
    BINARY.binary_search(&extension).is_ok()
}

/// Returns the extension of a file in lower case; empty for a name without one.
pub(super) fn extension_of(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_extensions_are_sorted() {
        assert!(BINARY.is_sorted());
        assert!(is_binary("png") && !is_binary("pdf") && !is_binary("svg"));
    }
}
