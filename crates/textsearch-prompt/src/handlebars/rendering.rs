//! Rendering a template whose functions are asynchronous.
//!
//! The engine knows no asynchronous helpers. So it renders until a call has no answer yet, and stops there with an error;
//! the call is awaited, its answer is put into the data, and the engine goes over the element again. What it asks again
//! is answered by the ordinal of the call. Elements at the top level of the template, and turns of loops, that are
//! finished stay finished.

use ::handlebars::{Context, RenderContext, RenderError, Renderable};
use textsearch_kernel::{Kernel, KernelArguments, KernelError, Result, prompt::finish_chat};

use super::{
    HandlebarsPromptTemplate,
    answers::{Call, Loops, Pass, Progress},
    call::{CallFunction, CallOrVariable},
    data,
    error::{Failure, from_rendering},
    helpers::{Each, Section, SetVariable, Variable},
    names,
    output::Text,
    rewrite::Features,
};
use crate::{error_of_call, name_in_errors, variables::Variables};

/// A rendering between two calls.
///
/// Everything is in here between two passes, so that a pass borrows it and ends before the next call is awaited.
pub(super) struct Rendering<'a> {
    template: &'a HandlebarsPromptTemplate,
    kernel: &'a Kernel,
    variables: Variables<'a>,
    context: Context,
    answered: Vec<Call>,
    /// The first element that is not finished, and everything that was there before it.
    element: usize,
    progress: Progress,
    text: String,
    /// What is finished of the loops in the element.
    loops: Loops,
    /// Whether a list was found where the template expects an object.
    is_lenient: bool,
}

/// Why a pass over the template ended.
enum Step {
    Finished,
    /// A call has to be answered; where it is.
    Call(Call, (usize, usize)),
    /// A list was found where the template expects an object: the lenient template knows what to do.
    Again,
}

impl<'a> Rendering<'a> {
    pub(super) fn new(
        template: &'a HandlebarsPromptTemplate,
        kernel: &'a Kernel,
        arguments: &'a KernelArguments,
    ) -> Self {
        let variables = Variables::new(arguments, &template.config);
        Self {
            template,
            kernel,
            variables,
            context: data::new(variables.to_map()),
            answered: Vec::new(),
            element: 0,
            progress: Progress::default(),
            loops: Loops::new(),
            text: String::with_capacity(4 * template.config.template.len()),
            is_lenient: false,
        }
    }

    pub(super) async fn run(mut self) -> Result<String> {
        loop {
            match self.advance()? {
                Step::Finished if self.template.features.is_chat_prompt => {
                    return Ok(finish_chat(self.text));
                }
                Step::Finished => return Ok(self.text),
                Step::Call(call, position) => self.answer(call, position).await?,
                Step::Again => self.is_lenient = true,
            }
        }
    }

    async fn answer(&mut self, mut call: Call, position: (usize, usize)) -> Result<()> {
        let result = self.kernel.invoke_function(&call.function, call.arguments.clone()).await;
        let result = result.map_err(|error| {
            error_of_call(&self.template.config, position, &call.function, error)
        })?;
        call.is_trusted = self.template.trusts(&call.function);
        let ordinal = self.answered.len();
        data::insert_answer(&mut self.context, ordinal, call.is_trusted, result.value.into_json());
        self.answered.push(call);
        Ok(())
    }

    /// Renders until something has to happen first.
    fn advance(&mut self) -> Result<Step> {
        let HandlebarsPromptTemplate { features, registry, .. } = self.template;
        let template = self.template.template(self.is_lenient)?;
        let loops = std::mem::take(&mut self.loops);
        let progress = self.progress.clone();
        let pass = Pass::new(self.kernel, self.variables, &self.answered, progress, loops);
        let mut render_context = data::render_context();
        register(&mut render_context, &pass, *features);
        for (index, element) in template.elements.iter().enumerate().skip(self.element) {
            let finished = self.text.len();
            let mut text = Text(&mut self.text);
            let rendered = element.render(registry, &self.context, &mut render_context, &mut text);
            let Err(error) = rendered else {
                // Definitions of partials are in the engine's state, which ends with the pass: nothing is finished.
                if !features.has_partials {
                    self.element = index + 1;
                    self.progress = pass.progress();
                    pass.take_loops();
                }
                continue;
            };
            self.loops = pass.take_loops();
            self.text.truncate(if features.has_partials { 0 } else { finished });
            return match pass.take_asked() {
                Some(call) if Failure::is_unanswered(&error) => {
                    Ok(Step::Call(call, self.position(index, &error)))
                }
                _ if !self.is_lenient && Failure::is_of_list(&error) => Ok(Step::Again),
                _ => Err(self.error(index, error)),
            };
        }
        Ok(Step::Finished)
    }

    fn error(&self, element: usize, error: RenderError) -> KernelError {
        let position = self.position(element, &error);
        from_rendering(name_in_errors(&self.template.config), position, error).into()
    }

    /// Where an error is: at the element if the engine does not say.
    fn position(&self, element: usize, error: &RenderError) -> (usize, usize) {
        let place = self.template.template.mapping.get(element);
        let place = place.map_or((1, 1), |place| (place.0, place.1));
        error.line_no.zip(error.column_no).unwrap_or(place)
    }
}

/// The helpers that know of this pass, where the template needs them.
fn register<'reg, 'rc>(
    render_context: &mut RenderContext<'reg, 'rc>,
    pass: &'rc Pass<'rc>,
    features: Features,
) {
    if features.has_calls {
        render_context.register_local_helper(names::CALL, Box::new(CallFunction(pass)));
    }
    // Indentation of partials is in the engine's state: a loop cannot begin in the middle of it.
    if features.has_calls && !features.has_partials {
        render_context.register_local_helper(names::EACH, Box::new(Each(Some(pass))));
    }
    if features.has_bare_names {
        render_context
            .register_local_helper(names::CALL_OR_VARIABLE, Box::new(CallOrVariable(pass)));
    }
    if features.has_sections {
        let section = Section { pass, is_resumed: features.has_calls && !features.has_partials };
        render_context.register_local_helper(names::SECTION, Box::new(section));
    }
    if features.sets_variables {
        render_context.register_local_helper(names::SET, Box::new(SetVariable(pass)));
        render_context.register_local_helper(names::VARIABLE, Box::new(Variable(pass)));
    }
}
