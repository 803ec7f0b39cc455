//! Finds calls in the syntax of the `semantic-kernel` language, which the engine's parser rejects
//! without a hint.

use super::problem::Problem;

/// Rejects the dot that the `semantic-kernel` language has between plugin and function.
pub(super) fn find(source: &str) -> Option<Problem> {
    let mut end = 0;
    while let Some(length) = source.get(end..)?.find("{{") {
        let start = end + length;
        let tag = source.get(start + 2..)?;
        let inside = tag.get(..end_of_tag(tag)?)?;
        if let Some(message) = dotted_call(inside.trim_start_matches(['{', '~', '&'])) {
            return Some(Problem { position: line_and_column(source, start), message });
        }
        end = start + 2 + inside.len() + 2;
    }
    None
}

fn dotted_call(inside: &str) -> Option<String> {
    if inside.starts_with('!') {
        return None;
    }
    let is_expression = !inside.starts_with(['#', '/', '^', '>', '*']);
    let outer = is_expression.then_some(inside);
    outer.into_iter().chain(inside.split('(').skip(1)).find_map(|call| {
        let (name, arguments) = call.trim_start().split_once(char::is_whitespace)?;
        let (plugin, function) = name.split_once('.')?;
        let arguments = arguments.trim_start();
        let has_arguments = !arguments.is_empty() && !arguments.starts_with(['~', ')']);
        (has_arguments && is_name(plugin) && is_name(function)).then(|| {
            format!(
                "`{name}` takes no arguments, since it is a variable here: a function is called by `Plugin-Function`, so \
                 write {plugin}-{function}"
            )
        })
    })
}

/// Returns the number of bytes before the `}}` that ends a tag, ignoring any in quotes. `None` if
/// the text ends, or a `{{` comes first.
pub(super) fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (position, character) in text.char_indices() {
        let (_, rest) = text.split_at(position);
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

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}

pub(super) fn line_and_column(source: &str, position: usize) -> (usize, usize) {
    let before = source.get(..position).unwrap_or_default();
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
