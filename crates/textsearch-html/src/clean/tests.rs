//! Properties of cleaning that hold for every page.

use proptest::prelude::*;

use super::*;

const DEPTH: usize = 512;
const ELEMENTS: usize = 100_000;

/// Returns the remaining text, with a space after each piece.
fn text(html: &str) -> Result<String, Excess> {
    let mut seen = String::new();
    clean(html, &Limits::default(), &mut |piece| {
        if let Piece::Text(text) = piece {
            seen.extend([text, " "]);
        }
    })?;
    Ok(seen)
}

#[test]
fn depth_and_number_of_elements_are_limited() {
    assert_eq!(text(&"<div>".repeat(DEPTH)).map(|_| ()), Ok(()));
    assert_eq!(text(&"<div>".repeat(DEPTH + 1)), Err(Excess::Depth(DEPTH)));
    assert_eq!(text(&"<span><table><td></span>".repeat(DEPTH)), Err(Excess::Depth(DEPTH)));
    assert_eq!(text(&"<p>".repeat(ELEMENTS + 1)), Err(Excess::Elements(ELEMENTS)));
    let deep = "<div>".repeat(DEPTH);
    assert_eq!(text(&format!("{deep}{}", "</p>".repeat(ELEMENTS))), Err(Excess::Work(4_000_000)));
    assert_eq!(
        text(&format!("{deep}{}", "<br>".repeat(ELEMENTS / 2))),
        Err(Excess::Work(4_000_000))
    );
}

/// Whether each end matches the innermost open element, and none stays open.
fn is_well_nested(html: &str) -> bool {
    let (mut open, mut is_nested) = (Vec::new(), true);
    clean(html, &Limits::default(), &mut |piece| match piece {
        Piece::Start(start) => open.push(start.name),
        Piece::End(name) => is_nested &= open.pop() == Some(name),
        Piece::Void(..) | Piece::Raw(..) | Piece::Text(_) => {}
    })
    .unwrap();
    is_nested && open.is_empty()
}

proptest! {
    #[test]
    fn any_tag_soup_becomes_well_nested(
        soup in "(</?(div|p|ul|li|table|tr|td|span|a|b|h2|svg|template|style|script|br|body)( href=x| hidden| class='\"')?/?>|a|<|<!--|-->| |\\PC){0,60}",
    ) {
        prop_assert!(is_well_nested(&soup));
    }

    #[test]
    fn hidden_content_stays_hidden(
        soup in "(</?(p|ul|li|td|a|b|h2|svg|br)( href=x)?>|a| ){0,30}",
    ) {
        let cleaned = text(&format!("<div hidden>{soup}<i>secret</i></div>")).unwrap();
        prop_assert!(!cleaned.contains("secret"), "{}", cleaned);
    }
}
