//! Calls that go around the user, and those that do not.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::scene::{call, settings};

fn guarded(cwd: &'static str) -> Guarded<'static> {
    Guarded {
        config_dir: Some(Path::new("/home/me/.claude")),
        root: Some(Path::new("/srv/app")),
        state_dirs: vec![Path::new("/var/me/state"), Path::new("/home/me/.claude/hook-state")],
        common_dir: Some(Path::new("/srv/app/.git")),
        cwd: Path::new(cwd),
    }
}

fn of(tool: &str, input: &Value) -> Option<String> {
    let call = call(tool, input).at_home(Some(Path::new("/home/me")));
    judged(&call, input, &guarded("/srv/app"))
}

fn judged(call: &Call, input: &Value, guarded: &Guarded<'_>) -> Option<String> {
    let in_force = ("requirements.adr".to_owned(), Why::Locked);
    breach(call, call.file.as_deref(), &input.to_string(), guarded, in_force).map(|breach| breach.what)
}

fn of_line(line: &str) -> Option<String> {
    of("Bash", &json!({ "command": line }))
}

#[test]
fn a_locked_requirement_or_one_of_the_user_alone_raises_the_rails() {
    let requirements = "a: {}\nc: {}\nd: {satisfied_by: user}\n";
    let table: &[(&[&str], &str, Why)] = &[
        (&["requirements.b"], "requirements.d", Why::UsersAlone),
        (&["hooks.stop", "requirements.cc", "requirements.c_"], "requirements.d", Why::UsersAlone),
        (&["requirements.d"], "requirements.d", Why::Locked),
        (&["requirements.c.enabled"], "requirements.c", Why::Locked),
        (&["requirements"], "requirements.a", Why::Locked),
        (&[""], "requirements.a", Why::Locked),
    ];
    for (locked, rule, why) in table {
        let locked: Vec<String> = locked.iter().map(|path| (*path).to_owned()).collect();
        assert_eq!(
            in_force(&settings(requirements), &locked),
            Some(((*rule).to_owned(), *why)),
            "{locked:?}"
        );
    }
    assert_eq!(in_force(&settings("a: {}\n"), &["requirements.b".to_owned()]), None);
}

#[test]
fn a_folder_in_the_home_and_a_substitution_hide_nothing() {
    for line in [
        "cd \"$(git rev-parse --git-dir)\" && rm -r requirements",
        "cd $(git rev-parse --git-common-dir)/requirements && rm main.json",
        "cd $PWD/.claude && echo > requirements.yaml",
        "cd ~/.claude/hook-state && touch OFF",
        "cd \"$HOME/.claude/hook-state\" && touch OFF",
        "touch \"$HOME\"/.claude/hook-state/OFF",
        "mkdir ~/.claude/hook-state/OFF",
        "cd ~/.claude/hooks && rm requirements-check",
        "cd ~/.claude; rm -r hook-state",
        "sed -i s/a/b/ \"$(git rev-parse --show-toplevel)/.claude/requirements.yaml\"",
        "rm $(pwd)/.claude/requirements.yaml",
        "sed -i s/a/b/ `pwd`/.claude/requirements.yaml",
    ] {
        assert!(of_line(line).is_some(), "{line}");
    }
    assert_eq!(of_line("cd ~/notes && touch OFF"), None);
}

#[test]
fn a_tool_of_a_server_may_neither_move_our_folder_nor_run_a_line_that_names_our_files() {
    for input in [
        json!({ "source": "/srv/app/.claude", "destination": "/srv/app/x" }),
        json!({ "path": "./.claude" }),
        json!({ "command": "rm .claude/requirements.yaml" }),
        json!({ "command": "touch ~/.claude/hook-state/OFF" }),
        json!({ "step": { "command": "set -e\nrm .claude/requirements.yaml" } }),
        json!({ "script": "rm .claude/requirements.yaml" }),
        json!({ "args": ["-c", "rm .claude/requirements.yaml"] }),
        json!({ "file_path": "x", "then": "sed -i s/a/b/ .claude/settings.json" }),
    ] {
        assert!(of("mcp__fs__do", &input).is_some(), "{input}");
    }
    assert_eq!(of("mcp__fs__do", &json!({ "path": "/srv/app/src", "command": "ls .claude" })), None);
}

#[test]
fn a_refusal_stands_alone() {
    let path = PathBuf::from("/srv/app/.claude/requirements.yaml");
    let input = json!({ "file_path": path });
    let call = call("Edit", &input);
    let in_force = ("requirements.adr".to_owned(), Why::Locked);
    let breach = breach(&call, None, &input.to_string(), &guarded("/srv/app"), in_force);
    assert_eq!(
        breach.unwrap().words(),
        "requirements-check: this call would change /srv/app/.claude/requirements.yaml (what is required is set there). \
         That is for the user to decide while requirements.adr is in force, which is locked by the user's global \
         requirements.yaml. Leave it as it is; if it has to be done, ask the user to do it in a terminal of their own, \
         outside Claude Code."
    );
}

const PROTECTED: [&str; 14] = [
    "/srv/app/.claude/requirements.yaml",
    "/srv/app/.claude/requirements.local.yaml",
    "/srv/app/.claude/settings.json",
    "/srv/app/packages/web/.claude/settings.local.json",
    "/srv/app/src/../.claude/./requirements.yaml",
    "/srv/app/.Claude/Requirements.YAML",
    ".claude/requirements.yaml",
    "../app/.claude/settings.json",
    "/home/me/.claude/requirements.yaml",
    "/home/me/.claude/settings.json",
    "/home/me/.claude/hooks/req",
    "/home/me/.claude/hook-state/OFF",
    "/var/me/state/journal.jsonl",
    "/srv/app/.git/requirements/main.json",
];

#[test]
fn any_tool_that_names_a_protected_file_is_denied_unless_it_reads() {
    for file in PROTECTED {
        for tool in ["Edit", "Write", "MultiEdit"] {
            assert!(of(tool, &json!({ "file_path": file })).is_some(), "{tool} {file}");
        }
        for input in [json!({ "path": file }), json!({ "edits": [{ "target": { "uri": file } }] })] {
            assert!(of("mcp__files__write", &input).is_some(), "{input}");
        }
        for reader in ["Read", "Grep", "LS", "mcp__files__read_file", "mcp__files__list_directory"] {
            assert!(!may_breach(&call(reader, &json!({ "path": file }))), "{reader}");
        }
        for writer in ["mcp__files__readwrite_x", "mcp__files__listener", "mcp__read__write", "Reader"] {
            assert!(may_breach(&call(writer, &json!({ "path": file }))), "{writer}");
        }
    }
    assert!(of("NotebookEdit", &json!({ "notebook_path": "/var/me/state/x.ipynb" })).is_some());
    let told = json!({ "text": "# Hooks\nSee .claude/settings.json.", "name": "settings.json" });
    assert_eq!(of("mcp__mail__send", &told), None, "a text of several lines that mentions one");
}

#[test]
fn other_files_pass() {
    for file in [
        "/srv/app/src/main.rs",
        "/srv/app/docs/requirements.yaml",
        "/srv/app/requirements.yaml",
        "/srv/app/.vscode/settings.json",
        "/srv/app/.claude/agents/reviewer.md",
        "/srv/app/.claude/hooks/own.sh",
        "/srv/app/.claude/docs/requirements.yaml",
        "/srv/app/.git/info/exclude",
        "/home/me/.claude/CLAUDE.md",
        "/home/me/.claude/plans/settings.json",
        "/home/me/other/.claude/requirements.yaml",
        "/var/me/state2/x",
        "/tmp/x/.claude/settings.json",
        "",
        "/",
    ] {
        assert_eq!(of("Write", &json!({ "file_path": file })), None, "{file}");
    }
}

#[test]
#[cfg(unix)]
fn links_are_followed_on_both_sides() {
    use std::os::unix::fs::symlink;
    let top = tempfile::tempdir().unwrap();
    let at = |path: &str| top.path().join(path);
    for folder in ["app/.claude", "app/docs", "app/.git/requirements", "me", "dotfiles/claude/hook-state"] {
        std::fs::create_dir_all(at(folder)).unwrap();
    }
    symlink(at("app/.claude"), at("linked")).unwrap();
    symlink(at("dotfiles/claude"), at("me/.claude")).unwrap();
    std::fs::write(at("app/.claude/requirements.yaml"), "").unwrap();
    symlink("../.claude/requirements.yaml", at("app/docs/x")).unwrap();
    let [config_dir, root, state, common] =
        ["me/.claude", "app", "me/.claude/hook-state", "app/.git"].map(at);
    let guarded = Guarded {
        config_dir: Some(&config_dir),
        root: Some(&root),
        state_dirs: vec![&state],
        common_dir: Some(&common),
        cwd: &root,
    };
    for (file, expected) in [
        ("linked/requirements.yaml", true),
        ("dotfiles/claude/settings.json", true),
        ("dotfiles/claude/hook-state/new/file", true),
        ("me/.claude/settings.json", true),
        ("app/docs/x", true),
        ("app/docs/y", false),
        ("linked/CLAUDE.md", false),
        ("settings.json", false),
    ] {
        let input = json!({ "file_path": at(file) });
        let mut call = call("Edit", &input);
        let named = call.file.replace(real(&at(file)));
        let in_force = ("requirements.adr".to_owned(), Why::Locked);
        let found = breach(&call, named.as_deref(), "{}", &guarded, in_force);
        assert_eq!(found.is_some(), expected, "{file}");
    }
}

#[test]
fn lines_that_plainly_read_pass() {
    for line in [
        "cat .claude/requirements.yaml",
        "cat ~/.claude/settings.json | head -20",
        "grep -n enabled ~/.claude/requirements.yaml",
        "ls -la ~/.claude/hook-state ~/.claude/hooks",
        "diff <(cat .claude/requirements.yaml) x",
        "jq . ~/.claude/settings.json > /tmp/settings.json",
        "yq .requirements .claude/requirements.yaml",
        "sed -n '1,20p' .claude/requirements.yaml",
        "awk '/enabled/ {print $2}' .claude/requirements.yaml",
        "test -f .claude/requirements.yaml && echo yes",
        "if [ -f .claude/requirements.yaml ]; then cat .claude/requirements.yaml; fi",
        "timeout 5 cat .claude/requirements.yaml",
        "sudo cat .claude/requirements.yaml",
        "bash -c 'cat .claude/requirements.yaml'",
        "F=.claude/requirements.yaml; grep x \"$F\"; cargo test",
        "find .claude -name '*.yaml'",
        "git diff .claude/requirements.yaml",
        "git log -p --follow .claude/requirements.yaml",
        "git show HEAD:.claude/requirements.yaml",
        "git add .claude/requirements.yaml",
        "git commit -m \"unset CLAUDECODE, .claude/requirements.yaml: stricter\"",
        "git commit -m \"$(cat <<'EOF'\nfix .claude/settings.json\nEOF\n)\"",
        "cat > notes.md <<'EOF'\nsee .claude/requirements.yaml\nEOF",
        "echo 'see .claude/requirements.yaml' >> notes.md",
        "gh pr create --body \"changes .claude/settings.json\"",
        "echo $CLAUDECODE",
        "[ -n \"$CLAUDECODE\" ] && echo inside",
        "node x.js $CLAUDE_PROJECT_DIR/y",
        "req satisfy x --note 'edited .claude/requirements.yaml'",
        "req check --bash 'rm .claude/requirements.yaml'",
        "/home/me/.claude/hooks/stop-momentum status",
        "~/.claude/hooks/requirements-check schema",
        "nohup req status",
        "script -qc 'req status' /dev/null",
        "nohup ./server & req clear x",
        "env -u CLAUDECODE cargo test",
        "CLAUDE_PROJECT_DIR=/tmp cargo test",
        "HOME=/tmp cargo test",
        "claude -p 'explain requirements'",
        "git log -- hooks/requirements-check",
        "which requirements-check",
    ] {
        assert_eq!(of_line(line), None, "{line}");
    }
}

#[test]
fn lines_about_other_files_pass() {
    for line in [
        "",
        "cargo test",
        "vim docs/requirements.yaml",
        "sed -i s/a/b/ docs/requirements.yaml",
        "cd docs && sed -i s/a/b/ requirements.yaml",
        "python3 -c \"open('docs/requirements.yaml', 'w')\"",
        "touch src/requirements.yaml.rs .claude/agents/x.md",
        "mkdir -p .claude/commands",
        "rm .claude/agents/x.md",
        "rm -rf target node_modules",
        "rm -rf \"$TMP\"",
        "chmod +x .claude/hooks/lint.sh",
        "git checkout -- src",
        "git stash && git pull --rebase && git stash pop",
        "find . -name '*.pyc' -delete",
        "find . -name '*.json' -exec jq . {} +",
        "prettier --write .",
        "sed -i s/a/b/ .vscode/settings.json",
        "rm -rf /tmp/x/.claude",
        "rm 'a",
    ] {
        assert_eq!(of_line(line), None, "{line}");
    }
}

#[test]
fn any_other_line_that_names_a_protected_file_is_denied() {
    for line in [
        "echo x > .claude/requirements.yaml",
        "cat a b > /srv/app/.claude/settings.json",
        "echo '{}' > \"${HOME}/.claude/hook-state/switches.json\"",
        "cat <<EOF > .claude/requirements.yaml\nenabled: false\nEOF",
        "{ echo a; echo b; } > .claude/requirements.yaml",
        "cd .claude && echo x > requirements.yaml",
        "cd ~/.claude && echo '{}' > settings.json",
        "echo x > \"$UNKNOWN/.claude/requirements.yaml\"",
        "echo x > \"$CLAUDE_CONFIG_DIR/settings.json\"",
        "tee .claude/requirements.yaml < x",
        "sed -i s/true/false/ .claude/requirements.yaml",
        "sed -n 's/a/b/w .claude/settings.json' x",
        "yq -i .a=1 .claude/requirements.yaml",
        "tool --output=.claude/requirements.yaml",
        "tool -o.claude/requirements.yaml",
        "git diff --output=.claude/requirements.yaml",
        "sudo touch .claude/requirements.yaml",
        "timeout 5 touch .claude/requirements.yaml",
        "xargs -n1 touch .claude/requirements.yaml",
        "touch .claude/require*",
        "touch ~/.claude/hooks/req",
        "bash scripts/loosen.sh .claude/requirements.yaml",
        "sh -c 'sed -i s/a/b/ .claude/requirements.yaml'",
        "bash -c 'rm \"$1\"' x .claude/requirements.yaml",
        "echo $(touch .claude/requirements.yaml)",
        "git checkout HEAD~1 -- .claude/requirements.yaml",
        "git stash push .claude/requirements.yaml",
        "cp .claude/requirements.yaml /tmp",
        "cp requirements.yaml .claude/",
        "mv .claude /tmp/x",
        "rm -rf .git",
        "rm -rf \"$HOME/.claude\"",
        "rm .claude/*",
        "rm -rf .git/requirements",
        "cd .git/requirements && rm main.json",
        "curl -o .claude/settings.json http://localhost/x",
        "tar xf x.tar .claude/requirements.yaml",
        "ls .claude/requirements.yaml | xargs rm",
        "F=.claude/requirements.yaml; sed -i s/a/b/ $F",
        "for f in .claude/requirements.yaml; do rm $f; done",
        "python3 -c \"open('.claude/requirements.local.yaml','w').write('')\"",
        "python3 - <<'EOF'\nopen('.claude/requirements.yaml', 'w').write('')\nEOF",
        "rm '.claude/requirements.yaml",
        "F=.claude/requirements.yaml; echo > $F",
        "F=.claude/requirements.yaml; echo x >> \"${F}\"",
        "rm -rf ~/.claude/hooks",
        "rm -rf ~/.claude/hooks/",
        "rm -rf \"$HOME/.claude/hooks\"",
        "rm -rf ${HOME}/.claude/hooks/",
        "rm -rf \"$H/.claude/hooks\"",
        "rm -rf ~/.claude",
        "mv .claude/ /tmp/x",
        "cd ~ && rm -rf .claude/hooks",
        "find . -name requirements.yaml -delete",
        "find /srv -name 'require*' -exec rm {} +",
        "sed -i s/a/b/ .claude/require\"\"ments.yaml",
        "sed -i s/a/b/ .cl'au'de/requirements.yaml",
        "rm .claude/require\\ments.yaml",
        "python3 - <<EOF\nopen('.claude/require''ments.yaml', 'w')\nEOF",
        "rm -rf \"$(git rev-parse --git-dir)/requirements\"",
        "echo {} > $(git rev-parse --git-common-dir)/requirements/main.json",
        "D=`git rev-parse --git-dir`/requirements; rm -r \"$D\"",
    ] {
        assert!(of_line(line).is_some(), "{line}");
    }
}

#[test]
fn commands_in_disguise_are_denied() {
    for line in [
        "unset CLAUDECODE",
        "export CLAUDE_HOOK_STATE_DIR=/tmp/x",
        "CLAUDECODE=",
        "CLAUDECODE= req approve x",
        "env -u CLAUDECODE req approve x",
        "env -i req approve x",
        "env --ignore-environment pace-maker off",
        "HOME=/tmp req status",
        "BARBLESS_X=1; req status",
        "env -u CLAUDECODE sh -c 'req approve x'",
        "python3 -c \"import os; os.environ.pop('CLAUDECODE')\"",
        "script -qc 'req approve x' /dev/null",
        "setsid req approve x",
        "nohup req waive x --note y &",
        "echo 'req approve x' | at now",
        "unbuffer pace-maker tempo off",
        "at now <<< \"req approve size\"",
        "ssh localhost req satisfy adr",
        "claude -p 'req approve x'",
        "echo 'req approve x' | claude -p",
        "echo '{}' | ~/.claude/hooks/requirements-check",
        "requirements-check < in.json",
        "requirements-check \"$X\"",
        "cat in.json | stop-momentum status",
    ] {
        assert!(of_line(line).is_some(), "{line}");
    }
}

#[test]
fn lines_of_powershell_are_read_with_their_separators() {
    let of = |line: &str| of("PowerShell", &json!({ "command": line }));
    for line in [
        r"Remove-Item .claude\requirements.yaml",
        r"echo x > .claude\requirements.yaml",
        "Remove-Item Env:CLAUDECODE",
        "$env:CLAUDECODE = ''",
    ] {
        assert!(of(line).is_some(), "{line}");
    }
    for line in
        [r"Get-Content .claude\requirements.yaml", r"Remove-Item docs\requirements.yaml", "cargo test"]
    {
        assert_eq!(of(line), None, "{line}");
    }
}

proptest! {
    #[test]
    fn every_line_gets_an_answer(line in r"(rm |git |cd |&& |; |xargs |<<|req |env -u |CLAUDECODE|=|~|\$HOME|\$\{X|\}|\$\(|\)|`|'|/|\.\.|\.claude|requirements|\.yaml|\*|\\|ä| |-|>){0,12}") {
        for tool in ["Bash", "PowerShell"] {
            let found = of(tool, &json!({ "command": line.clone() }));
            prop_assert!(found.is_none_or(|what| !what.is_empty()));
        }
    }
}
