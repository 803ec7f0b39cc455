//! Compares index results with the core's row-by-row evaluation.

use proptest::{collection::vec, prelude::*};
use serde_json::{Map, Number, json};
use textsearch_core::{Filter, filter::DateTime};

use super::*;

/// Some round to the same float.
fn numbers() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-3_i64..4).prop_map(Value::from),
        (-4_i8..5).prop_map(|number| Value::from(f64::from(number) / 2.0)),
        (0_i64..4).prop_map(|number| Value::from((1_i64 << 53) + number)),
        (0_u64..4).prop_map(|number| Value::from(u64::MAX - number)),
        prop_oneof![Just(-0.0), Just(9_007_199_254_740_992.0), Just(1.8446744073709552e19)]
            .prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::Number)),
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab]{0,3}",
        "longer than eight [ab]{0,2}",
        Just("a\0".to_owned()),
        Just("é".to_owned()),
        prop_oneof![
            Just("2024-08-14T00:00:00Z"),
            Just("2024-08-14T02:00:00+02:00"),
            Just("2024-08-15"),
        ]
        .prop_map(str::to_owned),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        4 => numbers(),
        4 => texts().prop_map(Value::from),
    ];
    scalar.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            3 => vec(inner.clone(), 0..3).prop_map(Value::from),
            1 => inner.prop_map(|value| json!({ "part": value })),
        ]
    })
}

fn filter_values() -> impl Strategy<Value = FilterValue> {
    let float = prop_oneof![
        (-4_i8..5).prop_map(|number| f64::from(number) / 2.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(9_007_199_254_740_992.0),
        Just(1.8446744073709552e19),
    ];
    let date = prop_oneof![Just("2024-08-14T00:00:00Z"), Just("2024-08-15T00:00:00Z")];
    let scalar = prop_oneof![
        any::<bool>().prop_map(FilterValue::from),
        (-3_i64..4).prop_map(FilterValue::from),
        (0_i64..4).prop_map(|number| FilterValue::from((1_i64 << 53) + number)),
        float.prop_map(FilterValue::from),
        texts().prop_map(FilterValue::from),
        date.prop_map(|date| FilterValue::from(DateTime::parse(date).unwrap())),
    ];
    scalar.prop_recursive(2, 6, 3, |inner| vec(inner, 0..3).prop_map(FilterValue::from))
}

proptest! {
    #[test]
    fn comparisons_select_the_same_rows_as_the_core(
        values in vec(values(), 0..40),
        value in filter_values(),
    ) {
        let mut column = Column::default();
        values.iter().enumerate().for_each(|(row, value)| column.set(row, value));
        let expected = |filter: Filter| {
            let record = |value: &Value| Map::from_iter([("field".to_owned(), value.clone())]);
            values.iter().map(|value| filter.matches_object(&record(value))).collect::<Vec<_>>()
        };
        let selected = |rows: Bitmap| {
            (0..values.len()).map(|row| rows.contains(row)).collect::<Vec<_>>()
        };
        for operator in Comparison::ALL {
            let filter = Filter::compare("field", *operator, value.clone());
            let rows = column.compare(*operator, &value);
            prop_assert_eq!(selected(rows), expected(filter), "{:?} {:?}", operator, value);
        }
        prop_assert_eq!(selected(column.equal(&value)), expected(Filter::eq("field", value)));
        prop_assert_eq!(selected(column.present()), expected(Filter::exists("field")));
    }
}

#[test]
fn index_follows_its_column() {
    let mut column = Column::default();
    column.set(0, &json!(1));
    let value = FilterValue::from(1);
    assert!(column.equal(&value).contains(0));
    column.set(0, &json!(2));
    column.set(5, &json!(1));
    assert_eq!(column.equal(&value).rows().collect::<Vec<_>>(), [5]);
    let copy = column.clone();
    assert_eq!(copy.present().rows().count(), 2);
}
