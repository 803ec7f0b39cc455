//! Filters as conditions on single fields.

#[cfg(test)]
mod tests;

use crate::{
    Error, Filter, FilterableField, Result,
    filter::{Comparison, DateTime, FilterOperator, FilterValue},
    web::day,
};

/// Conditions that must all hold, as queries and parameters can express them.
///
/// Alternatives must compare one field in one way. Negations must reduce to single comparisons:
/// `not (a or b)` is `not a` and `not b`.
///
/// ```
/// use textsearch_core::{Filter, FilterableField, filter::FilterOperator, web::Conditions};
/// use FilterOperator::{Eq, In, Ne};
///
/// let fields = [
///     FilterableField::string("site", "The site").with_operators([Eq, In]),
///     FilterableField::string("language", "The language").with_operators([Eq, Ne]),
/// ];
/// let filter: Filter = r#"(site = "docs.rs" or site = "crates.io") and language != "de""#.parse()?;
///
/// let conditions = Conditions::of("example", &filter, &fields)?;
/// assert_eq!(conditions.all[0].values, ["docs.rs", "crates.io"]);
/// assert!(conditions.all[1].negated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conditions {
    /// The conditions, in filter order.
    pub all: Vec<Condition>,
    /// The filter is false for every record, as an empty `In` is.
    pub are_never_met: bool,
}

/// One field compared with values: one must match, or none if negated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Condition {
    /// The field's name.
    pub field: String,
    /// The comparison. `In` and `Ne` become `Eq` with several values or negated.
    pub operator: FilterOperator,
    /// The values as text: an instant in RFC 3339 and UTC, a day such as `2025-03-31`, a number in
    /// digits, `true` or `false`. Read instants with [`second`](Self::second).
    pub values: Vec<String>,
    /// No value may match.
    pub negated: bool,
    pub(super) connector: String,
    supported: Vec<FilterOperator>,
}

impl Conditions {
    /// Splits the filter into conditions.
    ///
    /// # Errors
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) if a field or an operator is not
    /// among `fields`, or if an `or` or a negated `and` combines different comparisons.
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if a value does not have the schema's
    /// type, by default text, or if the schema's format is `date` or `date-time` and the value is no
    /// day or instant.
    pub fn of(connector: &str, filter: &Filter, fields: &[FilterableField]) -> Result<Self> {
        filter.check(connector, fields)?;
        let mut conditions = Self::default();
        Reader { connector, fields }.add(filter, false, &mut conditions)?;
        Ok(conditions)
    }
}

