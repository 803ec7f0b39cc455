//! Declared fields.

use serde_json::json;

use crate::{
    ErrorKind,
    filter::{Filter, FilterOperator, FilterableField},
};

use FilterOperator::{Contains, Eq, Exists, Ge, Gt, In, Le, Lt, Ne, StartsWith};

fn declared() -> Vec<FilterableField> {
    vec![
        FilterableField::string("site", "The site").with_operators([Eq]),
        FilterableField::integer("year", "The year").with_all_operators(),
    ]
}

#[test]
fn all_operators_follow_the_type() {
    let ordered = vec![Eq, Ne, Lt, Le, Gt, Ge, In, Exists];
    let cases = [
        (FilterableField::string("f", ""), vec![Eq, Ne, In, Contains, StartsWith, Exists]),
        (FilterableField::integer("f", ""), ordered.clone()),
        (FilterableField::number("f", ""), ordered.clone()),
        (FilterableField::date_time("f", ""), ordered.clone()),
        (FilterableField::day("f", ""), ordered.clone()),
        (
            FilterableField::one_of("f", "", &["a", "b"]),
            vec![Eq, Ne, In, Contains, StartsWith, Exists],
        ),
        (FilterableField::boolean("f", ""), vec![Eq, Ne, Exists]),
        (FilterableField::new("f", "", json!({ "type": "array" })), vec![Eq, Ne, Contains, Exists]),
        (FilterableField::new("f", "", json!({ "type": ["integer", "null"] })), ordered),
        (
            FilterableField::new("f", "", json!({ "type": ["integer", "string"] })),
            vec![Eq, Ne, In, Exists],
        ),
        (FilterableField::new("f", "", json!({ "enum": ["a", "b"] })), vec![Eq, Ne, In, Exists]),
        (FilterableField::new("f", "", json!(true)), vec![Eq, Ne, In, Exists]),
    ];
    for (field, operators) in cases {
        assert_eq!(field.operators, [Eq], "{}", field.schema);
        let all = field.with_all_operators();
        assert_eq!(all.operators, operators, "{}", all.schema);
    }
}

#[test]
fn a_field_of_given_texts_lists_them() {
    let field = FilterableField::one_of("topic", "The topic", &["news", "sport"]);
    assert_eq!(field.schema, json!({ "type": "string", "enum": ["news", "sport"] }));
}

#[test]
fn a_field_is_offered_to_models_unless_said_otherwise() {
    let field = FilterableField::string("site", "The site");
    assert!(field.offered_to_model);
    assert!(!field.offered_to_model(false).offered_to_model);
}

#[test]
fn a_field_serialises_with_the_names_of_its_operators() {
    let field = FilterableField::string("site", "The site").with_operators([Eq, StartsWith]);
    let expected = json!({
        "name": "site",
        "description": "The site",
        "schema": { "type": "string" },
        "operators": ["eq", "starts_with"],
        "offered_to_model": true,
    });
    assert_eq!(serde_json::to_value(field).unwrap(), expected);
}

#[test]
fn declared_comparisons_pass_in_any_combination() {
    let year = Filter::ge("year", 2020).and(Filter::is_in("year", [1])).or(Filter::exists("year"));
    let filter = !Filter::all([Filter::eq("site", "docs.rs"), year]);
    assert!(filter.check("brave", &declared()).is_ok());
    assert!(Filter::all([]).check("brave", &[]).is_ok());
}

#[test]
fn an_undeclared_operator_is_reported_with_those_that_work() {
    let filter = Filter::ge("year", 2020).and(!Filter::contains("site", "docs"));
    let error = filter.check("brave", &declared()).unwrap_err();
    let expected = ErrorKind::UnsupportedFilter {
        field: "site".into(),
        operator: Contains,
        supported: vec![Eq],
    };
    assert_eq!(*error.kind(), expected);
    assert_eq!(error.connector(), "brave");
}

#[test]
fn an_undeclared_field_is_reported_without_operators() {
    let error = Filter::exists("author").check("brave", &declared()).unwrap_err();
    let expected = ErrorKind::UnsupportedFilter {
        field: "author".into(),
        operator: Exists,
        supported: Vec::new(),
    };
    assert_eq!(*error.kind(), expected);
    assert_eq!(
        error.to_string(),
        "brave: cannot filter on `author`: there is no such filterable field; there are site, year"
    );
}

#[test]
fn an_undeclared_field_is_reported_with_forty_names_at_most() {
    let message = |count: usize| {
        let field = |number| FilterableField::string(format!("f{number}"), "");
        let fields: Vec<_> = (0..count).map(field).collect();
        let error = Filter::eq("lang", "en").check("brave", &fields).unwrap_err();
        error.message().replace("cannot filter on `lang`: ", "")
    };
    assert_eq!(message(0), "there are no filterable fields");
    assert_eq!(message(1), "there is no such filterable field; there is f0");
    assert_eq!(message(2), "there is no such filterable field; there are f0, f1");
    assert!(message(45).ends_with("f38, f39 and 5 more"));
}

#[test]
fn the_first_comparison_is_the_one_reported() {
    let filter = Filter::any([Filter::exists("b").and(Filter::exists("c")), Filter::exists("a")]);
    let error = filter.check("brave", &[]).unwrap_err();
    assert!(error.message().contains("`b`"), "{error}");
}

#[test]
fn a_field_reads_as_it_is_written() {
    for field in declared().into_iter().chain([FilterableField::date_time("at", "When")]) {
        let field = field.offered_to_model(false);
        let json = serde_json::to_string(&field).unwrap();
        assert_eq!(serde_json::from_str::<FilterableField>(&json).unwrap(), field);
    }
}

#[test]
fn fields_are_offered_to_models_by_default() {
    let json =
        json!({ "name": "f", "description": "", "schema": {}, "operators": ["starts_with"] });
    let field: FilterableField = serde_json::from_value(json.clone()).unwrap();
    assert!(field.offered_to_model);
    assert_eq!(field.operators, [StartsWith]);
    let mut misspelled = json;
    misspelled["offered_to_models"] = json!(false);
    let error = serde_json::from_value::<FilterableField>(misspelled).unwrap_err();
    assert!(error.to_string().contains("unknown field `offered_to_models`"), "{error}");
}

#[test]
fn an_operator_reads_under_the_name_it_is_written_with() {
    let logical = [FilterOperator::And, FilterOperator::Or, FilterOperator::Not];
    for operator in FilterOperator::ALL_COMPARISONS.iter().copied().chain(logical) {
        let json = serde_json::to_value(operator).unwrap();
        assert_eq!(json, operator.name());
        assert_eq!(serde_json::from_value::<FilterOperator>(json).unwrap(), operator);
    }
    assert!(serde_json::from_str::<FilterOperator>("\"StartsWith\"").is_err());
}
