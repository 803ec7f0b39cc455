//! Columns of a request from records.

use std::sync::Arc;

use serde_json::Value;
use textsearch_core::vector::{DataKind, RecordKey, StoredRecord};

use crate::{
    columns::{
        ABSENT, Columns, DATA, DataColumn, LONG, MAX_ELEMENTS, TERM_NUMBERS, TERMS, integer, signed,
    },
    data::DataText,
    proto::{
        Arrays, Blobs, Bools, DataType, Doubles, Elements, FieldData, Floats, Longs, Scalars,
        SparseVectors, Texts, Values,
    },
    terms::{self, Weights},
};

/// A record with its computed columns.
pub(crate) struct Prepared<'a> {
    pub(crate) record: &'a StoredRecord,
    pub(crate) data: DataText,
    pub(crate) terms: Weights,
}

/// The rows of one request.
pub(crate) struct Table<'a> {
    columns: &'a Columns,
    keys: Keys,
    json: Vec<Vec<u8>>,
    pieces: Vec<Scalars>,
    data: Vec<(Vec<bool>, Values)>,
    absent: Vec<Scalars>,
    vectors: Vec<Vec<f32>>,
    term_numbers: Vec<Scalars>,
    terms: Vec<Vec<u8>>,
}

enum Keys {
    Longs(Vec<i64>),
    Texts(Vec<String>),
}

impl<'a> Table<'a> {
    pub(crate) fn new(columns: &'a Columns) -> Self {
        let keys = match columns.key_kind {
            textsearch_core::vector::KeyKind::Integer => Keys::Longs(Vec::new()),
            _ => Keys::Texts(Vec::new()),
        };
        Self {
            columns,
            keys,
            json: Vec::new(),
            pieces: Vec::new(),
            data: columns.data.iter().map(|column| (Vec::new(), no_values(column.kind))).collect(),
            absent: Vec::new(),
            vectors: vec![Vec::new(); columns.vectors.len()],
            term_numbers: Vec::new(),
            terms: Vec::new(),
        }
    }

    /// Adds a record, which was checked before.
    pub(crate) fn push(&mut self, prepared: &Prepared<'_>) {
        let Prepared { record, data, terms } = prepared;
        match (&mut self.keys, &record.key) {
            (Keys::Longs(keys), RecordKey::Integer(key)) => keys.push(signed(*key)),
            (Keys::Texts(keys), key) => keys.push(key.to_string()),
            (Keys::Longs(_), _) => {}
        }
        self.json.push(data.json.clone().into_bytes());
        self.pieces.push(texts(data.pieces.clone()));
        for (column, (valid, values)) in self.columns.data.iter().zip(&mut self.data) {
            let value = record.data.get(&column.field).unwrap_or(&Value::Null);
            valid.push(!value.is_null());
            push_value(values, value);
        }
        self.push_vectors(record);
        if self.columns.has_terms {
            let numbers = terms.keys().take(MAX_ELEMENTS).map(|number| i64::from(*number));
            let numbers = Values::Longs(Longs { data: numbers.collect() });
            self.term_numbers.push(Scalars { values: Some(numbers) });
            self.terms.push(terms::to_bytes(terms));
        }
    }

    fn push_vectors(&mut self, record: &StoredRecord) {
        let mut absent = Vec::new();
        for (column, elements) in self.columns.vectors.iter().zip(&mut self.vectors) {
            match record.vectors.get(&column.field) {
                Some(vector) => elements.extend_from_slice(Arc::as_ref(vector)),
                // Not all zeros, since a cosine has no direction then.
                None => {
                    absent.push(column.column.clone());
                    elements.push(1.0);
                    elements.extend(std::iter::repeat_n(0.0, column.dimensions - 1));
                }
            }
        }
        self.absent.push(texts(absent));
    }

