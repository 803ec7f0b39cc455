//! Fenced code that many interfaces render as a picture, a formula or a page.

use std::ops::Range;

/// First words of info strings, in lower case.
const LANGUAGES: &[&str] = &[
    "asciimath",
    "chart",
    "d2",
    "ditaa",
    "dot",
    "echarts",
    "excalidraw",
    "flow",
    "flowchart",
    "geojson",
    "graphviz",
    "gv",
    "htm",
    "html",
    "katex",
    "latex",
    "markdown",
    "markmap",
    "math",
    "mathml",
    "md",
    "mermaid",
    "nomnoml",
    "pikchr",
    "plantuml",
    "puml",
    "sequence",
    "stl",
    "svg",
    "tex",
    "tikz",
    "topojson",
    "typst",
    "uml",
    "vega",
    "vega-lite",
    "vegalite",
    "viz",
    "wavedrom",
    "xhtml",
];

/// XML namespaces, which no client fetches.
const NAMESPACES: &[&str] = &[
    "http://www.w3.org/1998/Math/MathML",
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/2000/svg",
];

const SCHEMES: &[&str] = &["http:", "https:", "ws:", "wss:", "ftp:"];

pub(super) fn is_rendered(info: &str) -> bool {
    let info = info.trim_start_matches(|one: char| !one.is_ascii_alphanumeric());
    let is_end = |one: char| !one.is_ascii_alphanumeric() && one != '-';
    let language = info.split(is_end).next().unwrap_or_default().to_ascii_lowercase();
    LANGUAGES.contains(&language.as_str())
}

/// Includes URLs that browsers repair (`https:evil.example`) and URLs without a scheme
/// (`//evil.example`).
pub(super) fn urls(code: &str) -> Vec<Range<usize>> {
    let lower = code.to_ascii_lowercase();
    let schemes = SCHEMES.iter().flat_map(|scheme| lower.match_indices(scheme));
    let mut starts: Vec<_> =
        schemes.chain(lower.match_indices(is_slash)).map(|(start, _)| start).collect();
    starts.sort_unstable();
    let mut found = Vec::new();
    let mut end = 0;
    for start in starts {
        let rest = lower.get(start..).unwrap_or_default();
        if start >= end && begins_url(rest) {
            end = start + length(lower.get(..start).unwrap_or_default(), rest);
            if !NAMESPACES.contains(&code.get(start..end).unwrap_or_default()) {
                found.push(start..end);
            }
        }
    }
    found
}

fn is_slash(one: char) -> bool {
    matches!(one, '/' | '\\')
}

/// With a scheme, slashes and a host, or two of the three.
fn begins_url(text: &str) -> bool {
    let scheme = SCHEMES.iter().find(|scheme| text.starts_with(**scheme)).map_or(0, |it| it.len());
    let rest = text.get(scheme..).unwrap_or_default();
    let slashes = rest.chars().take(3).take_while(|one| is_slash(*one)).count();
    let host = rest.get(slashes..).unwrap_or_default();
    let mut host = host.chars().take(MAX_HOST).take_while(|one| is_host(*one)).peekable();
    let has_begun = host.peek().is_some_and(|one| one.is_alphanumeric() || *one == '[');
    let is_full = scheme > 0 && slashes > 1;
    has_begun && (scheme > 0 || slashes > 1) && (is_full || host.any(|one| ".:%".contains(one)))
}

const MAX_HOST: usize = 253;

/// In bytes.
const MAX_QUOTED: usize = 1_024;

fn is_host(one: char) -> bool {
    one.is_alphanumeric() || ".-_:%[]@".contains(one)
}

/// Ends at the delimiter that closes the one before the URL, or else at white space.
fn length(before: &str, rest: &str) -> usize {
    let close = match before.trim_end().bytes().next_back() {
        Some(quote @ (b'"' | b'\'' | b'`' | b'|')) => Some(quote),
        Some(b'(') => Some(b')'),
        Some(b'{') => Some(b'}'),
        _ => None,
    };
    let close = close.and_then(|close| rest.bytes().take(MAX_QUOTED).position(|one| one == close));
    let is_end = |one: char| one.is_ascii_whitespace() || matches!(one, '<' | '>');
    let end = close.or_else(|| rest.find(is_end)).unwrap_or(rest.len());
    let url = rest.get(..end).unwrap_or_default().trim_end();
    let is_around = |one: char| matches!(one, '"' | '\'' | '`' | ')' | ']' | '}' | '.' | ',' | ';');
    if close.is_some() { url.len() } else { url.trim_end_matches(is_around).len() }
}
