//! Schemas, columns and vectors.

use super::KeyValuePair;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum DataType {
    None = 0,
    Bool = 1,
    Int64 = 5,
    Double = 11,
    VarChar = 21,
    Array = 22,
    Json = 23,
    FloatVector = 101,
    SparseFloatVector = 104,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct FieldSchema {
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(bool, tag = "3")]
    pub(crate) is_primary_key: bool,
    #[prost(enumeration = "DataType", tag = "5")]
    pub(crate) data_type: i32,
    #[prost(message, repeated, tag = "6")]
    pub(crate) type_params: Vec<KeyValuePair>,
    #[prost(enumeration = "DataType", tag = "10")]
    pub(crate) element_type: i32,
    #[prost(bool, tag = "15")]
    pub(crate) nullable: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CollectionSchema {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "4")]
    pub(crate) fields: Vec<FieldSchema>,
}

/// A column: the values of one field in several records.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct FieldData {
    #[prost(enumeration = "DataType", tag = "1")]
    pub(crate) r#type: i32,
    #[prost(string, tag = "2")]
    pub(crate) field_name: String,
    #[prost(oneof = "Column", tags = "3, 4")]
    pub(crate) column: Option<Column>,
    /// Of a nullable field: which records have a value. The column then holds only those values.
    #[prost(bool, repeated, tag = "7")]
    pub(crate) valid_data: Vec<bool>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Column {
    #[prost(message, tag = "3")]
    Scalars(Scalars),
    #[prost(message, tag = "4")]
    Vectors(Vectors),
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Scalars {
    #[prost(oneof = "Values", tags = "1, 3, 5, 6, 8, 9")]
    pub(crate) values: Option<Values>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Values {
    #[prost(message, tag = "1")]
    Bools(Bools),
    #[prost(message, tag = "3")]
    Longs(Longs),
    #[prost(message, tag = "5")]
    Doubles(Doubles),
    #[prost(message, tag = "6")]
    Texts(Texts),
    #[prost(message, tag = "8")]
    Arrays(Arrays),
    #[prost(message, tag = "9")]
    Json(Blobs),
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Bools {
    #[prost(bool, repeated, tag = "1")]
    pub(crate) data: Vec<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Longs {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) data: Vec<i64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Doubles {
    #[prost(double, repeated, tag = "1")]
    pub(crate) data: Vec<f64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Texts {
    #[prost(string, repeated, tag = "1")]
    pub(crate) data: Vec<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Blobs {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(crate) data: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Arrays {
    #[prost(message, repeated, tag = "1")]
    pub(crate) data: Vec<Scalars>,
    #[prost(enumeration = "DataType", tag = "2")]
    pub(crate) element_type: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Vectors {
    #[prost(int64, tag = "1")]
    pub(crate) dim: i64,
    #[prost(oneof = "Elements", tags = "2, 6")]
    pub(crate) elements: Option<Elements>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Elements {
    #[prost(message, tag = "2")]
    Floats(Floats),
    #[prost(message, tag = "6")]
    Sparse(SparseVectors),
}

/// The vectors of all records, one after the other.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Floats {
    #[prost(float, repeated, tag = "1")]
    pub(crate) data: Vec<f32>,
}

/// Each vector is a list of an index and a value, in little-endian bytes, ordered by index.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SparseVectors {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(crate) contents: Vec<Vec<u8>>,
    #[prost(int64, tag = "2")]
    pub(crate) dim: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Ids {
    #[prost(oneof = "IdList", tags = "1, 2")]
    pub(crate) list: Option<IdList>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum IdList {
    #[prost(message, tag = "1")]
    Longs(Longs),
    #[prost(message, tag = "2")]
    Texts(Texts),
}

impl FieldData {
    pub(crate) fn scalars(name: &str, data_type: DataType, values: Values) -> Self {
        let column = Some(Column::Scalars(Scalars { values: Some(values) }));
        let (r#type, field_name) = (data_type as i32, name.to_owned());
        Self { r#type, field_name, column, valid_data: Vec::new() }
    }

    pub(crate) fn vectors(name: &str, data_type: DataType, dim: i64, elements: Elements) -> Self {
        let column = Some(Column::Vectors(Vectors { dim, elements: Some(elements) }));
        let (r#type, field_name) = (data_type as i32, name.to_owned());
        Self { r#type, field_name, column, valid_data: Vec::new() }
    }
}
