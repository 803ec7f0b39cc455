//! Keeps the alternatives of schemas, since each item of a list has the same ones.

use std::{
    cell::{Cell, OnceCell},
    collections::HashMap,
    hash::{Hash, Hasher},
    ptr,
    rc::Rc,
};

use serde_json::Value;

use super::{Fuel, Type, Variant, View, expand::expanded, variants::Allowed};

/// The most schemas of alternatives that are kept, so that a hostile schema can't fill the memory.
const MOST_KEPT: usize = 100_000;
/// Comparing with this many values takes no longer than looking one up.
const FEW: usize = 8;
/// Comparing this many times with all listed values takes about as long as indexing them.
const LOOKS: u32 = 8;

/// The alternatives of the schemas that a value was checked against.
#[derive(Default)]
pub(super) struct Memo<'a> {
    known: HashMap<Vec<View<'a>>, Rc<Alternatives<'a>>>,
    kept: usize,
}

/// The variants of a type.
pub(super) struct Alternatives<'a> {
    pub(super) all: Vec<Variant<'a>>,
    /// How many values they list.
    listed: usize,
    looks: Cell<u32>,
    index: OnceCell<Index<'a>>,
}

/// Which variants list a value, by their place.
struct Index<'a> {
    places: HashMap<Key<'a>, Vec<usize>>,
    /// The variants that list no values.
    open: Vec<usize>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Null,
    Bool(bool),
    Number(u64),
    Text(&'a str),
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
            _ => return Some(Rc::new(Alternatives::new(expanded(of, fuel)?))),
        };
        if let Some(known) = self.known.get(views.as_slice()) {
            return Some(Rc::clone(known));
        }
        let found = Rc::new(Alternatives::new(expanded(of, fuel)?));
        let kept = self.kept.saturating_add(found.size());
        if kept <= MOST_KEPT && !fuel.is_spent() {
            self.kept = kept;
            self.known.insert(views.clone(), Rc::clone(&found));
        }
        Some(found)
    }
}

impl<'a> Alternatives<'a> {
    fn new(all: Vec<Variant<'a>>) -> Self {
        let listed = all.iter().filter_map(Variant::allowed).map(Allowed::len);
        let listed = listed.fold(0, usize::saturating_add);
        Self { all, listed, looks: Cell::default(), index: OnceCell::new() }
    }

    /// Returns the variants that may fit, and whether they list the value, if that is known.
    pub(super) fn candidates(
        &self,
        value: &Value,
        fuel: &mut Fuel,
    ) -> Vec<(&Variant<'a>, Option<bool>)> {
        let key = Key::of(value).filter(|key| self.is_indexed(fuel) && fuel.burn_for(key.weight()));
        let Some(key) = key else {
            return self.all.iter().map(|one| (one, None)).collect();
        };
        let index = self.index.get_or_init(|| Index::new(&self.all, fuel));
        let places = index.places.get(&key).map_or(&[][..], Vec::as_slice);
        if let [only] = self.all.as_slice() {
            return vec![(only, Some(!places.is_empty()))];
        }
        let listed = places.iter().map(|place| (place, Some(true)));
        let places = listed.chain(index.open.iter().map(|place| (place, None)));
        places.filter_map(|(place, listed)| Some((self.all.get(*place)?, listed))).collect()
    }

    fn is_indexed(&self, fuel: &Fuel) -> bool {
        if self.index.get().is_some() {
            return true;
        }
        let looks = self.looks.replace(self.looks.get().saturating_add(1));
        let is_worth_it = (FEW + 1..=MOST_KEPT).contains(&self.listed) && looks >= LOOKS;
        // Comparing a few times with a long list may burn less than indexing it.
        is_worth_it && fuel.suffices_for(self.listed.saturating_mul(16))
    }

    /// The memory that it may take, in schemas and listed values.
    fn size(&self) -> usize {
        let indexed = if self.listed <= MOST_KEPT { self.listed } else { 0 };
        self.all.iter().map(Variant::size).fold(indexed, usize::saturating_add)
    }
}

impl<'a> Index<'a> {
    /// With spent fuel, it lacks values.
    fn new(all: &[Variant<'a>], fuel: &mut Fuel) -> Self {
        let (mut places, mut open) = (HashMap::<_, Vec<usize>>::new(), Vec::new());
        for (place, variant) in all.iter().enumerate() {
            let Some(allowed) = variant.allowed() else {
                open.push(place);
                continue;
            };
            for key in allowed.iter().filter_map(Key::of) {
                if !fuel.burn_for(key.weight()) {
                    break;
                }
                let places = places.entry(key).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
        Self { places, open }
    }
}

impl<'a> Key<'a> {
    /// The same values have the same key, and others have another. `None` for lists, objects, long
    /// texts, and numbers that not all numbers of double precision tell apart.
    fn of(value: &'a Value) -> Option<Self> {
        const LONGEST: usize = 1_024;
        const LARGEST: f64 = (1_u64 << 53) as f64;
        match value {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::String(text) => (text.len() <= LONGEST).then_some(Self::Text(text)),
            Value::Number(number) => {
                let number = number.as_f64().filter(|number| number.abs() < LARGEST)?;
                // Minus zero is zero.
                Some(Self::Number((number + 0.0).to_bits()))
            }
            Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The comparisons that hashing costs.
    fn weight(&self) -> usize {
        match self {
            Self::Text(text) => 8 + text.len() / 8,
            _ => 8,
        }
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
