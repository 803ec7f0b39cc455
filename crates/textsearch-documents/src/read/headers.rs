//! Recognises mail by its headers.

/// Takes the head of a file.
pub(super) fn is_message(head: &[u8]) -> bool {
    let names = header_names(head);
    let has = |name: &&str| names.iter().any(|known| known.eq_ignore_ascii_case(name.as_bytes()));
    let is_delivered = ["Delivered-To", "Received", "Return-Path"].iter().any(has);
    let is_written = has(&"From") && ["Date", "Message-ID", "MIME-Version"].iter().any(has);
    names.len() > 1 && (is_delivered || is_written)
}

/// Takes the head of a file: a `From ` line, then a message.
pub(super) fn is_mailbox(head: &[u8]) -> bool {
    let rest = head.strip_prefix(b"From ").and_then(|line| {
        let end = line.iter().position(|byte| *byte == b'\n')?;
        line.get(end + 1..)
    });
    rest.is_some_and(is_message)
}

/// Returns nothing if a line before the first blank one is no header. The last line may be cut.
fn header_names(head: &[u8]) -> Vec<&[u8]> {
    let mut names = Vec::new();
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii().is_empty() {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            continue;
        }
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        if !name.is_empty() && name.len() < line.len() && name.iter().all(u8::is_ascii_graphic) {
            names.push(name);
        } else if line.ends_with(b"\n") {
            return Vec::new();
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_recognised_by_its_headers() {
        let head = b"Received: from a\n\tby b\nSubject: Tea\nFro";
        assert!(is_message(head));
        assert!(is_message(b"From: a@b\r\nDate: today\r\n\r\nText: x"));
        assert!(is_mailbox(b"From a@b Mon Jan 1\nFrom: a@b\nDate: today\n\n"));
        for text in
            ["From: me\nTo: you\n", "From: me\nDate\n", "Received: yes", "From here\non", ""]
        {
            assert!(!is_message(text.as_bytes()) && !is_mailbox(text.as_bytes()), "{text}");
        }
    }
}
