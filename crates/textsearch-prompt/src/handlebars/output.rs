//! Where rendered text goes.

use ::handlebars::Output;

/// A text that output is added to.
pub(super) struct Text<'a>(pub(super) &'a mut String);

impl Output for Text<'_> {
    fn write(&mut self, text: &str) -> std::io::Result<()> {
        self.0.push_str(text);
        Ok(())
    }
}
