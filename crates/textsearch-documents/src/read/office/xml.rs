//! Walks through XML.

use std::{
    cell::Cell,
    io::{BufReader, Read},
    rc::Rc,
    time::Instant,
};

use quick_xml::{
    XmlVersion,
    encoding::DecodingReader,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
    name::QName,
    reader::Reader,
};

use crate::read::{ReadError, metered::Metered};

/// Tables and text boxes nest. The parser remembers each open element.
const MAX_DEPTH: usize = 1000;

/// For a tag, or a text between two: the parser holds it in memory.
const MAX_EVENT_BYTES: u64 = 8 << 20;

pub(super) enum Tag<'a> {
    Open(Element<'a>),
    Close(&'a str),
    Text(&'a str),
}

/// A start tag. Names are without their prefix.
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    start: &'a BytesStart<'a>,
}

impl Element<'_> {
    /// With its prefix, such as `draw:page`.
    pub(super) fn full_name(&self) -> String {
        self.start.name().as_ref().to_owned()
    }

    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        self.value(|key| key.local_name().as_ref() == name)
    }

    /// Takes the whole name: `id` and `r:id` may be in one element.
    pub(super) fn prefixed_attribute(&self, name: &str) -> Option<String> {
        self.value(|key| key.as_ref() == name)
    }

    fn value(&self, is_named: impl Fn(QName<'_>) -> bool) -> Option<String> {
        let mut attributes = self.start.attributes();
        let attributes = attributes.with_checks(false).flatten();
        let mut named = attributes.filter(|attribute| is_named(attribute.key));
        Some(named.next()?.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
    }

    /// Returns `None` also for another kind of value.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.attribute(name)?.parse().ok()
    }
}

/// Leaves out an element and everything in it.
#[derive(Default)]
pub(super) struct Skip {
    /// Of the element.
    depth: Option<usize>,
}

impl Skip {
    /// Begins at the element at `depth`.
    pub(super) fn begin(&mut self, depth: usize) {
        self.depth = Some(depth);
    }

    /// Returns whether to leave out `tag`. The end of the element is left out, too.
    pub(super) fn covers(&mut self, tag: &Tag<'_>, depth: usize) -> bool {
        let Some(skipped) = self.depth else { return false };
        if matches!(tag, Tag::Close(_)) && depth <= skipped {
            self.depth = None;
        }
        true
    }
}

/// Calls `see` with each tag and its depth, from 1. An empty element opens and closes. Entities that
/// the document declares are left out.
pub(super) fn walk(
    xml: impl Read,
    deadline: Instant,
    see: &mut dyn FnMut(Tag<'_>, usize) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let bytes_left = Rc::new(Cell::new(MAX_EVENT_BYTES));
    let xml = BufReader::new(Metered::new(xml, &bytes_left));
    let mut reader = Reader::from_reader(BufReader::new(DecodingReader::new(xml)));
    reader.config_mut().check_end_names = false;
    let mut buffer = Vec::new();
    let mut depth = 0_usize;
    loop {
        bytes_left.set(MAX_EVENT_BYTES);
        if Instant::now() > deadline {
            return Err(ReadError::Damaged("it takes too long to read".to_owned()));
        }
        if depth > MAX_DEPTH {
            return Err(ReadError::above(MAX_DEPTH, "elements inside one another"));
        }
        match reader.read_event_into(&mut buffer).map_err(ReadError::damaged)? {
            Event::Start(start) => {
                depth += 1;
                let name = start.local_name();
                see(Tag::Open(Element { name: name.as_ref(), start: &start }), depth)?;
            }
            Event::Empty(start) => {
                let name = start.local_name();
                see(Tag::Open(Element { name: name.as_ref(), start: &start }), depth + 1)?;
                see(Tag::Close(name.as_ref()), depth + 1)?;
            }
            Event::End(end) => {
                see(Tag::Close(end.local_name().as_ref()), depth)?;
                depth = depth.saturating_sub(1);
            }
            Event::Text(text) => see(Tag::Text(&text.xml10_content()), depth)?,
            Event::CData(text) => see(Tag::Text(&text.xml10_content()), depth)?,
            Event::GeneralRef(entity) => {
                if let Ok(Some(character)) = entity.resolve_char_ref() {
                    see(Tag::Text(character.encode_utf8(&mut [0; 4])), depth)?;
                } else if let Some(text) = resolve_predefined_entity(&entity) {
                    see(Tag::Text(text), depth)?;
                }
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
        buffer.clear();
    }
}
