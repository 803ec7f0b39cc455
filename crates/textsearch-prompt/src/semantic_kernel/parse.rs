//! Parses a template's source into blocks.

use serde_json::Value;

use super::{
    cursor::Cursor,
    syntax::{Argument, Block, Call, Operand, Problem},
};

const ARGUMENTS_FORM: &str = "a call takes at most one argument without a name, and it comes first: name the others, as in `count=$count`";

pub(super) fn parse(source: &str) -> Result<Vec<Block>, Problem> {
    let mut cursor = Cursor::new(source);
    let mut blocks = Vec::new();
    loop {
        push_text(&mut blocks, cursor.take_until("{{"));
        // The innermost braces count: `{{{$a}}}` is a variable between two braces of text.
        while cursor.rest().starts_with("{{{") {
            cursor.next();
            push_text(&mut blocks, "{");
        }
        if cursor.rest().is_empty() {
            return Ok(blocks);
        }
        match empty_block(&mut cursor) {
            Some(text) => push_text(&mut blocks, text),
            None => match block(&mut cursor)? {
                Block::Text(text) => push_text(&mut blocks, &text),
                block => blocks.push(block),
            },
        }
    }
}

fn push_text(blocks: &mut Vec<Block>, text: &str) {
    match blocks.last_mut() {
        _ if text.is_empty() => {}
        Some(Block::Text(before)) => before.push_str(text),
        _ => blocks.push(Block::Text(text.to_owned())),
    }
}

fn empty_block<'s>(cursor: &mut Cursor<'s>) -> Option<&'s str> {
    let mut end = cursor.clone();
    end.skip("{{");
    end.skip_white_space();
    if !end.skip("}}") {
        return None;
    }
    let text = cursor.rest().strip_suffix(end.rest());
    *cursor = end;
    text
}

fn block(cursor: &mut Cursor<'_>) -> Result<Block, Problem> {
    let start = cursor.position();
    cursor.skip("{{");
    cursor.skip_white_space();
    let block = match cursor.peek() {
        Some('$') => {
            let position = cursor.position();
            Block::Variable(variable(cursor)?, position)
        }
        Some(quote @ ('\'' | '"')) => Block::Text(quoted(cursor, quote)?),
        _ => Block::Call(call(cursor)?),
    };
    cursor.skip_white_space();
    if cursor.skip("}}") {
        return Ok(block);
    }
    Err(match cursor.peek() {
        None => Problem::new(
            start,
            "`{{` is never closed: close it with `}}`, or write `{{\"{{\"}}` for braces",
        ),
        Some(_) => Problem::new(
            cursor.position(),
            format!(
                "found {}, expected `}}}}`: only a function takes arguments",
                describe_next(cursor)
            ),
        ),
    })
}

fn call(cursor: &mut Cursor<'_>) -> Result<Call, Problem> {
    let position = cursor.position();
    let expected = "a variable `$name`, a value in quotes, or a function `Plugin.Function`";
    let first = name(cursor, expected)?;
    let (plugin, function) = if cursor.skip(".") {
        (Some(first), name(cursor, "the function's name")?)
    } else {
        (None, first)
    };
    let arguments = arguments(cursor)?;
    Ok(Call { plugin, function, position, arguments })
}

fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<Argument>, Problem> {
    let mut arguments: Vec<Argument> = Vec::new();
    loop {
        cursor.skip_white_space();
        if cursor.rest().is_empty() || cursor.rest().starts_with("}}") {
            return Ok(arguments);
        }
        let argument = argument(cursor)?;
        if argument.name.is_none() && !arguments.is_empty() {
            return Err(Problem::new(argument.position, ARGUMENTS_FORM));
        }
        arguments.push(argument);
    }
}

fn argument(cursor: &mut Cursor<'_>) -> Result<Argument, Problem> {
    let position = cursor.position();
    if matches!(cursor.peek(), Some('$' | '\'' | '"')) {
        return Ok(Argument { name: None, value: operand(cursor)?, position });
    }
    let name = name(cursor, "an argument: `$name`, a value in quotes, or `name=…`")?;
    cursor.skip_white_space();
    if !cursor.skip("=") {
        let message = format!(
            "found {}, expected `=` and a value after the argument's name `{name}`; a text needs quotes",
            describe_next(cursor)
        );
        return Err(Problem::new(cursor.position(), message));
    }
    cursor.skip_white_space();
    Ok(Argument { name: Some(name), value: operand(cursor)?, position })
}

fn operand(cursor: &mut Cursor<'_>) -> Result<Operand, Problem> {
    match cursor.peek() {
        Some('$') => Ok(Operand::Variable(variable(cursor)?)),
        Some(quote @ ('\'' | '"')) => Ok(Operand::Value(Value::String(quoted(cursor, quote)?))),
        _ => {
            let message =
                format!("found {}, expected `$name` or a value in quotes", describe_next(cursor));
            Err(Problem::new(cursor.position(), message))
        }
    }
}

fn variable(cursor: &mut Cursor<'_>) -> Result<String, Problem> {
    cursor.skip("$");
    name(cursor, "the variable's name")
}

fn name(cursor: &mut Cursor<'_>, expected: &str) -> Result<String, Problem> {
    let is_allowed =
        |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    match cursor.take_while(is_allowed) {
        "" => {
            let message = format!("found {}, expected {expected}", describe_next(cursor));
            Err(Problem::new(cursor.position(), message))
        }
        name => Ok(name.to_owned()),
    }
}

/// A backslash before anything but a quote or a backslash is literal.
fn quoted(cursor: &mut Cursor<'_>, quote: char) -> Result<String, Problem> {
    let start = cursor.position();
    cursor.next();
    let mut text = String::new();
    while let Some(character) = cursor.next() {
        match (character, cursor.peek()) {
            ('\\', Some(escaped @ ('\\' | '\'' | '"'))) => {
                cursor.next();
                text.push(escaped);
            }
            (end, _) if end == quote => return Ok(text),
            (other, _) => text.push(other),
        }
    }
    Err(Problem::new(start, format!("the value is never closed: its quote {quote} is missing")))
}

fn describe_next(cursor: &Cursor<'_>) -> String {
    match cursor.peek() {
        None => "the end of the template".to_owned(),
        Some(_) if cursor.rest().starts_with("}}") => "`}}`".to_owned(),
        Some(character) => format!("`{character}`"),
    }
}
