//! `req completions` and `req man`: both know every verb.

use super::desk::{Desk, no, yes};
use std::fs;

#[test]
fn each_shell_and_the_manual_pages_know_each_verb() {
    let desk = Desk::empty();
    let folder = desk.sandbox.temporary_dir().join("share/man1");
    yes(desk.script(&["man", "--dir", folder.to_str().unwrap()]));
    assert!(yes(desk.script(&["man"])).contains(".TH req 1"));
    let scripts =
        ["bash", "zsh", "fish", "powershell"].map(|shell| yes(desk.script(&["completions", shell])));
    let help = yes(desk.script(&["--help"]));
    let listed = help.lines().take_while(|line| *line != "Options:");
    for verb in listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()) {
        assert!(scripts.iter().all(|script| script.contains(verb)), "{verb}");
        let page = fs::read_to_string(folder.join(format!("req-{verb}.1"))).unwrap();
        assert!(page.contains("Example"), "{verb}: {page}");
    }
    let file = desk.sandbox.write("file", "mine");
    let said = no(desk.script(&["man", "--dir", file.to_str().unwrap()]));
    assert!(said.contains(&file.display().to_string()), "{said}");
}
