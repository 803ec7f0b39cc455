//! A strict parser of filters: the [published
//! grammar](https://learn.microsoft.com/azure/search/search-query-odata-syntax-reference), and the
//! types of the fields.

use textsearch_core::filter::DateTime;

use super::{
    check::Checked,
    index::{Definition, Edm},
};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Date(DateTime),
    Null,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// `None` in place of a field's name is the variable of the lambda.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Not(Box<Expression>),
    Compare { target: Option<String>, sign: Sign, literal: Literal },
    In { target: Option<String>, values: Vec<String> },
    Any { field: String, condition: Option<Box<Expression>> },
    All { field: String, condition: Box<Expression> },
    Field(String),
    Constant(bool),
}

pub(crate) fn parse(text: &str, definition: &Definition) -> Checked<Expression> {
    let mut parser = Parser { rest: text, definition, variable: None };
    let expression = parser.disjunction()?;
    parser.skip_space();
    if parser.rest.is_empty() {
        return Ok(expression);
    }
    Err(format!("Invalid expression: syntax error at '{}' in '{text}'", parser.rest))
}

struct Parser<'a> {
    rest: &'a str,
    definition: &'a Definition,
    /// The variable, and the field that it runs over.
    variable: Option<(String, String)>,
}

impl Parser<'_> {
    fn disjunction(&mut self) -> Checked<Expression> {
        let mut parts = vec![self.conjunction()?];
        while self.keyword("or") {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Or(parts) })
    }

    fn conjunction(&mut self) -> Checked<Expression> {
        let mut parts = vec![self.negation()?];
        while self.keyword("and") {
            parts.push(self.negation()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::And(parts) })
    }

    fn negation(&mut self) -> Checked<Expression> {
        if self.keyword("not") {
            return Ok(Expression::Not(Box::new(self.negation()?)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Checked<Expression> {
        self.skip_space();
        if self.symbol("(") {
            let inner = self.disjunction()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.rest.starts_with("search.in(") {
            return self.search_in();
        }
        let name = self.identifier()?;
        if name == "true" || name == "false" {
            return Ok(Expression::Constant(name == "true"));
        }
        if self.symbol("/any(") {
            return self.lambda(name, true);
        }
        if self.symbol("/all(") {
            return self.lambda(name, false);
        }
        let (target, edm) = self.target(&name)?;
        let Some(sign) = self.sign() else {
            return match (target, edm) {
                (Some(field), Edm::Boolean) => Ok(Expression::Field(field)),
                _ => Err(format!("'{name}' is no boolean: '{}'", self.rest)),
            };
        };
        let literal = self.literal()?;
        check_types(&name, edm, sign, &literal)?;
        Ok(Expression::Compare { target, sign, literal })
    }

    fn lambda(&mut self, field: String, is_any: bool) -> Checked<Expression> {
        if self.variable.is_some() || self.definition.field(&field)?.edm != Edm::Texts {
            return Err(format!("'{field}' is no collection to run over"));
        }
        self.filterable(&field)?;
        if is_any && self.symbol(")") {
            return Ok(Expression::Any { field, condition: None });
        }
        let variable = self.identifier()?;
        self.expect(":")?;
        self.variable = Some((variable, field.clone()));
        let condition = self.disjunction()?;
        self.variable = None;
        self.expect(")")?;
        check_lambda(&condition, is_any)?;
        let condition = Box::new(condition);
        Ok(if is_any {
            Expression::Any { field, condition: Some(condition) }
        } else {
            Expression::All { field, condition }
        })
    }

    fn search_in(&mut self) -> Checked<Expression> {
        self.expect("search.in(")?;
        let name = self.identifier()?;
        let (target, edm) = self.target(&name)?;
        if edm != Edm::Text {
            return Err(format!("search.in: '{name}' is no string"));
        }
        self.expect(",")?;
        let Literal::Text(list) = self.literal()? else { return Err("no list".to_owned()) };
        self.skip_space();
        let mut separators = " ,".to_owned();
        if self.symbol(",") {
            let Literal::Text(own) = self.literal()? else {
                return Err("no separators".to_owned());
            };
            separators = own;
        }
        self.expect(")")?;
        let values = list.split(|c| separators.contains(c));
        // The documentation doesn't say what becomes of white space and of empty values.
        let values: Vec<String> =
            values.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).collect();
        Ok(Expression::In { target, values })
    }

    fn target(&self, name: &str) -> Checked<(Option<String>, Edm)> {
        if let Some((variable, _)) = self.variable.as_ref() {
            return if variable == name {
                Ok((None, Edm::Text))
            } else {
                Err(format!("'{name}' is not the variable '{variable}'"))
            };
        }
        let edm = self.filterable(name)?;
        match edm {
            Edm::Texts => Err(format!("'{name}' is a collection, which needs any or all")),
            edm => Ok((Some(name.to_owned()), edm)),
        }
    }

    fn filterable(&self, name: &str) -> Checked<Edm> {
        let field = self.definition.field(name)?;
        if field.is_filterable {
            Ok(field.edm)
        } else {
            Err(format!("'{name}' is not a filterable field"))
        }
    }

    fn sign(&mut self) -> Option<Sign> {
        let signs = [
            ("eq", Sign::Eq),
            ("ne", Sign::Ne),
            ("lt", Sign::Lt),
            ("le", Sign::Le),
            ("gt", Sign::Gt),
            ("ge", Sign::Ge),
        ];
        signs.into_iter().find(|(word, _)| self.keyword(word)).map(|(_, sign)| sign)
    }

    fn literal(&mut self) -> Checked<Literal> {
        self.skip_space();
        if let Some(rest) = self.rest.strip_prefix('\'') {
            return self.text(rest);
        }
        let end = self.rest.find([' ', ')', ',']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "true" => return Ok(Literal::Boolean(true)),
            "false" => return Ok(Literal::Boolean(false)),
            "null" => return Ok(Literal::Null),
            _ => {}
        }
        let digits = word.strip_prefix('-').unwrap_or(word);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(format!("'{word}' is no literal"));
        }
        if digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let integer = word.parse().map(Literal::Integer);
            return integer.map_err(|_| format!("'{word}' has more than 64 bits"));
        }
        if word.contains('T') {
            let is_known = word.ends_with('Z') && !word.starts_with("0000");
            let date = DateTime::parse(word).ok().filter(|_| is_known);
            return date.map(Literal::Date).ok_or_else(|| format!("'{word}' is no date"));
        }
        let is_float = |c: char| c.is_ascii_digit() || ".eE+-".contains(c);
        let float = word.parse().ok().filter(|_| word.chars().all(is_float));
        float.map(Literal::Float).ok_or_else(|| format!("'{word}' is no number"))
    }

    /// A quote in a text is doubled.
    fn text(&mut self, after_quote: &str) -> Checked<Literal>
    where
        Self: Sized,
    {
        let mut text = String::new();
        let mut characters = after_quote.char_indices();
        while let Some((place, c)) = characters.next() {
            if c != '\'' {
                text.push(c);
            } else if after_quote[place + 1..].starts_with('\'') {
                text.push('\'');
                characters.next();
            } else {
                let end = self.rest.len() - after_quote.len() + place + 1;
                self.rest = &self.rest[end..];
                return Ok(Literal::Text(text));
            }
        }
        Err("a string literal does not end".to_owned())
    }

    fn identifier(&mut self) -> Checked<String> {
        self.skip_space();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(format!("no name at '{}'", self.rest));
        }
        self.rest = rest;
        Ok(word.to_owned())
    }

    /// A word is followed by something that is no part of it.
    fn keyword(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start_matches(' ');
        let Some(after) = rest.strip_prefix(word) else { return false };
        if !after.starts_with([' ', '(']) {
            return false;
        }
        self.rest = after;
        true
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, symbol: &str) -> Checked<()> {
        self.skip_space();
        if self.symbol(symbol) {
            return Ok(());
        }
        Err(format!("'{symbol}' is missing at '{}'", self.rest))
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }
}

