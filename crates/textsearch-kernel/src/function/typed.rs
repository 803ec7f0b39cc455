//! Functions from closures with typed arguments.

use std::{cell::Cell, sync::Arc, vec};

use schemars::JsonSchema;
use serde::{
    Serialize,
    de::{
        DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess,
        value::MapAccessDeserializer,
    },
};
use serde_json::Value;
use textsearch_core::BoxError;

use super::{
    Invocation, KernelFunction,
    field_order::field_order,
    metadata::{parameters_of_object, take_text},
};
use crate::{
    KernelArguments, KernelError, Result,
    function::{FunctionMetadata, ParameterMetadata},
    schema::{schema_of_input, schema_of_output},
};

/// The arguments of a typed function that takes none.
#[derive(Debug, Clone, Copy, Default, serde::Deserialize, JsonSchema)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to add to")]
pub struct NoArguments {}

impl KernelFunction {
    /// Creates a function that runs `body`. The fields of the struct `A` are its parameters, and it
    /// returns an `R`.
    ///
    /// The schemas come from the types. A field's doc comment becomes the parameter's description.
    /// `Option` makes it optional, and so does `#[serde(default)]`, with a default that the schema
    /// shows if the type is `Serialize`. `#[schemars(range(min = 1, max = 50))]` or an `enum`
    /// limits its values.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidName`](KernelError::InvalidName) as [`new`](Self::new) does, and
    /// [`InvalidFunction`](KernelError::InvalidFunction) if `A` is not a struct with named fields.
    ///
    /// ```
    /// use textsearch_kernel::{Kernel, KernelArguments, KernelFunction, KernelPlugin};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Offset {
    ///     /// The number of days to add.
    ///     days: i64,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> textsearch_kernel::Result<()> {
    /// let later = KernelFunction::from_fn("Later", "Says how much later it is.", |offset: Offset| async move {
    ///     Ok::<_, std::fmt::Error>(format!("{} days later", offset.days))
    /// })?;
    /// let mut kernel = Kernel::new();
    /// kernel.add_plugin(KernelPlugin::new("Dates", "Dates.", [later])?)?;
    /// let result = kernel.invoke("Dates", "Later", KernelArguments::new().with("days", 3)).await?;
    /// assert_eq!(result.text(), "3 days later");
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_fn<A, R, E, B, F>(
        name: impl Into<String>,
        description: impl Into<String>,
        body: B,
    ) -> Result<Self>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        R: Serialize + JsonSchema + 'static,
        E: Into<BoxError> + 'static,
        B: Fn(A) -> F + Send + Sync + 'static,
        F: Future<Output = Result<R, E>> + Send + 'static,
    {
        Self::typed::<A, R, _, _>(name.into(), description.into(), move |invocation| {
            let Invocation { function, arguments, .. } = invocation;
            let running = read_arguments(&function, arguments).map(&body);
            async move { answer(&function, running?.await) }
        })
    }

    /// Like [`from_fn`](Self::from_fn), but the body also gets the [`Invocation`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_fn`](Self::from_fn).
    pub fn from_fn_with_invocation<A, R, E, B, F>(
        name: impl Into<String>,
        description: impl Into<String>,
        body: B,
    ) -> Result<Self>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        R: Serialize + JsonSchema + 'static,
        E: Into<BoxError> + 'static,
        B: Fn(A, Invocation) -> F + Send + Sync + 'static,
        F: Future<Output = Result<R, E>> + Send + 'static,
    {
        Self::typed::<A, R, _, _>(name.into(), description.into(), move |invocation: Invocation| {
            let function = Arc::clone(&invocation.function);
            let read = read_arguments(&function, invocation.arguments.clone());
            let running = read.map(|arguments| body(arguments, invocation));
            async move { answer(&function, running?.await) }
        })
    }

    fn typed<A, R, B, F>(name: String, description: String, body: B) -> Result<Self>
    where
        A: DeserializeOwned + JsonSchema,
        R: JsonSchema,
        B: Fn(Invocation) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Value>> + Send + 'static,
    {
        let mut metadata = FunctionMetadata::new(name, description);
        metadata.parameters = parameters_of::<A>(&metadata.name)?;
        let mut schema = schema_of_output::<R>();
        let described = take_text(&mut schema, "description");
        Self::new(metadata.with_return(described, schema), body)
    }
}

fn answer<R: Serialize, E: Into<BoxError>>(
    function: &FunctionMetadata,
    returned: Result<R, E>,
) -> Result<Value> {
    let failed = |source: BoxError| KernelError::failed(function.qualified_name(), source);
    let value = returned.map_err(|error| failed(error.into()))?;
    serde_json::to_value(value).map_err(|error| failed(error.into()))
}

fn parameters_of<A: DeserializeOwned + JsonSchema>(
    function: &str,
) -> Result<Vec<ParameterMetadata>> {
    let schema = schema_of_input::<A>();
    if schema.get("type").is_none_or(|name| name != "object") {
        let message = "its arguments must be a struct with named fields, one for each parameter";
        return Err(KernelError::invalid_function(function, message));
    }
    let mut parameters = parameters_of_object(schema);
    // JSON objects are unordered, but templates bind a positional argument to the first parameter.
    let order = field_order::<A>();
    let position = |name: &str| order.iter().position(|field| *field == name).unwrap_or(usize::MAX);
    parameters.sort_by_key(|parameter| position(&parameter.name));
    Ok(parameters)
}

fn read_arguments<A: DeserializeOwned>(
    function: &FunctionMetadata,
    arguments: KernelArguments,
) -> Result<A> {
    let failed = Cell::new(None);
    let values = arguments.into_values().into_iter();
    let reader = ArgumentReader { values, current: None, failed: &failed };
    A::deserialize(MapAccessDeserializer::new(reader)).map_err(|error| {
        let function = function.qualified_name();
        let message = format!("cannot be read: {error}");
        match failed.take() {
            Some(parameter) => KernelError::invalid_argument(function, parameter, message),
            None => KernelError::InvalidArguments { function, message },
        }
    })
}

struct ArgumentReader<'a> {
    values: vec::IntoIter<(String, Value)>,
    current: Option<(String, Value)>,
    failed: &'a Cell<Option<String>>,
}

impl<'de> MapAccess<'de> for ArgumentReader<'_> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Self::Error> {
        self.current = self.values.next();
        let name = self.current.as_ref().map(|(name, _)| name.as_str());
        name.map(|name| seed.deserialize(name.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Self::Error> {
        let (name, value) = self.current.take().unwrap_or_default();
        seed.deserialize(value).inspect_err(|_| self.failed.set(Some(name)))
    }
}