    pub(crate) fn into_fields(self) -> Vec<FieldData> {
        let columns = self.columns;
        let rows = self.json.len();
        let mut fields = vec![match self.keys {
            Keys::Longs(data) => {
                FieldData::scalars(&columns.key, DataType::Int64, Values::Longs(Longs { data }))
            }
            Keys::Texts(data) => {
                FieldData::scalars(&columns.key, DataType::VarChar, Values::Texts(Texts { data }))
            }
        }];
        let json = Values::Json(Blobs { data: self.json });
        fields.push(FieldData::scalars(DATA, DataType::Json, json));
        fields.push(lists(LONG, DataType::VarChar, self.pieces));
        let data = columns.data.iter().zip(self.data);
        fields.extend(data.map(|(column, (valid, values))| nullable(column, valid, values)));
        if !columns.vectors.is_empty() {
            fields.push(lists(ABSENT, DataType::VarChar, self.absent));
        }
        let vectors = columns.vectors.iter().zip(self.vectors);
        fields.extend(vectors.map(|(column, data)| {
            let dim = i64::try_from(column.dimensions).unwrap_or(i64::MAX);
            let elements = Elements::Floats(Floats { data });
            FieldData::vectors(&column.column, DataType::FloatVector, dim, elements)
        }));
        if columns.has_terms && rows > 0 {
            fields.push(lists(TERM_NUMBERS, DataType::Int64, self.term_numbers));
            let dim = i64::from(u32::MAX);
            let elements = Elements::Sparse(SparseVectors { contents: self.terms, dim });
            fields.push(FieldData::vectors(TERMS, DataType::SparseFloatVector, dim, elements));
        }
        fields
    }
}

fn texts(data: Vec<String>) -> Scalars {
    Scalars { values: Some(Values::Texts(Texts { data })) }
}

fn lists(name: &str, element_type: DataType, data: Vec<Scalars>) -> FieldData {
    let lists = Arrays { data, element_type: element_type as i32 };
    FieldData::scalars(name, DataType::Array, Values::Arrays(lists))
}

fn nullable(column: &DataColumn, valid_data: Vec<bool>, values: Values) -> FieldData {
    let data_type = match column.kind {
        DataKind::Integer => DataType::Int64,
        DataKind::Number => DataType::Double,
        DataKind::Boolean => DataType::Bool,
        DataKind::Strings => DataType::Array,
        _ => DataType::VarChar,
    };
    FieldData { valid_data, ..FieldData::scalars(&column.column, data_type, values) }
}

fn no_values(kind: DataKind) -> Values {
    match kind {
        DataKind::Integer => Values::Longs(Longs::default()),
        DataKind::Number => Values::Doubles(Doubles::default()),
        DataKind::Boolean => Values::Bools(Bools::default()),
        DataKind::Strings => {
            Values::Arrays(Arrays { data: Vec::new(), element_type: DataType::VarChar as i32 })
        }
        _ => Values::Texts(Texts::default()),
    }
}

/// Adds a value unless it is null: columns hold the other values alone.
fn push_value(values: &mut Values, value: &Value) {
    match (values, value) {
        (Values::Longs(longs), Value::Number(number)) => longs.data.extend(integer(number)),
        (Values::Doubles(doubles), Value::Number(number)) => doubles.data.extend(number.as_f64()),
        (Values::Bools(bools), Value::Bool(value)) => bools.data.push(*value),
        (Values::Texts(texts), Value::String(text)) => texts.data.push(text.clone()),
        (Values::Arrays(lists), Value::Array(items)) => {
            let items = items.iter().filter_map(|item| item.as_str().map(str::to_owned));
            lists.data.push(texts(items.collect()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::{DataField, RecordDefinition, VectorField};

    use super::*;
    use crate::{data::DataText, terms::Weights};

    #[test]
    fn columns_hold_values_that_are_not_null() {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::integer("year").filterable())
            .with_vector(VectorField::new("embedding", 2));
        let columns = Columns::new(&definition);
        let mut table = Table::new(&columns);
        for data in [json!({ "id": "a", "year": 1 }), json!({ "id": "b" })] {
            let data = data.as_object().cloned().unwrap();
            let record = StoredRecord::new(data, &definition).unwrap();
            let data = DataText::new(&record.data).unwrap();
            table.push(&Prepared { record: &record, data, terms: Weights::new() });
        }
        let fields = table.into_fields();
        let named = |name: &str| fields.iter().find(|field| field.field_name == name).unwrap();
        let years = Values::Longs(Longs { data: vec![1] });
        let expected = FieldData::scalars("year", DataType::Int64, years);
        assert_eq!(*named("year"), FieldData { valid_data: vec![true, false], ..expected });
        let absent = vec![texts(vec!["embedding".to_owned()]); 2];
        assert_eq!(*named(ABSENT), lists(ABSENT, DataType::VarChar, absent));
        let floats = Elements::Floats(Floats { data: vec![1.0, 0.0, 1.0, 0.0] });
        let vectors = FieldData::vectors("embedding", DataType::FloatVector, 2, floats);
        assert_eq!(*named("embedding"), vectors);
    }
}
