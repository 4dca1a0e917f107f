//! `req pause`, `req resume`: every hook silent for a while, by the user's hand alone, and how it ends.

use super::desk::{Desk, TEAM, no, yes};
use crate::driver::denial;
use serde_json::json;
use std::fs;
use std::time::SystemTime;
use tests::payloads::Payload;

fn edit(desk: &Desk) -> Payload {
    desk.session
        .pre_tool_use("Edit", json!({ "file_path": "src/a.rs", "old_string": "a", "new_string": "b" }))
}

fn is_denied(desk: &Desk) -> bool {
    denial(desk.ask(&edit(desk)).as_ref()).is_some()
}

#[test]
fn the_user_pauses_every_hook_for_a_while_and_anybody_ends_it() {
    let desk = Desk::new(TEAM);
    let before = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let typed = desk.user("pause 1d");
    assert!(typed.status == 0 && typed.screen.contains("! req resume"), "{}", typed.screen);
    let end: u64 = fs::read_to_string(desk.state("OFF")).unwrap().trim().parse().unwrap();
    assert!((before + 86_400..=before + 86_460).contains(&end), "{end}");
    assert_eq!(desk.ask(&edit(&desk)), None);
    assert!(yes(desk.claude(&["status"])).starts_with("every hook is off until 2"));
    assert_eq!(yes(desk.claude(&["resume"])), "every hook is on again");
    assert!(is_denied(&desk));
    assert_eq!(yes(desk.claude(&["resume"])), "no pause is in force; nothing was changed");
    let answer = desk.ask(&desk.session.user_prompt_submit("req pause 5m")).unwrap();
    assert!(answer["reason"].as_str().unwrap().contains("every hook is off until"), "{answer}");
    assert!(!is_denied(&desk));
    assert_eq!(desk.ask(&desk.session.user_prompt_submit("req resume")), None, "nobody is there to answer");
}

#[test]
fn claude_a_script_and_a_schedule_do_not_pause() {
    let desk = Desk::new(TEAM);
    for command in [desk.claude(&["pause", "2h"]), desk.script(&["pause", "2h"])] {
        let refusal = no(command);
        assert!(refusal.starts_with("req: denied, because "), "{refusal}");
        assert!(refusal.contains("a pause is the user's to make; in a terminal"), "{refusal}");
        assert!(refusal.ends_with(": req pause 2h"), "{refusal}");
    }
    let _ = desk.ask(&desk.session.user_prompt_submit("req pause").with("source", "system"));
    assert!(is_denied(&desk));
    let typed = desk.user("pause 25h");
    assert!(typed.status == 1 && typed.screen.contains("a day at most"), "{}", typed.screen);
    // Where it cannot be kept, it is not claimed.
    fs::create_dir(desk.state("OFF.tmp")).unwrap();
    fs::write(desk.state("OFF.tmp").join("x"), "").unwrap();
    let typed = desk.user("pause 5m");
    assert!(typed.status == 1 && typed.screen.contains("cannot be written"), "{}", typed.screen);
    assert!(is_denied(&desk));
}

#[test]
fn pause_made_by_hand_stays_until_resume_removes_every_file() {
    let desk = Desk::new(TEAM);
    let own = desk.sandbox.home().join(".claude/hook-state/OFF");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "9999999999\n").unwrap();
    fs::write(desk.state("OFF"), "").unwrap();
    let typed = desk.user("pause 5m");
    assert!(typed.status == 0 && typed.screen.contains("for as long as"), "{}", typed.screen);
    assert_eq!(fs::read_to_string(desk.state("OFF")).unwrap(), "");
    yes(desk.claude(&["resume"]));
    assert!(is_denied(&desk) && !own.exists() && !desk.state("OFF").exists());
}
