//! How deep a partial is in itself where it includes a partial.

use ::handlebars::template::{HelperTemplate, Template, TemplateElement};

use super::names;

/// The most blocks around a partial that `template` includes, of those that the engine keeps no count of.
pub(super) fn uncounted_blocks(template: &Template) -> usize {
    around_partials(template).unwrap_or(0)
}

/// The same; `None` where no partial is included.
fn around_partials(template: &Template) -> Option<usize> {
    template.elements.iter().filter_map(of_element).max()
}

fn of_element(element: &TemplateElement) -> Option<usize> {
    match element {
        TemplateElement::HelperBlock(block) => of_block(block),
        TemplateElement::PartialExpression(_) => Some(0),
        TemplateElement::PartialBlock(partial) => {
            let inside = partial.template.as_ref().and_then(around_partials);
            Some(inside.map_or(0, |blocks| blocks + 1))
        }
        _ => None,
    }
}

fn of_block(block: &HelperTemplate) -> Option<usize> {
    let bodies = [&block.template, &block.inverse];
    let inside = bodies.into_iter().flatten().filter_map(around_partials).max()?;
    let is_counted = block.name.as_name().is_some_and(names::is_counted_block);
    Some(inside + usize::from(!is_counted))
}
