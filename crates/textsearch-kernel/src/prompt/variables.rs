//! The variables and calls of a template.

/// Variables and calls found in a template's source: see
/// [`PromptTemplate::variables`](super::PromptTemplate::variables).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateVariables {
    /// The variables, in the order of their first use, without duplicates. Names ignore ASCII case.
    pub variables: Vec<TemplateVariable>,
    /// The line and column, counted from 1, where the template first reads all variables at once or
    /// one with a computed name. If set, `variables` may be incomplete.
    pub unlisted: Option<(usize, usize)>,
    /// The function calls. Each looks for variables with the names of the parameters it omits.
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
    /// The number of positional arguments.
    pub positional: usize,
    /// The names of the named arguments, and of variables the template sets before the call.
    pub named: Vec<String>,
    /// Whether the call is inside a condition.
    pub is_optional: bool,
}

/// A variable that a template reads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateVariable {
    /// The variable's name.
    pub name: String,
    /// The line and column, counted from 1, of the place that most needs its value.
    pub position: (usize, usize),
    /// Whether the template only tests whether the variable exists, or reads it inside such a
    /// condition.
    pub is_optional: bool,
    /// Whether the template reads members or items of the value, not a text.
    pub structured: bool,
}

impl TemplateVariable {
    /// Creates a required text variable, read at this line and column, both counted from 1.
    pub fn new(name: impl Into<String>, position: (usize, usize)) -> Self {
        Self { name: name.into(), position, is_optional: false, structured: false }
    }
}

impl TemplateCall {
    /// Creates a call without arguments and outside any condition.
    pub fn new(plugin: Option<&str>, function: impl Into<String>) -> Self {
        Self {
            plugin: plugin.map(str::to_owned),
            function: function.into(),
            positional: 0,
            named: Vec::new(),
            is_optional: false,
        }
    }

    /// Templates may also write `Function-name`.
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
    /// Adds a variable, or another place that reads it. One place that needs its value makes it
    /// required.
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
        known.structured |= variable.structured;
    }
}