fn check_types(name: &str, edm: Edm, sign: Sign, literal: &Literal) -> Checked<()> {
    let is_equality = matches!(sign, Sign::Eq | Sign::Ne);
    let fits = match (edm, literal) {
        (_, Literal::Null) | (Edm::Boolean, Literal::Boolean(_)) => is_equality,
        (Edm::Text, Literal::Text(_))
        | (Edm::Int64, Literal::Integer(_))
        | (Edm::Double, Literal::Float(_))
        | (Edm::Date, Literal::Date(_)) => true,
        _ => false,
    };
    if fits {
        return Ok(());
    }
    Err(format!("A binary operator with incompatible types was detected: '{name}' and {literal:?}"))
}

/// [Collections of strings](https://learn.microsoft.com/azure/search/search-query-understand-collection-filters)
/// take `eq` or `search.in` with `or` in any, and their negations with `and` in all.
fn check_lambda(expression: &Expression, is_any: bool) -> Checked<()> {
    let is_allowed = match (expression, is_any) {
        (Expression::Compare { sign, .. }, true) => *sign == Sign::Eq,
        (Expression::Compare { sign, .. }, false) => *sign == Sign::Ne,
        (Expression::In { .. }, is_any) => is_any,
        (Expression::Not(inner), false) => matches!(**inner, Expression::In { .. }),
        (Expression::Or(parts), true) | (Expression::And(parts), false) => {
            return parts.iter().try_for_each(|part| check_lambda(part, is_any));
        }
        _ => false,
    };
    if is_allowed { Ok(()) } else { Err(format!("Invalid lambda: {expression:?}")) }
}
