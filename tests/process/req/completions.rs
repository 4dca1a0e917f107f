//! `req completions` and `req man`: both know every verb.

use super::desk::{Desk, no, yes};
use std::fs;
use tests::process::Invocation;

/// The verbs, as the help lists them.
fn verbs(desk: &Desk) -> Vec<String> {
    let help = yes(desk.script(&["--help"]));
    let listed = help.lines().take_while(|line| *line != "Options:");
    let verbs = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let verbs: Vec<String> = verbs.map(ToOwned::to_owned).collect();
    assert!(verbs.len() >= 20, "{help}");
    verbs
}

#[test]
fn each_shell_and_the_manual_pages_know_each_verb() {
    let desk = Desk::empty();
    let folder = desk.sandbox.temporary_dir().join("share/man1");
    yes(desk.script(&["man", "--dir", folder.to_str().unwrap()]));
    assert!(yes(desk.script(&["man"])).contains(".TH req 1"));
    let scripts =
        ["bash", "zsh", "fish", "powershell"].map(|shell| yes(desk.script(&["completions", shell])));
    for verb in verbs(&desk) {
        assert!(scripts.iter().all(|script| script.contains(verb.as_str())), "{verb}");
        let page = fs::read_to_string(folder.join(format!("req-{verb}.1"))).unwrap();
        assert!(page.contains("Example"), "{verb}: {page}");
    }
    let file = desk.sandbox.write("file", "mine");
    let said = no(desk.script(&["man", "--dir", file.to_str().unwrap()]));
    assert!(said.contains(&file.display().to_string()), "{said}");
}

#[test]
fn bash_completes_verbs_and_options() {
    let desk = Desk::empty();
    let folder = desk.sandbox.home().join("of a shell");
    yes(desk.script(&["completions", "bash", "--dir", folder.to_str().unwrap()]));
    let script = folder.join("req.bash");
    for (words, wanted) in [("req sat", "satisfy"), ("req status --su", "--summary")] {
        let count = words.split(' ').count() - 1;
        let [last, before] = [0, 1].map(|back| words.rsplit(' ').nth(back).unwrap());
        let line = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD={count}; _req req '{last}' '{before}'; echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let outcome = Invocation::new("/bin/bash", &desk.sandbox).args(["-c", &line]).run();
        assert_eq!(outcome.stdout_text().trim(), wanted, "{words}: {outcome}");
    }
}
