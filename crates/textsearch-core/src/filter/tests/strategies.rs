//! Filters and records over few fields and values, so that comparisons often hold.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::filter::{Comparison, DateTime, Filter, FilterValue};

fn common_field() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "a.b", "c"]).prop_map(str::to_owned)
}

fn field() -> impl Strategy<Value = String> {
    prop_oneof![4 => common_field(), 1 => any::<String>()]
}

pub(super) fn date_time() -> impl Strategy<Value = DateTime> {
    (0..10_000_i16, 1..13_u8, 1..29_u8, 0..86_400_u32, 0..1_000_000_000_u32).prop_map(
        |(year, month, day, second, nanosecond)| {
            let hour = second / 3_600;
            let minute = second / 60 % 60;
            let second = second % 60;
            let text = format!(
                "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanosecond:09}Z"
            );
            DateTime::parse(&text).unwrap()
        },
    )
}

fn scalar() -> impl Strategy<Value = FilterValue> {
    prop_oneof![
        any::<bool>().prop_map(FilterValue::from),
        (-2..3_i64).prop_map(FilterValue::from),
        any::<i64>().prop_map(FilterValue::from),
        prop::sample::select(vec![-0.0, 0.5, 1.0, 2.0]).prop_map(FilterValue::from),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(FilterValue::from),
        "[ab]{0,2}".prop_map(FilterValue::from),
        any::<String>().prop_map(FilterValue::from),
        prop::sample::select(vec!["2024-08-14", "2024-08-15"]).prop_map(|text| DateTime::parse(
            text
        )
        .unwrap()
        .into()),
        date_time().prop_map(FilterValue::from),
    ]
}

pub(super) fn value() -> impl Strategy<Value = FilterValue> {
    scalar()
        .prop_recursive(2, 6, 3, |value| prop::collection::vec(value, 0..3).prop_map(Into::into))
}

fn comparison() -> impl Strategy<Value = Comparison> {
    prop::sample::select(Comparison::ALL)
}

fn leaf() -> impl Strategy<Value = Filter> {
    prop_oneof![
        4 => (field(), comparison(), value()).prop_map(|(field, operator, value)| {
            Filter::Compare { field, operator, value }
        }),
        1 => (field(), prop::collection::vec(value(), 0..3))
            .prop_map(|(field, values)| Filter::In { field, values }),
        1 => field().prop_map(Filter::exists),
    ]
}

pub(super) fn filter() -> impl Strategy<Value = Filter> {
    leaf().prop_recursive(5, 24, 3, |filter| {
        prop_oneof![
            prop::collection::vec(filter.clone(), 0..4).prop_map(Filter::And),
            prop::collection::vec(filter.clone(), 0..4).prop_map(Filter::Or),
            filter.prop_map(|filter| Filter::Not(Box::new(filter))),
        ]
    })
}

fn json_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..3_i64).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::sample::select(vec![-0.0, 0.5, 1.0, 2.0]).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
        prop::sample::select(vec!["2024-08-14", "2024-08-14T02:00:00+02:00", "2024-08-15"])
            .prop_map(Value::from),
    ];
    scalar.prop_recursive(2, 6, 3, |value| {
        prop_oneof![
            prop::collection::vec(value.clone(), 0..3).prop_map(Value::from),
            value.prop_map(|value| json!({ "b": value })),
        ]
    })
}

pub(super) fn record() -> impl Strategy<Value = Value> {
    prop::collection::vec((common_field(), json_value()), 0..4)
        .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
}
