//! Finds common mistakes in a template that the engine's parser rejects.
//!
//! The parser's errors list rules of its grammar, which don't help the template's author.

use super::problem::Problem;

pub(super) fn find(source: &str) -> Option<Problem> {
    let mut scanner = Scanner { source, position: 0, blocks: Vec::new(), inverted: None };
    match scanner.scan() {
        Ok(()) => None,
        Err((position, message)) => {
            Some(Problem { position: line_and_column(source, position), message })
        }
    }
}

type Mistake = (usize, String);

struct Scanner<'s> {
    source: &'s str,
    position: usize,
    blocks: Vec<Block<'s>>,
    /// Name and position of the last `{{^name}}`.
    inverted: Option<(&'s str, usize)>,
}

struct Block<'s> {
    name: &'s str,
    start: usize,
    has_else: bool,
}

impl<'s> Scanner<'s> {
    fn scan(&mut self) -> Result<(), Mistake> {
        while let Some(length) = self.rest().find("{{") {
            let start = self.position + length;
            let before = self.source.get(..start).unwrap_or_default();
            let slashes = before.len() - before.trim_end_matches('\\').len();
            self.position = start;
            if slashes == 1 {
                self.position += 2;
            } else if self.rest().starts_with("{{{{") {
                self.raw_block(start)?;
            } else if self.rest().starts_with("{{!") {
                self.comment(start)?;
            } else {
                self.tag(start)?;
            }
        }
        match self.blocks.pop() {
            None => Ok(()),
            Some(Block { name, start, .. }) => {
                let message = format!(
                    "`{{{{#{name}}}}}` is never closed: write {{{{/{name}}}}} where it ends"
                );
                Err((start, message))
            }
        }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.position..).unwrap_or_default()
    }

    fn skip_past(&mut self, start: usize, what: &str, end: &str) -> Result<(), Mistake> {
        let length = self
            .rest()
            .find(end)
            .ok_or_else(|| (start, format!("{what} is never closed: its `{end}` is missing")))?;
        self.position += length + end.len();
        Ok(())
    }

    fn raw_block(&mut self, start: usize) -> Result<(), Mistake> {
        self.skip_past(start, "the raw block", "{{{{/")?;
        self.skip_past(start, "the raw block", "}}}}")
    }

    fn comment(&mut self, start: usize) -> Result<(), Mistake> {
        let is_long = self.rest().starts_with("{{!--") && self.rest().contains("--}}");
        let end = if is_long { "--}}" } else { "}}" };
        self.skip_past(start, "the comment", end)
    }

    fn tag(&mut self, start: usize) -> Result<(), Mistake> {
        self.position += 2;
        let unclosed = || {
            (
                start,
                "`{{` is never closed: close it with `}}`, or write `\\{{` for braces".to_owned(),
            )
        };
        let length = end_of_tag(self.rest()).ok_or_else(unclosed)?;
        let inside = self.rest().get(..length).unwrap_or_default();
        self.position += length + 2;
        let inside = inside.trim_start_matches(['{', '~', '&']).trim();
        let inside = inside.trim_end_matches('~').trim_end();
        calls(inside, start)?;
        let mut characters = inside.chars();
        match characters.next() {
            Some('#') => self.open(characters.as_str(), start),
            Some('/') => self.close(characters.as_str().trim(), start),
            Some('^') => self.inverse(characters.as_str().trim(), start),
            _ if first_word(inside) == "else" => self.otherwise("else", inside == "else", start),
            _ => Ok(()),
        }
    }

    fn open(&mut self, inside: &'s str, start: usize) -> Result<(), Mistake> {
        let name = first_word(inside.trim_start().trim_start_matches(['*', '>']));
        if name.contains('.') && !inside.trim_start().starts_with('>') {
            let message = format!(
                "`{{{{#{name}}}}}` isn't a block, because a block's name has no dots: write {{{{#with {name}}}}}, \
                 {{{{#each {name}}}}} or {{{{#if {name}}}}}"
            );
            return Err((start, message));
        }
        self.blocks.push(Block { name, start, has_else: false });
        Ok(())
    }

    fn close(&mut self, name: &str, start: usize) -> Result<(), Mistake> {
        let open = self.blocks.pop();
        if open.as_ref().is_some_and(|open| open.name == name || name.is_empty()) {
            return Ok(());
        }
        Err(match (self.inverted, open) {
            (Some((inverted, place)), _) if inverted == name => not_inverted(inverted, place),
            (_, Some(Block { name: open, .. })) => {
                let message = format!(
                    "`{{{{#{open}}}}}` is open, but `{{{{/{name}}}}}` closes another block"
                );
                (start, message)
            }
            (_, None) => (start, format!("`{{{{/{name}}}}}` closes no block")),
        })
    }

    fn inverse(&mut self, name: &'s str, start: usize) -> Result<(), Mistake> {
        if name.is_empty() {
            return self.otherwise("^", true, start);
        }
        if self.blocks.is_empty() {
            return Err(not_inverted(first_word(name), start));
        }
        self.inverted = Some((first_word(name), start));
        Ok(())
    }

    fn otherwise(&mut self, word: &str, is_last: bool, start: usize) -> Result<(), Mistake> {
        let Some(block) = self.blocks.last_mut() else {
            let message = format!(
                "`{{{{{word}}}}}` is in no block: write it between {{{{#if …}}}} and {{{{/if}}}}"
            );
            return Err((start, message));
        };
        if block.has_else {
            let name = block.name;
            return Err((
                start,
                format!("`{{{{#{name}}}}}` has an `{{{{else}}}}` before this one"),
            ));
        }
        block.has_else = is_last;
        Ok(())
    }
}

fn not_inverted(name: &str, start: usize) -> Mistake {
    let message =
        format!("`{{{{^{name}}}}}` begins no block: write {{{{#unless {name}}}}}…{{{{/unless}}}}");
    (start, message)
}

/// Returns the number of bytes before the `}}` that ends a tag, ignoring any in quotes. `None` if
/// the text ends, or a `{{` comes first.
pub(super) fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (position, character) in text.char_indices() {
        let rest = text.get(position..).unwrap_or_default();
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => {}
            None if matches!(character, '"' | '\'') => quote = Some(character),
            None if rest.starts_with("}}") => return Some(position),
            None if position > 0 && rest.starts_with("{{") => return None,
            None => {}
        }
    }
    None
}

/// Rejects the dot that the `semantic-kernel` language has between plugin and function.
fn calls(inside: &str, start: usize) -> Result<(), Mistake> {
    let is_expression = !inside.starts_with(['#', '/', '^', '>', '*']);
    let outer = is_expression.then_some(inside);
    for call in outer.into_iter().chain(inside.split('(').skip(1)) {
        let name = first_word(call.trim_start());
        let after = call.trim_start().strip_prefix(name).unwrap_or_default().trim_start();
        let has_arguments = !after.is_empty() && !after.starts_with(')');
        if let Some((plugin, function)) = name.split_once('.')
            && has_arguments
            && is_name(plugin)
            && is_name(function)
        {
            let message = format!(
                "`{name}` takes no arguments, since it is a variable here: a function is called by `Plugin-Function`, so \
                 write {plugin}-{function}"
            );
            return Err((start, message));
        }
    }
    Ok(())
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    let is_end = |character: char| character.is_whitespace() || "()~|=".contains(character);
    text.split(is_end).next().unwrap_or_default()
}

pub(super) fn line_and_column(source: &str, position: usize) -> (usize, usize) {
    let before = source.get(..position).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}
