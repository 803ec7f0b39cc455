//! The URL of a request.

use serde_json::Value;
use textsearch_core::http::Url;
use textsearch_kernel::Result;

use super::Filler;
use crate::{
    encode::{Pairs, Style},
    operation::{Place, Plan, has_dot_segment},
};

const DOT_SEGMENT: &str = "must not make a segment `.` or `..` of the path";

impl<'a> Filler<'a> {
    pub(super) fn path(&self, plan: &Plan) -> Result<Url> {
        let parameters: Vec<_> = self.filled(&plan.parameters, Place::Path).collect();
        for (parameter, value) in &parameters {
            let matrix = parameters.iter().filter(|(other, _)| other.style == Style::Matrix);
            let matrix_names = matrix.map(|(other, _)| other.name.as_str());
            let others: Vec<&str> = matrix_names.chain(plan.path.matrix_names()).collect();
            let names = parameter.names_in_path(value);
            self.check_names(&parameter.argument, &parameter.name, names, &others)?;
        }
        let url = plan.path.url(&plan.server, |name| {
            let argument = parameters.iter().find(|(parameter, _)| parameter.name == name);
            let (parameter, value) = argument.ok_or_else(|| self.refuse(name, "is missing"))?;
            if parameter.text(value).is_empty() {
                return Err(
                    self.refuse(&parameter.argument, "must not be empty: it is part of the path")
                );
            }
            let written = parameter.in_path(value);
            if has_dot_segment(&written) {
                return Err(self.refuse(&parameter.argument, DOT_SEGMENT));
            }
            Ok(written)
        })?;
        let first = || parameters.first().map_or("", |(parameter, _)| parameter.argument.as_str());
        url.ok_or_else(|| self.refuse(first(), DOT_SEGMENT))
    }

    pub(super) fn query(&self, plan: &'a Plan, url: &Url) -> Result<Vec<(String, String)>> {
        let fixed: Vec<_> = url.query_pairs().map(|(name, _)| name.into_owned()).collect();
        let in_query = plan.parameters.iter().filter(|other| other.place == Place::Query);
        let names = in_query.map(|other| other.name.as_str()).chain(plan.security.query_keys());
        let others: Vec<&str> = names.chain(fixed.iter().map(String::as_str)).collect();
        let mut written = Vec::new();
        for (parameter, value) in self.filled(&plan.parameters, Place::Query) {
            let json = parameter.is_json.then(|| Value::from(value.to_string()));
            let before = written.len();
            let mut pairs = Pairs {
                style: parameter.style,
                explode: parameter.explode,
                encoding: parameter.encoding(),
                written: &mut written,
            };
            pairs.add(&parameter.name, json.as_ref().unwrap_or(value));
            let names = written.iter().skip(before).map(|(name, _)| name.as_str());
            self.check_names(&parameter.argument, &parameter.name, names, &others)?;
        }
        Ok(written)
    }
}
