//! `req config`, `req enable`, `req disable`: the hooks' own reading agrees, and a change reaches the next call. The rules are
//! tables in the crate `req`.

use crate::driver::{denial, notice};
use crate::requirements_check::world::{TEAM, World, json_of, no, yes};
use serde_json::Value;
use shared::own_commands::section_names;
use std::collections::BTreeSet;
use std::fs;
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::Level;

/// `req`, without the types of the other hooks, says what each of them says by its types.
#[test]
fn files_are_read_as_the_hooks_themselves_read_them() {
    let global = "stop-momentum: {enabled: true, max_blocks: 2}\nlocked: [stop-momentum.max_blocks]\n";
    for (level, text) in [
        (Level::Project, "enabled: false\n"),
        (Level::Local, "stop-momentum: {max_blocks: 6}\n"),
        (Level::Project, "inherit: false\n"),
        (Level::Project, "stop-momentum: [\n"),
        (Level::Project, "requirements: {x: {enabled: true, type: guard}}\n"),
    ] {
        let world = World::empty();
        world.sandbox.requirements(Level::User, global);
        world.sandbox.requirements(level, text);
        let report = json_of(world.script(&["config", "--json"]));
        let texts = |report: &Value| -> BTreeSet<String> {
            report["problems"].as_array().unwrap().iter().map(ToString::to_string).collect()
        };
        let mut by_hooks = BTreeSet::new();
        for hook in section_names() {
            let own =
                json_of(Invocation::new(binaries::path(hook), &world.sandbox).args(["status", "--json"]));
            let enabled = yes(world.script(&["config", &format!("{hook}.enabled")]));
            assert_eq!(enabled, own["enabled"].to_string(), "{text}: {hook}");
            by_hooks.extend(texts(&own));
        }
        assert_eq!(texts(&report), by_hooks, "{text}");
    }
}

#[test]
fn value_that_its_hook_rejects_is_not_written() {
    let world = World::empty();
    for (key, wrong, right) in
        [("work_hours", "25:00-26:00", "9:00-17:00"), ("timezone", "Europe/Berln", "Europe/Berlin")]
    {
        let set = |value| world.user(&format!("config set credit-pacer.{key} {value} --global"));
        let refused = set(wrong);
        assert!(refused.screen.contains("nothing was changed: credit-pacer."), "{}", refused.screen);
        assert_eq!((refused.status, set(right).status), (1, 0), "{key}");
    }
}

#[test]
fn a_change_reaches_the_next_call_and_the_journal_without_its_value() {
    let world = World::new(TEAM);
    let claude = world.claude();
    let edit = claude.edit("a.rs");
    assert!(claude.refused(&edit).contains("commit_plan"));
    let said = claude.answer_to("req disable commit_plan");
    assert!(said.contains("commit_plan.enabled: false  (.claude/requirements.local.yaml:7)"), "{said}");
    let after = claude.before(&edit);
    assert!(!denial(after.as_ref()).unwrap_or_default().contains("commit_plan"), "{after:?}");
    assert_eq!(notice(after.as_ref()), "");
    let untracked = world.sandbox.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(!untracked.contains("requirements.local"), "{untracked}");
    let typed = world.user("config set requirements.commit_plan.message hunter2");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    let journal = world.journal();
    assert!(journal.contains("set requirements.commit_plan.message in the local file"), "{journal}");
    assert!(!journal.contains("hunter2"), "{journal}");
    let untyped = claude.session.user_prompt_submit("req disable adr_reviewed").with("source", "system");
    let _ = claude.ask(&untyped);
    assert_eq!(world.standing("adr_reviewed"), "open", "a scheduled prompt changes nothing");
}

#[test]
fn several_at_once_lose_no_change() {
    let world = World::new(TEAM);
    let prompts: Vec<_> = (0..8)
        .map(|number| {
            let session = world.session.clone().with_id(&format!("{number:08}-0000-4000-8000-000000000009"));
            session.user_prompt_submit(&format!("req config set requirements.one_{number}.type blocking"))
        })
        .collect();
    drop(world.ask_at_once(&prompts));
    let set = yes(world.script(&["config", "requirements"]));
    assert_eq!(set.matches("requirements.one_").count(), 8, "{set}");
}

#[test]
fn a_link_out_of_the_project_is_not_followed_and_one_of_the_users_own_is() {
    let world = World::new(TEAM);
    let outside = world.sandbox.root().join("outside.yaml");
    fs::write(&outside, "# theirs\n").unwrap();
    std::os::unix::fs::symlink(&outside, world.sandbox.requirements_path(Level::Local)).unwrap();
    let typed = world.user("config set rate-awareness.repeat 9");
    assert!(typed.status == 1 && typed.screen.contains("leads out of the project"), "{}", typed.screen);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "# theirs\n");
    std::os::unix::fs::symlink(&outside, world.sandbox.requirements_path(Level::User)).unwrap();
    assert_eq!(world.user("config set rate-awareness.repeat 9 --global").status, 0);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "# theirs\nrate-awareness:\n  repeat: 9\n");
    assert!(no(world.req(&["config", "set", "rate-awareness.repeat", "9"])).contains("req: denied"));
}
