//! Steps.

use textsearch_kernel::KernelFunction;

use super::{
    CheckedCondition, CheckedStep, PlanChecker, arguments::Values, embedded::Embedded,
    order::Scope, parse, places::Places, report::Report,
};
use crate::{
    Plan, ProblemKind, Step,
    reference::{Root, is_name},
    schema::{Type, Work},
    template::Template,
    text::excerpt,
};

/// A step's values, before their types are checked.
struct Parsed {
    arguments: Vec<(String, Template)>,
    for_each: Option<Template>,
    when: Option<(Template, Option<Template>)>,
}

/// `None` if a function is unknown.
pub(super) fn check_all(
    plan: &Plan,
    functions: &[Option<KernelFunction>],
    places: &Places<'_>,
    result: &Template,
    report: &mut Report,
    checker: &PlanChecker,
) -> Option<Vec<CheckedStep>> {
    check_inputs(plan, report);
    let embedded = checker.is_for_model.then_some(Embedded { plan, places });
    let parsed: Vec<Parsed> = plan.steps.iter().map(|step| Parsed::of(step, report)).collect();
    let needs: Vec<Vec<usize>> = parsed.iter().map(|one| one.needs(places)).collect();
    let mut steps = Vec::with_capacity(parsed.len());
    for (at, ((step, parsed), function)) in plan.steps.iter().zip(parsed).zip(functions).enumerate()
    {
        check_id(step, at, places, report);
        if let Some(embedded) = &embedded {
            embedded.check_step(step, report);
        }
        let mut work = Work::default();
        if function.is_none() {
            let message = format!(
                "`{}` is unknown; {}",
                excerpt(&step.function),
                checker.describe_unknown(&step.function)
            );
            report.add(ProblemKind::UnknownFunction, Some(&step.id), "function", message);
        }
        let mut scope = Scope { plan, functions, places, needs: &needs, at, item: None };
        scope.item = item_type(&scope, step, parsed.for_each.as_ref(), report, &mut work);
        check_length(step, checker.limits.max_calls, report);
        let mut values = Values { scope: &scope, step: Some(&step.id), report, work: &mut work };
        let when = step.when.as_ref().zip(parsed.when);
        let when: Option<CheckedCondition> =
            when.map(|(condition, (value, other))| values.condition(condition, value, other));
        match function {
            Some(function) => {
                let arguments = values.arguments(step, function.metadata(), parsed.arguments);
                let needs = needs.get(at).cloned().unwrap_or_default();
                let function = function.clone();
                steps.push(CheckedStep {
                    function,
                    arguments,
                    for_each: parsed.for_each,
                    when,
                    needs,
                });
            }
            None => {
                for (name, template) in &parsed.arguments {
                    let place = format!("argument `{}`", excerpt(name));
                    values.check(template, &Type::Any, &place, "");
                }
            }
        }
    }
    let at = plan.steps.len();
    let scope = Scope { plan, functions, places, needs: &needs, at, item: None };
    let mut values = Values { scope: &scope, step: None, report, work: &mut Work::default() };
    values.check(result, &Type::Any, "result", "");
    if let Some(embedded) = &embedded {
        embedded.check_result(report);
    }
    (steps.len() == plan.steps.len()).then_some(steps)
}

impl Parsed {
    fn of(step: &Step, report: &mut Report) -> Self {
        let id = Some(step.id.as_str());
        let argument = |(name, value): (&String, &serde_json::Value)| {
            let place = format!("argument `{}`", excerpt(name));
            (name.clone(), parse(value, report, id, &place))
        };
        let arguments = step.arguments.iter().map(argument).collect();
        let for_each = step.for_each.as_ref().map(|list| parse(list, report, id, "`for_each`"));
        let when = step.when.as_ref().map(|condition| {
            let value = parse(&condition.value, report, id, "`when` `value`");
            let other = condition.other.as_ref();
            (value, other.map(|other| parse(other, report, id, "`when` `other`")))
        });
        Self { arguments, for_each, when }
    }

