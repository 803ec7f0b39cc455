//! Source code, cut at its definitions.

use std::time::{Duration, Instant};

use textsearch_documents::{Chunker, Document, ReadLimits};

/// Returns headings, lines and first line of each chunk.
fn chunks(name: &str, code: &str) -> Vec<(String, String, String)> {
    let document = Document::from_file("id", name, code.into(), &ReadLimits::default()).unwrap();
    let chunked = Chunker::default().chunk(&document).unwrap();
    assert_eq!(chunked.name, None);
    let chunks = chunked.chunks.into_iter().map(|chunk| {
        let first_line = chunk.text.lines().next().unwrap().to_owned();
        (chunk.heading_path.join(" > "), chunk.anchor.unwrap(), first_line)
    });
    chunks.collect()
}

fn check(name: &str, code: &str, expected: &[(&str, &str, &str)]) {
    let expected = expected.iter().map(|(headings, lines, text)| {
        ((*headings).to_owned(), (*lines).to_owned(), (*text).to_owned())
    });
    assert_eq!(chunks(name, code), expected.collect::<Vec<_>>());
}

#[test]
fn rust_is_cut_at_its_items() {
    let code = r#"//! A stack.

use std::fmt;

/// Of the smallest stack.
const SIZE: usize = 4;

/// Holds values.
#[derive(Debug, Clone)]
pub struct Stack<T> {
    values: Vec<T>,
}

#[test] fn short() {}

const LAST: usize = 5;

impl<T> Stack<T> {
    const MAX: usize = 9;

    /// Adds a value.
    pub fn push(&mut self, value: T) {
        fn local() {}
        self.values.push(value);
    }

    /// Removes a value.
    pub fn pop(&mut self) -> Option<T> {
        self.values.pop()
    }
}

mod tests {
    use super::*;

    #[test]
    fn is_empty() {}
}
"#;
    let expected = [
        ("", "L1-L6", "//! A stack."),
        ("Stack", "L8-L12", "/// Holds values."),
        ("short", "L14", "#[test] fn short() {}"),
        ("", "L16", "const LAST: usize = 5;"),
        ("Stack<T>", "L18-L19", "impl<T> Stack<T> {"),
        ("Stack<T> > push", "L21-L25", "/// Adds a value."),
        ("Stack<T> > pop", "L27-L31", "/// Removes a value."),
        ("tests", "L33-L34", "mod tests {"),
        ("tests > is_empty", "L36-L38", "#[test]"),
    ];
    check("stack.rs", code, &expected);
}

#[test]
fn python_is_cut_at_its_classes_and_functions() {
    let code = r#""""Greets."""
import sys

NAME = "Ada"
OTHER = "Bob"


class Greeter:
    """Says hello."""

    def __init__(self, name):
        self.name = name

    @property
    # In upper case.
    def loud(self):
        return self.name.upper()


@cached(
    size=3,
)
def main():
    def inner():
        pass
    Greeter(sys.argv[1])


if __name__ == "__main__":
    main()
"#;
    let expected = [
        ("", "L1-L5", "\"\"\"Greets.\"\"\""),
        ("Greeter", "L8-L9", "class Greeter:"),
        ("Greeter > __init__", "L11-L12", "def __init__(self, name):"),
        ("Greeter > loud", "L14-L17", "@property"),
        ("main", "L20-L26", "@cached("),
        ("", "L29-L30", "if __name__ == \"__main__\":"),
    ];
    check("greet.py", code, &expected);
}

#[test]
fn javascript_and_typescript_are_cut_alike() {
    let code = r#"import { a } from "./a.js";

/**
 * Counts.
 */
export class Counter {
  count = 0;

  // Adds one.
  add() {
    this.count += 1;
  }
}

export const double = (x) => {
  return x * 2;
};

function main() {
  console.log(double(2));
}
"#;
    let expected = [
        ("", "L1", "import { a } from \"./a.js\";"),
        ("Counter", "L3-L7", "/**"),
        ("Counter > add", "L9-L13", "// Adds one."),
        ("double", "L15-L17", "export const double = (x) => {"),
        ("main", "L19-L21", "function main() {"),
    ];
    check("counter.js", code, &expected);
    check("counter.ts", &code.replace("count = 0", "count: number = 0"), &expected);
    let code = "interface Shape {\n  area(): number;\n}\n\nexport function App(): JSX.Element {\n  return <b>hi</b>;\n}\n";
    let expected = [
        ("Shape", "L1", "interface Shape {"),
        ("Shape > area", "L2-L3", "area(): number;"),
        ("App", "L5-L7", "export function App(): JSX.Element {"),
    ];
    check("app.tsx", code, &expected);
}

