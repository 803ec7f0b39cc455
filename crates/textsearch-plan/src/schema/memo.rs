//! Keeps the alternatives of schemas, since each item of a list has the same ones.

use std::{
    collections::HashMap,
    hash::{Hash, Hasher},
    ptr,
    rc::Rc,
};

use serde_json::Value;

use super::{Fuel, Type, Variant, View, expand::expanded, variants::Allowed};

/// The most schemas of alternatives that are kept, so that a hostile schema can't fill the memory.
const MOST_KEPT: usize = 100_000;
/// Comparing a text with this many values takes no longer than looking it up.
const FEW: usize = 8;

/// The alternatives of the schemas that a value was checked against.
#[derive(Default)]
pub(super) struct Memo<'a> {
    known: HashMap<Vec<View<'a>>, Rc<Alternatives<'a>>>,
    kept: usize,
}

/// The variants of a type, and which of them list a text, if there are many to compare with.
pub(super) struct Alternatives<'a> {
    pub(super) all: Vec<Variant<'a>>,
    by_text: HashMap<&'a str, Vec<usize>>,
    /// The variants that list no values, or all if they list too many.
    open: Vec<usize>,
}

impl<'a> Memo<'a> {
    /// `None` if there are too many. With spent fuel, the alternatives accept everything.
    pub(super) fn alternatives(
        &mut self,
        of: &Type<'a>,
        fuel: &mut Fuel,
    ) -> Option<Rc<Alternatives<'a>>> {
        // Others have nothing to expand or to list, or are made for one value.
        let is_quick = |view: &View<'_>| view.is_plain() && view.lists().next().is_none();
        let views = match of {
            Type::Schemas(views) if !views.iter().all(is_quick) => views,
            _ => return Some(Rc::new(Alternatives::new(expanded(of, fuel)?, fuel))),
        };
        if let Some(known) = self.known.get(views.as_slice()) {
            return Some(Rc::clone(known));
        }
        let found = Rc::new(Alternatives::new(expanded(of, fuel)?, fuel));
        let kept = self.kept.saturating_add(found.size());
        if kept <= MOST_KEPT && !fuel.is_spent() {
            self.kept = kept;
            self.known.insert(views.clone(), Rc::clone(&found));
        }
        Some(found)
    }
}

impl<'a> Alternatives<'a> {
    fn new(all: Vec<Variant<'a>>, fuel: &mut Fuel) -> Self {
        let (mut by_text, mut open) = (HashMap::<&str, Vec<usize>>::new(), Vec::new());
        let listed = |one: &Variant<'a>| one.allowed().map_or(0, Allowed::len);
        let listed = all.iter().map(listed).fold(0, usize::saturating_add);
        let is_small = listed <= MOST_KEPT;
        if all.len() > 1 || listed > FEW {
            for (place, variant) in all.iter().enumerate() {
                let Some(allowed) = variant.allowed().filter(|_| is_small) else {
                    open.push(place);
                    continue;
                };
                fuel.burn_for(allowed.len());
                for text in allowed.iter().filter_map(Value::as_str) {
                    by_text.entry(text).or_default().push(place);
                }
            }
        }
        Self { all, by_text, open }
    }

    /// Returns the variants that may fit, and whether they are known to list the value. Of several,
    /// a text fits only those that list it or list no values.
    pub(super) fn candidates(&self, value: &Value) -> Vec<(&Variant<'a>, bool)> {
        let Value::String(text) = value else {
            return self.all.iter().map(|one| (one, false)).collect();
        };
        let listed = self.by_text.get(text.as_str());
        if let [only] = self.all.as_slice() {
            return vec![(only, listed.is_some())];
        }
        let listed = listed.into_iter().flatten().map(|place| (place, true));
        let places = listed.chain(self.open.iter().map(|place| (place, false)));
        places.filter_map(|(place, is_listed)| Some((self.all.get(*place)?, is_listed))).collect()
    }

    /// The memory it takes, in schemas and listed texts.
    fn size(&self) -> usize {
        let schemas = self.all.iter().map(|one| 1 + one.views().len()).sum::<usize>();
        schemas + self.by_text.values().map(Vec::len).sum::<usize>()
    }
}

/// By address: a document has each schema once.
impl PartialEq for View<'_> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.schema, other.schema) && ptr::eq(self.document, other.document)
    }
}

impl Eq for View<'_> {}

impl Hash for View<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(self.schema, state);
        ptr::hash(self.document, state);
    }
}
