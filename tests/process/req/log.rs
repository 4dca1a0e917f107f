//! `req log`: what hooks and the user did, with the project it was done in. What a line says is a table in the crate `req`.

use super::desk::{Desk, TEAM, json_of};

#[test]
fn actions_of_hooks_and_user_are_recorded_with_their_project() {
    let desk = Desk::new(TEAM);
    let here = desk.sandbox.project().canonicalize().unwrap().display().to_string();
    desk.starts(&desk.session);
    for words in ["config set rate-awareness.repeat 9 --local", "config set rate-awareness.repeat 9 --global"]
    {
        desk.user(words);
    }
    desk.user("pause 10m");
    desk.user("resume");
    let json = json_of(desk.script(&["log", "--json"]));
    let entries = json["entries"].as_array().unwrap().iter();
    let projects: Vec<_> = entries
        .map(|entry| (entry["what"].as_str().unwrap(), entry["project"].as_str().unwrap_or("-")))
        .collect();
    let expected =
        [("tell", here.as_str()), ("config", &here), ("config", "-"), ("pause", "-"), ("resume", "-")];
    assert_eq!(projects, expected);
}
