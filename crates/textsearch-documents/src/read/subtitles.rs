//! Subtitles, as SubRip and [WebVTT](https://www.w3.org/TR/webvtt1/).

use crate::{Document, DocumentFormat, Locator};

/// A new section begins after so many seconds, so that a link leads close to the words.
const MAX_SECONDS: u64 = 60;

/// Keeps the spoken words, located by [media fragments](https://www.w3.org/TR/media-frags/) such as
/// `t=75`.
pub(super) fn read(text: &str, document: &mut Document) {
    document.format = DocumentFormat::PlainText;
    let mut last = None;
    for cue in text.replace("\r\n", "\n").split("\n\n") {
        let mut lines = cue.lines().skip_while(|line| !line.contains("-->"));
        let Some(start) = lines.next().and_then(seconds) else { continue };
        let words: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
        if words.is_empty() {
            continue;
        }
        let words = without_tags(&words.join(" ")) + "\n";
        if last.is_none_or(|last| start.abs_diff(last) >= MAX_SECONDS) {
            document.push_section(Locator::Fragment(format!("t={start}")), &words);
            last = Some(start);
        } else {
            document.text.push_str(&words);
        }
    }
}

/// Takes `01:02:03,500 --> 01:02:05,000`; the hours may be missing.
fn seconds(line: &str) -> Option<u64> {
    let (start, _) = line.split_once("-->")?;
    let whole = start.trim().split(['.', ',']).next()?;
    whole.split(':').try_fold(0_u64, |sum, part| {
        let part: u64 = part.parse().ok()?;
        sum.checked_mul(60)?.checked_add(part)
    })
}

fn without_tags(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        let Some((_, after)) = tag.split_once('>') else { return plain + "<" + tag };
        rest = after;
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_located_by_seconds() {
        let text = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<v Ann>Hello\nthere.\n\n\
                    00:05.000 --> 00:06.000\nMore.\n\n01:00:07,500 --> 01:00:09,000\nEnd.\n";
        let mut document = Document::plain_text("a", "");
        read(text, &mut document);
        assert_eq!(document.text, "Hello there.\nMore.\nEnd.\n");
        let sections: Vec<_> = document
            .sections
            .iter()
            .map(|section| (section.start, section.locator.clone()))
            .collect();
        let at = |seconds: &str| Some(Locator::Fragment(seconds.to_owned()));
        assert_eq!(sections, [(0, at("t=1")), (19, at("t=3607"))]);
    }
}
