//! The variables that a template reads.

/// What an engine finds in a template's source: see [`PromptTemplate::variables`](super::PromptTemplate::variables).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateVariables {
    /// The variables, in the order in which the template reads them first; each once, without regard to ASCII case.
    pub variables: Vec<TemplateVariable>,
    /// The line and column, counted from 1, where the template first reads all its variables at once, or one whose name
    /// is computed. Then `variables` may lack some.
    pub unlisted: Option<(usize, usize)>,
    /// The calls of functions. One looks for a variable of the name of each parameter that it
    /// leaves out.
    pub calls: Vec<TemplateCall>,
}

/// A call of a function in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateCall {
    /// The function's plugin; any if `None`.
    pub plugin: Option<String>,
    /// The function's name.
    pub function: String,
    /// The number of arguments without a name.
    pub positional: usize,
    /// The names of the other arguments, and of the variables that the template sets before the
    /// call.
    pub named: Vec<String>,
    /// Whether the call stands in a condition.
    pub is_optional: bool,
}

/// A variable that a template reads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateVariable {
    /// The variable's name.
    pub name: String,
    /// The line and column of the place that needs its value most, counted from 1.
    pub position: (usize, usize),
    /// Whether the template expects that the variable may be missing: it only asks whether there is one, or reads it
    /// inside such a condition.
    pub is_optional: bool,
    /// Whether the template reads members or items of the value rather than a text.
    pub is_structured: bool,
}

impl TemplateVariable {
    /// Returns a required text that is read at this line and column, both counted from 1.
    pub fn new(name: impl Into<String>, position: (usize, usize)) -> Self {
        Self { name: name.into(), position, is_optional: false, is_structured: false }
    }
}

impl TemplateCall {
    /// Returns a call without arguments that stands in no condition.
    pub fn new(plugin: Option<&str>, function: impl Into<String>) -> Self {
        Self {
            plugin: plugin.map(str::to_owned),
            function: function.into(),
            positional: 0,
            named: Vec::new(),
            is_optional: false,
        }
    }

    /// Whether the call gives the parameter at `index` of its function. Templates may write
    /// `Function-name` too.
    pub(super) fn gives(&self, index: usize, parameter: &str) -> bool {
        let is_it = |name: &String| {
            let own = || name.strip_prefix(&self.function)?.strip_prefix('-');
            name.eq_ignore_ascii_case(parameter)
                || own().is_some_and(|own| own.eq_ignore_ascii_case(parameter))
        };
        index < self.positional || self.named.iter().any(is_it)
    }
}

impl TemplateVariables {
    /// Adds a variable, or another place that reads it: one place that needs the value makes it required.
    pub fn add(&mut self, variable: TemplateVariable) {
        let is_same =
            |known: &&mut TemplateVariable| known.name.eq_ignore_ascii_case(&variable.name);
        let Some(known) = self.variables.iter_mut().find(is_same) else {
            self.variables.push(variable);
            return;
        };
        if known.is_optional && !variable.is_optional {
            known.is_optional = false;
            known.position = variable.position;
        }
        known.is_structured |= variable.is_structured;
    }
}
