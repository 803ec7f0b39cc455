//! Parameters of a function.

use syn::{
    Attribute, Error, Expr, FnArg, GenericArgument, Ident, Pat, PatType, PathArguments, Result,
    Signature, Type, TypePath, TypeReference, parse_quote, visit_mut::VisitMut as _,
};

use super::{
    name::Name,
    options::{DefaultValue, ParameterOptions},
    self_type::NameSelf,
};

pub(super) enum Parameter {
    Injected(Injected),
    Argument(Box<Argument>),
}

/// Filled in by the kernel.
#[derive(Clone, Copy)]
pub(super) enum Injected {
    Kernel { is_borrowed: bool },
    Invocation { is_borrowed: bool },
}

/// Filled in by the caller: a field of the arguments' struct.
pub(super) struct Argument {
    pub(super) name: Name,
    pub(super) ident: Ident,
    pub(super) owned: Type,
    pub(super) passing: Passing,
    pub(super) attributes: Vec<Attribute>,
    pub(super) default: Option<DefaultValue>,
    pub(super) minimum: Option<Expr>,
    pub(super) maximum: Option<Expr>,
}

#[derive(Clone, Copy)]
pub(super) enum Passing {
    Value,
    Text,
    OptionalText,
}

/// Excludes the receiver. Other attributes stay.
pub(super) fn take_attributes(signature: &mut Signature) -> Vec<Vec<Attribute>> {
    let ours = ["doc", "parameter", "serde", "schemars"];
    let is_ours =
        |attribute: &mut Attribute| ours.iter().any(|name| attribute.path().is_ident(name));
    let parameters = signature.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(parameter) => Some(parameter),
        FnArg::Receiver(_) => None,
    });
    parameters.map(|parameter| parameter.attrs.extract_if(.., is_ours).collect()).collect()
}

impl Parameter {
    pub(super) fn read(parameter: &PatType, attributes: Vec<Attribute>) -> Result<Self> {
        match Injected::from_type(&parameter.ty) {
            Some(injected) => {
                let is_doc = |attribute: &&Attribute| attribute.path().is_ident("doc");
                match attributes.iter().find(|attribute| !is_doc(attribute)) {
                    Some(attribute) => Err(Error::new_spanned(
                        attribute,
                        "the kernel gives this parameter, and no model sees it: there is nothing to say of it",
                    )),
                    None => Ok(Self::Injected(injected)),
                }
            }
            None => Ok(Self::Argument(Box::new(Argument::read(parameter, attributes)?))),
        }
    }
}

impl Injected {
    fn from_type(ty: &Type) -> Option<Self> {
        let (ty, is_borrowed) = match ty {
            Type::Reference(TypeReference { mutability: None, elem, .. }) => (elem.as_ref(), true),
            other => (other, false),
        };
        let Type::Path(TypePath { qself: None, path, .. }) = ty else {
            return None;
        };
        let last = path.segments.last().filter(|segment| segment.arguments.is_empty())?;
        if last.ident == "Kernel" {
            Some(Self::Kernel { is_borrowed })
        } else if last.ident == "Invocation" {
            Some(Self::Invocation { is_borrowed })
        } else {
            None
        }
    }
}

impl Argument {
    fn read(parameter: &PatType, mut attributes: Vec<Attribute>) -> Result<Self> {
        let ident = ident_of(&parameter.pat)?;
        let options = ParameterOptions::read(&attributes)?;
        let (owned, passing) = Passing::from_type(&parameter.ty)?;
        refuse_default_of_option(&owned, &options)?;
        attributes.retain(|attribute| !attribute.path().is_ident("parameter"));
        if let Some(description) = &options.description {
            attributes.retain(|attribute| !attribute.path().is_ident("doc"));
            attributes.push(parse_quote!(#[doc = #description]));
        }
        let name = Name::of_parameter(options.name.as_ref(), &ident)?;
        let ParameterOptions { default, minimum, maximum, .. } = options;
        Ok(Self { name, ident, owned, passing, attributes, default, minimum, maximum })
    }

    pub(super) fn name_self(&mut self, self_type: &Type) {
        let mut named = NameSelf { self_type };
        named.visit_type_mut(&mut self.owned);
        let default = match &mut self.default {
            Some(DefaultValue::Expression(default)) => Some(default.as_mut()),
            _ => None,
        };
        let expressions = [default, self.minimum.as_mut(), self.maximum.as_mut()];
        expressions.into_iter().flatten().for_each(|expression| named.visit_expr_mut(expression));
    }
}

impl Passing {
    fn from_type(ty: &Type) -> Result<(Type, Self)> {
        if is_text(ty) {
            return Ok((parse_quote!(::std::string::String), Self::Text));
        }
        if inside_option(ty).is_some_and(is_text) {
            let owned = parse_quote!(::core::option::Option<::std::string::String>);
            return Ok((owned, Self::OptionalText));
        }
        match ty {
            Type::Reference(_) => Err(Error::new_spanned(
                ty,
                "a call lends nothing but `&str`, `Option<&str>`, `&Kernel` and `&Invocation`: take an owned value, \
                 as in `Vec<T>` for `&[T]`",
            )),
            Type::ImplTrait(_) => Err(Error::new_spanned(
                ty,
                "a parameter has one named type, of which its JSON schema is made",
            )),
            other => Ok((other.clone(), Self::Value)),
        }
    }
}

fn ident_of(pattern: &Pat) -> Result<Ident> {
    match pattern {
        Pat::Ident(binding) if binding.by_ref.is_none() && binding.subpat.is_none() => {
            Ok(binding.ident.clone())
        }
        other => Err(Error::new_spanned(
            other,
            "a parameter needs a name, which a call gives it by: take it apart in the body",
        )),
    }
}

fn refuse_default_of_option(owned: &Type, options: &ParameterOptions) -> Result<()> {
    match (inside_option(owned), &options.default) {
        (Some(_), Some(_)) => Err(Error::new_spanned(
            owned,
            "a parameter with a default is never missing: leave the `Option` out, or the default",
        )),
        _ => Ok(()),
    }
}

/// A `&str` without a named lifetime.
fn is_text(ty: &Type) -> bool {
    match ty {
        Type::Reference(TypeReference { lifetime: None, mutability: None, elem, .. }) => {
            matches!(elem.as_ref(), Type::Path(text) if text.path.is_ident("str"))
        }
        _ => false,
    }
}

fn inside_option(ty: &Type) -> Option<&Type> {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else {
        return None;
    };
    let last = path.segments.last().filter(|segment| segment.ident == "Option")?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(inside) => Some(inside),
            _ => None,
        },
        _ => None,
    }
}
