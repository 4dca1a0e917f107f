//! `req completions` and `req man`, in the shells that are there.

use super::desk::{Desk, json_of, no, yes};
use std::fs;
use std::path::Path;
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

/// A shell that is installed.
fn shell(name: &str) -> Option<String> {
    ["/bin", "/usr/bin", "/usr/local/bin"]
        .iter()
        .map(|folder| format!("{folder}/{name}"))
        .find(|path| Path::new(path).exists())
}

/// What a shell prints that has read the completions of `req`.
#[track_caller]
fn in_shell(desk: &Desk, shell: &str, script: &str) -> String {
    let completions = desk.sandbox.temporary_dir().join("completions");
    fs::write(&completions, yes(desk.script(&["completions", name_of(shell)]))).unwrap();
    let script = script.replace("COMPLETIONS", &completions.display().to_string());
    let outcome = Invocation::new(shell, &desk.sandbox).args(["-c", &script]).run();
    outcome.assert_exit(0);
    assert_eq!(outcome.stderr_text(), "", "{outcome}");
    outcome.stdout_text()
}

fn name_of(shell: &str) -> &str {
    shell.rsplit('/').next().unwrap()
}

#[test]
fn each_shell_has_a_script_that_knows_each_verb() {
    let desk = Desk::empty();
    let verbs = verbs(&desk);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = yes(desk.script(&["completions", shell]));
        for verb in &verbs {
            assert!(script.contains(verb.as_str()), "{shell}: {verb}");
        }
    }
    desk.script(&["completions", "tcsh"]).run().assert_exit(64);
    desk.script(&["completions"]).run().assert_exit(64);
}

#[test]
fn bash_completes_verbs_and_options() {
    let desk = Desk::empty();
    let Some(bash) = shell("bash") else { return };
    let source = "source COMPLETIONS; complete -p req";
    assert!(in_shell(&desk, &bash, source).contains("-F _req"), "it is registered");
    for (words, wanted) in [
        ("req sat", "satisfy"),
        ("req status --su", "--summary"),
        ("req config s", "set"),
        // What can stand behind a word, where that is a fixed list.
        ("req hooks enable rate-", "rate-awareness"),
        ("req log --hook rate-", "rate-awareness"),
        ("req docs evid", "evidence"),
        ("req schema log-s", "log-stats"),
    ] {
        let count = words.split(' ').count() - 1;
        let [last, before] = [0, 1].map(|back| words.rsplit(' ').nth(back).unwrap());
        let script = format!(
            "source COMPLETIONS; COMP_WORDS=({words}); COMP_CWORD={count}; _req req '{last}' '{before}'; echo \"${{COMPREPLY[@]}}\""
        );
        assert_eq!(in_shell(&desk, &bash, &script).trim(), wanted, "{words}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_made_for_the_file_a_shell_looks_for() {
    let desk = Desk::empty();
    let folder = desk.sandbox.home().join(".local/share/of a shell");
    for (shell, name) in [("bash", "req.bash"), ("zsh", "_req"), ("fish", "req.fish")] {
        let words = ["completions", shell, "--dir", folder.to_str().unwrap()];
        let said = yes(desk.script(&words));
        let file = folder.join(name);
        assert!(said.starts_with(&format!("wrote {}\n", file.display())), "{said}");
        let written = fs::read_to_string(&file).unwrap();
        assert_eq!(written.trim_end(), yes(desk.script(&["completions", shell])).trim_end(), "{shell}");
    }
    let file = desk.sandbox.temporary_dir().join("file");
    fs::write(&file, "mine").unwrap();
    let said = no(desk.script(&["completions", "bash", "--dir", file.to_str().unwrap()]));
    assert!(said.contains(&file.display().to_string()), "{said}");
}

#[test]
fn zsh_and_fish_read_theirs_where_they_are_installed() {
    let desk = Desk::empty();
    if let Some(zsh) = shell("zsh") {
        let script = "autoload -Uz compinit; compinit -D -u; source COMPLETIONS; print -r -- $_comps[req]";
        assert_eq!(in_shell(&desk, &zsh, script).trim(), "_req");
    }
    if let Some(fish) = shell("fish") {
        let said = in_shell(&desk, &fish, "source COMPLETIONS; complete -C 'req sat'");
        assert!(said.starts_with("satisfy"), "{said}");
    }
}

#[test]
fn the_manual_page_has_its_sections_and_names_each_verb() {
    let desk = Desk::empty();
    let page = yes(desk.script(&["man"]));
    for heading in ["NAME", "SYNOPSIS", "EXIT STATUS", "FILES", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"] {
        assert!(
            page.contains(&format!("\n.SH {heading}")) || page.contains(&format!("\n.SH \"{heading}\"")),
            "{heading}"
        );
    }
    assert!(page.lines().any(|line| line.starts_with(".TH req 1")), "{page}");
    for verb in verbs(&desk) {
        assert!(page.contains(&format!("req\\-{verb}(1)")), "{verb}");
    }
}

#[test]
fn a_folder_gets_a_page_for_each_verb_and_may_be_written_again() {
    let desk = Desk::empty();
    let folder = desk.sandbox.temporary_dir().join("share/man/man1");
    let words = ["man", "--dir", folder.to_str().unwrap()];
    let said = yes(desk.script(&words));
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(said.contains(&format!("wrote {} pages", names.len())), "{said}");
    assert!(
        names.contains(&"req.1".to_owned()) && names.contains(&"req-config-set.1".to_owned()),
        "{names:?}"
    );
    for verb in verbs(&desk) {
        let page = fs::read_to_string(folder.join(format!("req-{verb}.1"))).unwrap();
        assert!(page.contains(&format!("req\\-{verb} \\-")), "{verb}: {page}");
        assert!(page.contains(".SH EXAMPLES") && page.contains("SEE ALSO"), "{verb}: {page}");
    }
    assert_eq!(yes(desk.script(&words)), said, "again");

    let file = desk.sandbox.temporary_dir().join("file");
    fs::write(&file, "mine").unwrap();
    let said = no(desk.script(&["man", "--dir", file.to_str().unwrap()]));
    assert!(said.contains(&file.display().to_string()), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn man_can_show_the_page_where_it_is_installed() {
    let desk = Desk::empty();
    let Some(man) = shell("man") else { return };
    let folder = desk.sandbox.temporary_dir().join("man1");
    yes(desk.script(&["man", "--dir", folder.to_str().unwrap()]));
    let page = folder.join("req-satisfy.1");
    let outcome =
        Invocation::new(man, &desk.sandbox).args(["-l", page.to_str().unwrap()]).env("MANPAGER", "cat").run();
    // A cut-down system has a `man` that only says that there are no pages.
    if outcome.status.success() && outcome.stdout_text().contains("SYNOPSIS") {
        assert!(outcome.stdout_text().contains("req satisfy commit_plan --note"), "{outcome}");
    }
}

#[test]
fn what_is_printed_is_the_same_wherever_it_is_asked() {
    let desk = Desk::empty();
    let elsewhere = desk.script(&["man"]).cwd(desk.sandbox.temporary_dir()).unset("HOME");
    assert_eq!(yes(elsewhere), yes(desk.script(&["man"])));
    assert_eq!(json_of(desk.script(&["docs", "--json"]))["version"], 1);
}
