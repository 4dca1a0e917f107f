//! A section with settings at the top of the file: a map of rules by name, as one hook has it.

use super::*;
use crate::{SettingFault, load_if_enabled};

#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Rule {
    enabled: bool,
    kind: OnlyWhen,
    thresholds: Thresholds,
    trigger_tools: Vec<String>,
    evidence: Option<Evidence>,
    since: Age,
}

/// A text that must be more than its schema says.
#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, title = "an age such as 3d")]
struct Age(String);

impl TryFrom<String> for Age {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.ends_with('d') { Ok(Self(text)) } else { Err("no age") }
    }
}

#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Thresholds {
    warn: Option<u32>,
    block: Option<u32>,
}

/// A map that is whole or wrong.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Evidence {
    file: String,
    newer_than: Option<String>,
}

const SPEC: SectionSpec =
    SectionSpec { root_keys: &["requirements"], global_only: &["requirements.secret"], ..super::SPEC };

fn resolve(files: Files<'_>) -> Section<Settings> {
    let (_scratch, sources) = files_in(files);
    load(SPEC, &sources, Auto).unwrap()
}

/// Three files, their problems, and what holds of the settings then.
type Row<'r> = (Files<'r>, &'r [&'r str], fn(&Section<Settings>) -> bool);

const ROWS: &[Row<'_>] = &[
    // A wrong rule costs only itself, a wrong key only itself, and a scalar hides no rule.
    (
        [
            "requirements:\n  plan: {enabled: true, thresholds: {block: 5}}\n",
            "requirements:\n  plan: false\n  good: {enabled: true, thresholds: {warn: 1}}\n  x: true\n  list:\n    enabled: true\n    trigger_tools: [Edit, [1]]\n  odd:\n    kind: sometimes\n    enabled: true\n    thresholds: 5\n    enabeld: true\n",
            "",
        ],
        &[
            "project.yaml:2: requirements.plan: expected a map of settings; the level below counts",
            "project.yaml:4: requirements.x: expected a map of settings; the level below counts",
            "project.yaml:7: requirements.list.trigger_tools: expected entry 2 to be text; the level below counts",
            "project.yaml:9: requirements.odd.kind: expected one of: always, unfinished; the level below counts",
            "project.yaml:11: requirements.odd.thresholds: expected a map of settings; the level below counts",
            "project.yaml:12: requirements.odd.enabeld: no such key; did you mean enabled?",
        ],
        |section| {
            let rules = &section.settings.requirements;
            let names: Vec<_> = rules.keys().collect();
            names == ["good", "list", "odd", "plan"]
                && rules.values().all(|rule| rule.enabled)
                && rules["plan"].thresholds.block == Some(5)
        },
    ),
    // The map in a higher file hides neither a wrong value below it nor what the lowest file says.
    (
        [
            "requirements: {plan: {thresholds: {block: 5}}}\n",
            "requirements:\n  plan:\n    thresholds: [5]\n",
            "requirements: {plan: {thresholds: {warn: 1}}}\n",
        ],
        &["project.yaml:3: requirements.plan.thresholds: expected a map of settings; the level below counts"],
        |section| {
            section.settings.requirements["plan"].thresholds == Thresholds { warn: Some(1), block: Some(5) }
        },
    ),
    (
        ["requirements: {a: {enabled: true}}", "# ours\nrequirements: [a]", "requirements: {plan: {}}"],
        &["project.yaml:2: requirements: expected a map of settings; the level below counts"],
        |section| section.settings.requirements["a"].enabled,
    ),
    // What is right only together stays together beside a wrong neighbour.
    (
        [
            "",
            "requirements:\n  log: {evidence: {newer_than: HEAD, file: a.log, size: 1}}\n  half:\n    evidence: {newer_than: HEAD}\n",
            "",
        ],
        &[
            "project.yaml:2: requirements.log.evidence.size: no such key",
            "project.yaml:4: requirements.half.evidence: expected a map of file (text), newer_than (text); the level below counts",
        ],
        |section| {
            let expected = Evidence { file: "a.log".to_owned(), newer_than: Some("HEAD".to_owned()) };
            section.settings.requirements["log"].evidence == Some(expected)
        },
    ),
    // A value that only its type refuses costs only itself at each level.
    (
        [
            "requirements:\n  plan: {enabled: true, since: 3d}\n  other: {since: soon}\n",
            "requirements:\n  plan:\n    since: secret\n    thresholds: {block: 2}\n",
            "requirements: {plan: {since: [3d]}}\n",
        ],
        &[
            "~/global.yaml:3: requirements.other.since: expected an age such as 3d; the level below counts",
            "project.yaml:3: requirements.plan.since: expected an age such as 3d; the level below counts",
            "local.yaml:1: requirements.plan.since: expected an age such as 3d; the level below counts",
        ],
        |section| {
            let plan = &section.settings.requirements["plan"];
            (plan.enabled, plan.since.0.as_str(), plan.thresholds.block) == (true, "3d", Some(2))
        },
    ),
    // A lock on a rule that does not exist is reported, and dots in names are no hindrance.
    (
        [
            "locked: [requirements.gaurd, requirements.v1.0 notes, requirments.x]\nrequirements: {guard: {enabled: true}, v1.0 notes: {enabled: true}}\n",
            "requirements: {v1.0 notes: {enabled: false}}\n",
            "",
        ],
        &[
            "~/global.yaml:1: locked: requirments.x: no such key; did you mean requirements?",
            "~/global.yaml:1: locked: requirements.gaurd: no such key; did you mean requirements.guard?",
            "project.yaml:1: requirements.v1.0 notes.enabled: is locked by your global requirements.yaml; ignored here",
        ],
        |section| section.origin("requirements.v1.0 notes.enabled").unwrap().layer == LayerKind::Global,
    ),
    // A key that belongs at the top, a key that stands twice, and keys that nobody owns.
    (
        [
            "requirements: {a: {enabled: true}}\nstop-momentum:\n  requirements: {b: {enabled: true}}\nrequirements: {c: {}}\n",
            "version: \"1.0\"\nstop-momentun: {enabled: true}\ncredit-pacer: {}\nrate-awareness: {x: 1}\nzzz: 1\n",
            "requirement: {a: {}}\nlocekd: []\n",
        ],
        &[
            "~/global.yaml:3: stop-momentum.requirements: belongs at the top of the file, not in a section; ignored here",
            "~/global.yaml:4: requirements: stands twice; the last one counts",
            "project.yaml:2: stop-momentun: no such key; did you mean stop-momentum?",
            "project.yaml:5: zzz: no such key",
            "local.yaml:1: requirement: no such key; did you mean requirements?",
            "local.yaml:2: locekd: no such key; did you mean locked?",
        ],
        |section| section.settings.requirements.keys().collect::<Vec<_>>() == ["c"],
    ),
];

