//! Template paths, split once at compile time.

use super::source;

#[derive(Debug, PartialEq)]
pub(super) struct Path {
    pub(super) start: Start,
    pub(super) names: Vec<Name>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Start {
    Root,
    /// The context of the block `up` levels out.
    This {
        up: usize,
        /// Not after `this.`, `./` and `../`.
        may_be_block_name: bool,
    },
    /// The loop `up` levels out.
    Loop {
        up: usize,
        variable: Option<LoopVariable>,
    },
}

/// For example `@index`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LoopVariable {
    First,
    Last,
    Index,
    Key,
}

#[derive(Debug, PartialEq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) index: Option<usize>,
}

impl Name {
    pub(super) fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let index = text.parse().ok();
        Self { text, index }
    }
}

impl Path {
    pub(super) fn new(raw: &str) -> Self {
        let raw = source::dots_as_path(raw).unwrap_or(raw);
        let local = ["this.", "this/", "./"].iter().find_map(|prefix| raw.strip_prefix(prefix));
        let mut rest = local.unwrap_or(raw);
        if let Some(after) = rest.strip_prefix("@root")
            && (after.is_empty() || after.starts_with(['.', '/']))
        {
            return Self { start: Start::Root, names: names(after) };
        }
        let of_loop = rest.strip_prefix('@');
        rest = of_loop.unwrap_or(rest);
        let mut up = 0;
        while let Some(after) = rest.strip_prefix("../").or_else(|| rest.strip_prefix("...")) {
            up += 1;
            rest = after;
        }
        let mut names = names(rest);
        if of_loop.is_none() {
            let may_be_block_name = local.is_none() && up == 0;
            return Self { start: Start::This { up, may_be_block_name }, names };
        }
        let variable = match names.first().map(|name| name.text.as_str()) {
            Some("first") => Some(LoopVariable::First),
            Some("last") => Some(LoopVariable::Last),
            Some("index") => Some(LoopVariable::Index),
            Some("key") => Some(LoopVariable::Key),
            _ => None,
        };
        names.drain(..names.len().min(1));
        Self { start: Start::Loop { up, variable }, names }
    }
}

/// At dots and slashes. A name in brackets may hold any character. Skips `this`.
fn names(mut rest: &str) -> Vec<Name> {
    let mut names = Vec::new();
    while !rest.is_empty() {
        rest = rest.trim_start_matches(['.', '/']);
        let (name, after) = match rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
            Some(split) => split,
            None => rest.split_at(rest.find(['.', '/']).unwrap_or(rest.len())),
        };
        if name != "this" {
            names.push(Name::new(name));
        }
        rest = after;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{LoopVariable, Path, Start};

    fn split(raw: &str) -> (Start, Vec<String>) {
        let path = Path::new(raw);
        (path.start, path.names.into_iter().map(|name| name.text).collect())
    }

    fn this(up: usize, may_be_block_name: bool) -> Start {
        Start::This { up, may_be_block_name }
    }

    #[test]
    fn paths_start_at_a_level_and_go_by_names() {
        let cases = [
            ("a", this(0, true), vec!["a"]),
            ("this", this(0, true), vec![]),
            ("this.a", this(0, false), vec!["a"]),
            ("./a/b", this(0, false), vec!["a", "b"]),
            ("../../a.this.[b.c].0", this(2, false), vec!["a", "b.c", "0"]),
            ("../this", this(1, false), vec![]),
            ("@root", Start::Root, vec![]),
            ("@root.a", Start::Root, vec!["a"]),
            ("this/@root/a", Start::Root, vec!["a"]),
            ("thistle", this(0, true), vec!["thistle"]),
        ];
        for (raw, start, names) in cases {
            assert_eq!(
                split(raw),
                (start, names.into_iter().map(str::to_owned).collect()),
                "{raw}"
            );
        }
    }

    #[test]
    fn loop_variables_have_levels_and_members() {
        let key = Start::Loop { up: 1, variable: Some(LoopVariable::Key) };
        assert_eq!(split("@../key.length"), (key, vec!["length".to_owned()]));
        assert_eq!(split("@other"), (Start::Loop { up: 0, variable: None }, vec![]));
    }
}
