//! What only an administrator could set up on a real machine, and what a whole report says.

use std::fs;
use std::path::{Path, PathBuf};

use shared::catalog::Catalog;
use shared::host::{Clock, Environment, Host, Timestamp};

use super::{Finding, Report, Severity, run};

/// A user whose settings register a hook, and a project.
struct Machine {
    scratch: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { scratch: tempfile::tempdir().unwrap() };
        let hook = Catalog::built_in().unwrap().hooks.remove(0).name;
        let program = machine.path("home/.claude/hooks").join(hook);
        let entry = format!(r#"{{"type":"command","command":"{}","args":[]}}"#, program.display());
        machine.write(
            "home/.claude/settings.json",
            &format!(r#"{{"hooks":{{"SessionEnd":[{{"hooks":[{entry}]}}]}}}}"#),
        );
        fs::create_dir_all(machine.path("project/.git")).unwrap();
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        self.scratch.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn report(&self, managed: &Path) -> Report {
        run(&self.host(), false, managed).unwrap()
    }

    fn host(&self) -> Host {
        let environment = Environment {
            home: Some(self.path("home")),
            project_dir: Some(self.path("project")),
            ..Environment::default()
        };
        let now = Timestamp::from_secs(1_800_000_000);
        Host { started: now, clock: Clock::Fixed(now), environment }
    }
}

/// The findings about this key.
fn of_key<'a>(report: &'a Report, key: &str) -> Vec<&'a Finding> {
    report.findings().filter(|finding| finding.key.as_deref() == Some(key)).collect()
}

#[test]
fn an_administrator_who_allows_only_their_own_hooks_keeps_ours_from_running() {
    let machine = Machine::new();
    let managed = machine.path("etc/managed-settings.json");
    assert_eq!(of_key(&machine.report(&managed), "allowManagedHooksOnly"), [] as [&Finding; 0]);
    machine.write("etc/managed-settings.json", "{\n\"allowManagedHooksOnly\": true}");
    let report = machine.report(&managed);
    let [found] = of_key(&report, "allowManagedHooksOnly")[..] else { panic!("{report}") };
    assert_eq!((found.severity, found.line), (Severity::Broken, Some(2)));
    assert!(!report.ok);
}

#[test]
fn an_administrators_further_files_count_and_overrule_the_users() {
    let machine = Machine::new();
    machine.write("etc/managed-settings.json", r#"{"disableAllHooks":false}"#);
    machine.write("etc/managed-settings.d/10-off.json", r#"{"disableAllHooks":true}"#);
    machine.write("etc/managed-settings.d/notes.txt", "no settings");
    let report = machine.report(&machine.path("etc/managed-settings.json"));
    let [found] = of_key(&report, "disableAllHooks")[..] else { panic!("{report}") };
    assert!(found.file.as_deref().unwrap().ends_with("10-off.json"), "{found}");
}

#[test]
fn every_section_is_there_for_programs_and_what_has_nothing_to_say_is_left_out_for_people() {
    let machine = Machine::new();
    let report = machine.report(&machine.path("none"));
    let names: Vec<&str> = report.sections.iter().map(|section| section.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Binaries",
            "Registrations",
            "In force",
            "Proofs",
            "Configuration",
            "State",
            "Last firing",
            "Client",
            "Start-up"
        ]
    );
    let text = report.to_string();
    assert!(text.contains("Binaries\n  broken   ") && !text.contains("Start-up"), "{text}");
}

#[test]
fn where_nothing_is_installed_nothing_is_said_to_hold() {
    let machine = Machine::new();
    let promises =
        |report: &Report| report.summary.contains("promised holds") || report.to_string().contains("is on");
    assert!(promises(&machine.report(&machine.path("none"))), "an entry that leads nowhere breaks a promise");
    machine.write("home/.claude/settings.json", "{}");
    let report = machine.report(&machine.path("none"));
    assert!(report.ok && !promises(&report), "{report}");
    assert_eq!(report.summary, "Nothing is installed here, so nothing is promised.");
}

#[test]
fn credits_are_spoken_of_where_a_hook_needs_them_or_a_reading_is_there() {
    let machine = Machine::new();
    let has = |name: &str| {
        machine.report(&machine.path("none")).sections.iter().any(|section| section.name == name)
    };
    assert!(!has("Credits"));
    let usage = r#"{"version":1,"session":"","state":{"observed_at":1,"source":"status_line","windows":{}}}"#;
    machine.write("home/.claude/hook-state/usage.json", usage);
    assert!(has("Credits"));
}

#[test]
fn what_the_user_has_is_judged_whatever_project_it_is_asked_in() {
    let machine = Machine::new();
    machine.write("project/.claude/settings.json", r#"{"disableAllHooks":true}"#);
    let none = machine.path("none");
    assert_eq!(of_key(&machine.report(&none), "disableAllHooks").len(), 1);
    let own = super::of_the_user(&machine.host(), &none).unwrap();
    assert_eq!(of_key(&own, "disableAllHooks"), [] as [&Finding; 0]);
}
