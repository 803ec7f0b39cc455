//! Bodies of the type `multipart/form-data`.

use std::hash::{BuildHasher, RandomState};

/// Writes the parts of a body.
pub(crate) struct FormData {
    boundary: String,
    written: String,
}

impl FormData {
    /// Creates a body whose boundary no part can know.
    pub(crate) fn new() -> Self {
        let random = RandomState::new();
        let boundary = format!("{:016x}{:016x}", random.hash_one(0), random.hash_one(1));
        Self { boundary, written: String::new() }
    }

    /// Adds a part. Names and content types must have passed [`is_name`] and [`is_content_type`].
    pub(crate) fn add(&mut self, part: &FormPart<'_>, content: &str) {
        let FormPart { name, file_name, content_type } = part;
        let written = &mut self.written;
        *written += &format!("--{}\r\nContent-Disposition: form-data; ", self.boundary);
        *written += &format!("name=\"{name}\"");
        if let Some(file_name) = file_name {
            *written += &format!("; filename=\"{file_name}\"");
        }
        if let Some(content_type) = content_type {
            *written += &format!("\r\nContent-Type: {content_type}");
        }
        *written += &format!("\r\n\r\n{content}\r\n");
    }

    /// Returns the content type and the body.
    pub(crate) fn finish(self) -> (String, String) {
        let Self { boundary, written } = self;
        (
            format!("multipart/form-data; boundary={boundary}"),
            format!("{written}--{boundary}--\r\n"),
        )
    }
}

/// The headers of a part.
#[derive(Clone, Copy)]
pub(crate) struct FormPart<'a> {
    pub(crate) name: &'a str,
    pub(crate) file_name: Option<&'a str>,
    /// `None` means plain text.
    pub(crate) content_type: Option<&'a str>,
}

impl<'a> FormPart<'a> {
    pub(crate) fn text(name: &'a str) -> Self {
        Self { name, file_name: None, content_type: None }
    }
}

/// Whether all servers read the name of a part alike: they differ in how they unescape.
pub(crate) fn is_name(name: &str) -> bool {
    let is_plain =
        |character: char| !character.is_control() && character != '"' && character != '\\';
    !name.is_empty() && name.chars().all(is_plain)
}

/// Whether servers may use the name of a file as part of a path.
pub(crate) fn is_file_name(name: &str) -> bool {
    is_name(name) && !name.contains('/') && !matches!(name, "." | "..")
}

/// Whether a content type fits on one line.
pub(crate) fn is_content_type(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}
