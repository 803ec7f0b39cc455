//! Translates filters, rightly or with a fault.

use textsearch_conformance::core::{
    Error, Filter, FilterableField, Result, SearchOptions,
    filter::{Comparison, FilterOperator},
    serde_json::json,
    web::{Condition, Conditions, Site, day, one_of, term},
};

use super::fault::Fault;

pub(super) const NAME: &str = "library";
const KINDS: [&str; 3] = ["article", "book", "page"];

pub(super) fn fields(has: impl Fn(Fault) -> bool) -> Vec<FilterableField> {
    use FilterOperator::{Contains, Eq, Exists, Ge, Gt, In, Le, Lt, Ne, StartsWith};
    let field = |name, operators: &[FilterOperator]| {
        FilterableField::string(name, "").with_operators(operators)
    };
    let kind = json!({ "type": "string", "enum": KINDS });
    let date = json!({ "type": "string", "format": "date" });
    let namespace = FilterableField::integer("namespace", "");
    let mut fields = vec![
        field("tenant", &[Eq, Ne, In]),
        field(
            "title",
            if has(Fault::OffersEqualityOnTitles) { &[Eq, Contains] } else { &[Contains] },
        ),
        field("site", &[Eq]),
        FilterableField::new("kind", "", kind).with_operators([Eq, In]),
        FilterableField::new("published", "", date).with_operators([Ge, Le]),
        if has(Fault::CutsInstants) || has(Fault::DropsOffsets) {
            field("changed", &[Ge, Le])
        } else {
            FilterableField::date_time("changed", "").with_operators([Ge, Le])
        },
        field("author", &[Eq, StartsWith]),
        if has(Fault::SendsIntegerOperatorsAsEquality) {
            namespace.with_operators([Eq, Ne, Lt, Le, Gt, Ge])
        } else {
            namespace.with_operators([Eq])
        },
    ];
    let add = |field: &mut FilterableField, name: &str, operator| {
        if field.name == name {
            field.operators.push(operator);
        }
    };
    for field in &mut fields {
        if has(Fault::SendsGreaterAsAtLeast) {
            add(field, "published", Gt);
        }
        if has(Fault::DropsExists) {
            add(field, "tenant", Exists);
        }
    }
    fields
}

/// The words and parameters of a filter.
#[derive(Debug, Clone, Default)]
pub(super) struct Translation {
    pub(super) words: Vec<String>,
    pub(super) parameters: Vec<(&'static str, String)>,
    pub(super) is_never: bool,
    is_fixed: bool,
    tenants: Option<Vec<String>>,
    kinds: Option<Vec<String>>,
}

pub(super) struct Translator<'a> {
    pub(super) fields: &'a [FilterableField],
    pub(super) has: &'a dyn Fn(Fault) -> bool,
}

