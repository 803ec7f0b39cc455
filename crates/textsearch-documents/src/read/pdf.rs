//! PDF.

use std::collections::HashMap;

use pdf_oxide::{
    PdfDocument,
    converters::ConversionOptions,
    object::Object,
    optional_content::decode_pdf_text_string,
    outline::{Destination, OutlineItem},
};

use super::{ReadError, ReadLimits};
use crate::{Document, DocumentFormat, Locator, Section, SectionHeading};

/// Of outlines, which may contain themselves.
const MAX_LEVEL: usize = 8;

/// Reads the text in reading order, with the outline as headings. A link opens the page:
/// `report.pdf#page=3`.
pub(super) fn read(
    bytes: Vec<u8>,
    limits: &ReadLimits,
    document: &mut Document,
) -> Result<(), ReadError> {
    let pdf = PdfDocument::from_bytes(bytes).map_err(ReadError::damaged)?;
    if pdf.is_encrypted() && !pdf.is_authenticated() {
        return Err(ReadError::Encrypted);
    }
    let count = pdf.page_count().map_err(ReadError::damaged)?;
    limits.check_pages(count, "pages")?;
    document.format = DocumentFormat::PlainText;
    if let Some(info) = properties(&pdf) {
        document.name = document.name.take().or_else(|| property(&info, "Title"));
        for (name, fact) in [("Author", "author"), ("Keywords", "keywords")] {
            document.facts.take(fact, &property(&info, name).unwrap_or_default());
        }
        let date = property(&info, "CreationDate").and_then(|date| internet_date(&date));
        document.facts.take("date", &date.unwrap_or_default());
    }
    if let Ok(Object::Dictionary(catalog)) = pdf.catalog() {
        document.facts.take("language", &property(&catalog, "Lang").unwrap_or_default());
    }
    // Its search for tables loses words.
    let options = ConversionOptions { extract_tables: false, ..ConversionOptions::default() };
    for page in 0..count {
        let text = pdf.extract_text_with_options(page, &options).map_err(ReadError::damaged)?;
        limits.check_text(document.text.len() + text.len())?;
        document.push_section(Locator::Fragment(format!("page={}", page + 1)), &text);
        document.text.push('\n');
    }
    if count > 0 && document.text.trim().is_empty() {
        return Err(ReadError::OnlyImages);
    }
    // A PDF without a sound outline is as good as one without.
    let outline = pdf.get_outline().ok().flatten().unwrap_or_default();
    let mut headings = Vec::new();
    add_headings(&pdf, &outline, 1, document, limits, &mut headings);
    document.sections.extend(headings);
    document.sections.sort_by_key(|section| section.start);
    Ok(())
}

type Properties = HashMap<String, Object>;

fn properties(pdf: &PdfDocument) -> Option<Properties> {
    let reference = pdf.trailer().as_dict()?.get("Info")?.as_reference()?;
    match pdf.load_object(reference) {
        Ok(Object::Dictionary(properties)) => Some(properties),
        _ => None,
    }
}

fn property(properties: &Properties, name: &str) -> Option<String> {
    let value = decode_pdf_text_string(properties.get(name).and_then(Object::as_string)?);
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Takes `D:20240814100000+02'00'`, whose end may be missing from the hour on.
fn internet_date(date: &str) -> Option<String> {
    let date = date.strip_prefix("D:").unwrap_or(date);
    let part = |from: usize, to: usize| date.get(from..to);
    let day = format!("{}-{}-{}", part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let (Some(hour), Some(minute), Some(second)) = (part(8, 10), part(10, 12), part(12, 14)) else {
        return Some(day);
    };
    let zone = date.get(14..).unwrap_or_default().replace('\'', ":");
    Some(format!("{day}T{hour}:{minute}:{second}{}", zone.trim_end_matches(':')))
}

fn add_headings(
    pdf: &PdfDocument,
    items: &[OutlineItem],
    level: usize,
    document: &Document,
    limits: &ReadLimits,
    headings: &mut Vec<Section>,
) {
    for item in items {
        let page = match &item.dest {
            Some(Destination::PageIndex(page)) => Some(*page),
            Some(Destination::Named(name)) => pdf.resolve_named_destination(name).ok().flatten(),
            None => None,
        };
        let start = page.and_then(|page| start_of(document, page, &item.title));
        if let Some(start) = start.filter(|_| headings.len() < limits.max_pages) {
            let text = item.title.trim().to_owned();
            headings.push(Section {
                start,
                heading: Some(SectionHeading { level, text }),
                locator: None,
            });
        }
        if level < MAX_LEVEL {
            add_headings(pdf, &item.children, level + 1, document, limits, headings);
        }
    }
}

/// Returns the start of the line that ends with the title, or else of the page.
fn start_of(document: &Document, page: usize, title: &str) -> Option<usize> {
    let start = document.sections.get(page)?.start;
    let end = document.sections.get(page + 1).map_or(document.text.len(), |next| next.start);
    let title = letters(title);
    let mut line_start = start;
    for line in document.text.get(start..end)?.split_inclusive('\n') {
        if !title.is_empty() && letters(line).ends_with(&title) {
            return Some(line_start);
        }
        line_start += line.len();
    }
    Some(start)
}

/// Without spaces and signs, which a page may set otherwise.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
