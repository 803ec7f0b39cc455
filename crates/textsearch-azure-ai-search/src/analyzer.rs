//! The service's [analyzer](https://learn.microsoft.com/azure/search/index-add-language-analyzers)
//! for a language.

/// Words in lower case, without stems and stop words.
pub(crate) const PLAIN: &str = "standard.lucene";

/// Returns the name of the analyzer for an ISO 639-1 code, which may have a region; `None` if the
/// service has none.
pub(crate) fn analyzer(language: &str) -> Option<&'static str> {
    let code = language.to_ascii_lowercase().replace('_', "-");
    if code == "pt-br" {
        return Some("pt-BR.lucene");
    }
    Some(match code.split('-').next()? {
        "ar" => "ar.lucene",
        "da" => "da.lucene",
        "de" => "de.lucene",
        "el" => "el.lucene",
        "en" => "en.lucene",
        "es" => "es.lucene",
        "fi" => "fi.lucene",
        "fr" => "fr.lucene",
        "hu" => "hu.lucene",
        "it" => "it.lucene",
        "nb" | "nn" | "no" => "no.lucene",
        "nl" => "nl.lucene",
        "pt" => "pt-PT.lucene",
        "ro" => "ro.lucene",
        "ru" => "ru.lucene",
        "sv" => "sv.lucene",
        "ta" => "ta.microsoft",
        "tr" => "tr.lucene",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_their_analyzers() {
        let cases = [
            ("en", Some("en.lucene")),
            ("EN-gb", Some("en.lucene")),
            ("pt_BR", Some("pt-BR.lucene")),
            ("pt", Some("pt-PT.lucene")),
            ("nn", Some("no.lucene")),
            ("ta", Some("ta.microsoft")),
            ("az", None),
        ];
        for (language, expected) in cases {
            assert_eq!(analyzer(language), expected, "{language}");
        }
    }
}
