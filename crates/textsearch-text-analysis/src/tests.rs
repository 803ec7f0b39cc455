//! Tests of texts in many languages.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::{Analyzer, words::is_joint};

fn terms(language: Option<&str>, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    Analyzer::new(language).for_each_term(text, |term, _| terms.push(term.to_owned()));
    terms
}

#[test]
fn words_are_folded_to_lower_case_in_every_script() {
    assert_eq!(terms(None, "Straße ÉTÉ Ωμέγα МОСКВА"), ["straße", "été", "ωμέγα", "москва"]);
}

#[test]
fn a_joined_word_is_found_whole_and_by_its_parts() {
    assert_eq!(terms(None, "snake_case"), ["snake_case", "snake", "case"]);
    assert_eq!(terms(None, "std.fs"), ["std.fs", "std", "fs"]);
    assert_eq!(terms(None, "_private"), ["_private", "private"]);
}

#[test]
fn numbers_stay_whole() {
    assert_eq!(terms(None, "3.14 1,000 1.2.3"), ["3.14", "1,000", "1.2.3"]);
}

#[test]
fn stems_join_the_forms_of_a_word() {
    assert_eq!(terms(Some("en"), "connections connected"), ["connect", "connect"]);
    assert_eq!(terms(Some("de"), "Häuser Haus"), ["haus", "haus"]);
    assert_eq!(terms(None, "connections"), ["connections"]);
}

#[test]
fn articles_before_an_apostrophe_are_cut_off() {
    assert_eq!(terms(Some("fr"), "l’homme qu'il"), terms(Some("fr"), "homme il"));
    assert_eq!(terms(Some("it"), "dell'acqua"), terms(Some("it"), "acqua"));
    assert_eq!(terms(None, "l'homme"), ["l'homme"]);
}

#[test]
fn scripts_without_spaces_split_into_characters() {
    assert_eq!(terms(None, "全文検索"), ["全", "文", "検", "索"]);
    assert_eq!(terms(None, "คน"), ["ค", "น"]);
    assert_eq!(terms(None, "データ"), ["データ"]);
    assert_eq!(terms(None, "검색 엔진"), ["검색", "엔진"]);
}

#[test]
fn combining_accents_do_not_split_words() {
    assert_eq!(terms(None, "cafe\u{301}s"), ["cafe\u{301}s"]);
    assert_eq!(terms(None, "हिन्दी"), ["हिन्दी"]);
}

#[test]
fn turkish_distinguishes_dotted_and_dotless_i() {
    assert_eq!(terms(Some("tr"), "ISPARTA")[0].chars().next(), Some('ı'));
    assert_eq!(terms(Some("tr"), "İzmir")[0].chars().next(), Some('i'));
}

#[test]
fn turkish_names_with_either_apostrophe_are_one_word() {
    for code in ["tr", "az"] {
        assert_eq!(terms(Some(code), "İstanbul’da"), terms(Some(code), "istanbul'da"));
        assert_eq!(terms(Some(code), "Isparta’nın"), terms(Some(code), "ısparta'nın"));
    }
}

proptest::proptest! {
    #[test]
    fn any_text_has_terms_in_every_language(text in "\\PC{0,40}", ending in "[\\PC']{1,3}(ing|ly|s|en|的|ние|ler|ுகள்|ات|ισμος)") {
        let codes = [
            "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "ta", "tr",
        ];
        for code in codes {
            let long_terms = terms(Some(code), &format!("{text} {ending}"));
            assert!(long_terms.iter().all(|term| term.len() <= 400), "{code}: {long_terms:?}");
        }
    }
}

proptest::proptest! {
    #[test]
    fn english_terms_match_the_library_stems(
        text in "([a-zA-Z]{1,9}(s|ed|ing|ly|ness|'s|’S|ies)?[ ,._'’-]|\\PC{1,3}|[0-9._]{1,3} ?){0,12}",
    ) {
        let stemmer = Stemmer::create(Algorithm::English);
        let stem = |word: &str| match word.len() {
            ..=64 => stemmer.stem(word).into_owned(),
            _ => word.to_owned(),
        };
        let mut expected = Vec::new();
        for word in text.unicode_words() {
            let word = word.to_lowercase().replace('\u{2019}', "'");
            expected.push(stem(&word));
            if word.contains(is_joint) {
                let parts = word.split(is_joint).filter(|part| part.contains(char::is_alphabetic));
                expected.extend(parts.map(stem));
            }
        }
        assert_eq!(terms(Some("en"), &text), expected);
    }
}

#[test]
fn a_text_without_words_has_no_terms() {
    assert!(terms(Some("en"), " ... !? \n").is_empty());
}

/// Stores keep terms with the version, and compare it when they are opened.
#[test]
fn changed_terms_need_another_version() {
    let text = "The Cats weren't RUNNING; snake_case 3.14 naïve, straße, ÉTÉ «l'amour» \
                бегущие кошки, μεγάλη πόλη, القطط الكبيرة, பூனைகள் 東京の猫 kedilerin";
    let codes = [
        "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru",
        "sv", "ta", "tr",
    ];
    let languages = codes.into_iter().map(Some).chain([None]);
    let terms = languages.flat_map(|language| terms(language, text)).collect::<Vec<_>>().join(" ");
    // FNV-1a.
    let hash = terms.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    // If this fails, raise the version and write the new hash.
    assert_eq!((Analyzer::VERSION, hash), (1, 0x2622_cf93_bccc_3f6f));
}
