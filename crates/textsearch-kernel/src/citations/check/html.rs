//! Raw HTML in an answer.

use std::ops::Range;

/// Elements that only format. Without attributes, their tags load and run nothing.
const FORMATTING: &str = "b blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p \
    pre q s samp small span strong sub sup table tbody td th thead tr u ul var";

/// Splits HTML into its texts. `None` if it has other markup than tags that only format.
pub(super) fn texts(html: &str) -> Option<Vec<Range<usize>>> {
    let mut texts = Vec::new();
    let mut start = 0;
    let mut rest = html;
    while let Some((text, markup)) = rest.split_once('<') {
        let (tag, after) = markup.split_once('>')?;
        is_formatting(tag).then_some(())?;
        texts.push(start..start + text.len());
        start = html.len() - after.len();
        rest = after;
    }
    texts.push(start..html.len());
    Some(texts)
}

fn is_formatting(tag: &str) -> bool {
    let name = tag.strip_prefix('/').unwrap_or(tag);
    let name = name.strip_suffix('/').unwrap_or(name).trim_ascii_end();
    FORMATTING.split(' ').any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_only_format_leave_the_text() {
        let html = "<p>a <B>b</B><br/>c<hr />";
        let texts: Vec<_> = texts(html).unwrap().into_iter().map(|range| &html[range]).collect();
        assert_eq!(texts.concat(), "a bc");
    }

    #[test]
    fn other_markup_is_refused() {
        for html in [
            "<script>",
            "<svg>",
            "<a href='https://a.example'>",
            "<img src=x>",
            "<b style=''>",
            "<b onclick=x>",
            "<div title='\n",
            "<div",
            "a < b",
            "<!-- a -->",
            "<!DOCTYPE html>",
            "<?php ?>",
            "<>",
        ] {
            let is_refused = texts(html).is_none();
            assert!(is_refused, "{html}");
        }
    }
}
