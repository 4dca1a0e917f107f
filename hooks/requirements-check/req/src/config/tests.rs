//! `req config`, `req enable`, `req disable` as tables: files before, what is typed, the answer, files after.

use shared::operator::Caller;

use crate::tests::{CLAUDE, Fixture, USER};

const GLOBAL: &str = ".claude/requirements.yaml";
const PROJECT: &str = "project/.claude/requirements.yaml";
const LOCAL: &str = "project/.claude/requirements.local.yaml";

const TEAM: &str = "\
requirements:
  commit_plan: {enabled: true, description: The plan is written down.}
  branch_size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 400}}
  tests_green: {enabled: true, type: evidence, command: ./run-tests, paths: ['src/**']}
  off_here: {type: blocking}
";

const LOCKING: &str = "locked: [stop-momentum.max_blocks, requirements.commit_plan]\n\
                       stop-momentum: {enabled: true, max_blocks: 2}\nrequirements: {commit_plan: {enabled: true}}\n";

impl Fixture {
    fn texts(&self) -> [String; 3] {
        [GLOBAL, PROJECT, LOCAL].map(|file| self.text(file))
    }

    /// The answer to a line that changes nothing.
    #[track_caller]
    fn refused(&self, line: &str, caller: Caller) -> String {
        let before = self.texts();
        let why = self.ask(line, caller, None).unwrap_err();
        assert_eq!(self.texts(), before, "{line}");
        why
    }
}

#[test]
fn key_is_set_and_unset_with_comments_and_order_kept() {
    const KEY: &str = "requirements.branch_size.thresholds.warn";
    let local = "# mine\nrequirements:\n  # later\n  branch_size: {}   # big\n";
    let fixture = Fixture::new(&[(PROJECT, TEAM), (LOCAL, local)]);
    let said = fixture.yes(&format!("config set {KEY} 200"));
    assert_eq!(said, format!("{KEY}: 200  (.claude/requirements.local.yaml:4)"));
    let changed = "# mine\nrequirements:\n  # later\n  branch_size: {thresholds: {warn: 200}}   # big\n";
    assert_eq!(fixture.text(LOCAL), changed);
    assert_eq!(fixture.yes(&format!("config {KEY}")), "200");
    assert!(fixture.yes(&format!("config set {KEY} 200 --local")).ends_with("already; nothing was changed"));
    assert_eq!(fixture.yes(&format!("config unset {KEY}")), format!("{KEY} is not set any more"));
    assert_eq!(fixture.texts(), [String::new(), TEAM.to_owned(), "# mine\n".to_owned()]);
}

#[test]
fn value_is_yaml_or_the_text_as_it_was_typed() {
    let fixture = Fixture::new(&[(PROJECT, TEAM)]);
    for (key, typed, expected) in [
        ("requirements.commit_plan.message", "'Plan: say it # first'", "Plan: say it # first"),
        ("requirements.commit_plan.message", "5", "5"),
        ("requirements.commit_plan.message", "'\"quoted\"'", "quoted"),
        ("requirements.commit_plan.ttl_secs", "60", "60"),
        ("requirements.tests_green.paths", "\"[a, 'b # c']\"", "[a, \"b # c\"]"),
        ("requirements.commit_plan.type", "blocking", "blocking"),
    ] {
        fixture.yes(&format!("config set {key} {typed}"));
        assert_eq!(fixture.yes(&format!("config {key}")), expected, "{typed}");
    }
}

#[test]
fn each_level_has_its_file_and_what_counts_in_one_file_only_goes_there() {
    let fixture = Fixture::new(&[(PROJECT, TEAM)]);
    for (words, level, line) in [
        ("rate-awareness.repeat 7 --global", GLOBAL, "  repeat: 7"),
        ("rate-awareness.repeat 8", LOCAL, "  repeat: 8"),
        ("stop-momentum.message_file '~/text.md'", GLOBAL, "  message_file: ~/text.md"),
        ("inherit false", PROJECT, "inherit: false"),
        ("locked '[stop-momentum.max_blocks]'", GLOBAL, "locked: [stop-momentum.max_blocks]"),
    ] {
        fixture.yes(&format!("config set {words}"));
        assert!(
            fixture.text(level).lines().any(|written| written == line),
            "{words}: {}",
            fixture.text(level)
        );
    }
    assert!(fixture.text(PROJECT).contains(TEAM.trim_end()), "what was there is as it was");
    assert!(fixture.text(LOCAL).starts_with("# yaml-language-server: $schema="));
    let higher = "but a higher level decides:\n\
                  rate-awareness.repeat: 8  (.claude/requirements.local.yaml:6)\n\
                  To take that back, type: req config unset rate-awareness.repeat --local";
    let file = "~/.claude/requirements.yaml";
    for begin in [format!("written to {file}, "), format!("{file} says so already, ")] {
        assert_eq!(fixture.yes("config set rate-awareness.repeat 9 --global"), format!("{begin}{higher}"));
    }
    let said = fixture.yes("config set credit-pacer.usage_api.enabled true");
    assert!(said.contains("\ncredit-pacer.usage_api.enabled: ") && said.contains("terms"), "{said}");
}