#[test]
fn each_mistake_costs_only_itself_and_is_named_with_its_place() {
    for (files, expected, holds) in ROWS {
        let section = resolve(*files);
        assert_eq!(told(&section), *expected);
        assert!(holds(&section), "{files:?}: {:?}", section.settings);
    }
}

#[test]
fn a_locked_rule_stands_whatever_deeper_files_say() {
    let global = "requirements: {guard: {enabled: true, thresholds: {block: 5}}, free: {enabled: true}}\n";
    for lock in ["requirements.guard", "requirements.guard.thresholds.block", "requirements", "stop-momentum"]
    {
        for inherit in ["", "inherit: false\n"] {
            let yaml = format!("{inherit}requirements: {{guard: {{enabled: false}}}}\n");
            let section = resolve([&format!("locked: [{lock}]\n{global}"), &yaml, ""]);
            let problem = section.problems.first().map(ToString::to_string).unwrap_or_default();
            assert!(problem.contains("requirements.guard.enabled: is locked by"), "{lock}: {problem}");
            assert!(section.settings.requirements["guard"].enabled, "{lock}: {yaml}");
        }
    }
    let global = format!("locked: [requirements.guard]\n{global}");
    let project = "requirements: {guard: 1, free: {enabled: false}}\nstop-momentum: {max_blocks: 4}\n";
    let section = resolve([&global, project, ""]);
    assert!(section.settings.requirements["guard"].enabled && !section.settings.requirements["free"].enabled);
    assert_eq!(blocks(&section), Some(4));
}

#[test]
fn disabled_section_is_not_read_further_unless_a_lock_holds_it() {
    let (on, off) = ("stop-momentum: {enabled: true}\n", "stop-momentum: {enabled: false}\n");
    let rules = "requirements:\n  plan: {enabled: true, wrong: 1}\n";
    let locked = format!("locked: [requirements.plan]\n{on}{rules}");
    for (global, project, switch, is_enabled) in [
        (&format!("{on}{rules}"), "", Auto, true),
        (&format!("{on}{rules}"), off, Auto, false),
        (&format!("{on}{rules}"), "enabled: false\n", Auto, false),
        (&format!("{on}{rules}"), "", Off, false),
        (&format!("{on}{rules}"), "delegation-guard: {enabled: false}\n", Auto, true),
        (&locked, off, Off, true),
    ] {
        let (_scratch, sources) = files_in([global, project, ""]);
        let whole: Section<Settings> = load(SPEC, &sources, switch).unwrap();
        let section: Section<Settings> = load_if_enabled(SPEC, &sources, switch).unwrap();
        assert_eq!((section.enabled, whole.enabled), (is_enabled, is_enabled), "{global}{project}");
        let expected = if is_enabled { whole.problems } else { Vec::new() };
        assert_eq!(section.problems, expected, "{global}{project}");
        assert_eq!(section.settings.requirements.is_empty(), !is_enabled, "{global}{project}");
    }
}

#[test]
fn fault_of_a_hook_names_the_last_place_that_sets_its_deepest_part() {
    let mut section = resolve([
        "requirements:\n  size: {kind: unfinished}\n  size2: {}\n",
        "# the team's\nrequirements:\n  size:\n    thresholds: {warn: 3}\n",
        "requirements:\n  size2: {enabled: true}\n",
    ]);
    let keys = |path: &str| path.split('.').map(str::to_owned).collect();
    let fault = |path, what: &str| SettingFault { path: keys(path), what: what.to_owned() };
    section.add_faults(vec![
        fault("requirements.size.thresholds.block", "needs a number"),
        fault("requirements.size.kind", "is odd"),
        fault("requirements.size2", "never applies"),
        fault("max_blocks", "is too low"),
    ]);
    let expected = [
        "the defaults: stop-momentum.max_blocks: is too low",
        "~/global.yaml:2: requirements.size.kind: is odd",
        "project.yaml:4: requirements.size.thresholds.block: needs a number",
        "local.yaml:2: requirements.size2: never applies",
    ];
    assert_eq!(told(&section), expected);
}
