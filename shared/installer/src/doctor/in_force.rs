//! Whether the client runs any of it: `disableAllHooks`, an administrator's `allowManagedHooksOnly`, and a folder
//! that is not trusted (tests/client-facts.md, 16 and 17).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::finding::Finding;
use super::level::{Kind, Level};

/// What the settings say. `levels` begin with the weakest; `registers` tells whether anything of ours is registered.
pub(super) fn of_settings(levels: &[Level], registers: bool) -> Vec<Finding> {
    let mut found = disabled(levels);
    let only_managed = levels.iter().filter(|level| level.kind == Kind::Managed).filter_map(|level| {
        let flag = level.survey.allows_managed_only.filter(|flag| flag.is_on)?;
        let what = "the administrator of this machine allows no hooks but their own: none of these runs";
        let finding = Finding::broken(what).at(&level.shown, Some(flag.line)).key("allowManagedHooksOnly");
        registers.then(|| finding.next("ask whoever set it up to register these hooks there"))
    });
    found.extend(only_managed);
    if found.is_empty() {
        found.push(Finding::ok("no settings keep hooks from running"));
    }
    found
}

/// The strongest level that says anything decides.
fn disabled(levels: &[Level]) -> Vec<Finding> {
    let mut said = levels
        .iter()
        .rev()
        .filter(|level| level.kind != Kind::Plugin && !level.is_elsewhere)
        .filter_map(|level| Some((level, level.survey.disables_all_hooks?)));
    let strongest = said.next();
    let place = |finding: Finding, level: &Level, line: usize| {
        finding.at(&level.shown, Some(line)).key("disableAllHooks")
    };
    if let Some((level, flag)) = strongest.filter(|(_, flag)| flag.is_on) {
        let finding = Finding::broken("true: the client runs no hook, of ours or anybody's");
        return vec![place(finding, level, flag.line).next("remove the key, or set it to false")];
    }
    let overruled = said.filter(|(_, flag)| flag.is_on);
    let tell = |(level, flag): (&Level, client_settings::Flag)| {
        let by = strongest.map(|(level, _)| level.shown.clone()).unwrap_or_default();
        place(Finding::note(format!("true, but overruled by {by}")), level, flag.line)
    };
    let elsewhere = levels.iter().filter(|level| level.is_elsewhere).filter_map(|level| {
        let flag = level.survey.disables_all_hooks.filter(|flag| flag.is_on)?;
        let what = "true, but not read in a session that is started below its folder, as here";
        Some(place(Finding::note(what), level, flag.line))
    });
    overruled.map(tell).chain(elsewhere).collect()
}

/// What the client's own record says of the folders whose trust counts; `None`: there is no record, or no project.
pub(super) fn of_trust(record: Option<&Value>, folders: &[PathBuf], shown: &str) -> Option<Finding> {
    let record = record.filter(|_| !folders.is_empty())?;
    let trusts = |folder: &PathBuf| {
        let folder = folder.to_string_lossy();
        record["projects"][&*folder]["hasTrustDialogAccepted"] == true
    };
    if folders.iter().any(trusts) {
        return Some(Finding::ok(format!("{shown} is trusted")));
    }
    let what = format!(
        "{shown} is not trusted yet: in a terminal no hook runs here, your own included, until it is"
    );
    let next = "start claude in that folder and accept its question (with -p it does not ask, and hooks run)";
    Some(Finding::warning(what).next(next))
}

/// The client reads a project's own settings in sessions that are started in the project's top folder, and in none that
/// is started below it; the local ones it reads in both. `start` is where this command was typed.
pub(super) fn of_start(levels: &[Level], project: Option<&Path>, start: Option<&Path>) -> Option<Finding> {
    let top = project.filter(|top| start.is_some_and(|start| start != *top && start.starts_with(top)))?;
    let level = levels.iter().find(|level| level.kind == Kind::Project && !level.ours.is_empty())?;
    let what = "Claude Code does not read this file in a session that is started below its folder, as here";
    let next = format!("start claude in {}, or register the hooks for yourself", top.display());
    Some(Finding::note(what).at(&level.shown, None).next(next))
}

/// The folders whose trust counts for a project: of a repository its top, and that of the work tree it is linked to;
/// elsewhere the folder itself and every one above it.
pub(super) fn that_count(project: &Path) -> Vec<PathBuf> {
    let git = project.join(".git");
    if !git.exists() {
        return project.ancestors().map(Path::to_owned).collect();
    }
    [project.to_owned()].into_iter().chain(main_work_tree(&git)).collect()
}

