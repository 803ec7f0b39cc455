//! Turns execution settings into a run's service and options.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::chat::{ChatCompletion, ChatOptions, ResponseFormat, ToolChoice};

use super::{FunctionChoice, FunctionChoiceBehavior, Limits, OfferedFunctions, choice};
use crate::{
    Kernel, KernelError, Result,
    grounding::{Attached, MEMORY_SETTING, TextSearchProvider, take_providers},
    prompt::{ExecutionSettings, PromptTemplateConfig},
};

/// Matches any service.
pub(super) const DEFAULT: &str = "default";

const SERVICE_ID: &str = "service_id";

pub(super) struct Plan {
    pub(super) service_id: String,
    pub(super) service: Arc<dyn ChatCompletion>,
    pub(super) offered: OfferedFunctions,
    pub(super) behavior: FunctionChoiceBehavior,
    /// Providers that search before the first request.
    pub(super) providers: Vec<Arc<TextSearchProvider>>,
    with_functions: ChatOptions,
    without_functions: ChatOptions,
}

type ByService = BTreeMap<String, ExecutionSettings>;

impl Plan {
    /// `overriding` overrides `settings`. Within each, the service's settings override the default
    /// ones.
    pub(super) fn new(
        kernel: &Kernel,
        settings: &ByService,
        overriding: &ByService,
    ) -> Result<Self> {
        let (service_id, service) = select(kernel, settings, overriding)?;
        let mut values = Map::new();
        let mut attached = Attached::default();
        for layer in [settings, overriding] {
            for id in [DEFAULT, service_id.as_str()] {
                if let Some(settings) = layer.get(id) {
                    overlay(&mut values, settings.values());
                    let has_memory = settings.get(MEMORY_SETTING).is_some();
                    attached.overlay(&settings.attached, has_memory);
                }
            }
        }
        values.remove(SERVICE_ID);
        let (on_demand, providers): (Vec<_>, Vec<_>) =
            take_providers(kernel, &mut values, attached)?
                .into_iter()
                .partition(|provider| provider.is_on_demand());
        let behavior = take_behavior(&mut values)?;
        let options = read_options(values)?;
        let (behavior, offered) = offer(kernel, behavior, &on_demand)?;
        let with_functions = with_functions(options.clone(), &behavior, &offered);
        let without_functions = options;
        Ok(Self {
            service_id,
            service,
            offered,
            behavior,
            providers,
            with_functions,
            without_functions,
        })
    }

    pub(super) fn offers_in(&self, round: usize) -> bool {
        let rounds = match self.behavior.choice {
            FunctionChoice::Auto => self.behavior.options.max_rounds,
            FunctionChoice::Required => self.behavior.options.max_rounds.min(1),
            FunctionChoice::None => 0,
        };
        round <= rounds && !self.offered.functions().is_empty()
    }

    pub(super) fn may_call(&self) -> bool {
        self.behavior.choice != FunctionChoice::None && !self.offered.functions().is_empty()
    }

    pub(super) fn limits(&self) -> Limits {
        self.behavior.options.limits()
    }

    pub(super) fn set_response_format(&mut self, format: &ResponseFormat) {
        for options in [&mut self.with_functions, &mut self.without_functions] {
            options.response_format = Some(format.clone());
        }
    }

    /// The format that the settings ask for.
    pub(super) const fn response_format(&self) -> Option<&ResponseFormat> {
        self.without_functions.response_format.as_ref()
    }

    pub(super) const fn last_options(&self) -> &ChatOptions {
        &self.without_functions
    }

    pub(super) fn options_of(&self, round: usize) -> &ChatOptions {
        let told_only = self.behavior.choice == FunctionChoice::None
            && round <= self.behavior.options.max_rounds;
        if self.offers_in(round) || told_only {
            &self.with_functions
        } else {
            &self.without_functions
        }
    }
}

/// Returns the schema of the answers that the prompt's own settings ask for: an empty one if services
/// differ and none is chosen, since any of them may answer.
pub(super) fn response_schema(prompt: &PromptTemplateConfig) -> Option<Value> {
    let settings = &prompt.execution_settings;
    let schema_of = |service: &str| {
        let mut values = Map::new();
        for settings in [DEFAULT, service].iter().filter_map(|id| settings.get(*id)) {
            overlay(&mut values, settings.values());
        }
        let mut values = values.into_iter();
        let (_, written) = values.find(|(name, _)| is_same_option(name, "response_format"))?;
        match serde_json::from_value(written) {
            Ok(ResponseFormat::JsonSchema { schema, .. }) => Some(schema),
            _ => None,
        }
    };
    let chosen = settings.get(DEFAULT).and_then(|default| default.get(SERVICE_ID)?.as_str());
    if let Some(chosen) = chosen {
        return schema_of(chosen);
    }
    let mut schemas = settings.keys().map(|service| schema_of(service));
    let first = schemas.next()?;
    if schemas.all(|other| other == first) { first } else { Some(Value::Object(Map::new())) }
}

