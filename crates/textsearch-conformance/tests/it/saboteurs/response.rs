//! Reads responses, rightly or with a fault.

use serde::Deserialize;
use textsearch_conformance::{
    Endpoint,
    core::{
        ErrorKind, TextSearchResult,
        filter::DateTime,
        http::{ErrorAnswer, ErrorDetails, HttpClient, Url},
        web::{Marks, ResultList, value_or_default, value_or_none},
    },
};

use super::{fault::Fault, filter::NAME, transport::Following};

const MARKS: Marks = Marks::Html(&["em"]);

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    #[serde(deserialize_with = "value_or_none")]
    pub(super) total: Option<u64>,
    #[serde(deserialize_with = "value_or_none")]
    pub(super) error: Option<Refusal>,
    pub(super) hits: ResultList<Item>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Item {
    #[serde(deserialize_with = "value_or_default")]
    pub(super) name: String,
    #[serde(deserialize_with = "value_or_default")]
    pub(super) text: String,
    #[serde(deserialize_with = "value_or_default")]
    link: String,
    #[serde(deserialize_with = "value_or_none")]
    published: Option<DateTime>,
}

#[derive(Deserialize)]
pub(super) struct Refusal {
    code: u16,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn kind(&self) -> ErrorKind {
        match self.code {
            401 | 403 => ErrorKind::Authentication,
            429 => ErrorKind::RateLimited,
            status => ErrorKind::unexpected_status(status, None, ""),
        }
    }
}

pub(super) fn into_result(item: Item, has: &dyn Fn(Fault) -> bool) -> TextSearchResult {
    let Item { mut name, mut text, link, published } = item;
    let name_is_html = !has(Fault::HasPlainNames);
    for text in name_is_html.then_some(&mut name).into_iter().chain([&mut text]) {
        *text = if has(Fault::KeepsMarks) {
            Marks::Html(&[]).removed(text).into_owned()
        } else if has(Fault::KeepsEntities) {
            text.replace("<em>", "").replace("</em>", "")
        } else {
            MARKS.removed(text).into_owned()
        };
        if has(Fault::RemovesForeignTags) {
            *text = text.replace("<i>", "").replace("</i>", "");
        }
        if has(Fault::DropsForeignLetters) {
            text.retain(|c| c.is_ascii());
        }
    }
    if has(Fault::CutsTexts) {
        text = text.chars().take(10).collect();
    }
    if has(Fault::TextIsTheName) {
        text.clone_from(&name);
    }
    let named = if has(Fault::NamesByLink) { link.clone() } else { name };
    let named = if has(Fault::EmptiesNames) { String::new() } else { named };
    let mut result = TextSearchResult::new(text);
    result.published = published.filter(|_| !has(Fault::DropsDays));
    if !has(Fault::DropsNames) {
        result = result.with_name(named);
    }
    result = result.with_link(&link);
    if has(Fault::MakesLinks) {
        let mut link = Url::parse("https://library.example/pages/").unwrap();
        let name = result.name.as_deref().unwrap_or_default();
        link.path_segments_mut().unwrap().pop_if_empty().push(name);
        result = result.with_link(link);
    } else if has(Fault::KeepsEmptyLinks) {
        result.link = Some(link);
    } else if has(Fault::OneLinkForAll) {
        result.link = result.link.map(|link| {
            if link.ends_with("/0") { link } else { "https://example.com/documents/1".to_owned() }
        });
    }
    result
}

pub(super) fn client(endpoint: &Endpoint, has: &dyn Fn(Fault) -> bool) -> HttpClient {
    let mut settings = endpoint.http_settings().clone();
    if has(Fault::ReadsWithoutLimit) {
        settings = settings.with_max_body_bytes(1 << 30);
    }
    if has(Fault::TriesOnce) {
        settings = settings.with_max_attempts(1);
    }
    let client = if has(Fault::FollowsRedirectsAnywhere) {
        HttpClient::from_transport(NAME, settings, Following).unwrap()
    } else {
        HttpClient::new(NAME, settings).unwrap()
    };
    let faults =
        [Fault::HidesMessages, Fault::MapsErrorCodesWrong, Fault::GivesStatusesAnotherKind]
            .map(has);
    client.with_error_reader(move |answer| read_error(answer, faults))
}

fn read_error(
    answer: &ErrorAnswer<'_>,
    [hides_messages, maps_wrong, is_another_kind]: [bool; 3],
) -> Option<ErrorDetails> {
    let kind = if is_another_kind { ErrorKind::Undecodable } else { ErrorKind::Unavailable };
    let kind = (is_another_kind || maps_wrong).then_some(kind);
    let message =
        if is_another_kind { None } else { Some(answer.json::<Answer>()?.error?.message) };
    let message = message.map(|message| if hides_messages { "no".to_owned() } else { message });
    Some(ErrorDetails { kind, message, ..ErrorDetails::default() })
}
