//! Refuses references that the library's grammar reads in exponential time.

use super::FILTER;

/// The most parentheses, and the most filters, of one reference.
const MAX_NESTED: usize = 8;

/// The library's grammar reads the arguments of a function in three ways, and each of their
/// functions again: 3^n for n of them.
pub(super) fn refuse_backtracking(text: &str) -> Result<(), String> {
    let (mut groups, mut filters) = (0, 0);
    let mut quote = None;
    // The last character outside quotes that is no space.
    let mut last = ' ';
    let mut rest = text.chars();
    while let Some(one) = rest.next() {
        match (quote, one) {
            (Some(_), '\\') => {
                rest.next();
            }
            (Some(open), _) if open == one => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(one),
            (None, '(') if last.is_alphanumeric() || last == '_' => return Err(FILTER.to_owned()),
            (None, '(') => groups += 1,
            (None, '?') => filters += 1,
            (None, _) => {}
        }
        if !one.is_whitespace() {
            last = one;
        }
    }
    if groups > MAX_NESTED || filters > MAX_NESTED {
        return Err(format!(
            "has more than {MAX_NESTED} parentheses or filters; use a shorter path"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{LONGEST, Reference};

    #[test]
    fn nested_references_are_refused_soon() {
        for nested in
            ["in(", "in (", "!length(", "(", "!(", "@.a[?", "@[0, ?", "@['a(', ?(", "'(', in("]
        {
            for start in ["$.item[?", "$.item['a'][?", "$.item[?@.a == 'x\\'(' && "] {
                let text = format!("{start}{}", nested.repeat(80));
                let text = text.get(..LONGEST.min(text.len())).unwrap().to_owned();
                let (sender, receiver) = std::sync::mpsc::channel();
                let parsed = text.clone();
                std::thread::spawn(move || sender.send(Reference::parse(&parsed).is_err()));
                let is_refused = receiver.recv_timeout(std::time::Duration::from_secs(20));
                assert_eq!(is_refused, Ok(true), "{text}");
            }
        }
    }
}
