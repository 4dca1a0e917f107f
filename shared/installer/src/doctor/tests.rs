//! Whole reports on a scratch home: what only an administrator could set up, the plugin, and the sections.

use std::fs;
use std::path::{Path, PathBuf};

use crate::catalog::Catalog;
use client_settings::Owner;
use shared::host::{Clock, Environment, Host, Timestamp};

use super::{Finding, Report, Severity, run, world::Level};
use crate::places::{Installation, Scope, Where};
use crate::say::Voice;

impl Level {
    /// A file in which these programs in `/h` are ours.
    pub(crate) fn owned(scope: Option<Scope>, text: &str, binaries: &[String]) -> Self {
        let owner =
            Owner { folders: vec![PathBuf::from("/h")], binaries: binaries.to_vec(), ..Owner::default() };
        let place = scope.map(|scope| Installation::scratch(Path::new("/home/me"), scope));
        Self::of_text(place, "f".to_owned(), text, &owner)
    }
}

/// A user whose settings register a hook, and a project.
struct Machine {
    scratch: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { scratch: tempfile::tempdir().unwrap() };
        let hook = Catalog::built_in().unwrap().hooks[0].name.clone();
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
fn report_has_every_section_for_programs_and_those_with_findings_for_people() {
    let machine = Machine::new();
    let report = machine.report(&machine.path("none"));
    let names: Vec<&str> = report.sections.iter().map(|section| section.name.as_str()).collect();
    let parts = [
        "Binaries",
        "Registrations",
        "In force",
        "Configuration",
        "Proofs",
        "State",
        "Last firing",
        "Claude Code",
    ];
    assert_eq!(names, parts);
    let text = report.to_string();
    assert!(text.contains("Binaries\n  broken   ") && !text.contains("Last firing"), "{text}");
}

#[test]
fn enabled_plugin_proves_nothing_from_elsewhere() {
    let machine = Machine::new();
    let none = machine.path("none");
    let said = |words: &str| machine.report(&none).findings().any(|finding| finding.what.contains(words));
    assert!(!said("plugin"));
    machine.write("project/.claude/settings.json", r#"{"enabledPlugins":{"barbless@box":true}}"#);
    assert!(said("only its own `req` proves"));
    machine.write("project/.claude/settings.local.json", r#"{"enabledPlugins":{"barbless@box":false}}"#);
    assert!(!said("plugin"), "the stronger file decides");
}

#[test]
fn doctor_without_an_installation_promises_nothing() {
    let machine = Machine::new();
    let promises =
        |report: &Report| report.summary.contains("were checked") || report.to_string().contains("is on");
    assert!(promises(&machine.report(&machine.path("none"))), "an entry that leads nowhere breaks a promise");
    machine.write("home/.claude/settings.json", "{}");
    let report = machine.report(&machine.path("none"));
    assert!(report.ok && !promises(&report), "{report}");
    assert_eq!(report.summary, "No hook is registered, so nothing is promised.");
}

#[test]
fn report_on_the_users_installation_ignores_the_project_it_is_typed_in() {
    let machine = Machine::new();
    machine.write("project/.claude/settings.json", r#"{"disableAllHooks":true}"#);
    let none = machine.path("none");
    assert_eq!(of_key(&machine.report(&none), "disableAllHooks").len(), 1);
    let place = Where { scope: Scope::User, project: None };
    let installation = Installation::at(&machine.host(), &place, Voice::Req).unwrap();
    let own = super::of(&machine.host(), &installation, &none).unwrap();
    assert_eq!(of_key(&own, "disableAllHooks"), [] as [&Finding; 0]);
}

#[cfg(unix)]
#[test]
fn registered_program_must_be_as_it_was_installed() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    let hook = Catalog::built_in().unwrap().hooks[0].name.clone();
    let program = format!("home/.claude/hooks/{hook}");
    let ours = shared::VERSION;
    for (bytes, mode, version, severity, said) in [
        (Some("x"), 0o755, ours, Severity::Ok, "as it was installed"),
        (None, 0o755, ours, Severity::Broken, "the file is not there"),
        (Some("y"), 0o755, ours, Severity::Broken, "its bytes differ"),
        (Some("x"), 0o644, ours, Severity::Broken, "may not be started"),
        (Some("x"), 0o755, "0.0.1", Severity::Warning, "version 0.0.1 is installed"),
    ] {
        let _ = fs::remove_file(machine.path(&program));
        if let Some(bytes) = bytes {
            machine.write(&program, bytes);
            fs::set_permissions(machine.path(&program), fs::Permissions::from_mode(mode)).unwrap();
        }
        let hash = crate::files::hash(b"x");
        machine.write(
            "home/.claude/hooks/manifest.json",
            &format!(
                r#"{{"product":"barbless","files":{{"{hook}":{{"sha256":"{hash}","version":"{version}"}}}}}}"#
            ),
        );
        let report = machine.report(&machine.path("none"));
        let binaries = &report.sections[0].findings;
        let found = binaries.iter().find(|finding| finding.what.contains(said)).unwrap();
        assert_eq!(found.severity, severity, "{found}");
    }
}
