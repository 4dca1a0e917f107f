//! Shell lines that are refused.

use super::*;

/// Asserts that each line is refused for what `is_meant` says.
pub(super) fn refused(lines: &[&str], is_meant: fn(&What) -> bool) {
    for line in lines {
        let found = of_line(line);
        assert!(found.as_ref().is_some_and(is_meant), "{line}\n{found:?}");
    }
}

pub(super) fn is_change(what: &What) -> bool {
    matches!(what, What::Change(..))
}

#[test]
fn redirections_into_a_protected_file() {
    refused(
        &[
            "echo x > .claude/requirements.yaml",
            "echo x >> .claude/requirements.local.yaml",
            "cat a b > /srv/app/.claude/settings.json",
            "echo '{}' > ~/.claude/settings.json",
            "echo '{}' > $HOME/.claude/settings.local.json",
            "echo '{}' > \"${HOME}/.claude/hook-state/switches.json\"",
            "touch a && echo > ~/.claude/hook-state/OFF",
            "cat <<EOF > .claude/requirements.yaml\nenabled: false\nEOF",
            "{ echo a; echo b; } > .claude/requirements.yaml",
            "cd .claude && echo x > requirements.yaml",
            "cd src && echo x > ../.claude/requirements.yaml",
            "cd ~/.claude && echo '{}' > settings.json",
            "cd \"$HOME/.claude/hook-state\" && echo '{}' > switches.json",
            "echo x > \"$CLAUDE_PROJECT_DIR/.claude/requirements.yaml\"",
            "echo x > \"$(git rev-parse --show-toplevel)/.claude/requirements.yaml\"",
            "echo x > \"$UNKNOWN/.claude/requirements.yaml\"",
            "echo x > \"$DIR/requirements.yaml\"",
            "echo x > \"$DIR/.git/requirements/main.json\"",
            "echo x > $DIR/hook-state/switches.json",
            "echo x > \"$CLAUDE_CONFIG_DIR/settings.json\"",
            "echo x > $CLAUDE_HOOK_STATE_DIR/switches.json",
            "cd .claude && echo x > $PWD/settings.json",
            "git -C /tmp diff > .claude/requirements.yaml",
            "(cd .git/requirements; echo '{}' > main.json)",
            "if true; then : > .claude/settings.json; fi",
        ],
        is_change,
    );
}

#[test]
fn programs_that_change_a_protected_file() {
    refused(
        &[
            "touch .claude/requirements.yaml",
            "tee .claude/requirements.yaml < x",
            "cat x | tee -a .claude/requirements.yaml",
            "truncate -s 0 .claude/requirements.yaml",
            "dd if=/dev/zero of=.claude/requirements.yaml",
            "sed -i s/true/false/ .claude/requirements.yaml",
            "sed -i.bak -e s/true/false/ .claude/requirements.yaml",
            "sed --in-place s/a/b/ .claude/settings.json",
            "sed -n 's/a/b/w .claude/settings.json' x",
            "awk '{print > \".claude/settings.json\"}' x",
            "perl -pi -e s/true/false/ .claude/requirements.yaml",
            "yq -i .a=1 .claude/requirements.yaml",
            "vim .claude/requirements.yaml",
            "prettier --write .claude/settings.json",
            "patch .claude/requirements.yaml x.diff",
            "tool --output=.claude/requirements.yaml",
            "tool -o.claude/requirements.yaml",
            "sort -o .claude/requirements.yaml x",
            "git diff --output=.claude/requirements.yaml",
            "sudo touch .claude/requirements.yaml",
            "FOO=1 touch .claude/requirements.yaml",
            "timeout 5 touch .claude/requirements.yaml",
            "touch '.claude/requirements.yaml'",
            "touch .claude/require*",
            "touch .claude/requirements{,.local}.yaml",
            "touch .claude/settings.[jx]son",
            "touch ~/.claude/hooks/req",
            "bash scripts/loosen.sh .claude/requirements.yaml",
            "sh -c 'sed -i s/a/b/ .claude/requirements.yaml'",
            "bash -c 'rm \"$1\"' x .claude/requirements.yaml",
            "cat x; sed -i s/a/b/ ../app/.claude/requirements.yaml",
            "echo $(touch .claude/requirements.yaml)",
            "for i in 1; do touch .claude/requirements.yaml; done",
            "git checkout HEAD~1 -- .claude/requirements.yaml",
            "git checkout old -- .claude",
            "git restore .claude/requirements.yaml",
            "git restore --staged --worktree .claude/requirements.yaml",
            "git stash push .claude/requirements.yaml",
            "git -C .claude checkout requirements.yaml",
            "git update-index --assume-unchanged .claude/requirements.yaml",
            "chmod 000 .git/requirements",
            "chmod -R a-w .git",
            "chown root ~/.claude/hook-state",
        ],
        is_change,
    );
}

