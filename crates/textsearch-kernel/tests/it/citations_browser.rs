//! What a browser makes of an answer, and that the check of citations reports every address in it.

use dom_query::Document;
use proptest::{prelude::*, sample::select};
use pulldown_cmark::{Options, Parser, html::push_html};
use textsearch_kernel::{
    citations::{Sources, check_citations},
    textsearch_core::TextSearchResult,
};
use url::Url;

/// The attributes whose whole value is an address.
const ATTRIBUTES: [&str; 9] =
    ["href", "src", "action", "formaction", "poster", "data", "background", "cite", "xlink:href"];

fn base() -> Url {
    Url::parse("http://shown.example/chat/").unwrap()
}

fn sources() -> Sources {
    [TextSearchResult::new("a").with_link("https://known.example/1")].iter().collect()
}

/// The addresses in the tree that html5ever builds from the rendered answer, and one for each event handler.
fn addresses(answer: &str) -> Vec<Url> {
    let mut html = String::new();
    let options = Options::ENABLE_FOOTNOTES | Options::ENABLE_TABLES;
    push_html(&mut html, Parser::new_ext(answer, options));
    let document = Document::from(html);
    let mut found = Vec::new();
    for node in document.select("*").nodes() {
        for attribute in node.attrs() {
            let (name, value) = (attribute.name.local.as_ref(), attribute.value.as_ref());
            if ATTRIBUTES.contains(&name) && !value.trim_start().starts_with('#') {
                found.extend(base().join(value).ok());
            }
            if name.starts_with("on") {
                found.extend(Url::parse("javascript:handler"));
            }
            if name == "style" {
                // The generated styles hold one address each, and it is not escaped.
                let address = value.split_once("url(").and_then(|(_, rest)| rest.split_once(')'));
                let address = address.map(|(address, _)| address.trim_matches(['"', '\'', ' ']));
                found.extend(address.and_then(|address| base().join(address).ok()));
            }
        }
    }
    // What stays on the page that shows the answer goes to nobody else.
    found.retain(|url| url.host_str() != base().host_str() && url.scheme() != "mailto");
    found
}

/// The targets in `answer` that are not supported, as a browser resolves them.
fn unsupported(answer: &str) -> Vec<Option<Url>> {
    let citations = check_citations(answer, &sources()).into_iter();
    let unsupported = citations.filter(|one| !one.is_supported());
    unsupported.map(|one| base().join(&one.target).ok()).collect()
}

/// Whether a browser goes to the one source alone, whatever the part of it and the scheme.
fn is_known(url: &Url) -> bool {
    url.host_str() == Some("known.example")
        && url.path().trim_end_matches('/') == "/1"
        && url.query().is_none()
}

#[test]
fn the_tree_of_an_answer_holds_its_addresses() {
    let found =
        addresses("[a](https://evil.example) <a href=\"https:&sol;&sol;evil.example/x\">x</a>");
    let found: Vec<_> = found.iter().map(Url::as_str).collect();
    assert_eq!(found, ["https://evil.example/", "https://evil.example/x"]);
}

fn piece() -> impl Strategy<Value = String> {
    let fixed = select(vec![
        "<a href=",
        "<img src=",
        "<p>",
        "</p>",
        "<div ",
        "<b style=",
        "<!-- ",
        "-->",
        "<style>",
        "</style>",
        "background:url(",
        ")",
        "https://evil.example/x",
        "https://known.example/1",
        "//evil.example/x",
        "\\\\evil.example/x",
        "https:&sol;&sol;evil.example/x",
        "ht&Tab;tps://evil.example/x",
        "&#x2f;&#47evil.example/x",
        "https:evil.example/x",
        "\"",
        "'",
        "`",
        "=",
        ">",
        "<",
        "/",
        " ",
        "\n",
        "\n\n",
        "#",
        "*",
        "**",
        "_",
        "[",
        "](",
        "![",
        "]: ",
        "&quot;",
        "&amp;",
        "title=",
        "alt='",
        "x",
        "- ",
        "    ",
        "<svg><a xlink:href=",
        "<form action=",
        "<video poster=",
        "<textarea>",
        "</textarea>",
        "<title>",
        "<template>",
        "<br>",
        "&lt;a href=",
        "@",
        "<iframe title='",
        "<link title='\n\n' rel=stylesheet",
        " src=",
        " href=",
        " onload=",
        "`",
        "{}",
        "\u{a0}",
    ]);
    fixed.prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_answer_with_an_unknown_address_in_its_tree_passes(pieces in prop::collection::vec(piece(), 1..14)) {
        let answer = pieces.concat();
        let mut unknown = addresses(&answer);
        unknown.retain(|url| !is_known(url));
        // The end of an address may be reported otherwise where tags are broken, but it never passes.
        prop_assert!(
            unknown.is_empty() || !unsupported(&answer).is_empty(), "{:?}: {:?}", answer, unknown
        );
    }

    #[test]
    fn an_encoded_address_in_an_attribute_is_reported(
        name in select(&ATTRIBUTES[..]),
        quote in select(&["\"", "'"][..]),
        encodings in prop::collection::vec(0_u8..5, 22),
        scheme in select(&["https://", "//", "https:", "\\\\", "https:/"][..]),
        is_inline in any::<bool>(),
    ) {
        let address = format!("{scheme}evil.example/x");
        let encoded: String = address.chars().zip(encodings.into_iter().cycle()).map(|(one, how)| {
            let number = u32::from(one);
            match (how, one) {
                (0, _) => format!("&#{number};"),
                (1, _) => format!("&#x{number:X};"),
                (2, _) => format!("&#000{number};"),
                (3, '/') => "&sol;".to_owned(),
                (3, ':') => "&colon;".to_owned(),
                (3, '.') => "&period;".to_owned(),
                _ => one.to_string(),
            }
        }).collect();
        let before = if is_inline { "so " } else { "" };
        let answer = format!("{before}<a {name}={quote}{encoded}{quote}>x</a>");
        let expected = base().join(&address).unwrap();
        prop_assert_eq!(expected.host_str(), Some("evil.example"));
        prop_assert_eq!(addresses(&answer), vec![expected.clone()]);
        let found = unsupported(&answer);
        // Other attributes than `href` are refused with their tag.
        prop_assert!(found.contains(&Some(expected)) || name != "href", "{:?}", answer);
        prop_assert!(!found.is_empty(), "{:?}", answer);
    }
}
