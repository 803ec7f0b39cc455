//! Definitions in source code, by the grammars of [tree-sitter](https://tree-sitter.github.io).

use std::{
    cmp::Reverse,
    collections::HashSet,
    ops::{ControlFlow, Range},
    sync::OnceLock,
    time::{Duration, Instant},
};

use tree_sitter::{
    Language, ParseOptions, ParseState, Parser, Query, QueryCursor, QueryCursorOptions,
    QueryCursorState, StreamingIterator as _,
};

use crate::{Section, SectionHeading};

/// Larger files are mostly data or generated. A tree takes a hundred times the memory of its text.
const MAX_BYTES: usize = 256 << 10;

/// For each of parsing and searching.
const MAX_TIME: Duration = Duration::from_secs(1);

/// A file with more is generated. Each begins a chunk.
const MAX_DEFINITIONS: usize = 10_000;

/// Each section below a name repeats it.
const MAX_NAME_CHARACTERS: usize = 200;

/// For patterns with many comments.
const MAX_OPEN_MATCHES: u32 = 1024;

struct Grammar {
    extensions: &'static [&'static str],
    language: fn() -> Language,
    /// Their captures are those of
    /// [code navigation](https://tree-sitter.github.io/tree-sitter/4-code-navigation.html).
    queries: &'static [&'static str],
    query: OnceLock<Option<Query>>,
}

static GRAMMARS: [Grammar; 7] = [
    Grammar::new(&["c", "h"], || tree_sitter_c::LANGUAGE.into(), &[C]),
    Grammar::new(&["go"], || tree_sitter_go::LANGUAGE.into(), &[tree_sitter_go::TAGS_QUERY]),
    Grammar::new(
        &["java"],
        || tree_sitter_java::LANGUAGE.into(),
        &[tree_sitter_java::TAGS_QUERY, JAVA],
    ),
    Grammar::new(
        &["js", "mjs", "cjs", "jsx"],
        || tree_sitter_javascript::LANGUAGE.into(),
        &[tree_sitter_javascript::TAGS_QUERY],
    ),
    Grammar::new(
        &["py", "pyi"],
        || tree_sitter_python::LANGUAGE.into(),
        &[tree_sitter_python::TAGS_QUERY, DECORATED],
    ),
    Grammar::new(
        &["rs"],
        || tree_sitter_rust::LANGUAGE.into(),
        &[tree_sitter_rust::TAGS_QUERY, IMPLEMENTATION],
    ),
    // It reads TypeScript, too, but for casts before a value.
    Grammar::new(
        &["ts", "mts", "cts", "tsx"],
        || tree_sitter_typescript::LANGUAGE_TSX.into(),
        &[tree_sitter_javascript::TAGS_QUERY, tree_sitter_typescript::TAGS_QUERY],
    ),
];

/// The grammar's own query takes each declaration.
const C: &str = "
(function_definition declarator: (function_declarator declarator: (_) @name)) @definition.function
(function_definition declarator: (pointer_declarator declarator:
    (function_declarator declarator: (_) @name))) @definition.function