impl Translator<'_> {
    pub(super) fn translate(&self, options: &SearchOptions) -> Result<Translation> {
        let is_fixed = options.fixed_filter().is_some();
        let mut done = Translation { is_fixed, ..Translation::default() };
        let Some(filter) = self.chosen(options) else { return Ok(done) };
        let filter = self.changed(filter);
        let conditions = match self.conditions(&filter) {
            Err(_) if (self.has)(Fault::RefusesWithAnotherKind) => {
                return Err(Error::invalid_options(NAME, "filter", &filter, "another"));
            }
            conditions => conditions?,
        };
        done.is_never = conditions.are_never_met && !(self.has)(Fault::FindsAllForNever);
        conditions.all.iter().try_for_each(|condition| self.add(condition, &mut done))?;
        self.finish(&mut done);
        Ok(done)
    }

    fn chosen(&self, options: &SearchOptions) -> Option<Filter> {
        let has = self.has;
        let both = options.filter().map(|filter| filter.into_owned());
        let parts = match (&both, options.fixed_filter()) {
            (Some(Filter::And(parts)), Some(_)) => parts.as_slice(),
            _ => return both,
        };
        match parts {
            [_, caller] if has(Fault::CallerReplacesFixed) => Some(caller.clone()),
            [fixed, _] if has(Fault::FixedReplacesCaller) => Some(fixed.clone()),
            _ => both,
        }
    }

    /// The filter as a fault reads it.
    fn changed(&self, filter: Filter) -> Filter {
        let has = self.has;
        match filter {
            Filter::And(mut parts) if has(Fault::AppliesTheFirstOfAnd) && parts.len() > 1 => {
                self.changed(parts.swap_remove(0))
            }
            Filter::And(mut parts) if has(Fault::AppliesTheLastOfAnd) && parts.len() > 1 => {
                self.changed(parts.pop().unwrap())
            }
            Filter::And(mut parts) if has(Fault::AppliesTwoOfAnd) && parts.len() > 2 => {
                parts.truncate(2);
                Filter::And(parts)
            }
            Filter::Or(mut parts) if has(Fault::AppliesTheFirstOfOr) && parts.len() > 1 => {
                self.changed(parts.swap_remove(0))
            }
            Filter::Or(parts) if has(Fault::AppliesOrAsAnd) => self.changed(Filter::And(parts)),
            Filter::Not(part) if has(Fault::SendsNotAsIs) => self.changed(*part),
            Filter::Not(_) if has(Fault::DropsNot) => Filter::all([]),
            Filter::Exists { .. } if has(Fault::DropsExists) => Filter::all([]),
            Filter::Compare { field, operator, value } => {
                let is_string_fault = has(Fault::AcceptsUndeclaredStringOperators)
                    && matches!(&*field, "author" | "title");
                let is_integer_fault = field == "namespace"
                    && (has(Fault::AcceptsUndeclaredIntegerOperators)
                        || has(Fault::SendsIntegerOperatorsAsEquality));
                let operator = match operator {
                    _ if field == "title" && is_string_fault => Comparison::Contains,
                    _ if field == "title" && has(Fault::OffersEqualityOnTitles) => {
                        Comparison::Contains
                    }
                    _ if is_string_fault || is_integer_fault => Comparison::Eq,
                    Comparison::StartsWith if has(Fault::SendsPrefixesAsEquality) => Comparison::Eq,
                    Comparison::Gt if has(Fault::SendsGreaterAsAtLeast) => Comparison::Ge,
                    Comparison::Le if has(Fault::SendsBothEndsAsOne) => Comparison::Ge,
                    other => other,
                };
                Filter::compare(field, operator, value)
            }
            Filter::In { field, mut values } => {
                if has(Fault::AppliesTheFirstOfIn) {
                    values.truncate(1);
                }
                Filter::is_in(field, values)
            }
            Filter::And(parts) => {
                Filter::And(parts.into_iter().map(|part| self.changed(part)).collect())
            }
            other => other,
        }
    }

    fn conditions(&self, filter: &Filter) -> Result<Conditions> {
        let has = self.has;
        let mut fields = self.fields.to_vec();
        if has(Fault::AcceptsUndeclaredFields) {
            let names = filter.fields().map(str::to_owned);
            let known = self.fields;
            let unknown = names.filter(|name| !known.iter().any(|field| field.name == *name));
            fields.extend(unknown.map(|name| FilterableField::string(name, "")));
        }
        Conditions::of(NAME, filter, &fields)
    }

    fn add(&self, condition: &Condition, done: &mut Translation) -> Result<()> {
        let has = self.has;
        match condition.field.as_str() {
            "tenant" => self.add_tenants(condition, done),
            "title" => self.add_title(condition, done)?,
            "site" => {
                let site = Site::domain(NAME, "site", condition.single()?)?;
                done.words.push(format!("site:{site}"));
            }
            "kind" => {
                let kinds = condition.listed()?;
                kinds.iter().try_for_each(|kind| one_of(NAME, "kind", kind, &KINDS))?;
                done.is_never |= narrow(&mut done.kinds, kinds);
            }
            "published" => self.add_day(condition, done)?,
            "changed" => self.add_instant(condition, done)?,
            "author" => {
                let is_prefix = condition.operator == FilterOperator::StartsWith;
                let name = if is_prefix { "author_prefix" } else { "author" };
                let joins = has(Fault::JoinsFilters) || has(Fault::JoinsUncheckedDays);
                if let Some(value) = condition.values.iter().find(|it| joins && it.contains(',')) {
                    return Err(Error::invalid_options(NAME, "author", value, "no comma"));
                }
                set_once(condition, name, done)?;
            }
            "namespace" if has(Fault::DropsAnInteger) => {}
            "namespace" => {
                set_once(condition, "ns", done)?;
                if let Some((_, value)) =
                    done.parameters.last_mut().filter(|_| has(Fault::DropsSigns))
                {
                    *value = value.trim_start_matches('-').to_owned();
                }
            }
            _ => {}
        }
        if has(Fault::RefusesADeclaredFilter) && condition.field == "kind" {
            return Err(condition.unsupported(condition.operator));
        }
        Ok(())
    }

    fn add_day(&self, condition: &Condition, done: &mut Translation) -> Result<()> {
        let has = self.has;
        let (operator, value) = condition.compared()?;
        let mut day = match value.split_once(',') {
            Some((first, rest)) if has(Fault::JoinsUncheckedDays) => {
                format!("{},{rest}", day(NAME, "published", first)?)
            }
            _ => day(NAME, "published", value)?,
        };
        if has(Fault::SendsAConstantDay) && day.as_str() > "2025-01-31" {
            "2025-01-31".clone_into(&mut day);
        }
        self.add_bound(operator, ["from", "to"], day, done);
        Ok(())
    }

    fn add_instant(&self, condition: &Condition, done: &mut Translation) -> Result<()> {
        let (operator, text) = condition.compared()?;
        let instant = if (self.has)(Fault::CutsInstants) {
            format!("{}Z", &text[..19])
        } else if (self.has)(Fault::DropsOffsets) {
            format!("{}Z", text.split(['+', 'Z']).next().unwrap_or_default())
        } else if (self.has)(Fault::DropsFractions) {
            format!("{}Z", text.split(['.', 'Z']).next().unwrap_or_default())
        } else {
            condition.second()?.1.to_string()
        };
        self.add_bound(operator, ["since", "until"], instant, done);
        Ok(())
    }

    fn add_bound(
        &self,
        operator: FilterOperator,
        [start, end]: [&'static str; 2],
        day: String,
        done: &mut Translation,
    ) {
        let has = self.has;
        let is_start = operator == FilterOperator::Ge;
        let name = if is_start { start } else { end };
        let known = done.parameters.iter_mut().find(|(other, _)| *other == name);
        let keeps_last = has(Fault::KeepsTheLastBound)
            || (done.is_fixed && has(Fault::CallersBoundReplacesFixed));
        match known {
            Some(_) if has(Fault::SendsBothBounds) => done.parameters.push((name, day)),
            Some(_) if has(Fault::KeepsTheFirstBound) => {}
            Some((_, known)) if keeps_last => *known = day,
            Some((_, known)) if is_start != has(Fault::KeepsTheWidestBound) => {
                *known = day.max(known.clone());
            }
            Some((_, known)) => *known = day.min(known.clone()),
            None => done.parameters.push((name, day)),
        }
    }

    fn add_tenants(&self, condition: &Condition, done: &mut Translation) {
        let has = self.has;
        let hostile = |value: &String| value.contains(['"', '\'', '\\', ',']);
        let is_dropped = (has(Fault::DropsHostileValues) && condition.values.iter().any(hostile))
            || (has(Fault::DropsEmptyValues) && condition.values.iter().all(String::is_empty));
        if is_dropped {
            return;
        }
        let values: Vec<String> = if has(Fault::SendsAConstant) {
            vec!["a".to_owned()]
        } else if has(Fault::CutsValues) {
            condition.values.iter().map(|value| value.chars().take(255).collect()).collect()
        } else {
            condition.values.clone()
        };
        if condition.negated {
            done.parameters.extend(values.into_iter().map(|value| ("not_tenant", value)));
        } else if has(Fault::SendsBothFixedAndOther) {
            done.tenants.get_or_insert_default().extend(values);
        } else if has(Fault::SendsTheLastValue) {
            done.tenants = Some(values);
        } else {
            done.is_never |= narrow(&mut done.tenants, &values);
        }
    }

    fn add_title(&self, condition: &Condition, done: &mut Translation) -> Result<()> {
        let has = self.has;
        let sign = if condition.negated { "-" } else { "" };
        if !condition.negated {
            condition.compared()?;
        }
        for value in &condition.values {
            let phrase = if has(Fault::LeavesQuotesInTitles) {
                format!("\"{value}\"")
            } else if has(Fault::LeavesTitlesUnquoted) {
                value.replace('"', " ")
            } else if has(Fault::LeavesBackslashesInTitles) {
                format!("\"{}\"", value.replace('"', "\\\""))
            } else if has(Fault::AddsGarbageToTitles) {
                format!("\"{} undefined\"", term(value, &[]).unwrap_or_default().replace('"', ""))
            } else {
                let allowed = "a text with letters or digits";
                let refused = || Error::invalid_options(NAME, "title", value, allowed);
                term(value, &[]).ok_or_else(refused)?
            };
            done.words.push(format!("{sign}title:{phrase}"));
        }
        Ok(())
    }

    fn finish(&self, done: &mut Translation) {
        let has = self.has;
        let name = if has(Fault::MisspellsAParameter) { "tennant" } else { "tenant" };
        if let Some(mut tenants) = done.tenants.take() {
            let separator =
                [(Fault::JoinsValuesWithCommas, ","), (Fault::JoinsValuesWithBars, "|")];
            if let Some((_, separator)) = separator.into_iter().find(|(fault, _)| has(*fault)) {
                tenants = vec![tenants.join(separator)];
            }
            if has(Fault::SendsOneOfSeveralValues) {
                tenants.truncate(1);
            }
            done.parameters.extend(tenants.into_iter().map(|tenant| (name, tenant)));
        }
        let drops_upper = has(Fault::DropsTheUpperOfTwoEnds)
            || (done.is_fixed && has(Fault::DropsCallersOtherEnd));
        if drops_upper && done.parameters.iter().any(|(name, _)| *name == "from") {
            done.parameters.retain(|(name, _)| *name != "to");
        }
        let joins = [Fault::JoinsFilters, Fault::JoinsUncheckedDays, Fault::JoinsUncheckedAuthors];
        if joins.into_iter().any(has) {
            join(&mut done.parameters);
        }
        if let Some(kinds) = done.kinds.take() {
            done.parameters.push(("kind", kinds.join(",")));
        }
    }
}

