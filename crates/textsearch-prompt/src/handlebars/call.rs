//! The helpers that stand for functions of the kernel.

use ::handlebars::{
    Context, Handlebars, Helper, HelperDef, PathAndJson, RenderContext, RenderError, ScopedJson,
};
use serde_json::Value;
use textsearch_kernel::KernelFunction;

use super::{answers::Pass, data, error::Failure};
use crate::binding::Bindings;

/// `(call "Plugin-Function" ["count"] query 5)`: the name, the names of the arguments that come last, all arguments.
pub(super) struct CallFunction<'a>(pub(super) &'a Pass<'a>);

/// `(call or variable "Plugin-Function" value)`: the function, where the plugin is one, and else the value.
pub(super) struct CallOrVariable<'a>(pub(super) &'a Pass<'a>);

impl HelperDef for CallFunction<'_> {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        context: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let name = name(helper);
        let function = find(self.0, name)?.ok_or_else(|| {
            Failure::message(format!(
                "there is no helper `{name}`, and {}",
                self.0.kernel().function_not_found(name)
            ))
        })?;
        let bindings = bind(function, helper).map_err(Failure::message)?;
        self.0.answer(function, &bindings, context)
    }
}

impl HelperDef for CallOrVariable<'_> {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        context: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        match find(self.0, name(helper))? {
            Some(function) => self.0.answer(function, &Bindings::new(function.metadata()), context),
            None => {
                Ok(helper.param(1).map_or(ScopedJson::Missing, |value| data::same(value, context)))
            }
        }
    }
}

/// The function called `Plugin-Function`; `None` where there is no such plugin.
pub(super) fn find<'a>(
    pass: &Pass<'a>,
    name: &str,
) -> Result<Option<&'a KernelFunction>, RenderError> {
    let kernel = pass.kernel();
    let Some((plugin, function)) = name.split_once('-') else {
        return Ok(None);
    };
    match kernel.plugin(plugin) {
        None => Ok(None),
        Some(plugin) => match plugin.function(function) {
            Some(function) => Ok(Some(function)),
            None => Err(Failure::not_found(&kernel.function_not_found(name))),
        },
    }
}

fn name<'rc>(helper: &Helper<'rc>) -> &'rc str {
    let name = helper.param(0).and_then(PathAndJson::try_get_constant_value);
    name.and_then(Value::as_str).unwrap_or_default()
}

fn bind<'h>(function: &'h KernelFunction, helper: &'h Helper<'_>) -> Result<Bindings<'h>, String> {
    let names = helper.param(1).and_then(|names| names.value().as_array());
    let names = names.map_or(&[][..], Vec::as_slice);
    let arguments = helper.params().get(2..).unwrap_or_default();
    let (positional, named) = arguments.split_at(arguments.len().saturating_sub(names.len()));
    let mut bindings = Bindings::new(function.metadata());
    for (index, argument) in positional.iter().enumerate() {
        bindings.positional(index, given(argument))?;
    }
    for (name, argument) in names.iter().zip(named) {
        bindings.named(name.as_str().unwrap_or_default(), given(argument))?;
    }
    Ok(bindings)
}

fn given<'h>(argument: &'h PathAndJson<'_>) -> Option<&'h Value> {
    (!argument.is_value_missing()).then(|| argument.value())
}