(struct_specifier name: (_) @name body: (_)) @definition.class
(union_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.type
(type_definition type: (struct_specifier !name) declarator: (_) @name) @definition.type
(type_definition type: (enum_specifier !name) declarator: (_) @name) @definition.type
";

const JAVA: &str = "
(enum_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(constructor_declaration name: (_) @name) @definition.method
";

const DECORATED: &str = "
(decorated_definition definition: (class_definition name: (_) @name)) @definition.class
(decorated_definition definition: (function_definition name: (_) @name)) @definition.function
";

const IMPLEMENTATION: &str = "(impl_item type: (_) @name) @definition.class";

/// Returns where each function, type or module begins, and the code between them. The headings are the
/// names. None for other extensions, in lower case.
pub(super) fn headings(extension: &str, text: &str) -> Vec<Section> {
    let grammar = GRAMMARS.iter().find(|grammar| grammar.extensions.contains(&extension));
    let definitions =
        grammar.filter(|_| text.len() <= MAX_BYTES).and_then(|grammar| grammar.read(text));
    let mut outline = Outline { text, sections: Vec::new(), open: Vec::new(), passed: 0 };
    for definition in definitions.unwrap_or_default() {
        outline.push(definition);
    }
    outline.end()
}

struct Definition {
    range: Range<usize>,
    name: Range<usize>,
    /// Definitions inside are local.
    is_function: bool,
}

impl Grammar {
    const fn new(
        extensions: &'static [&'static str],
        language: fn() -> Language,
        queries: &'static [&'static str],
    ) -> Self {
        Self { extensions, language, queries, query: OnceLock::new() }
    }

    /// Returns `None` if it takes too long. An outer definition comes first.
    fn read(&self, text: &str) -> Option<Vec<Definition>> {
        let language = (self.language)();
        let query = || Query::new(&language, &self.queries.join("\n")).ok();
        let query = self.query.get_or_init(query).as_ref()?;
        let mut parser = Parser::new();
        parser.set_language(&language).ok()?;
        let is_late = late();
        let mut is_parsing_late = |_: &ParseState| is_late();
        let options = ParseOptions::new().progress_callback(&mut is_parsing_late);
        let mut rest = |start: usize, _| text.as_bytes().get(start..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut rest, None, Some(options))?;
        let is_late = late();
        let mut is_searching_late = |_: &QueryCursorState| is_late();
        let options = QueryCursorOptions::new().progress_callback(&mut is_searching_late);
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MAX_OPEN_MATCHES);
        let bytes = text.as_bytes();
        let mut matches = cursor.matches_with_options(query, tree.root_node(), bytes, options);
        let mut definitions = Vec::new();
        while let Some(captures) = matches.next().map(|pattern| pattern.captures()) {
            let mut name = None;
            let mut definition = None;
            for capture in captures {
                let kind = *query.capture_names().get(capture.index as usize)?;
                match kind.split_once('.').unwrap_or((kind, "")) {
                    ("name", _) => name = Some(capture.node.byte_range()),
                    // Lines of values stay together.
                    ("definition", "constant") => {}
                    ("definition", kind) => {
                        let is_function = matches!(kind, "function" | "macro" | "method");
                        definition = Some((capture.node.byte_range(), is_function));
                    }
                    _ => {}
                }
            }
            if let Some((name, (range, is_function))) = name.zip(definition) {
                definitions.push(Definition { range, name, is_function });
            }
        }
        definitions.sort_by_key(|Definition { range, .. }| (range.start, Reverse(range.end)));
        // Several patterns match a method, or a definition with its decorators. A definition may have several names.
        let mut names = HashSet::new();
        definitions.retain(|definition| names.insert(definition.name.start));
        definitions.dedup_by_key(|definition| definition.range.clone());
        // Part of the definitions would depend on how busy the machine is.
        let is_whole = is_late().is_continue();
        (is_whole && definitions.len() <= MAX_DEFINITIONS).then_some(definitions)
    }
}

fn late() -> impl Fn() -> ControlFlow<()> {
    let deadline = Instant::now() + MAX_TIME;
    move || {
        if Instant::now() > deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

struct Outline<'text> {
    text: &'text str,
    sections: Vec<Section>,
    /// From the outermost.
    open: Vec<Definition>,
    /// The end of the last definition, or of the name of the last open one.
    passed: usize,
}

impl Outline<'_> {
    fn push(&mut self, definition: Definition) {
        let Range { start, .. } = definition.range;
        let has_ended = self.close_before(start);
        if self.open.iter().any(|outer| outer.is_function) {
            return;
        }
        let first_line = self.first_line(start);
        if has_ended {
            self.push_between(first_line);
        }
        self.push_section(first_line, self.open.len() + 1, definition.name.clone());
        self.passed = definition.name.end;
        self.open.push(definition);
    }

    fn end(mut self) -> Vec<Section> {
        let end = self.text.len();
        if self.close_before(end) {
            self.push_between(end);
        }
        self.sections
    }

    /// Returns whether a definition ended.
    fn close_before(&mut self, position: usize) -> bool {
        let ended = self.open.iter().filter(|outer| outer.range.end <= position);
        let last_end = ended.map(|outer| outer.range.end).max();
        self.open.retain(|outer| outer.range.end > position);
        self.passed = self.passed.max(last_end.unwrap_or(0));
        last_end.is_some()
    }

    /// Code after a definition belongs to the outer one, or to the file.
    fn push_between(&mut self, end: usize) {
        let rest = self.text.get(self.passed..end).unwrap_or_default();
        let Some(newline) = rest.find('\n') else { return };
        if rest.split_at(newline).1.contains(char::is_alphanumeric) {
            let name = self.open.last().map_or(0..0, |outer| outer.name.clone());
            self.push_section(self.passed + newline + 1, self.open.len().max(1), name);
        }
    }

    fn push_section(&mut self, start: usize, level: usize, name: Range<usize>) {
        let name = self.text.get(name).unwrap_or_default();
        let name: String = name.chars().take(MAX_NAME_CHARACTERS).collect();
        let text = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let heading = Some(SectionHeading { level, text });
        self.sections.push(Section { start, heading, locator: None });
    }

    /// Returns the start of the comments and attributes above a definition.
    fn first_line(&self, start: usize) -> usize {
        // A name may follow its body.
        let passed = self.passed.min(start);
        let before = self.text.get(passed..start).unwrap_or_default();
        let mut first = before.rfind('\n').map_or(before.len(), |newline| newline + 1);
        for line in before.split_at(first).0.split_inclusive('\n').rev() {
            let signs = ["//", "/*", "*", "#", "@"];
            // The first one is the rest of another line.
            let is_rest = first == line.len() && passed > 0;
            if is_rest || !signs.iter().any(|sign| line.trim_start().starts_with(sign)) {
                break;
            }
            first -= line.len();
        }
        passed + first
    }
}
