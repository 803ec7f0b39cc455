//! The addresses that a browser sees in an answer rendered from Markdown.

use dom_query::Document;
use pulldown_cmark::{Options, Parser, html::push_html};
use url::Url;

/// Their whole value is an address.
const ATTRIBUTES: [&str; 9] =
    ["href", "src", "action", "formaction", "poster", "data", "background", "cite", "xlink:href"];

/// What most chat interfaces render.
const DIALECT: Options = Options::ENABLE_FOOTNOTES.union(Options::ENABLE_TABLES);

pub(crate) fn base() -> Option<Url> {
    Url::parse("http://shown.example/chat/").ok()
}

/// From the tree that html5ever builds of the rendered answer; also one for each event handler.
pub(crate) fn addresses(answer: &str) -> Vec<Url> {
    let mut html = String::new();
    push_html(&mut html, Parser::new_ext(answer, DIALECT));
    let document = Document::from(html);
    let join = |address: &str| base()?.join(address).ok();
    let mut urls = Vec::new();
    for node in document.select("*").nodes() {
        for attribute in node.attrs() {
            let name = attribute.name.local.as_ref();
            let value = attribute.value.as_ref();
            if ATTRIBUTES.contains(&name) && !value.trim_start().starts_with('#') {
                urls.extend(join(value));
            }
            if name.starts_with("on") {
                urls.extend(Url::parse("javascript:handler"));
            }
            if name == "style" {
                // Each generated style holds one unescaped address.
                let address = value.split_once("url(").and_then(|(_, rest)| rest.split_once(')'));
                let address = address.map(|(address, _)| address.trim_matches(['"', '\'', ' ']));
                urls.extend(address.and_then(join));
            }
        }
    }
    // An address on the page that shows the answer sends nothing elsewhere.
    let own = base().and_then(|base| base.host_str().map(str::to_owned));
    urls.retain(|url| url.host_str() != own.as_deref() && url.scheme() != "mailto");
    urls
}
