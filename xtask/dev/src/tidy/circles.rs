//! No module of a crate imports one that imports it, directly or around corners: a crate is read in one direction. Pure; it
//! reads imports and paths in code, not comments and not tests, so a link in a doc comment is no arrow.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, finding};

/// The modules at the top of a crate and what each imports of the others.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Checks every crate: a folder with a manifest and `src/`.
pub(super) fn check(files: &[Source]) -> Vec<String> {
    let crates = files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml"));
    crates.filter_map(|folder| check_one(folder, files)).collect()
}

fn check_one(folder: &str, files: &[Source]) -> Option<String> {
    let circle = circle(&arrows(folder, files))?;
    let what = format!("has a circle of modules: {}", circle.join(" -> "));
    let todo = "move what both need into a module below them";
    Some(finding(format!("{folder}/src"), what, todo))
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
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(root) {
        // `super::super::`, `$crate::` and the like are none of ours.
        if code[..at].ends_with(|char: char| is_name(char) || matches!(char, ':' | '$')) {
            continue;
        }
        let mut depth = 0_usize;
        let mut is_first = true;
        for part in code[at + root.len()..].split_inclusive(|char: char| !is_name(char)) {
            let name = part.trim_end_matches(|char: char| !is_name(char));
            if is_first && !name.is_empty() && depth <= 1 {
                names.insert(name.to_owned());
                is_first = false;
            }
            match part.chars().next_back() {
                Some('{') => depth += 1,
                Some('}') => depth = depth.saturating_sub(1),
                Some(',') if depth == 1 => is_first = true,
                _ => {}
            }
            let goes_on = depth > 0 || part.ends_with(':') && name.is_empty();
            if !goes_on {
                break;
            }
        }
    }
    names
}

/// The modules of one circle, the first one again at the end.
fn circle(arrows: &Arrows) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    arrows.keys().find_map(|start| follow(start, arrows, &mut Vec::new(), &mut done))
}

fn follow(
    at: &str,
    arrows: &Arrows,
    way: &mut Vec<String>,
    done: &mut BTreeSet<String>,
) -> Option<Vec<String>> {
    if let Some(begin) = way.iter().position(|module| module == at) {
        return Some(way[begin..].iter().cloned().chain([at.to_owned()]).collect());
    }
    if !done.insert(at.to_owned()) {
        return None;
    }
    way.push(at.to_owned());
    let found = arrows.get(at).into_iter().flatten().find_map(|next| follow(next, arrows, way, done));
    way.pop();
    found
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::given;

    #[test]
    fn finds_a_circle_over_several_modules_and_ways_to_import() {
        let in_test = "use crate::b;\n#[cfg(test)]\nmod tests {\n    use crate::c;\n}\n";
        for (modules, expected) in [
            (
                &[("b", "use super::c;\n"), ("c", "use crate::{\n    b::{x, y},\n    d,\n};\n")][..],
                "b -> c -> b",
            ),
            (&[("b", "use crate::{d, c};\n"), ("c", "fn f() { crate::b::g() }\n")], "b -> c -> b"),
            (&[("a/x", "use crate::b;\n"), ("b", "use crate::a;\n")], "a -> b -> a"),
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
