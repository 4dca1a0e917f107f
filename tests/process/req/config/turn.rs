//! `req enable`, `req disable`.

use super::super::desk::{Desk, TEAM, no, yes};
use super::{done, refused, text, value};
use tests::sandbox::Level;

#[test]
fn a_requirement_is_switched_off_and_on_again_where_it_is_said() {
    let desk = Desk::new(TEAM);
    let said = done(&desk, "disable commit_plan --project");
    assert_eq!(said, "requirements.commit_plan.enabled: false  (.claude/requirements.yaml:2)");
    assert_eq!(
        text(&desk, Level::Project).unwrap(),
        TEAM.replace("commit_plan: {enabled: true", "commit_plan: {enabled: false")
    );
    assert!(!yes(desk.script(&["status"])).contains("commit_plan"));
    let said = done(&desk, "disable commit_plan");
    assert!(said.ends_with("nothing was changed"), "{said}");
    done(&desk, "enable commit_plan --project");
    assert_eq!(text(&desk, Level::Project).as_deref(), Some(TEAM));
    assert_eq!(text(&desk, Level::Local), None);
}

#[test]
fn anybody_may_switch_on_what_a_file_describes() {
    let desk = Desk::new(TEAM);
    let said = yes(desk.claude(&["enable", "off_here"]));
    assert!(
        said.ends_with("requirements.off_here.enabled: true  (.claude/requirements.local.yaml:7)"),
        "{said}"
    );
    assert!(yes(desk.script(&["status"])).contains("off_here"));
    yes(desk.script(&["enable", "--hook", "stop-momentum"]));
    assert_eq!(value(&desk, "stop-momentum.enabled"), "true");
    let said = yes(desk.script(&["enable", "--hook", "rate-awareness"]));
    assert_eq!(said, "rate-awareness.enabled: true  (the defaults); nothing was changed");
}

#[test]
fn where_a_higher_level_decides_the_answer_begins_with_what_was_typed() {
    let desk = Desk::new(TEAM);
    done(&desk, "enable off_here");
    let said = done(&desk, "disable off_here --project");
    assert_eq!(
        said,
        ".claude/requirements.yaml has it now: requirements.off_here.enabled: false\n\
         but what the local file says counts:\n\
         requirements.off_here.enabled: true  (.claude/requirements.local.yaml:7)\n\
         to take it out there: req config unset requirements.off_here.enabled --local"
    );
}

#[test]
fn a_requirement_that_is_on_in_a_hook_that_is_off_is_told() {
    let desk = Desk::new(TEAM);
    done(&desk, "disable --hook requirements-check");
    let said = yes(desk.script(&["enable", "off_here"]));
    assert!(said.ends_with("so nothing of this is enforced; req enable --hook requirements-check"), "{said}");
}

#[test]
fn an_unknown_name_is_told_with_the_right_one_or_with_how_to_describe_it() {
    let desk = Desk::new(TEAM);
    for (words, told) in [
        (&["enable", "comit_plan"][..], "did you mean commit_plan?"),
        (&["enable", "rate-awareness"], "type: req enable --hook rate-awareness"),
        (&["enable", "--hook", "rate-awarness"], "did you mean rate-awareness?"),
        (
            &["enable", "zzz"],
            "req init writes a file with some to choose from; one of your own: req config set requirements.zzz '{",
        ),
    ] {
        let said = no(desk.claude(words));
        assert!(said.starts_with("req: ") && said.contains(told), "{words:?}: {said}");
    }
    assert!(refused(&desk, "disable --hook tempo").starts_with("req: there is no hook tempo"));
    let empty = Desk::empty();
    assert!(no(empty.claude(&["enable", "commit_plan"])).contains("req init"));
    assert_eq!(text(&desk, Level::Local), None);
}