#[test]
fn copies_and_moves_onto_one() {
    refused(
        &[
            "cp x .claude/requirements.yaml",
            "cp requirements.yaml .claude/",
            "cp /tmp/settings.json .claude",
            "cp -t .claude a /tmp/requirements.yaml",
            "cp --target-directory=.claude /tmp/requirements.yaml",
            "cp templates/* .claude/",
            "cp -r other/.claude .",
            "cp -r other/. .claude",
            "install -m 644 settings.json ~/.claude",
            "rsync -a other/ .claude/",
            "rsync -a other/.claude ~",
            "scp host:requirements.yaml .claude/requirements.yaml",
            "cp req ~/.claude/hooks/req",
            "cp fake.json .git/requirements/main.json",
            "mv x .claude/requirements.yaml",
            "mv requirements.yaml .claude/",
            "mv .claude/requirements.yaml /tmp",
            "mv .claude /tmp/x",
            "mv ~/.claude x",
            "mv .git /tmp",
            "mv /srv/app /srv/other",
            "ln -sf /tmp/x .claude/requirements.yaml",
            "ln .claude/requirements.yaml /tmp/x",
            "ln -s ~/.claude/hook-state /tmp/x",
            "git mv .claude/requirements.yaml old.yaml",
            "git mv .claude old",
        ],
        is_change,
    );
}

#[test]
fn removals_of_one_and_of_what_holds_it() {
    refused(
        &[
            "rm .claude/requirements.yaml",
            "rm -f /srv/app/.claude/requirements.local.yaml",
            "rm -rf .claude",
            "rm -rf ./.claude/",
            "rm -r --force .claude",
            "rm --recursive .claude",
            "trash .claude",
            "rm -rf .git",
            "rm -rf /srv/app",
            "rm -rf ../app",
            "rm -rf ~",
            "rm -Rf ~/.claude",
            "rm -rf \"$HOME/.claude\"",
            "rm -rf \"$ROOT/.claude\"",
            "rm -rf .cl*",
            "rm .claude/*",
            "rm .git/requirements/*",
            "rm -rf .git/requirements",
            "rm -rf \"$(git rev-parse --git-common-dir)/requirements\"",
            "rm -rf `git rev-parse --git-dir`/requirements",
            "cd .git/requirements && rm *",
            "cd .git/requirements && rm \"$F\"",
            "cd ~/.claude/hook-state && rm -f *.json",
            "cd .git && cd requirements && rm main.json",
            "cd /srv && rm -rf app",
            "/bin/rm .claude/requirements.yaml",
            "unlink .claude/settings.json",
            "shred .claude/settings.json",
            "rmdir .git/requirements",
            "git rm .claude/requirements.yaml",
            "git rm -r .claude",
            "git clean -fdx",
            "git clean -fdX .",
            "git clean -f .claude",
            "git clean -ffdx -- .claude",
            "cd .git/requirements && git clean -f",
            "find .claude -delete",
            "find . -delete",
            "find .git -name '*.json' -delete",
            "find . -name 'requirements*' -delete",
            "find . -path './.claude/settings.json' -exec rm {} +",
            "find . -path '*/.claude/*' -exec sed -i s/a/b/ {} +",
            "find . -type f ! -name '*.md' -delete",
            "find . -iname 'SETTINGS.json' -exec chmod 600 {} +",
            "find .claude -type f -exec sed -i s/a/b/ {} ';'",
            "find ~/.claude/hook-state -name '*.tmp' -delete",
            "cd ~/.claude/hook-state && find -name '*.tmp' -delete",
            "ls .claude/requirements.yaml | xargs rm",
            "echo .claude/requirements.yaml | xargs -n1 rm -f",
            "printf '%s\\n' .claude/settings.json | xargs sed -i s/a/b/",
        ],
        is_change,
    );
}