impl Condition {
    /// Returns the value, for a parameter that takes one value and means `=`.
    ///
    /// # Errors
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) if the operator isn't
    /// [`Eq`](FilterOperator::Eq), or if the condition is negated or has several values.
    pub fn single(&self) -> Result<&str> {
        self.equality()?;
        self.compared().map(|(_, value)| value)
    }

    /// Returns the values, for a parameter that takes a list and means `=`.
    ///
    /// # Errors
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) if the operator isn't
    /// [`Eq`](FilterOperator::Eq), if the condition is negated, or if it has several values although
    /// the field does not declare [`In`](FilterOperator::In).
    pub fn listed(&self) -> Result<&[String]> {
        self.equality()?;
        let is_list = !self.negated && self.supported.contains(&FilterOperator::In);
        if !is_list {
            self.single()?;
        }
        Ok(&self.values)
    }

    /// Keeps the values that this condition allows too, for a parameter that takes a list and means
    /// `=`. `None` stands for all values; an empty list means that nothing can match.
    ///
    /// ```
    /// use textsearch_core::{Filter, FilterableField, filter::FilterOperator::{Eq, In}, web::Conditions};
    ///
    /// let kind = FilterableField::string("kind", "The kind").with_operators([Eq, In]);
    /// let filter = Filter::is_in("kind", ["news", "blog"]).and(Filter::eq("kind", "blog"));
    /// let mut kinds = None;
    /// for condition in Conditions::of("example", &filter, &[kind])?.all {
    ///     condition.narrow(&mut kinds)?;
    /// }
    /// assert_eq!(kinds.unwrap(), ["blog"]);
    /// # Ok::<(), textsearch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`listed`](Self::listed).
    pub fn narrow(&self, allowed: &mut Option<Vec<String>>) -> Result<()> {
        let values = self.listed()?;
        match allowed {
            Some(allowed) => allowed.retain(|value| values.contains(value)),
            None => *allowed = Some(values.to_vec()),
        }
        Ok(())
    }

    /// Returns the operator and the value, for a request that can express comparisons such as `>=`.
    ///
    /// ```
    /// use textsearch_core::{Filter, FilterableField, filter::FilterOperator::{Ge, Le}, web::Conditions};
    ///
    /// let year = FilterableField::integer("year", "The year").with_operators([Ge, Le]);
    /// let conditions = Conditions::of("example", &Filter::ge("year", 2020), &[year])?;
    /// let parameter = match conditions.all[0].compared()? {
    ///     (Ge, year) => ("from", year),
    ///     (Le, year) => ("to", year),
    ///     (other, _) => return Err(conditions.all[0].unsupported(other)),
    /// };
    /// assert_eq!(parameter, ("from", "2020"));
    /// # Ok::<(), textsearch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) if it is negated or has several
    /// values.
    pub fn compared(&self) -> Result<(FilterOperator, &str)> {
        match (self.values.as_slice(), self.negated) {
            ([value], false) => Ok((self.operator, value)),
            (_, true) => Err(self.unsupported(FilterOperator::Not)),
            _ => Err(self.unsupported(FilterOperator::Or)),
        }
    }

    fn instant(&self) -> Result<(FilterOperator, DateTime)> {
        let (operator, value) = self.compared()?;
        let instant = DateTime::parse(value);
        let instant = instant.map_err(|_| self.invalid(value, "an instant in RFC 3339"))?;
        Ok((operator, instant))
    }

    /// Returns the operator and the instant, for a field made by [`FilterableField::date_time`]. The
    /// instant is rounded for an engine that knows only whole seconds. The comparison still accepts the
    /// same seconds: `>= 08:00:00.5` becomes `>= 08:00:01`.
    ///
    /// ```
    /// use textsearch_core::{Filter, FilterableField, filter::FilterOperator::{Ge, Le}, web::Conditions};
    ///
    /// let field = FilterableField::date_time("seen", "When it was seen").with_operators([Ge, Le]);
    /// let value = "2025-03-31T10:00:00.5+02:00";
    /// let filter = Filter::ge("seen", value).and(Filter::le("seen", value));
    /// let conditions = Conditions::of("example", &filter, &[field])?;
    /// let seconds: Vec<_> = conditions.all.iter().map(|one| one.second().unwrap().1.to_string()).collect();
    /// assert_eq!(seconds, ["2025-03-31T08:00:01Z", "2025-03-31T08:00:00Z"]);
    /// # Ok::<(), textsearch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`compared`](Self::compared), and [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if
    /// the value is no instant, or if the operator is `=` and the instant no whole second.
    pub fn second(&self) -> Result<(FilterOperator, DateTime)> {
        let (operator, instant) = self.instant()?;
        let whole = instant.floor_to_second();
        let rounded = match operator {
            _ if whole == instant => Some(whole),
            FilterOperator::Le | FilterOperator::Gt => Some(whole),
            FilterOperator::Ge | FilterOperator::Lt => whole.next_second(),
            _ => None,
        };
        let refused = || self.invalid(&instant.to_string(), "an instant without a fraction");
        Ok((operator, rounded.ok_or_else(refused)?))
    }

    fn invalid(&self, value: &str, allowed: &str) -> Error {
        Error::invalid_options(&*self.connector, &*self.field, format!("`{value}`"), allowed)
    }

    /// Creates the error for an unsupported operator.
    pub fn unsupported(&self, operator: FilterOperator) -> Error {
        let mut others = self.supported.clone();
        // The field may declare an operator that the connector then doesn't carry.
        others.retain(|other| *other != operator);
        Error::unsupported_filter(&*self.connector, &*self.field, operator, &others)
    }

    pub(super) fn equality(&self) -> Result<()> {
        match self.operator {
            FilterOperator::Eq => Ok(()),
            other => Err(self.unsupported(other)),
        }
    }
}

struct Reader<'a> {
    connector: &'a str,
    fields: &'a [FilterableField],
}