    fn needs(&self, places: &Places<'_>) -> Vec<usize> {
        let mut needs = Vec::new();
        let mut visit = |reference: &crate::reference::Reference| {
            if let Root::Step(id) = &reference.root
                && let Some(place) = places.get(id)
                && !needs.contains(&place)
            {
                needs.push(place);
            }
        };
        let when = self.when.iter().flat_map(|(value, other)| [Some(value), other.as_ref()]);
        let all = self.arguments.iter().map(|(_, one)| one).chain(&self.for_each);
        all.chain(when.flatten()).for_each(|one| one.for_each_reference(&mut visit));
        needs
    }
}

fn check_inputs(plan: &Plan, report: &mut Report) {
    for (name, schema) in &plan.inputs {
        let place = format!("input `{}`", excerpt(name));
        if !is_name(name) {
            let message = "is no name; use letters, digits and `_`, not starting with a digit";
            report.add(ProblemKind::InvalidId, None, &place, message);
        }
        let is_same = |other: &&String| *other != name && other.eq_ignore_ascii_case(name);
        if let Some(other) = plan.inputs.keys().take_while(|other| *other != name).find(is_same) {
            let message = format!("differs from `{}` only in case; rename one", excerpt(other));
            report.add(ProblemKind::InvalidId, None, &place, message);
        }
        if !schema.is_object() && !schema.is_boolean() {
            let message =
                "needs a JSON schema, such as {\"type\": \"string\"}, or true for any value";
            report.add(ProblemKind::TypeMismatch, None, &place, message);
        }
    }
}

fn check_id(step: &Step, at: usize, places: &Places<'_>, report: &mut Report) {
    const LONGEST: usize = 64;
    let id = Some(step.id.as_str());
    if !is_name(&step.id) || step.id.len() > LONGEST {
        let message = format!(
            "is no name; use up to {LONGEST} letters, digits and `_`, not starting with a digit"
        );
        report.add(ProblemKind::InvalidId, id, "", message);
    }
    if places.get(&step.id) != Some(at) {
        let message = "is the name of two steps; give each its own";
        report.add(ProblemKind::InvalidId, id, "", message);
    }
}

/// The run checks the lists that references select.
fn check_length(step: &Step, max_calls: usize, report: &mut Report) {
    let items = step.for_each.as_ref().and_then(serde_json::Value::as_array).map_or(0, Vec::len);
    if items > max_calls {
        let message =
            format!("has too many items ({items}); a run makes at most {max_calls} calls");
        report.add(ProblemKind::TooLarge, Some(&step.id), "`for_each`", message);
    }
}

/// The type of `$.item`, which is any value if `for_each` is wrong.
fn item_type<'c>(
    scope: &Scope<'c>,
    step: &'c Step,
    list: Option<&Template>,
    report: &mut Report,
    work: &mut Work,
) -> Option<Type<'c>> {
    let list = list?;
    const PLACE: &str = "`for_each`";
    let mut values = Values { scope, step: Some(&step.id), report, work };
    let found = match (list, &step.for_each) {
        // The text `$$.a` is no list, so the plan's own value serves as well.
        (Template::Literal(_), Some(value)) => Type::Literal(value),
        (Template::Wrong, _) => return Some(Type::Any),
        (Template::Reference(reference), _) => match values.type_of(reference, PLACE, "") {
            Some(found) => found,
            None => return Some(Type::Any),
        },
        (other, _) => {
            values.check(other, &Type::Any, PLACE, "");
            let is_list = matches!(other, Template::List(_));
            if is_list { Type::Any.list_of() } else { Type::Literal(&serde_json::Value::Null) }
        }
    };
    let items = found.items();
    if items.is_none() {
        let message = format!("must be a list: found {}", found.describe());
        values.add(ProblemKind::NotAList, PLACE, message);
    }
    Some(items.unwrap_or(Type::Any))
}
