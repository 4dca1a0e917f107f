//! `req config`, `req enable`, `req disable` as tables: files before, what is typed, the answer, files after.

use std::fs;
use std::path::PathBuf;

use shared::cli::Asker;
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::operator::{Caller, Standing};

use super::{config, turn};
use crate::reply::Reply;
use crate::verb::{Verb, parse_words};

const USER: Caller = Caller::Typed;
const CLAUDE: Caller = Caller::Shell(Standing::InsideClaude);

const TEAM: &str = "\
requirements:
  commit_plan: {enabled: true, description: The plan is written down.}
  branch_size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 400}}
  tests_green: {enabled: true, type: evidence, command: ./run-tests, paths: ['src/**']}
  off_here: {type: blocking}
";

const LOCKING: &str = "locked: [stop-momentum.max_blocks, requirements.commit_plan]\n\
                       stop-momentum: {enabled: true, max_blocks: 2}\nrequirements: {commit_plan: {enabled: true}}\n";

/// A home and a project in it.
struct Desk {
    folder: tempfile::TempDir,
    host: Host,
    places: Places,
}

#[derive(Clone, Copy)]
enum Level {
    Global,
    Project,
    Local,
}

impl Desk {
    fn new(files: &[(Level, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("project/.git")).unwrap();
        let environment = Environment {
            home: Some(home.clone()),
            project_dir: Some(home.join("project")),
            ..Environment::default()
        };
        let now = Timestamp::from_secs(1_795_300_000);
        let host = Host { started: now, clock: Clock::Fixed(now), environment };
        let places = Places::resolve(&host.environment, Some(&home.join("project")));
        let desk = Self { folder, host, places };
        for (level, text) in files {
            let path = desk.path(*level);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        desk
    }

    fn path(&self, level: Level) -> PathBuf {
        let home = self.folder.path().canonicalize().unwrap();
        home.join(match level {
            Level::Global => ".claude/requirements.yaml",
            Level::Project => "project/.claude/requirements.yaml",
            Level::Local => "project/.claude/requirements.local.yaml",
        })
    }

    fn text(&self, level: Level) -> String {
        fs::read_to_string(self.path(level)).unwrap_or_default()
    }

    fn texts(&self) -> [String; 3] {
        [Level::Global, Level::Project, Level::Local].map(|level| self.text(level))
    }

    #[track_caller]
    fn ask(&self, line: &str, caller: Caller) -> Result<Reply, String> {
        let words = requirements_check::command_line::parse(&format!("req {line}")).commands.unwrap();
        let verb = parse_words(&words[0].words[1..]).unwrap_or_else(|error| panic!("{line}: {error}"));
        let store = self.places.open_store();
        let asker =
            Asker { host: &self.host, places: &self.places, store: store.as_ref(), session: None, caller };
        match verb {
            Verb::Config(wanted) => config(&wanted, &asker),
            Verb::Enable(wanted) => turn(&wanted, true, &asker),
            Verb::Disable(wanted) => turn(&wanted, false, &asker),
            _ => panic!("{line}"),
        }
    }

    /// The answer to a line that is carried out.
    #[track_caller]
    fn done(&self, line: &str) -> String {
        self.ask(line, USER).unwrap_or_else(|why| panic!("{line}: {why}")).text
    }

    /// The answer to a line that changes nothing.
    #[track_caller]
    fn refused(&self, line: &str, caller: Caller) -> String {
        let before = self.texts();
        let why = self.ask(line, caller).unwrap_err();
        assert!(why.starts_with("req: "), "{line}: {why}");
        assert_eq!(self.texts(), before, "{line}");
        why
    }
}

#[test]
fn a_key_is_set_and_unset_in_the_local_file_and_the_answer_names_the_line() {
    const KEY: &str = "requirements.branch_size.thresholds.warn";
    let local = "# mine\nrequirements:\n  # later\n  branch_size: {}   # big\n";
    let desk = Desk::new(&[(Level::Project, TEAM), (Level::Local, local)]);
    let said = desk.done(&format!("config set {KEY} 200"));
    assert_eq!(said, format!("{KEY}: 200  (.claude/requirements.local.yaml:4)"));
    let changed = "# mine\nrequirements:\n  # later\n  branch_size: {thresholds: {warn: 200}}   # big\n";
    assert_eq!(desk.text(Level::Local), changed);
    assert_eq!(desk.done(&format!("config {KEY}")), "200");
    assert!(
        desk.done(&format!("config set {KEY} 200 --local")).contains("says so already; nothing was changed")
    );
    assert_eq!(desk.done(&format!("config unset {KEY}")), format!("{KEY} is not set any more"));
    assert_eq!(desk.texts(), [String::new(), TEAM.to_owned(), "# mine\n".to_owned()]);
}

#[test]
fn a_text_is_quoted_where_yaml_would_read_something_else() {
    let desk = Desk::new(&[(Level::Project, TEAM)]);
    for (typed, expected) in
        [("'Plan: say it # first'", "Plan: say it # first"), ("5", "5"), ("'\"quoted\"'", "quoted")]
    {
        desk.done(&format!("config set requirements.commit_plan.message {typed}"));
        assert_eq!(desk.done("config requirements.commit_plan.message"), expected, "{typed}");
    }
    desk.done("config set 'requirements.\"v1.2\".enabled' true");
    assert_eq!(desk.done("config 'requirements.\"v1.2\".enabled'"), "true");
}

#[test]
fn each_level_has_its_file_and_what_counts_in_one_file_only_goes_there() {
    let desk = Desk::new(&[(Level::Project, TEAM)]);
    for (words, level, line) in [
        ("rate-awareness.repeat 7 --global", Level::Global, "  repeat: 7"),
        ("rate-awareness.repeat 8", Level::Local, "  repeat: 8"),
        ("stop-momentum.message_file '~/text.md'", Level::Global, "  message_file: ~/text.md"),
        ("inherit false", Level::Project, "inherit: false"),
        ("locked '[stop-momentum.max_blocks]'", Level::Global, "locked: [stop-momentum.max_blocks]"),
    ] {
        desk.done(&format!("config set {words}"));
        assert!(desk.text(level).lines().any(|written| written == line), "{words}: {}", desk.text(level));
    }
    assert!(desk.text(Level::Project).contains(TEAM.trim_end()), "what was there is as it was");
    assert!(desk.text(Level::Local).starts_with("# yaml-language-server: $schema="));
}

#[test]
fn what_decides_otherwise_is_named() {
    let desk = Desk::new(&[(Level::Project, "rate-awareness: {repeat: 5}\n")]);
    assert_eq!(
        desk.done("config set rate-awareness.repeat 9 --global"),
        "~/.claude/requirements.yaml is new\n\
         written to ~/.claude/requirements.yaml, but the project file decides:\n\
         rate-awareness.repeat: 5  (.claude/requirements.yaml:1)"
    );
    desk.done("config unset rate-awareness.repeat --project");
    assert_eq!(desk.done("config rate-awareness.repeat"), "9");
    desk.done("config set inherit false");
    let said = desk.done("config set rate-awareness.repeat 8 --global");
    assert!(said.contains("starts from the defaults (inherit: false) decides"), "{said}");
}

#[test]
fn a_key_that_only_the_global_file_may_set_is_explained() {
    let desk = Desk::new(&[]);
    let said = desk.done("config set credit-pacer.usage_api.enabled true");
    assert!(said.contains("\ncredit-pacer.usage_api.enabled: ") && said.contains("terms"), "{said}");
}

#[test]
fn a_wrong_key_or_value_is_refused_with_what_is_right() {
    let desk = Desk::new(&[(Level::Project, TEAM)]);
    for (words, told) in [
        (
            "config set rate-awareness.repeat nine",
            "rate-awareness.repeat: expected 0 or a whole number from 2 to 1000",
        ),
        (
            "config set rate-awareness '{repeat: 9, mode: dney}'",
            "rate-awareness.mode: expected one of: advise, deny",
        ),
        ("config set rate-awarness.repeat 9", "did you mean rate-awareness.repeat?"),
        ("config set rate-awareness.repeat '['", "not valid YAML"),
        ("config set credit-pacer.work_hours '[\"9-17\"]'", "expected hours such as 09:00-17:30 or a list"),
        ("config set requirements.tests_green.paths '[\"[\"]'", "expected a list, each entry a glob"),
        ("config set requirements.new '{enabled: true, type: dynamic}'", "requirements.new"),
        ("config set locked '[stop-momentum.maxblocks]'", "did you mean stop-momentum.max_blocks?"),
        ("config unset requirements.branch_size.calculator --project", "requirements.branch_size"),
        (
            "config unset rate-awareness.repeat",
            "rate-awareness.repeat is not set in .claude/requirements.local.yaml",
        ),
        (
            "config unset requirements.commit_plan.enabled",
            "req config unset requirements.commit_plan.enabled --project",
        ),
        ("config requirements.comit_plan.enabled", "did you mean requirements.commit_plan.enabled?"),
        (
            "config requirements.commit_plan.scope",
            "is not set in any file; it would be one of: session, branch",
        ),
        ("config a..b", "is no key"),
    ] {
        let said = desk.refused(words, USER);
        assert!(said.contains(told), "{words}: {said}");
    }
}

#[test]
fn what_would_have_no_effect_is_refused_with_the_line_that_has_one() {
    let desk = Desk::new(&[(Level::Global, LOCKING), (Level::Project, TEAM)]);
    for (words, told) in [
        (
            "config set stop-momentum.message_file x.md --local",
            "type: req config set stop-momentum.message_file x.md --global",
        ),
        ("config set stop-momentum.max_blocks 6", "req config set stop-momentum.max_blocks 6 --global"),
        ("config set stop-momentum.enabled false --project", "is locked by your global file"),
        ("disable commit_plan", "req config set requirements.commit_plan.enabled false --global"),
        ("config set enabled false", "is locked by your global file"),
        ("config set inherit false --local", "inherit counts only in the project file; use --project"),
        ("config set locked '[]' --project", "locked counts only in the global file; use --global"),
    ] {
        let said = desk.refused(words, USER);
        assert!(said.contains(told), "{words}: {said}");
    }
    let said = desk.done("config set stop-momentum.max_blocks 6 --global");
    assert!(said.contains("stop-momentum.max_blocks: 6  (~/.claude/requirements.yaml:2)"), "{said}");
}

#[test]
fn claude_may_switch_on_what_a_file_describes_and_nothing_else() {
    let desk = Desk::new(&[(Level::Project, TEAM)]);
    for line in [
        "req config set rate-awareness.repeat 9 --local",
        "req config set requirements.a.message 'two words'",
        "req disable commit_plan --project",
        "req enable --hook intent-validator",
    ] {
        let said = desk.refused(&line[4..], CLAUDE);
        assert!(said.starts_with("req: refused, because") && said.ends_with(line), "{said}");
    }
    for (words, told) in [
        ("enable comit_plan", "did you mean commit_plan?"),
        ("enable rate-awareness", "type: req enable --hook rate-awareness"),
        ("enable --hook rate-awarness", "did you mean rate-awareness?"),
        ("enable zzz", "req init writes a file"),
    ] {
        let said = desk.refused(words, CLAUDE);
        assert!(said.contains(told), "{words}: {said}");
    }
    let said = desk.ask("enable off_here", CLAUDE).unwrap().text;
    assert!(
        said.ends_with("requirements.off_here.enabled: true  (.claude/requirements.local.yaml:7)"),
        "{said}"
    );
    assert!(desk.ask("enable off_here", CLAUDE).unwrap().text.ends_with("nothing was changed"));
    let said = desk.refused("enable --hook intent-validator --local", USER);
    assert!(said.ends_with("type: req enable --hook intent-validator --global"), "{said}");
}

#[test]
fn a_file_that_cannot_be_read_or_edited_stays_as_it_is_with_the_place_named() {
    for (text, words, told) in [
        ("a: [\nb: 1\n", "config set rate-awareness.repeat 9", ".claude/requirements.local.yaml, line "),
        ("- a\n", "config set rate-awareness.repeat 9", "line 1: not a map of settings"),
        (
            "requirements:\n  a:\n    message: goes\n      on # why\n",
            "config set requirements.a.message y",
            "line 3: `requirements.a.message: y` cannot be set here by a program",
        ),
    ] {
        let desk = Desk::new(&[(Level::Project, TEAM), (Level::Local, text)]);
        let said = desk.refused(words, USER);
        assert!(said.contains(told), "{text}: {said}");
    }
}

#[test]
fn sources_name_layer_file_line_and_what_is_overridden() {
    let desk = Desk::new(&[
        (Level::Global, "stop-momentum: {max_blocks: 2}\nlocked: [stop-momentum.max_blocks]\n"),
        (Level::Project, "# ours\nrate-awareness:\n  repeat: 6\n"),
        (Level::Local, "rate-awareness:\n  # mine\n  repeat: 8\n"),
    ]);
    assert_eq!(
        desk.done("config rate-awareness.repeat --sources"),
        "rate-awareness.repeat: 8  # local, .claude/requirements.local.yaml:3\n  \
         # over 6  (project, .claude/requirements.yaml:3)\n  # over 4  (defaults)"
    );
    assert_eq!(
        desk.done("config stop-momentum.max_blocks --sources"),
        "stop-momentum.max_blocks: 2  # global, ~/.claude/requirements.yaml:1, locked\n  # over null  (defaults)"
    );
}