#[test]
fn variables_that_stand_for_one() {
    refused(
        &[
            "F=.claude/requirements.yaml; sed -i s/a/b/ $F",
            "F=.claude/requirements.yaml\nsed -i s/a/b/ \"$F\"",
            "export F=~/.claude/settings.json; touch \"${F}\"",
            "F=.claude/requirements.yaml; echo x > $F",
            "D=.claude; rm -rf \"$D\"",
            "D=~/.claude/hook-state && rm -rf $D/*",
            "F=.claude/requirements.yaml touch x",
        ],
        is_change,
    );
}

#[test]
fn code_that_names_one() {
    refused(
        &[
            "python3 -c \"open('.claude/requirements.local.yaml','w').write('')\"",
            "python3.12 -c \"import pathlib; pathlib.Path('.claude', 'requirements.yaml').unlink()\"",
            "node -e 'require(\"fs\").writeFileSync(\".claude/settings.json\", \"{}\")'",
            "perl -e 'unlink \".git/requirements/main.json\"'",
            "ruby -e 'File.delete(File.expand_path(\"~/.claude/hook-state/switches.json\"))'",
            "watch 'rm .claude/requirements.yaml'",
            "flock /tmp/lock 'rm .claude/requirements.yaml'",
            "python3 -c \"import os; os.chdir('.claude'); os.remove('requirements.yaml')\"",
        ],
        |what| matches!(what, What::Name(_) | What::Change(..)),
    );
    refused(&["uv run python -c \"open('.claude/requirements.yaml', 'w')\""], is_change);
    refused(&["npx tsx -e 'fs.rmSync(\".claude/settings.json\")'"], is_change);
}

#[test]
fn lines_that_cannot_be_read() {
    refused(
        &[
            "rm '.claude/requirements.yaml",
            "foo ( .claude/settings.json",
            "rm hook-state/x \"",
            "rm .git/requirements/x '",
            "if CLAUDECODE",
        ],
        |what| matches!(what, What::Unreadable),
    );
}

#[test]
fn variables_our_commands_go_by() {
    refused(
        &[
            "unset CLAUDECODE",
            "unset FOO CLAUDECODE; ./x.sh",
            "export CLAUDECODE=",
            "export CLAUDE_HOOK_STATE_DIR=/tmp/x",
            "export -n CLAUDECODE",
            "declare -x CLAUDE_CONFIG_DIR=/tmp/x",
            "CLAUDECODE=",
            "BARBLESS_X=1; req status",
            "CLAUDECODE= req approve x",
            "CLAUDE_CODE_ENTRYPOINT=cli req status",
            "env -u CLAUDECODE req approve x",
            "env -uCLAUDECODE req approve x",
            "env --unset=CLAUDECODE req approve x",
            "env -i req approve x",
            "env - PATH=$PATH req approve x",
            "env --ignore-environment pace-maker off",
            "exec -c req approve x",
            "sudo env -u CLAUDECODE req status",
            "CLAUDE_CODE_SESSION_ID=x req clear --all",
            "export CLAUDE_CODE_SESSION_ID=x",
            "env CLAUDE_CODE_SESSION_ID=x req clear --all",
            "env -u CLAUDE_CODE_SESSION_ID req clear --all",
            "CLAUDE_PROJECT_DIR=/tmp req config set requirements.x.enabled false",
            "export CLAUDE_PROJECT_DIR=/tmp; req status",
            "HOME=/tmp req status",
            "env HOME=/tmp stop-momentum off",
            "BARBLESS_TEST=1 stop-momentum off",
            "env -u CLAUDECODE sh -c 'req approve x'",
            "CLAUDE_CONFIG_DIR=/tmp ~/.claude/hooks/stop-momentum off",
        ],
        |what| matches!(what, What::Variable(_)),
    );
}

