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
