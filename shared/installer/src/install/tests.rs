//! What spends money is switched on in the user's own file, by the user, with a way to a model where one is named.

use std::fs;

use crate::catalog::{Catalog, HookEntry};

use super::{Plan, choose, is_ticked, judge_for};
use crate::install::{How, Install};
use crate::places::{Installation, Scope};
use crate::requirements::{Judge, next_for_judge};
use crate::say::Voice;
use crate::source::Source;

const PAID: &str = "tempo-stop";
const FREE: &str = "stop-momentum";

/// Plans the installation of one hook, and hands the plan on.
fn planned<T>(
    hook: &str,
    scope: Scope,
    judge: Option<Judge>,
    look: impl FnOnce(anyhow::Result<Plan<'_>>) -> T,
) -> T {
    let scratch = tempfile::tempdir().unwrap();
    let source = Source::of(None, Voice::Xtask).unwrap();
    let how = How { judge, ..How::default() };
    let install = Install { hooks: vec![hook.to_owned()], how, ..Install::default() };
    fs::create_dir_all(scratch.path().join(".claude")).unwrap();
    let installation = Installation::scratch(scratch.path(), scope);
    look(Plan::make(&installation, &source, &install, false, false))
}

#[test]
fn only_the_users_own_file_switches_on_what_spends_money() {
    for (hook, scope, is_refused) in [
        (PAID, Scope::User, false),
        (PAID, Scope::Project, true),
        (PAID, Scope::Local, true),
        (FREE, Scope::Project, false),
    ] {
        let refusal = planned(hook, scope, None, |plan| plan.err().map(|error| error.to_string()));
        assert_eq!(refusal.is_some(), is_refused, "{hook} {scope:?}: {refusal:?}");
        assert!(refusal.is_none_or(|told| told.contains("only your own file") && told.contains(hook)));
    }
}

#[test]
fn the_way_to_a_model_is_written_beside_the_hook_and_asked_for_where_it_is_missing() {
    let (cli, api) = (Judge::ClaudeCli, Judge::MessagesApi);
    for (hook, judge, has_key, next_step) in [
        (PAID, Some(cli), false, None),
        (PAID, Some(api), true, None),
        (PAID, Some(api), false, Some("Next: export ANTHROPIC_API_KEY=...")),
        (PAID, None, true, Some("Next: req config set judge.backend")),
        (FREE, Some(cli), false, None),
    ] {
        planned(hook, Scope::User, judge, |plan| {
            let plan = plan.unwrap();
            let after = plan.lines().put_into(None).unwrap().unwrap();
            assert!(after.contains(&format!("{hook}:")), "{after}");
            let written = judge.filter(|_| hook == PAID).map(|judge| format!("backend: {}", judge.word()));
            assert_eq!(after.contains("backend: "), written.is_some(), "{after}");
            assert!(written.is_none_or(|line| after.contains(&line)), "{after}");
            fs::write(&plan.installation.requirements, after).unwrap();
            let next = next_for_judge(plan.installation, &plan.chosen, has_key).unwrap();
            assert_eq!(next.is_some(), next_step.is_some(), "{next:?}");
            assert!(next.is_none_or(|next| next.starts_with(next_step.unwrap()) && next.contains(hook)));
        });
    }
}

#[test]
fn named_hooks_all_or_the_ticked_ones_are_chosen() {
    let first = Catalog::built_in().unwrap().hooks[0].clone();
    let named = |name: &str| HookEntry { name: name.to_owned(), ticked: name == "b", ..first.clone() };
    let catalog = Catalog { hooks: ["a", "b", "c"].map(named).to_vec() }.leaked();
    let chosen = |hooks: &[&str], all, yaml: Option<&str>| -> Vec<String> {
        let hooks = hooks.iter().map(|&hook| hook.to_owned()).collect();
        let install = Install { hooks, all, ..Install::default() };
        let chosen = choose(catalog, &[], yaml, &install, false).unwrap();
        chosen.iter().map(|hook| hook.name.clone()).collect()
    };
    assert_eq!(chosen(&["c", "a"], false, None), ["c", "a"]);
    assert_eq!(chosen(&[], true, None), ["a", "b", "c"]);
    assert_eq!(chosen(&[], false, None), ["b"]);
    assert_eq!(chosen(&[], false, Some("b: {enabled: false}")), [""; 0], "switched off by hand");
}

#[test]
fn configuration_decides_what_is_ticked_before_the_catalog_does() {
    let first = Catalog::built_in().unwrap().hooks[0].clone();
    let hook = |ticked, costs_money| HookEntry { name: "a".to_owned(), ticked, costs_money, ..first.clone() };
    let (on, off) = (Some("a: {enabled: true}"), Some("a: {enabled: false}"));
    for (hook, yaml, is_payer, expected) in [
        (hook(false, false), None, true, false),
        (hook(false, false), on, false, true),
        (hook(true, false), off, true, false),
        (hook(false, true), on, true, true),
        (hook(false, true), on, false, false),
    ] {
        assert_eq!(is_ticked(&hook, yaml, is_payer), expected, "{yaml:?} {}", hook.costs_money);
    }
}

#[test]
fn no_way_to_a_model_is_chosen_in_silence() {
    let catalog = Catalog::built_in().unwrap();
    let (paid, free): (Vec<_>, Vec<_>) = catalog.hooks.iter().partition(|hook| hook.costs_money);
    let there = Some("judge: { backend: claude_cli }\n");
    for (given, hooks, yaml, expected) in [
        (None, &paid, None, None),
        (None, &paid, there, None),
        (Some(Judge::ClaudeCli), &paid, None, Some(Judge::ClaudeCli)),
        (Some(Judge::MessagesApi), &paid, there, Some(Judge::MessagesApi)),
        (Some(Judge::ClaudeCli), &free, None, None),
    ] {
        assert_eq!(judge_for(given, hooks, yaml, false).unwrap(), expected, "{given:?} {yaml:?}");
    }
}
