//! Fields that several engines have.

use crate::{
    FilterableField,
    filter::FilterOperator::{Eq, Ge, In, Le, Ne},
};

/// Returns the field `site` with the operators `Eq`, `Ne` and `In`, for engines that search domains.
pub fn site_field() -> FilterableField {
    let site = "Only pages of this domain and its subdomains, such as docs.rs";
    FilterableField::string("site", site).with_operators([Eq, Ne, In])
}

/// Returns the field `published`, a day, with the operators `Ge` and `Le`.
pub fn published_field() -> FilterableField {
    let published = "Only pages published on or between these days, such as 2025-03-31";
    FilterableField::day("published", published).with_operators([Ge, Le])
}