#[test]
fn commands_of_the_user_out_of_sight() {
    refused(
        &[
            "script -qc 'req approve x' /dev/null",
            "script -qec \"claude 'req satisfy x'\" /dev/null",
            "tmux new-session -d \"claude 'req satisfy x'\"",
            "setsid req approve x",
            "nohup req waive x --note y &",
            "echo 'req approve x' | at now",
            "at now <<< x; echo req clear --all",
            "tmux new-session -d 'req pause 10m'",
            "screen -dm req disable x",
            "systemd-run --user req approve x",
            "expect -c 'spawn req approve x'",
            "unbuffer pace-maker off",
            "setsid script -c \"pace-maker tempo off\" /dev/null",
            "/usr/bin/setsid /home/me/.claude/hooks/stop-momentum off",
            "setsid req config set requirements.x.enabled false",
            "at now <<< \"req approve size\"",
            "at now <<'EOF'\nreq approve size\nEOF",
            "ssh localhost req satisfy adr",
            "ssh -t me@host '~/.claude/hooks/req satisfy adr'",
            "echo req satisfy adr | ssh localhost sh",
        ],
        |what| matches!(what, What::Detach(_)),
    );
}

#[test]
fn commands_of_the_user_as_a_prompt_of_another_session() {
    refused(
        &[
            "claude -p 'req approve x'",
            "claude --print 'pace-maker off'",
            "claude --resume abc -p 'req pause 10m'",
            "claude -c 'stop-momentum off'",
            "/usr/bin/claude -p \"  req approve x \"",
            "npx @anthropic-ai/claude-code -p 'req approve x'",
            "echo 'req approve x' | claude -p",
            "timeout 60 claude -p 'req waive x'",
        ],
        |what| matches!(what, What::Prompt),
    );
}

#[test]
fn lines_of_powershell() {
    for line in [
        r"Remove-Item .claude\requirements.yaml",
        r"Remove-Item -Recurse -Force .claude",
        r"Set-Content -Path .claude\settings.json -Value '{}'",
        r"'x' | Out-File .claude\requirements.local.yaml",
        r"echo x > .claude\requirements.yaml",
        r"Copy-Item x.yaml .claude\requirements.yaml",
        r"Move-Item .claude old",
        "Remove-Item Env:CLAUDECODE",
        "$env:CLAUDECODE = ''",
        "${env:CLAUDECODE}=''",
        "$env:CLAUDE_CODE_SESSION_ID = 'x'; req clear --all",
    ] {
        assert!(of_powershell(line).is_some(), "{line}");
    }
    for line in [
        r"Get-Content .claude\requirements.yaml",
        r"Test-Path .claude\settings.json",
        r"Get-ChildItem .git\requirements",
        r"Remove-Item docs\requirements.yaml",
        r"cargo test",
        r"git diff .claude\settings.json",
        r"Get-Content $env:CLAUDE_PROJECT_DIR\notes.md",
    ] {
        assert_eq!(of_powershell(line), None, "{line}");
    }
}

#[test]
fn scripts_fed_to_an_interpreter_and_the_words_of_a_loop() {
    refused(
        &[
            "python3 - <<'EOF'\nopen('.claude/requirements.yaml', 'w').write('')\nEOF",
            "node <<EOF\nrequire('fs').rmSync('.git/requirements', {recursive: true})\nEOF",
            "bash <<'EOF'\nsed -i s/true/false/ .claude/requirements.local.yaml\nEOF",
            "for f in $(ls .claude/requirements.yaml); do rm $f; done",
        ],
        |what| matches!(what, What::Name(_) | What::Change(..)),
    );
    refused(
        &[
            "for f in .claude/requirements.yaml; do rm $f; done",
            "for f in .claude/settings.json; do sed -i s/a/b/ \"$f\"; done",
            "for f in .claude/*; do sed -i s/a/b/ $f; done",
            "for f in a.md .claude/*.yaml\ndo\n  sed -i s/a/b/ \"${f}\"\ndone",
            "for f in requirements.yaml; do rm .claude/$f; done",
            "for d in src .claude; do rm -rf ./$d; done",
            "for d in a b; do for f in x requirements.yaml; do rm .claude/$f; done; done",
            "cd .claude; for f in settings.json; do echo '{}' > $f; done",
        ],
        is_change,
    );
    let named = of_line("for f in requirements.yaml; do rm .claude/$f; done");
    let file = PathBuf::from("/srv/app/.claude/requirements.yaml");
    assert_eq!(named, Some(What::Change(Kept::Requirements, file)));
}