/// Offers the functions of the behavior, if any, and of the providers.
fn offer(
    kernel: &Kernel,
    behavior: Option<FunctionChoiceBehavior>,
    on_demand: &[Arc<TextSearchProvider>],
) -> Result<(FunctionChoiceBehavior, OfferedFunctions)> {
    let mut offered = match &behavior {
        Some(behavior) => kernel.offered_functions(behavior)?,
        None => OfferedFunctions::default(),
    };
    let behavior = behavior.unwrap_or_else(|| match on_demand {
        [] => FunctionChoiceBehavior::none(),
        _ => FunctionChoiceBehavior::auto(),
    });
    if !on_demand.is_empty() && !behavior.options.auto_invoke {
        let message = "turns `auto_invoke` off, but only the kernel can run the search of a context provider on demand";
        return Err(KernelError::invalid_setting(choice::SETTING, message));
    }
    for provider in on_demand {
        offered.add(provider.function()?)?;
    }
    Ok((behavior, offered))
}

/// Overrides entries of `values` with `layer`, even if the two name an option differently.
fn overlay(values: &mut Map<String, Value>, layer: &Map<String, Value>) {
    let is_set = |known: &String| layer.keys().any(|name| is_same_option(known, name));
    values.retain(|known, _| !is_set(known));
    values.extend(layer.clone());
}

/// Such as `stop` and `stop_sequences`: options can't contain both.
fn is_same_option(name: &str, other: &str) -> bool {
    let both = [name, other].map(|name| (name.to_owned(), Value::Null));
    name == other || serde_json::from_value::<ChatOptions>(both.into_iter().collect()).is_err()
}

fn with_functions(
    mut options: ChatOptions,
    behavior: &FunctionChoiceBehavior,
    offered: &OfferedFunctions,
) -> ChatOptions {
    options.tools = offered.definitions();
    if options.tools.is_empty() {
        return options;
    }
    if behavior.options.allow_strict_schema_adherence {
        options.tools.iter_mut().for_each(|tool| tool.strict = Some(true));
    }
    options.parallel_tool_calls = behavior.options.allow_parallel_calls;
    options.tool_choice = Some(match behavior.choice {
        FunctionChoice::Auto => ToolChoice::Auto,
        FunctionChoice::Required => ToolChoice::Required,
        FunctionChoice::None => ToolChoice::None,
    });
    options
}

fn select(
    kernel: &Kernel,
    settings: &ByService,
    overriding: &ByService,
) -> Result<(String, Arc<dyn ChatCompletion>)> {
    for layer in [overriding, settings] {
        let named = layer.get(DEFAULT).and_then(|settings| settings.get(SERVICE_ID));
        if let Some(named) = named.filter(|id| !id.is_null()) {
            let id = named.as_str().ok_or_else(|| {
                KernelError::invalid_setting(SERVICE_ID, "must be the identifier of a service")
            })?;
            return kernel.select_chat_service(Some(id));
        }
        let known =
            kernel.chat_services().iter().find(|(id, _)| id != DEFAULT && layer.contains_key(id));
        if let Some((id, service)) = known {
            return Ok((id.clone(), Arc::clone(service)));
        }
    }
    let mut ids = overriding.keys().chain(settings.keys());
    let is_open = ids.clone().next().is_none() || ids.any(|id| id == DEFAULT);
    let missing = overriding.keys().chain(settings.keys()).next().filter(|_| !is_open);
    kernel.select_chat_service(missing.map(String::as_str))
}

fn take_behavior(values: &mut Map<String, Value>) -> Result<Option<FunctionChoiceBehavior>> {
    for name in ["tools", "tool_choice", "parallel_tool_calls"] {
        if values.contains_key(name) {
            let message = format!("is set by the kernel: use `{}`", choice::SETTING);
            return Err(KernelError::invalid_setting(name, message));
        }
    }
    let written = values.remove(choice::SETTING).filter(|value| !value.is_null());
    let read = written.map(serde_json::from_value).transpose();
    read.map_err(|error| KernelError::invalid_setting(choice::SETTING, error.to_string()))
}

fn read_options(values: Map<String, Value>) -> Result<ChatOptions> {
    let invalid = |name: &str, error: serde_json::Error| {
        KernelError::invalid_setting(name, error.to_string())
    };
    for (name, value) in &values {
        let setting = Map::from_iter([(name.clone(), value.clone())]);
        serde_json::from_value::<ChatOptions>(Value::Object(setting))
            .map_err(|error| invalid(name, error))?;
    }
    // Each is valid alone: the only error left is one setting under two names.
    serde_json::from_value(Value::Object(values)).map_err(|error| invalid("settings", error))
}
