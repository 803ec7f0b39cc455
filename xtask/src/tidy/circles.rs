//! Modules that use each other in a cycle.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Ident, Item, UseTree, Visibility};

use super::Rule;
use super::project::Project;
use super::sources::production_sources;
use crate::metadata::Package;

pub(super) const RULES: &[Rule] = &[Rule {
    check: import_circles,
    reason: "a reader has to know all of them to know one; move what they share into a module of its own",
}];

/// From its crate's root.
type Module = Vec<String>;

/// The other modules of the same crate that each one uses.
type Uses = BTreeMap<Module, BTreeSet<Module>>;

fn import_circles(project: &Project) -> Vec<String> {
    let circles = |package: &Package| {
        let uses = uses(project, package);
        let several = circles(&uses).into_iter().filter(|circle| circle.len() > 1);
        several
            .map(|circle| {
                let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
                format!("{}: {} use each other in a circle", package.folder, names.join(", "))
            })
            .collect::<Vec<_>>()
    };
    project.crates().flat_map(circles).collect()
}

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
    let mut reached = BTreeSet::new();
    let mut open = vec![module];
    while let Some(module) = open.pop() {
        open.extend(uses.get(module).into_iter().flatten().filter(|next| reached.insert(*next)));
    }
    reached
}

/// Without the root and its re-exports: nearly every module uses some of them.
fn uses(project: &Project, package: &Package) -> Uses {
    let folder = package.file("src/");
    let imports: BTreeMap<Module, Vec<Import>> = production_sources(project)
        .filter_map(|(path, text)| Some((module_of(path.strip_prefix(&folder)?)?, text)))
        .map(|(module, text)| (module.clone(), imports(&module, text)))
        .collect();
    let exports: BTreeMap<&[String], &[String]> = (imports.values().flatten())
        .filter(|import| import.is_export && import.name.len() > 1)
        .map(|import| (&import.name[..], &import.path[..]))
        .collect();
    let used_by = |module: &Module, imported: &[Import]| {
        let used =
            imported.iter().filter(|import| !(import.is_export && import.path.starts_with(module)));
        let used = used.filter_map(|import| defining_module(&import.path, &imports, &exports));
        used.filter(|used| used != module).collect()
    };
    let modules = imports.iter().filter(|(module, _)| !module.is_empty());
    modules.map(|(module, imported)| (module.clone(), used_by(module, imported))).collect()
}

/// Paths start at the crate's root.
struct Import {
    path: Vec<String>,
    /// In the importing module.
    name: Vec<String>,
    is_export: bool,
}

/// `file` is relative to `src`.
fn module_of(file: &str) -> Option<Module> {
    let mut names: Module = file.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    names.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
    Some(names)
}

fn imports(module: &Module, text: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    // The compiler reports a file that doesn't parse.
    for item in syn::parse_file(text).map(|file| file.items).unwrap_or_default() {
        let Item::Use(item) = item else { continue };
        let is_export = !matches!(item.vis, Visibility::Inherited);
        flatten(&item.tree, &mut Vec::new(), &mut |path, name| {
            let name = module.iter().chain([name]).cloned().collect();
            imports.push(Import { path: absolute(path, module), name, is_export });
        });
    }
    imports
}

/// Calls `import` with the path and the local name of each leaf.
fn flatten(tree: &UseTree, before: &mut Vec<String>, import: &mut dyn FnMut(&[String], &String)) {
    let mut leaf = |name: &Ident, rename: &Ident| {
        let path = [&before[..], &[name.to_string()]].concat();
        import(path.strip_suffix(&["self".to_owned()]).unwrap_or(&path), &rename.to_string());
    };
    match tree {
        UseTree::Name(name) => leaf(&name.ident, &name.ident),
        UseTree::Rename(name) => leaf(&name.ident, &name.rename),
        UseTree::Glob(_) => import(before, &"*".to_owned()),
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| flatten(tree, before, import));
        }
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, import);
            before.pop();
        }
    }
}

/// Paths into other crates lead nowhere.
fn absolute(path: &[String], module: &Module) -> Vec<String> {
    let count =
        |names: &[&str]| path.iter().take_while(|name| names.contains(&name.as_str())).count();
    let is_from_root = path.first().is_some_and(|name| name == "crate");
    let base = if is_from_root { 0 } else { module.len().saturating_sub(count(&["super"])) };
    let names = path.iter().skip(count(&["crate", "self", "super"]));
    module.iter().take(base).chain(names).cloned().collect()
}

/// Follows at most eight re-exports.
fn defining_module(
    path: &[String],
    modules: &BTreeMap<Module, Vec<Import>>,
    exports: &BTreeMap<&[String], &[String]>,
) -> Option<Module> {
    let mut path = path.to_vec();
    for _ in 0..8 {
        let mut ends = 1..=path.len();
        let Some((end, target)) = ends.find_map(|end| Some((end, exports.get(path.get(..end)?)?)))
        else {
            break;
        };
        path.splice(..end, target.iter().cloned());
    }
    while !path.is_empty() && !modules.contains_key(&path) {
        path.pop();
    }
    (!path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<(String, &str)> = files
            .iter()
            .map(|(path, text)| (format!("crates/textsearch-bing/src/{path}"), *text))
            .collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let package = Package::new("textsearch-bing", json!({}));
        import_circles(&Project::from_files(&files).with_package(package))
    }

    #[test]
    fn files_that_use_each_other_are_a_circle() {
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
    fn a_re_export_stands_for_the_module_behind_it() {
        let files = [
            ("lib.rs", "mod a; pub use a::B;"),
            ("a/mod.rs", "mod b; mod c; pub use b::B; pub(crate) use self::c::C as D;"),
            ("a/b.rs", "use super::D;"),
            ("a/c.rs", "use crate::d::D;"),
            ("d.rs", "use crate::e::E;"),
            ("e.rs", "use crate::B; #[cfg(test)] mod tests { use crate::a::B; }"),
        ];
        assert!(findings(&files).is_empty());
        let closed = [&files[..5], &[("e.rs", "use crate::a::B;")]].concat();
        let complaint = "crates/textsearch-bing: a::b, a::c, d, e use each other in a circle";
        assert_eq!(findings(&closed), [complaint]);
    }
}
