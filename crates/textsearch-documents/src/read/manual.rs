//! Manual pages, as [man](https://man7.org/linux/man-pages/man7/man.7.html) and
//! [mdoc](https://man.openbsd.org/mdoc.7).

use crate::{Document, DocumentFormat};

/// Keeps the text of the page, with its headings.
pub(super) fn read(text: &str, document: &mut Document) {
    document.format = DocumentFormat::PlainText;
    for line in text.lines() {
        let Some(request) = line.strip_prefix(['.', '\'']) else {
            push_words(&mut document.text, line);
            continue;
        };
        let (name, arguments) = request.split_once(' ').unwrap_or((request, ""));
        // Quotes hold arguments together.
        let words = plain(&arguments.replace('"', ""));
        match name.trim() {
            "TH" | "Dt" => document.name = words.split(' ').next().map(str::to_owned),
            "SH" | "Sh" => document.push_heading(1, &words),
            "SS" | "Ss" => document.push_heading(2, &words),
            "PP" | "P" | "LP" | "Pp" | "sp" | "TP" | "HP" | "IP" | "It" | "br" | "Bl" | "El" => {
                document.text.push_str("\n\n");
                push_words(&mut document.text, if name == "IP" { "" } else { &words });
            }
            // Comments and settings have no text.
            name if name.starts_with(['\\', '"']) || is_setting(name) => {}
            _ => push_words(&mut document.text, &words),
        }
    }
}

fn is_setting(name: &str) -> bool {
    matches!(
        name,
        "" | "ad"
            | "as"
            | "de"
            | "ds"
            | "el"
            | "fi"
            | "ft"
            | "hy"
            | "ie"
            | "if"
            | "ig"
            | "in"
            | "ll"
            | "mso"
            | "ne"
            | "nf"
            | "nh"
            | "nr"
            | "nop"
            | "rm"
            | "rr"
            | "so"
            | "ta"
            | "tr"
            | "Dd"
            | "Os"
            | "PD"
            | "RE"
            | "RS"
            | "UC"
            | "AT"
            | "EE"
            | "EX"
            | "UE"
            | "ME"
            | "YS"
            | "SY"
            | "TS"
            | "TE"
    )
}

fn push_words(text: &mut String, line: &str) {
    let words = plain(line);
    if !words.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push(' ');
        }
        text.push_str(&words);
    }
}

/// Resolves escapes, and drops those for fonts, sizes and spaces.
fn plain(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => match rest.next() {
                Some('-') => plain.push('-'),
                Some('e' | '\\') => plain.push('\\'),
                Some(' ' | '~' | '0') => plain.push(' '),
                Some('"') => break,
                Some('f' | '*' | 'n' | 's' | 'm' | 'F') => skip_name(&mut rest),
                Some('(') => {
                    let name: String = rest.by_ref().take(2).collect();
                    plain.push_str(glyph(&name));
                }
                Some('[') => {
                    let name: String = rest.by_ref().take_while(|c| *c != ']').collect();
                    plain.push_str(glyph(&name));
                }
                _ => {}
            },
            character => plain.push(character),
        }
    }
    plain.trim().to_owned()
}

/// The name is one character, two after `(`, or any number in brackets.
fn skip_name(rest: &mut std::str::Chars<'_>) {
    match rest.next() {
        Some('(') => drop(rest.nth(1)),
        Some('[') => drop(rest.find(|c| *c == ']')),
        Some('+' | '-') => drop(rest.next()),
        _ => {}
    }
}

/// See [groff_char](https://man7.org/linux/man-pages/man7/groff_char.7.html).
fn glyph(name: &str) -> &'static str {
    match name {
        "aq" | "cq" => "'",
        "oq" => "‘",
        "lq" => "“",
        "rq" => "”",
        "dq" => "\"",
        "em" => "—",
        "en" => "–",
        "hy" | "mi" => "-",
        "bu" => "•",
        "co" => "©",
        "ha" => "^",
        "ti" => "~",
        "rs" => "\\",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_becomes_text_with_headings() {
        let page = ".\\\" comment\n.TH LS 1 \"2026\"\n.SH NAME\nls \\- list files\n.SH OPTIONS\n.TP\n\
                    .B \\-a\nShow \\fIall\\fP \\(lqhidden\\(rq files.\n.PP\nEnd.\n";
        let mut document = Document::plain_text("a", "");
        read(page, &mut document);
        assert_eq!(document.name.as_deref(), Some("LS"));
        assert_eq!(
            document.text,
            "NAME\nls - list files\n\nOPTIONS\n\n\n-a Show all “hidden” files.\n\nEnd."
        );
        let headings: Vec<_> =
            document.sections.iter().filter_map(|section| section.heading.clone()).collect();
        assert_eq!(
            headings.iter().map(|heading| heading.text.as_str()).collect::<Vec<_>>(),
            ["NAME", "OPTIONS"]
        );
    }
}