/// A linked work tree has a file that names its part of the main one's `.git`.
fn main_work_tree(git: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(git).ok()?;
    let part = Path::new(text.trim().strip_prefix("gitdir: ")?);
    let main = part.ancestors().find(|folder| folder.ends_with(".git"))?;
    main.parent().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use client_settings::{Program, Registered};
    use serde_json::json;

    use super::{of_settings, of_start, of_trust, that_count};
    use crate::doctor::finding::Severity;
    use crate::doctor::level::{Kind, Level};

    fn verdict(levels: &[(Kind, &str)], registers: bool) -> Severity {
        let levels: Vec<Level> = levels.iter().map(|(kind, text)| Level::of_text(*kind, "f", text)).collect();
        let found = of_settings(&levels, registers);
        found.iter().map(|finding| finding.severity).max().unwrap()
    }

    #[test]
    fn the_strongest_word_on_all_hooks_counts() {
        let (on, off, silent) = (r#"{"disableAllHooks":true}"#, r#"{"disableAllHooks":false}"#, "{}");
        for (user, project, local, managed, expected) in [
            (silent, silent, silent, silent, Severity::Ok),
            (on, silent, silent, silent, Severity::Broken),
            (silent, on, silent, silent, Severity::Broken),
            (on, off, silent, silent, Severity::Note),
            (on, off, on, silent, Severity::Broken),
            (off, on, off, silent, Severity::Note),
            (off, off, off, on, Severity::Broken),
            (silent, silent, r#"{"disableAllHooks":"true"}"#, silent, Severity::Ok),
        ] {
            let levels = [
                (Kind::User, user),
                (Kind::Project, project),
                (Kind::Local, local),
                (Kind::Managed, managed),
            ];
            assert_eq!(verdict(&levels, true), expected, "{user} {project} {local} {managed}");
        }
    }

    #[test]
    fn what_a_session_started_here_does_not_read_decides_nothing() {
        let top = Level::of_text(Kind::Project, "f", r#"{"disableAllHooks":true}"#);
        let severity = |level: Level| of_settings(&[level], true)[0].severity;
        assert_eq!(severity(top.clone()), Severity::Broken);
        assert_eq!(severity(Level { is_elsewhere: true, ..top }), Severity::Note);
    }

    #[test]
    fn an_administrator_may_allow_only_their_own_hooks() {
        let only = r#"{"allowManagedHooksOnly":true}"#;
        assert_eq!(verdict(&[(Kind::Managed, only)], true), Severity::Broken);
        assert_eq!(verdict(&[(Kind::Managed, only)], false), Severity::Ok);
        assert_eq!(verdict(&[(Kind::User, only)], true), Severity::Ok, "nobody else may say that");
    }

    #[test]
    fn a_folder_is_trusted_where_one_that_counts_is() {
        let record = json!({ "projects": {
            "/code/yes": { "hasTrustDialogAccepted": true },
            "/code/no": { "hasTrustDialogAccepted": false },
        } });
        let of = |folders: &[&str]| {
            let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
            of_trust(Some(&record), &folders, "it").map(|finding| finding.severity)
        };
        assert_eq!(of(&["/code/yes"]), Some(Severity::Ok));
        assert_eq!(of(&["/code/new", "/code/yes"]), Some(Severity::Ok));
        assert_eq!(of(&["/code/no"]), Some(Severity::Warning));
        assert_eq!(of(&["/code/new"]), Some(Severity::Warning));
        assert_eq!(of(&[]), None);
        assert_eq!(of_trust(None, &[PathBuf::from("/code/no")], "it"), None);
    }

    #[test]
    fn a_projects_own_file_is_not_read_below_its_folder() {
        let entry = Registered {
            name: "a-gate".to_owned(),
            event: "Stop".to_owned(),
            matcher: None,
            program: Program::Path("/x".to_owned()),
            args: Vec::new(),
            timeout_secs: None,
            status_message: None,
            harmful_keys: Vec::new(),
        };
        let found = |kind, start: Option<&str>| {
            let levels = [Level { ours: vec![entry.clone()], ..Level::of_text(kind, "f", "{}") }];
            of_start(&levels, Some(Path::new("/code/p")), start.map(Path::new))
        };
        let below = found(Kind::Project, Some("/code/p/sub")).unwrap();
        assert_eq!((below.severity, below.file.as_deref()), (Severity::Note, Some("f")));
        for start in [Some("/code/p"), Some("/code/other"), None] {
            assert_eq!(found(Kind::Project, start), None, "{start:?}");
        }
        assert_eq!(found(Kind::Local, Some("/code/p/sub")), None);
    }

    #[test]
    fn of_a_repository_nothing_above_its_top_counts() {
        let scratch = tempfile::tempdir().unwrap();
        let [plain, main, linked] = ["plain", "main", "linked"].map(|name| scratch.path().join(name));
        for folder in [&plain, &linked, &main.join(".git/worktrees/linked")] {
            fs::create_dir_all(folder).unwrap();
        }
        let part = main.join(".git/worktrees/linked").display().to_string();
        fs::write(linked.join(".git"), format!("gitdir: {part}\n")).unwrap();
        assert_eq!(that_count(&linked), [linked, main.clone()]);
        assert_eq!(that_count(&main), [main]);
        assert_eq!(that_count(&plain)[..2], [plain, scratch.path().to_owned()]);
    }
}