#[test]
fn change_that_would_be_wrong_or_without_effect_is_refused() {
    let fixture = Fixture::new(&[(GLOBAL, LOCKING), (PROJECT, TEAM)]);
    for (words, told) in [
        ("config set rate-awareness.repeat nine", "expected 0 or a whole number from 2 to 1000"),
        ("config set rate-awareness '{repeat: 9, mode: dney}'", "mode: expected one of: advise, deny"),
        ("config set rate-awarness.repeat 9", "did you mean rate-awareness?"),
        ("config set commit_plan.enabled false", "did you mean requirements.commit_plan.enabled?"),
        ("config set locked '[stop-momentum.maxblocks]'", "locked: stop-momentum.maxblocks: no such key"),
        ("config unset requirements.branch_size.calculator --project", "requirements.branch_size"),
        ("config unset rate-awareness.repeat", "is not set in .claude/requirements.local.yaml"),
        ("config requirements.comit_plan.enabled", "did you mean requirements.commit_plan.enabled?"),
        ("config requirements.commit_plan.scope", " in any file; it would be one of: session, branch"),
        ("enable --hook intent-validator --local", "req config set intent-validator.enabled true --global"),
        ("config a..b", "is no key"),
        ("config set rate-awareness.repeat '['", "not valid YAML"),
        ("disable commit_plan", "req config set requirements.commit_plan.enabled false --global"),
        ("config set stop-momentum.max_blocks 6", "req config set stop-momentum.max_blocks 6 --global"),
        ("config set stop-momentum.enabled false --project", "is locked by your global"),
        ("config set enabled false", "is locked by your global"),
        ("config set locked '[]' --project", "locked"),
        ("enable comit_plan", "did you mean commit_plan?"),
        ("enable rate-awareness", "type: req enable --hook rate-awareness"),
    ] {
        let said = fixture.refused(words, USER);
        assert!(said.contains(told), "{words}: {said}");
    }
    let said = fixture.yes("config set stop-momentum.max_blocks 6 --global");
    assert!(said.contains("stop-momentum.max_blocks: 6  (~/.claude/requirements.yaml:2)"), "{said}");
}

#[test]
fn claude_may_switch_on_what_a_file_describes_and_nothing_else() {
    let fixture = Fixture::new(&[(PROJECT, TEAM)]);
    for line in [
        "req config set rate-awareness.repeat 9 --local",
        "req config set requirements.a.message 'two words' --local",
        "req config unset requirements.commit_plan.enabled --project",
        "req disable commit_plan --project",
        "req enable --hook intent-validator",
    ] {
        let said = fixture.refused(&line[4..], CLAUDE);
        assert!(said.starts_with("denied, because") && said.ends_with(line), "{said}");
    }
    let said = fixture.ask("enable off_here", CLAUDE, None).unwrap();
    assert!(said.ends_with("off_here.enabled: true  (.claude/requirements.local.yaml:7)"), "{said}");
    assert!(fixture.ask("enable off_here", CLAUDE, None).unwrap().ends_with("nothing was changed"));
    let said = fixture.yes("enable --hook intent-validator");
    assert!(said.contains("(~/.claude/requirements.yaml:"), "{said}");
    assert!(said.ends_with("to register it, type: req hooks enable intent-validator"), "{said}");
}

#[test]
fn schema_lies_beside_a_new_file_or_in_the_users_folder_and_never_over_somebody_elses() {
    const OWN: &str = ".claude/requirements.schema.json";
    const THEIRS: &str = "project/.claude/requirements.schema.json";
    let fixture = Fixture::new(&[(THEIRS, "{}")]);
    let own = format!("file://{}", fixture.path(OWN).display());
    for (level, file, named) in [
        ("--project", PROJECT, "./requirements.schema.json"),
        ("--local", LOCAL, own.as_str()),
        ("--global", GLOBAL, "./requirements.schema.json"),
    ] {
        fixture.yes(&format!("config set rate-awareness.repeat 7 {level}"));
        let first = fixture.text(file).lines().next().map(ToOwned::to_owned);
        assert_eq!(first.unwrap(), format!("# yaml-language-server: $schema={named}"));
    }
    assert_eq!((fixture.text(THEIRS).as_str(), fixture.text(OWN).lines().count()), ("{}", 1));
}

#[test]
fn file_that_cannot_be_read_or_edited_stays_as_it_is_with_the_place_named() {
    for (text, told) in [
        ("a: [\nb: 1\n", ".claude/requirements.local.yaml, line "),
        ("- a\n", "line 1: not a map of settings"),
        (
            "requirements:\n  a:\n    message: goes\n      on # why\n",
            "line 3: `requirements.a.message: y` cannot",
        ),
    ] {
        let fixture = Fixture::new(&[(PROJECT, TEAM), (LOCAL, text)]);
        let said = fixture.refused("config set requirements.a.message y", USER);
        assert!(said.contains(told), "{text}: {said}");
    }
}

#[test]
fn sources_name_layer_file_line_and_what_is_overridden() {
    let fixture = Fixture::new(&[
        (GLOBAL, "stop-momentum: {max_blocks: 2}\nlocked: [stop-momentum.max_blocks]\n"),
        (PROJECT, "# ours\nrate-awareness:\n  repeat: 6\n"),
        (LOCAL, "rate-awareness:\n  # mine\n  repeat: 8\n"),
    ]);
    let repeat = "rate-awareness.repeat: 8  # local, .claude/requirements.local.yaml:3\n  \
                  # over 6  (project, .claude/requirements.yaml:3)\n  # over 4  (defaults)";
    assert_eq!(fixture.yes("config rate-awareness.repeat --sources"), repeat);
    let blocks = "stop-momentum.max_blocks: 2  # global, ~/.claude/requirements.yaml:1, locked\n  \
                  # over null  (defaults)";
    assert_eq!(fixture.yes("config stop-momentum.max_blocks --sources"), blocks);
}

#[test]
fn hook_in_place_of_a_requirement_gets_the_line_for_hooks() {
    let fixture = Fixture::new(&[(PROJECT, TEAM)]);
    for verb in ["enable", "disable"] {
        let why = fixture.refused(&format!("{verb} rate-awareness"), USER);
        assert!(why.ends_with(&format!("type: req {verb} --hook rate-awareness")), "{why}");
    }
}
