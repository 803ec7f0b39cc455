//! The citation check reports every address that a browser finds in an answer.

use proptest::{prelude::*, sample::select};
use textsearch_kernel::{
    citations::{Sources, check_citations},
    textsearch_core::TextSearchResult,
};
use url::Url;

use crate::support::rendered::{addresses, base};

fn sources() -> Sources {
    [TextSearchResult::new("a").with_link("https://known.example/1")].iter().collect()
}

fn unsupported(answer: &str) -> Vec<Option<Url>> {
    let citations = check_citations(answer, &sources()).into_iter();
    let unsupported = citations.filter(|citation| !citation.is_supported());
    unsupported.map(|citation| base()?.join(&citation.target).ok()).collect()
}

fn is_known(url: &Url) -> bool {
    url.host_str() == Some("known.example")
        && url.path().trim_end_matches('/') == "/1"
        && url.query().is_none()
}

#[test]
fn the_tree_of_an_answer_holds_its_addresses() {
    let addresses =
        addresses("[a](https://evil.example) <a href=\"https:&sol;&sol;evil.example/x\">x</a>");
    let addresses: Vec<_> = addresses.iter().map(Url::as_str).collect();
    assert_eq!(addresses, ["https://evil.example/", "https://evil.example/x"]);
}

const PIECES: &[&str] = &[
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
    "[^a]",
    "![^a]",
    "[^a]: ",
    "\n\n[^a]: //evil.example/x \"https://known.example/1\"",
    " \"https://known.example/1\"",
    "```",
    "\n```\n",
    "\n---\n",
    "\n|a|\n|-|\n|",
    "|",
    "$",
    "$$",
    "\n: ",
];

fn piece() -> impl Strategy<Value = String> {
    select(PIECES).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_answer_with_an_unknown_address_in_its_tree_passes(pieces in prop::collection::vec(piece(), 1..14)) {
        let answer = pieces.concat();
        let mut unknown = addresses(&answer);
        unknown.retain(|url| !is_known(url));
        // In broken tags the reported end of an address may differ, but the address never passes.
        prop_assert!(
            unknown.is_empty() || !unsupported(&answer).is_empty(), "{:?}: {:?}", answer, unknown
        );
    }
}
