//! `req pause`, `req resume`: every hook silent for a while, by the user's hand alone, and how it ends.

use crate::requirements_check::world::{TEAM, World, no, yes};
use std::fs;
use std::time::SystemTime;

#[test]
fn the_user_pauses_every_hook_for_a_while_and_anybody_ends_it() {
    let world = World::new(TEAM);
    let before = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let typed = world.user("pause 1d");
    assert!(typed.status == 0 && typed.screen.contains("! req resume"), "{}", typed.screen);
    let end: u64 = fs::read_to_string(world.state("OFF")).unwrap().trim().parse().unwrap();
    assert!((before + 86_400..=before + 86_460).contains(&end), "{end}");
    assert!(!world.claude().may_not_edit("src/a.rs"));
    assert!(yes(world.req(&["status"])).starts_with("every hook is off until 2"));
    assert_eq!(yes(world.req(&["resume"])), "every hook is on again");
    assert!(world.claude().may_not_edit("src/a.rs"));
    assert_eq!(yes(world.req(&["resume"])), "no pause is in force; nothing was changed");
    assert!(world.claude().answer_to("req pause 5m").contains("every hook is off until"));
    assert!(!world.claude().may_not_edit("src/a.rs"));
    assert_eq!(world.claude().types("req resume"), None, "nobody is there to answer");
}

#[test]
fn claude_a_script_and_a_schedule_do_not_pause() {
    let world = World::new(TEAM);
    for command in [world.req(&["pause", "2h"]), world.script(&["pause", "2h"])] {
        let refusal = no(command);
        assert!(refusal.starts_with("req: denied, because "), "{refusal}");
        assert!(refusal.contains("a pause is the user's to make; in a terminal"), "{refusal}");
        assert!(refusal.ends_with(": req pause 2h"), "{refusal}");
    }
    let claude = world.claude();
    let _ = claude.ask(&claude.session.user_prompt_submit("req pause").with("source", "system"));
    assert!(world.claude().may_not_edit("src/a.rs"));
    let typed = world.user("pause 25h");
    assert!(typed.status == 1 && typed.screen.contains("a day at most"), "{}", typed.screen);
    // Where it cannot be kept, it is not claimed.
    fs::create_dir(world.state("OFF.tmp")).unwrap();
    fs::write(world.state("OFF.tmp").join("x"), "").unwrap();
    let typed = world.user("pause 5m");
    assert!(typed.status == 1 && typed.screen.contains("cannot be written"), "{}", typed.screen);
    assert!(world.claude().may_not_edit("src/a.rs"));
}

#[test]
fn pause_made_by_hand_stays_until_resume_removes_every_file() {
    let world = World::new(TEAM);
    let own = world.sandbox.write_home(".claude/hook-state/OFF", "9999999999\n");
    fs::write(world.state("OFF"), "").unwrap();
    let typed = world.user("pause 5m");
    assert!(typed.status == 0 && typed.screen.contains("for as long as"), "{}", typed.screen);
    assert_eq!(fs::read_to_string(world.state("OFF")).unwrap(), "");
    yes(world.req(&["resume"]));
    assert!(world.claude().may_not_edit("src/a.rs") && !own.exists() && !world.state("OFF").exists());
}
