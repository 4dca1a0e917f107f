//! What stands between a question and a model, in which order, and what is said of it.

use super::{NotAsked, global_file, obstacle};
use crate::settings::defaults;
use crate::tests::Scene;
use shared::host::Environment;

const ALL: [NotAsked; 7] = [
    NotAsked::NoBackend,
    NotAsked::NoState,
    NotAsked::Misled,
    NotAsked::Pacing,
    NotAsked::CallsSpent,
    NotAsked::MoneySpent,
    NotAsked::RefusedElsewhere,
];

#[test]
fn the_first_obstacle_counts() {
    let mut scene = Scene::new();
    assert_eq!(scene.with(obstacle), None);
    scene.is_refused = true;
    assert_eq!(scene.with(obstacle), Some(NotAsked::RefusedElsewhere));
    scene.past_the_line();
    assert_eq!(scene.with(obstacle), Some(NotAsked::Pacing));
    scene.misled();
    assert_eq!(scene.with(obstacle), Some(NotAsked::Misled));
    scene.has_state = false;
    assert_eq!(scene.with(obstacle), Some(NotAsked::NoState));
    scene.settings.backend = None;
    assert_eq!(scene.with(obstacle), Some(NotAsked::NoBackend));
}

#[test]
fn pacing_is_yielded_to_only_where_that_is_set() {
    let mut scene = Scene::new();
    scene.past_the_line();
    scene.settings.yield_to_pacing = false;
    assert_eq!(scene.with(obstacle), None);
}

#[test]
fn whatever_the_reason_it_is_one_line_that_names_the_setting_and_its_file() {
    let settings = defaults();
    for why in ALL {
        let told = why.explained(&settings, "~/.claude/requirements.yaml");
        assert!(!told.contains('\n') && told.len() < 160, "{told}");
        if let Some(setting) = why.setting() {
            assert!(told.contains(setting) && told.contains("~/.claude/requirements.yaml"), "{told}");
        }
    }
    assert_eq!(
        NotAsked::CallsSpent.explained(&settings, "F"),
        "the limit of 60 questions an hour is reached (judge.max_calls_per_hour in F)"
    );
    assert_eq!(
        NotAsked::MoneySpent.explained(&settings, "F"),
        "the limit of 2.00 US dollars a day is reached (judge.max_cost_usd_per_day in F)"
    );
}

#[test]
fn every_setting_that_is_named_is_one() {
    let text = shared::config::section_defaults("judge");
    for setting in ALL.into_iter().filter_map(NotAsked::setting) {
        let key = setting.strip_prefix("judge.").unwrap();
        assert!(text.contains(&format!("\"{key}\":")), "{setting}");
    }
}

#[test]
fn the_file_is_named_as_a_person_reads_it() {
    let environment = Environment { home: Some("/somewhere".into()), ..Environment::default() };
    for (dir, name) in [
        (Some("/somewhere/.claude"), "~/.claude/requirements.yaml"),
        (Some("/etc/claude"), "/etc/claude/requirements.yaml"),
        (None, "~/.claude/requirements.yaml"),
    ] {
        assert_eq!(global_file(dir.map(std::path::Path::new), &environment), name);
    }
}
