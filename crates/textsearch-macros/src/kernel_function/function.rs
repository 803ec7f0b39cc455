//! A function or method.

use proc_macro2::Span;
use syn::{
    Attribute, Error, FnArg, Ident, Receiver, ReceiverKind, Result, ReturnType, Safety, Signature,
    Type, spanned::Spanned as _,
};

use super::{
    name::Name,
    options::FunctionOptions,
    parameter::{Argument, Parameter},
};
use crate::{documentation::description, errors::Errors};

pub(super) struct Function {
    pub(super) name: Name,
    pub(super) ident: Ident,
    pub(super) description: String,
    pub(super) returns: Option<String>,
    pub(super) receiver: Option<SharedSelf>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) is_async: bool,
    /// The location of the answer's type.
    pub(super) answer: Span,
}

#[derive(Clone, Copy)]
pub(super) enum SharedSelf {
    Borrowed,
    Arc,
}

impl Function {
    pub(super) fn read(
        signature: &Signature,
        attributes: &[Attribute],
        of_parameters: Vec<Vec<Attribute>>,
        options: &FunctionOptions,
    ) -> Result<Self> {
        let mut errors = Errors::default();
        refuse_qualifiers(signature, &mut errors);
        let name = errors.keep(Name::of_function(options.name.as_ref(), &signature.ident));
        let receiver = signature
            .receiver()
            .and_then(|receiver| errors.keep(SharedSelf::from_receiver(receiver)));
        let parameters = read_parameters(signature, of_parameters, &mut errors);
        errors.check()?;
        let described = options.description.as_ref().map(syn::LitStr::value);
        let ident = signature.ident.clone();
        let answer = match &signature.output {
            ReturnType::Default => ident.span(),
            ReturnType::Type(_, answer) => answer.span(),
        };
        Ok(Self {
            name: name.unwrap_or_else(|| Name { text: ident.to_string(), span: ident.span() }),
            description: described.unwrap_or_else(|| description(attributes)),
            returns: options.returns.as_ref().map(syn::LitStr::value),
            is_async: signature.asyncness.is_some(),
            receiver,
            parameters,
            ident,
            answer,
        })
    }

    /// Excludes the parameters that the kernel fills in.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(argument.as_ref()),
            Parameter::Injected(_) => None,
        })
    }

    pub(super) fn is_injected(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter, Parameter::Injected(_)))
    }

    pub(super) fn name_self(&mut self, self_type: &Type) {
        for parameter in &mut self.parameters {
            if let Parameter::Argument(argument) = parameter {
                argument.name_self(self_type);
            }
        }
    }
}

impl SharedSelf {
    fn from_receiver(receiver: &Receiver) -> Result<Self> {
        match &receiver.kind {
            ReceiverKind::Reference(_, None, None) => Ok(Self::Borrowed),
            ReceiverKind::Typed(_, ty) if is_arc(ty) => Ok(Self::Arc),
            _ => Err(Error::new_spanned(
                receiver,
                "all calls of a kernel function share one value, also at the same time: take `&self` or \
                 `self: Arc<Self>`, and keep what changes in a lock or an atomic",
            )),
        }
    }
}

fn is_arc(ty: &Type) -> bool {
    let Type::Path(ty) = ty else {
        return false;
    };
    ty.path.segments.last().is_some_and(|last| last.ident == "Arc")
}

fn refuse_qualifiers(signature: &Signature, errors: &mut Errors) {
    if !signature.generics.params.is_empty() {
        let message = "a kernel function has no generic parameters: its JSON schemas are made of the types that it \
                       takes and returns";
        errors.at(&signature.generics, message);
    }
    if let Safety::Unsafe(word) = &signature.safety {
        errors.at(word, "a kernel function is safe to call with whatever a model sends");
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi, "a kernel function is an ordinary Rust function");
    }
}

fn read_parameters(
    signature: &Signature,
    of_parameters: Vec<Vec<Attribute>>,
    errors: &mut Errors,
) -> Vec<Parameter> {
    let typed = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(parameter) => Some(parameter),
        FnArg::Receiver(_) => None,
    });
    let read = typed.zip(of_parameters);
    let parameters: Vec<Parameter> = read
        .filter_map(|(parameter, attributes)| errors.keep(Parameter::read(parameter, attributes)))
        .collect();
    let names = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Argument(argument) => Some(&argument.name),
        Parameter::Injected(_) => None,
    });
    let names: Vec<&Name> = names.collect();
    if let Some(repeated) = Name::first_repeated(&names) {
        let message = "is the name of two parameters: case does not tell them apart";
        errors.add(repeated.error(message));
    }
    parameters
}
