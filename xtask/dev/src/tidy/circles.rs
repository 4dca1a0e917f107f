//! No module of a crate imports one that imports it, directly or around corners: a crate is read in one direction. Pure; it
//! reads imports and paths in code, not comments and not tests, so a link in a doc comment is no arrow.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, finding};

/// The imports of each module at the top of a crate from the others.
type Arrows = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check(files: &[Source]) -> Vec<String> {
    let crates = files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml"));
    crates.filter_map(|folder| check_one(folder, files)).collect()
}

fn check_one(folder: &str, files: &[Source]) -> Option<String> {
    let circle = circle(arrows(folder, files));
    let what = format!("has a circle of modules: {}", circle.join(", "));
    let todo = "move what both need into a module below them";
    (!circle.is_empty()).then(|| finding(format!("{folder}/src"), what, todo))
}

fn arrows(folder: &str, files: &[Source]) -> Arrows {
    let mut arrows = Arrows::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let Some(path) = file.path.strip_prefix(folder).and_then(|path| path.strip_prefix("/src/")) else {
            continue;
        };
        let module = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        if matches!(module, "lib" | "main" | "bin" | "tests") || file.is_test() {
            continue;
        }
        // Directly below src/ the module above is the crate.
        let roots = if path.contains('/') { &["crate::"][..] } else { &["crate::", "super::"] };
        let lines = file.shipped().lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = lines.collect::<Vec<_>>().join("\n");
        let names = roots.iter().flat_map(|root| imported(&code, root));
        arrows.entry(module.to_owned()).or_default().extend(names.filter(|name| name != module));
    }
    arrows
}

/// The first names behind each `root`: of `crate::a::b` it is `a`, of `crate::{a, b::{c, d}}` they are `a` and `b`.
fn imported(code: &str, root: &str) -> BTreeSet<String> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let first = |text: &str| {
        let text = text.trim_start();
        text[..text.find(|char| !is_name(char)).unwrap_or(text.len())].to_owned()
    };
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(root) {
        // `super::super::`, `$crate::` and the like are none of ours.
        if code[..at].ends_with(|char: char| is_name(char) || matches!(char, ':' | '$')) {
            continue;
        }
        let rest = &code[at + root.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(first(rest));
            continue;
        };
        let mut depth = 1_usize;
        for part in group.split_inclusive(['{', '}', ',']) {
            names.extend((depth == 1).then(|| first(part)));
            match part.chars().next_back() {
                Some('{') => depth += 1,
                Some('}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

/// The modules of the circles and those between them; empty if there is none.
fn circle(mut arrows: Arrows) -> Vec<String> {
    loop {
        let (all, before) = (arrows.clone(), arrows.len());
        let is_imported = |module: &String| all.values().any(|imports| imports.contains(module));
        arrows.retain(|module, imports| {
            is_imported(module) && imports.iter().any(|import| all.contains_key(import))
        });
        if arrows.len() == before {
            return arrows.into_keys().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tests::given;

    #[test]
    fn finds_a_circle_over_several_modules_and_ways_to_import() {
        let in_test = "use crate::b;\n#[cfg(test)]\nmod tests {\n    use crate::c;\n}\n";
        for (modules, expected) in [
            (
                &[("b", "use super::c;\n"), ("c", "use crate::{\n    d::b,\n    b::{x, y},\n    d,\n};\n")][..],
                "b, c",
            ),
            (&[("b", "use crate::{d, c};\n"), ("c", "fn f() { crate::b::g() }\n")], "b, c"),
            (&[("a/x", "use crate::b;\n"), ("b", "use crate::a;\n")], "a, b"),
            (&[("a", in_test), ("b", "//! See [`crate::a`].\n"), ("c", "use crate::a;\n")], ""),
            (&[("a/x", "use super::y;\nuse crate::a::z;\n")], ""),
        ] {
            let mut files = given(&[("hooks/a/Cargo.toml", "")]);
            for (name, text) in modules {
                files.extend(given(&[(&format!("hooks/a/src/{name}.rs"), text)]));
            }
            let findings = check(&files);
            assert_eq!(findings.len(), usize::from(!expected.is_empty()), "{modules:?}");
            assert!(expected.is_empty() || findings[0].contains(&format!(": {expected}; ")), "{findings:?}");
        }
    }
}
