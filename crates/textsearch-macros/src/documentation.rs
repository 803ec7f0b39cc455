//! Doc comments as descriptions.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comments up to the first heading, unchanged.
pub(crate) fn description(attributes: &[Attribute]) -> String {
    let text: Vec<String> = attributes.iter().filter_map(text_of).collect();
    before_headings(&text.join("\n"))
}

fn text_of(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if pair.path.is_ident("doc") => {
            let text = text.value();
            Some(text.strip_prefix(' ').map_or_else(|| text.clone(), str::to_owned))
        }
        _ => None,
    }
}

fn before_headings(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().take_while(|line| {
        is_code ^= line.trim_start().starts_with("```");
        is_code || !is_heading(line)
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    after.len() < line.len() && (after.is_empty() || after.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_ends_at_the_first_heading() {
        let text = "Gets the weather.\nFor today.\n\n# Errors\n\nIf there is none.";
        assert_eq!(before_headings(text), "Gets the weather.\nFor today.");
        assert_eq!(before_headings("# Errors\n\nAlways."), "");
        assert_eq!(before_headings("Answers #42.\n#hashtag"), "Answers #42.\n#hashtag");
    }

    #[test]
    fn ignores_a_hash_in_a_code_block() {
        let text = "Runs a script:\n```\n# comment\n```\nThat is all.\n## Errors";
        assert_eq!(before_headings(text), "Runs a script:\n```\n# comment\n```\nThat is all.");
    }
}