impl Reader<'_> {
    fn add(&self, filter: &Filter, negated: bool, conditions: &mut Conditions) -> Result<()> {
        match (filter, negated) {
            (Filter::Not(inner), _) => self.add(inner, !negated, conditions),
            (Filter::And(parts), false) | (Filter::Or(parts), true) => {
                parts.iter().try_for_each(|part| self.add(part, negated, conditions))
            }
            (Filter::Or(parts), false) => {
                self.add_any(parts, false, FilterOperator::Or, conditions)
            }
            (Filter::And(parts), true) => {
                self.add_any(parts, true, FilterOperator::And, conditions)
            }
            (Filter::Compare { field, operator, value }, _) => {
                // A negated `!=` is `=`.
                let is_ne = *operator == Comparison::Ne;
                let operator = if is_ne { FilterOperator::Eq } else { (*operator).into() };
                let values = std::slice::from_ref(value);
                let condition = self.condition(field, operator, values, negated != is_ne)?;
                conditions.all.push(condition);
                Ok(())
            }
            (Filter::In { values, .. }, _) if values.is_empty() => {
                conditions.are_never_met |= !negated;
                Ok(())
            }
            (Filter::In { field, values }, _) => {
                let condition = self.condition(field, FilterOperator::Eq, values, negated)?;
                conditions.all.push(condition);
                Ok(())
            }
            (Filter::Exists { field }, _) => Err(self.unsupported(field, FilterOperator::Exists)),
        }
    }

    fn condition(
        &self,
        field: &str,
        operator: FilterOperator,
        values: &[FilterValue],
        negated: bool,
    ) -> Result<Condition> {
        let values =
            values.iter().map(|value| self.text_of(field, value)).collect::<Result<_>>()?;
        Ok(Condition {
            field: field.to_owned(),
            operator,
            values,
            negated,
            connector: self.connector.to_owned(),
            supported: self.supported(field).to_vec(),
        })
    }

    fn add_any(
        &self,
        parts: &[Filter],
        negated: bool,
        operator: FilterOperator,
        conditions: &mut Conditions,
    ) -> Result<()> {
        let mut merged: Option<Condition> = None;
        for part in parts {
            let mut alternative = Conditions::default();
            self.add(part, negated, &mut alternative)?;
            if alternative.are_never_met {
                continue;
            }
            if alternative.all.is_empty() {
                return Ok(());
            }
            let field = part.fields().next().unwrap_or_default();
            let either = either(merged, alternative.all);
            merged = Some(either.ok_or_else(|| self.not_alike(field, operator))?);
        }
        match merged {
            Some(condition) => conditions.all.push(condition),
            None => conditions.are_never_met = true,
        }
        Ok(())
    }

    fn text_of(&self, field: &str, value: &FilterValue) -> Result<String> {
        let schema = self.declared(field).map(|declared| &declared.schema);
        let kind = schema.and_then(|schema| schema.get("type")?.as_str()).unwrap_or("string");
        let format = schema.and_then(|schema| schema.get("format")?.as_str());
        let is_day = format == Some("date");
        match (kind, value) {
            ("boolean", FilterValue::Bool(value)) => Ok(value.to_string()),
            ("integer" | "number", FilterValue::Integer(value)) => Ok(value.to_string()),
            ("number", FilterValue::Float(value)) if value.is_finite() => Ok(value.to_string()),
            ("string", FilterValue::String(text)) if is_day => day(self.connector, field, text),
            ("string", FilterValue::DateTime(instant)) if is_day => {
                day(self.connector, field, &instant.to_string())
            }
            ("string", FilterValue::String(text)) if format == Some("date-time") => {
                let allowed = "an instant, such as 2025-03-31T08:00:00Z";
                let value = format!("`{text}`");
                let refused = |_| Error::invalid_options(self.connector, field, value, allowed);
                DateTime::parse(text).map(|instant| instant.to_string()).map_err(refused)
            }
            ("string", FilterValue::String(text)) => Ok(text.clone()),
            ("string", FilterValue::DateTime(instant)) => Ok(instant.to_string()),
            _ => {
                let allowed = match kind {
                    "boolean" => "true or false",
                    "integer" => "a whole number",
                    "number" => "a number",
                    _ => "text, in quotes",
                };
                Err(Error::invalid_options(self.connector, field, "of another type", allowed))
            }
        }
    }

    fn unsupported(&self, field: &str, operator: FilterOperator) -> Error {
        Error::unsupported_filter(self.connector, field, operator, self.supported(field))
    }

    fn not_alike(&self, field: &str, operator: FilterOperator) -> Error {
        let parts = match operator {
            FilterOperator::And => "under `not` its parts are alternatives, and they",
            _ => "its parts",
        };
        let reason = format!(
            "{parts} must all compare one field with `=`, such as site = \"a\" or site = \"b\"; \
             search once for each part"
        );
        let supported = self.supported(field);
        Error::unsupported_filter_because(self.connector, field, operator, supported, reason)
    }

    fn supported(&self, field: &str) -> &[FilterOperator] {
        self.declared(field).map_or(&[], |declared| &declared.operators)
    }

    fn declared(&self, field: &str) -> Option<&FilterableField> {
        self.fields.iter().find(|declared| declared.name == field)
    }
}

/// Adds an alternative to `merged`; `None` if one condition cannot express both.
fn either(merged: Option<Condition>, alternative: Vec<Condition>) -> Option<Condition> {
    let [condition] = <[Condition; 1]>::try_from(alternative).ok()?;
    let Some(mut merged) = merged else { return Some(condition) };
    let fits = merged.field == condition.field && merged.operator == condition.operator;
    if !fits || merged.negated || condition.negated {
        return None;
    }
    merged.values.extend(condition.values);
    Some(merged)
}
