//! Maps file extensions to the ways files are read.

use std::path::Path;

/// Images, audio, video, fonts, archives, programs, models, databases. Sorted.
const NOT_DOCUMENTS: &[&str] = &[
    "7z",
    "a",
    "aac",
    "apk",
    "avi",
    "avif",
    "bin",
    "bmp",
    "br",
    "bz2",
    "class",
    "db",
    "deb",
    "dll",
    "dmg",
    "dylib",
    "eot",
    "exe",
    "flac",
    "gguf",
    "gif",
    "gz",
    "heic",
    "icns",
    "ico",
    "iso",
    "jar",
    "jpeg",
    "jpg",
    "jxl",
    "lz4",
    "m4a",
    "mkv",
    "mov",
    "mp3",
    "mp4",
    "msi",
    "npy",
    "npz",
    "o",
    "ogg",
    "onnx",
    "otf",
    "pickle",
    "pkl",
    "png",
    "psd",
    "pt",
    "pyc",
    "rar",
    "rlib",
    "rmeta",
    "rpm",
    "safetensors",
    "so",
    "sqlite",
    "svg",
    "svgz",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttc",
    "ttf",
    "wasm",
    "wav",
    "webm",
    "webp",
    "whl",
    "woff",
    "woff2",
    "xz",
    "zip",
    "zst",
];

/// Takes lower case. True for an unknown extension.
pub(super) fn may_be_document(extension: &str) -> bool {
    NOT_DOCUMENTS.binary_search(&extension).is_err()
}

/// In lower case; empty for a name without one.
pub(super) fn extension_of(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_and_archives_are_no_documents() {
        assert!(NOT_DOCUMENTS.is_sorted());
        for extension in ["png", "jpg", "gif", "ico", "svg", "woff", "zip"] {
            assert!(!may_be_document(extension), "{extension}");
        }
        for extension in ["pdf", "docx", "py", ""] {
            assert!(may_be_document(extension), "{extension}");
        }
    }
}
