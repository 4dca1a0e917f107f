//! One hook, one shape: folder, crate, binary, section, catalog entry, README and bench cases bear one name and one form.
//! Pure, but for what the bench knows of itself.

use std::collections::BTreeSet;

use super::{Source, finding, text_of};

const CATALOG: &str = "config/hooks.yaml";

/// The same questions answered for each hook, in the same order.
const HEADINGS: [&str; 5] = ["What it does", "When it speaks", "Settings", "State", "How to turn it off"];

/// Checks every folder of hooks/ and every entry of the catalog.
pub(super) fn check(files: &[Source], catalog: &[String]) -> Vec<String> {
    let folders = files.iter().filter_map(|file| file.path.strip_prefix("hooks/")?.split('/').next());
    let names: BTreeSet<&str> = folders.chain(catalog.iter().map(String::as_str)).collect();
    names.into_iter().flat_map(|name| check_one(files, catalog, name)).collect()
}

fn check_one(files: &[Source], catalog: &[String], name: &str) -> Vec<String> {
    let folder = format!("hooks/{name}");
    let manifest = text_of(files, &format!("{folder}/Cargo.toml")).unwrap_or_default();
    let has_binary = manifest.contains(&format!("\nname = \"{name}\"\n"))
        && text_of(files, &format!("{folder}/src/main.rs")).is_some();
    let defaults = text_of(files, "config/defaults.yaml").unwrap_or_default();
    let has_section = defaults.lines().any(|line| line.trim_end() == format!("{name}:"));
    let readme = text_of(files, &format!("{folder}/README.md")).unwrap_or_default();
    let headings = readme.lines().filter_map(|line| line.strip_prefix("## "));
    let rules = [
        (catalog.iter().any(|entry| entry == name), CATALOG, "give it an entry"),
        (has_binary, "Cargo.toml", "give it a crate and a binary of its name"),
        (has_section, "config/defaults.yaml", "add its section with every setting and its default"),
        (crate::bench::measures(name), "xtask/dev/bench.yaml", "add cases for it"),
        (headings.eq(HEADINGS), "README.md", "give it the five headings of a hook's page, in their order"),
    ];
    let broken = rules.into_iter().filter(|(is_kept, ..)| !is_kept);
    broken
        .map(|(_, file, todo)| finding(&folder, format!("differs from other hooks in {file}"), todo))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{HEADINGS, check};
    use crate::tidy::given;

    #[test]
    fn finds_each_part_that_a_hook_lacks() {
        let readme = HEADINGS.map(|heading| format!("## {heading}\n")).concat();
        let files = given(&[
            ("hooks/stop-momentum/README.md", &readme),
            ("hooks/stop-momentum/Cargo.toml", "[package]\nname = \"stop-momentum\"\n"),
            ("hooks/stop-momentum/src/main.rs", ""),
            ("config/defaults.yaml", "stop-momentum:\n"),
        ]);
        assert_eq!(check(&files, &["stop-momentum".to_owned()]).len(), 0);
        assert_eq!(check(&files, &[]).len(), 1);
        assert_eq!(check(&[], &["ghost".to_owned()]).len(), 4);
    }
}