#[test]
fn go_is_cut_at_its_declarations() {
    let code = "package main\n\nimport \"fmt\"\n\n// Server serves.\ntype Server struct {\n\tport int\n}\n\n// Run blocks.\nfunc (s *Server) Run() {\n\tfmt.Println(s.port)\n}\n\nfunc main() {\n\t(&Server{}).Run()\n}\n";
    let expected = [
        ("", "L1-L3", "package main"),
        ("Server", "L5-L8", "// Server serves."),
        ("Run", "L10-L13", "// Run blocks."),
        ("main", "L15-L17", "func main() {"),
    ];
    check("main.go", code, &expected);
}

#[test]
fn java_is_cut_at_its_members() {
    let code = "package a;\n\n/** A shape. */\n@Deprecated\npublic class Shape {\n    private int sides;\n\n    Shape(int sides) {\n        this.sides = sides;\n    }\n\n    @Override\n    public String toString() {\n        return \"shape\";\n    }\n\n    private static int count;\n\n    enum Kind { ROUND }\n}\n";
    let expected = [
        ("", "L1", "package a;"),
        ("Shape", "L3-L6", "/** A shape. */"),
        ("Shape > Shape", "L8-L10", "Shape(int sides) {"),
        ("Shape > toString", "L12-L15", "@Override"),
        ("Shape", "L17", "private static int count;"),
        ("Shape > Kind", "L19-L20", "enum Kind { ROUND }"),
    ];
    check("Shape.java", code, &expected);
}

#[test]
fn c_is_cut_at_its_definitions() {
    let code = "#include <stdio.h>\n\nint first(void);\nint second(void);\n\n/* A point. */\ntypedef struct {\n  int x;\n} point;\n\nstruct node {\n  struct node *next;\n};\n\n/* Adds. */\nstatic int\nadd(int a, int b)\n{\n  return a + b;\n}\n\nchar *name(void) { return \"x\"; }\n";
    let expected = [
        ("", "L1-L4", "#include <stdio.h>"),
        ("point", "L6-L9", "/* A point. */"),
        ("node", "L11-L13", "struct node {"),
        ("add", "L15-L20", "/* Adds. */"),
        ("name", "L22", "char *name(void) { return \"x\"; }"),
    ];
    check("a.c", code, &expected);
}

#[test]
fn names_may_follow_their_bodies() {
    let code =
        "typedef struct {\n struct a {int x;} p;\n struct b {int y;} q;\n} shape, *pointer;\n";
    let expected = [
        ("shape", "L1", "typedef struct {"),
        ("shape > a", "L2", "struct a {int x;} p;"),
        ("shape > b", "L3-L4", "struct b {int y;} q;"),
    ];
    check("a.c", code, &expected);
    let code = "@Module({\n  providers: [\n    {useFactory: () => 1},\n    {useFactory: () => 2}]})\nclass M {}\n";
    let expected = [
        ("M", "L1-L3", "@Module({"),
        ("M > useFactory", "L3", "useFactory: () => 1},"),
        ("M > useFactory", "L4-L5", "{useFactory: () => 2}]})"),
    ];
    check("m.ts", code, &expected);
    check("m.js", code, &expected);
}

#[test]
fn long_names_are_cut() {
    let items = "fn a(){}\nx!();\n".repeat(1000);
    let code = format!("impl {} {{\n{items}}}\n", "A".repeat(10_000));
    let document = Document::from_file("id", "a.rs", code.into(), &ReadLimits::default()).unwrap();
    let headings = document.sections.iter().filter_map(|section| section.heading.as_ref());
    let lengths: Vec<usize> = headings.map(|heading| heading.text.len()).collect();
    assert_eq!((lengths.len(), lengths.iter().max()), (2000, Some(&200)));
}

#[test]
fn code_that_cannot_be_parsed_is_kept() {
    for (name, code) in [("a.rs", "fn ( {{{ struct"), ("a.py", "class:\n"), ("b.c", "))) 1 (((")] {
        let document =
            Document::from_file("id", name, code.into(), &ReadLimits::default()).unwrap();
        let chunked = Chunker::default().chunk(&document).unwrap();
        let texts: String = chunked.chunks.iter().map(|chunk| chunk.own_text()).collect();
        assert_eq!(texts, code.trim_end());
    }
}

#[test]
fn hostile_code_takes_seconds_at_most() {
    for (name, start, repeated) in [
        ("a.rs", "fn f() { ", "("),
        ("a.rs", "", "mod a {"),
        ("a.js", "", "//\n"),
        ("a.py", "", "def a():0\n"),
    ] {
        let code = start.to_owned() + &repeated.repeat((250 << 10) / repeated.len());
        let began = Instant::now();
        let document = Document::from_file("id", name, code.into(), &ReadLimits::default());
        let sections = document.unwrap().sections.len();
        assert!(sections <= 20_001 && began.elapsed() < Duration::from_secs(20), "{repeated}");
    }
}