/// Puts days and authors into one parameter.
fn join(parameters: &mut Vec<(&'static str, String)>) {
    let is_joined = |name: &str| matches!(name, "from" | "to" | "author" | "author_prefix");
    let all = std::mem::take(parameters).into_iter();
    let (joined, others): (Vec<_>, Vec<_>) = all.partition(|(name, _)| is_joined(name));
    *parameters = others;
    if !joined.is_empty() {
        let joined: Vec<_> = joined.iter().map(|(name, value)| format!("{name}:{value}")).collect();
        parameters.push(("filter", joined.join(",")));
    }
}

/// Another value than the known one can never match.
fn set_once(condition: &Condition, name: &'static str, done: &mut Translation) -> Result<()> {
    let (_, value) = condition.compared()?;
    match done.parameters.iter().find(|(other, _)| *other == name) {
        Some((_, known)) if known == value => {}
        Some(_) if name == "author_prefix" => {
            return Err(condition.unsupported(FilterOperator::And));
        }
        Some(_) => done.is_never = true,
        None => done.parameters.push((name, value.to_owned())),
    }
    Ok(())
}

/// Keeps the values that both allow. Returns true if none is left.
fn narrow(known: &mut Option<Vec<String>>, values: &[String]) -> bool {
    let both: Vec<String> = match known.take() {
        Some(known) => known.into_iter().filter(|value| values.contains(value)).collect(),
        None => values.to_vec(),
    };
    let are_none = both.is_empty();
    *known = Some(both);
    are_none
}
