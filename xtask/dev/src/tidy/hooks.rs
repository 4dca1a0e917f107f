//! One hook, one shape: folder, crate, binary, section, catalog entry, README and bench cases bear one name and one form.
//! Pure, but for what the bench knows of itself.

use std::collections::BTreeSet;

use super::manifests::Workspace;
use super::sources::Source;
use super::{Finding, text_of};

const CATALOG: &str = "config/hooks.yaml";

/// The same questions answered for each hook, in the same order.
const HEADINGS: [&str; 5] = ["What it does", "When it speaks", "Settings", "State", "How to turn it off"];

/// Checks every folder of hooks/ and every entry of the catalog.
pub(super) fn check(files: &[Source], catalog: &[String], workspace: &Workspace) -> Vec<Finding> {
    let folders: BTreeSet<&str> =
        files.iter().filter_map(|file| file.path.strip_prefix("hooks/")?.split('/').next()).collect();
    let mut findings = Vec::new();
    for name in catalog.iter().filter(|name| !folders.contains(name.as_str())) {
        let todo = format!("add the folder hooks/{name}, or take the entry out");
        findings.push(Finding::new(CATALOG, format!("lists `{name}`, which has no folder"), todo));
    }
    for folder in folders {
        if !catalog.iter().any(|name| name == folder) {
            let todo = format!("give it an entry in {CATALOG}");
            findings.push(Finding::new(format!("hooks/{folder}"), "is not in the catalog", todo));
        }
        findings.extend(check_names(files, folder, workspace));
        findings.extend(check_readme(files, folder));
        findings.extend(check_main(files, folder));
    }
    findings
}

fn check_names(files: &[Source], folder: &str, workspace: &Workspace) -> Vec<Finding> {
    let manifest = format!("hooks/{folder}/Cargo.toml");
    let mut findings = Vec::new();
    match workspace.members.iter().find(|member| member.folder == format!("hooks/{folder}")) {
        Some(member) => {
            if member.name != folder {
                findings.push(Finding::new(
                    &manifest,
                    format!("names the crate `{}`", member.name),
                    format!("name it `{folder}`"),
                ));
            }
            if !member.binaries.iter().any(|binary| binary == folder) {
                findings.push(Finding::new(
                    &manifest,
                    format!("has no binary `{folder}`"),
                    "add src/main.rs",
                ));
            }
        }
        None => findings.push(Finding::new(
            &manifest,
            "is no crate of the workspace",
            "add a manifest, or remove the folder",
        )),
    }
    let section = format!("{folder}:");
    if !text_of(files, "config/defaults.yaml")
        .unwrap_or_default()
        .lines()
        .any(|line| line.trim_end() == section)
    {
        let todo = format!("add `{section}` with every setting and its default");
        findings.push(Finding::new("config/defaults.yaml", format!("has no section for {folder}"), todo));
    }
    if !crate::bench::measures(folder) {
        let todo = format!("add cases for {folder}");
        findings.push(Finding::new("xtask/dev/bench.yaml", format!("does not measure {folder}"), todo));
    }
    findings
}

fn check_readme(files: &[Source], folder: &str) -> Option<Finding> {
    let path = format!("hooks/{folder}/README.md");
    let todo =
        format!("give it the headings {}, in this order and no others of that level", HEADINGS.join(", "));
    let Some(text) = text_of(files, &path) else { return Some(Finding::new(path, "is missing", todo)) };
    let headings: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("## ")).map(str::trim).collect();
    (headings != HEADINGS)
        .then(|| Finding::new(path, format!("has the headings {}", headings.join(", ")), todo))
}

fn check_main(files: &[Source], folder: &str) -> Option<Finding> {
    let path = format!("hooks/{folder}/src/main.rs");
    let todo = "leave one statement: everything else is the library's";
    let Some(text) = text_of(files, &path) else { return Some(Finding::new(path, "is missing", todo)) };
    (!has_one_statement(text)).then(|| Finding::new(path, "is more than one statement", todo))
}

/// One function, whose body has no `;` but perhaps at its end.
fn has_one_statement(text: &str) -> bool {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let Some((_, body)) = code.split_once("fn main") else { return false };
    let Some((_, body)) = body.split_once('{') else { return false };
    let Some((body, rest)) = body.rsplit_once('}') else { return false };
    let statement = body.trim().trim_end_matches(';');
    !statement.is_empty() && !statement.contains(';') && !statement.contains("fn ") && rest.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::{check, check_main, check_readme, has_one_statement};
    use crate::tidy::given;
    use crate::tidy::manifests::{Member, Workspace};

    const README: &str = "# a\n\n## What it does\n\n## When it speaks\n\n## Settings\n\n### More\n\n## State\n\n## How to turn it off\n";
    const MAIN: &str = "//! H\nfn main() -> ExitCode {\n    shared::run::main::<a::A>()\n}\n";

    fn workspace(name: &str) -> Workspace {
        let member = Member {
            folder: "hooks/stop-momentum".to_owned(),
            name: name.to_owned(),
            binaries: vec![name.to_owned()],
            ..Member::default()
        };
        Workspace { members: vec![member] }
    }

    #[test]
    fn a_hook_with_one_name_and_one_shape_is_fine_and_every_other_name_is_told() {
        let files = given(&[
            ("hooks/stop-momentum/Cargo.toml", ""),
            ("hooks/stop-momentum/README.md", README),
            ("hooks/stop-momentum/src/main.rs", MAIN),
            ("config/defaults.yaml", "stop-momentum:\n"),
        ]);
        let catalog = ["stop-momentum".to_owned()];
        assert_eq!(check(&files, &catalog, &workspace("stop-momentum")), []);
        assert_eq!(check(&files, &catalog, &workspace("momentum")).len(), 2);
        let places: Vec<_> = check(&files, &[], &workspace("stop-momentum"))
            .into_iter()
            .map(|finding| finding.place)
            .collect();
        assert_eq!(places, ["hooks/stop-momentum"]);
    }

    #[test]
    fn a_catalog_entry_needs_its_folder() {
        let findings = check(&[], &["ghost".to_owned()], &Workspace::default());
        assert_eq!(findings.len(), 1);
        assert!(findings[0].to_string().contains("`ghost`, which has no folder; add the folder hooks/ghost"));
    }

    #[test]
    fn a_readme_answers_the_same_questions_in_the_same_order() {
        let check = |text: &str| check_readme(&given(&[("hooks/a/README.md", text)]), "a").is_none();
        assert!(check(README));
        assert!(!check(&README.replace("## State\n", "")) && !check(&format!("{README}\n## More\n")));
        assert!(check_readme(&[], "a").is_some());
    }

    #[test]
    fn main_is_one_statement() {
        assert!(check_main(&given(&[("hooks/a/src/main.rs", MAIN)]), "a").is_none());
        assert!(has_one_statement("fn main() {\n    run(\n        1,\n    );\n}\n"));
        for text in
            ["fn main() {}", "fn main() { let a = 1; run(a) }", "fn main() { run() }\nfn run() {}", ""]
        {
            assert!(!has_one_statement(text), "{text}");
        }
    }
}
