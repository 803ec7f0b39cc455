//! Modules that use each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, ItemUse, UseTree, Visibility};

use super::Rule;
use super::project::Project;
use super::rust::items;
use super::sources::production_sources;
use crate::metadata::Package;

pub(super) const RULES: &[Rule] = &[Rule {
    check: large_circles,
    reason: "a reader has to know all of them to know one; move what they share into a module of its own",
}];

/// Files that may use each other in a circle.
const LARGEST_CIRCLE: usize = 3;

/// The names of a module, from the root of its crate.
type Module = Vec<String>;

/// Modules, and the other modules of the same crate that each of them uses.
type Uses = BTreeMap<Module, BTreeSet<Module>>;

fn large_circles(project: &Project) -> Vec<String> {
    let circles = |package: &Package| {
        let uses = uses(project, package);
        let large = circles(&uses).into_iter().filter(|circle| circle.len() > LARGEST_CIRCLE);
        large
            .map(|circle| {
                let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
                format!("{}: {} use each other in a circle", package.folder, names.join(", "))
            })
            .collect::<Vec<_>>()
    };
    project.crates().flat_map(circles).collect()
}

/// The sets of modules that can be reached from each other.
fn circles(uses: &Uses) -> BTreeSet<BTreeSet<&Module>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        uses.keys().map(|module| (module, reached_from(module, uses))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reached {
        let mutual = others
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(module)));
        circles.insert(mutual.copied().collect());
    }
    circles
}

fn reached_from<'a>(module: &'a Module, uses: &'a Uses) -> BTreeSet<&'a Module> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![module]);
    while let Some(module) = open.pop() {
        open.extend(uses.get(module).into_iter().flatten().filter(|next| reached.insert(*next)));
    }
    reached
}

/// The root is left out: whoever uses a re-export there does not ask for the root.
fn uses(project: &Project, package: &Package) -> Uses {
    let folder = package.file("src/");
    let files: BTreeMap<Module, &str> = production_sources(project)
        .filter_map(|(path, text)| Some((module_of(path.strip_prefix(&folder)?)?, text)))
        .collect();
    let used_by = |module: &Module, text: &str| {
        let items = items(text).into_iter().filter_map(|item| match item {
            Item::Use(item) => Some(item),
            _ => None,
        });
        items.flat_map(|item| used(&item, module, &files)).collect()
    };
    files.iter().map(|(module, text)| (module.clone(), used_by(module, text))).collect()
}

/// The module in a file below `src`; `None` for a root.
fn module_of(file: &str) -> Option<Module> {
    let mut names: Module = file.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    names.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
    (!names.is_empty()).then_some(names)
}

/// The modules of `files` that an item of `module` uses. A module that only re-exports what is below it does not use it.
fn used(item: &ItemUse, module: &Module, files: &BTreeMap<Module, &str>) -> Vec<Module> {
    let mut paths = Vec::new();
    flatten(&item.tree, &mut Vec::new(), &mut paths);
    let is_export = !matches!(item.vis, Visibility::Inherited);
    let found = paths.into_iter().filter_map(|path| nearest(absolute(path, module), files));
    found.filter(|used| used != module && !(is_export && used.starts_with(module))).collect()
}

fn flatten(tree: &UseTree, before: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, paths);
            before.pop();
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| flatten(tree, before, paths));
        }
        UseTree::Name(name) => paths.push([&before[..], &[name.ident.to_string()]].concat()),
        UseTree::Rename(name) => paths.push([&before[..], &[name.ident.to_string()]].concat()),
        UseTree::Glob(_) => paths.push(before.clone()),
    }
}

/// The path from the root of the crate; that of another crate leads nowhere.
fn absolute(path: Vec<String>, module: &Module) -> Vec<String> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    let is_relative = path.first().is_some_and(|name| name != "crate");
    let skipped =
        path.iter().take_while(|name| ["crate", "self", "super"].contains(&name.as_str()));
    let skipped = skipped.count();
    let base = if is_relative { module.len().saturating_sub(supers) } else { 0 };
    module.iter().take(base).cloned().chain(path.into_iter().skip(skipped)).collect()
}

/// The deepest module on the way to an item.
fn nearest(mut path: Vec<String>, files: &BTreeMap<Module, &str>) -> Option<Module> {
    while !path.is_empty() {
        if files.contains_key(&path) {
            return Some(path);
        }
        path.pop();
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The findings in a crate of these files.
    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<(String, &str)> = files
            .iter()
            .map(|(path, text)| (format!("crates/textsearch-bing/src/{path}"), *text))
            .collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let package = Package::of("textsearch-bing", json!({}));
        large_circles(&Project::of(&files).with_package(package))
    }

    #[test]
    fn four_files_are_too_large_a_circle() {
        let four = [
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use super::{c, other::X};"),
            ("c/mod.rs", "mod d;\nuse d::D;"),
            ("c/d.rs", "use crate::{a::{self, A}, Root};"),
        ];
        let complaint =
            "crates/textsearch-bing: a, b, c, c::d use each other in a circle".to_owned();
        assert_eq!(findings(&four), [complaint]);
        assert!(findings(&[&four[..3], &[("c/d.rs", "use std::a::A;")]].concat()).is_empty());
    }

    #[test]
    fn three_files_may_use_each_other() {
        let three =
            [("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c;"), ("c.rs", "use crate::a;")];
        assert!(findings(&three).is_empty());
    }

    #[test]
    fn re_exports_and_tests_make_no_circle() {
        let files = [
            ("lib.rs", "pub use a::A;"),
            ("a/mod.rs", "pub use b::B; pub(crate) use self::c::C;"),
            ("a/b.rs", "use super::C;"),
            ("a/c.rs", "use super::d::D;"),
            ("a/d.rs", "use super::B; #[cfg(test)] mod tests { use crate::A; }"),
        ];
        assert!(findings(&files).is_empty());
    }
}
