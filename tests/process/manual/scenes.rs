//! What has to have happened before a line of the manual is typed, beside what the page has shown: the page takes it for
//! granted, or speaks of a project in which it is so.

use tests::sandbox::Level;

use super::person::Person;

/// The page, the line, and what has happened before it.
pub(super) type Scene = (&'static str, &'static str, fn(&Person));

/// A project with one requirement of each type that the pages speak of.
const TEAM: &str = "\
requirements:
  commit_plan: { enabled: true }
  branch_size: { enabled: true, type: dynamic, calculator: branch_size, thresholds: { warn: 250, block: 400 } }
  protected_branch: { enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main] }
";

pub(super) const SCENES: [Scene; 8] = [
    ("hooks/credit-pacer/README.md", "req hooks statusline", installed),
    ("hooks/pause-recorder/README.md", "pause-recorder status", Person::a_session_was_recorded),
    ("config/manual/configuration.md", "req config\n", team),
    ("config/manual/doctor.md", "req doctor\n", installed),
    ("config/manual/journal.md", "req why", |person| {
        team(person);
        person.a_session_begins();
        person.an_edit_is_refused();
    }),
    ("config/manual/satisfactions.md", "req satisfy", |person| {
        team(person);
        person.a_session_begins();
        // Another session has satisfied it, too.
        let id = "0c4e7a11-0000-4000-8000-000000000002";
        let satisfied = person.claude_runs(&format!("CLAUDE_CODE_SESSION_ID={id} req satisfy commit_plan"));
        satisfied.assert_exit(0);
    }),
    ("config/manual/pause.md", "req disable commit_plan", team),
    ("config/manual/start.md", "req why", |person| {
        person.a_session_begins();
        person.an_edit_is_refused();
    }),
];

fn team(person: &Person) {
    person.sandbox.requirements(Level::Project, TEAM);
}

fn installed(person: &Person) {
    let typed = person.types("req hooks install --all --yes");
    assert_eq!(typed.status, 0, "{}", typed.screen);
}
