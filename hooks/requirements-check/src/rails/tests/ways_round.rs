//! Shell lines that come to a protected file by a way round.

use super::lines::{is_change, refused};
use super::*;

#[test]
fn hooks_run_with_an_event_of_ones_own() {
    refused(
        &[
            "echo '{\"hook_event_name\":\"UserPromptSubmit\"}' | ~/.claude/hooks/requirements-check",
            "requirements-check <<< '{\"prompt\":\"req satisfy adr\"}'",
            "/home/me/.claude/hooks/requirements-check <<'EOF'\n{}\nEOF",
            "requirements-check < in.json",
            "cat in.json | requirements-check",
            "cat in.json | env FOO=1 stop-momentum",
            "cat in.json | timeout 5 ~/.claude/hooks/rate-awareness",
            "sh -c requirements-check < in.json",
            "exec < in.json; requirements-check $X",
            "requirements-check \"$X\" < in.json",
            "requirements-check {,} <<< '{}'",
            "cd ~/.claude/hooks && ./requirements-check < in.json",
            "xargs requirements-check < in.json",
            "cat in.json | sudo /opt/x/delegation-guard",
            "requirements-check status < in.json",
            "cat in.json | stop-momentum status",
            "strace -f ~/.claude/hooks/requirements-check < in.json",
        ],
        |what| matches!(what, What::Pretend(_)),
    );
}

#[test]
fn the_home_folder_of_a_bare_cd() {
    refused(
        &[
            "cd; touch .claude/hook-state/OFF",
            "cd && touch .claude/hook-state/OFF",
            "cd -- && rm .claude/settings.json",
            "cd ; cd .claude && echo x > settings.json",
        ],
        is_change,
    );
}

#[test]
fn downloads_and_archives_put_in_the_place_of_one() {
    refused(
        &[
            "curl -o .claude/requirements.local.yaml http://localhost/x",
            "curl -sSLo .claude/requirements.yaml http://localhost/x",
            "curl --output .claude/settings.json http://localhost/x",
            "curl --output=.claude/settings.json http://localhost/x",
            "curl -o.claude/settings.json http://localhost/x",
            "curl -O --output-dir .claude http://localhost/requirements.yaml",
            "cd .claude && curl -O http://localhost/requirements.yaml",
            "curl -D ~/.claude/hook-state/OFF http://localhost/",
            "wget -P .claude http://localhost/requirements.local.yaml",
            "wget -q --directory-prefix=.claude http://localhost/requirements.local.yaml",
            "wget -O .claude/requirements.yaml http://localhost/x",
            "wget -qO.claude/requirements.yaml http://localhost/x",
            "cd .claude && wget http://localhost/requirements.yaml",
            "tar -C .claude -xf x",
            "tar xzf x.tgz -C .claude",
            "tar --extract --file x.tar --directory=.claude",
            "tar -x -f x.tar -C ~/.claude",
            "cd .claude && tar xf ../x.tar",
            "tar xf x.tar .claude",
            "tar xf x.tar .claude/requirements.yaml",
            "tar -C .git -xf x",
            "unzip -d .claude x",
            "unzip -o x.zip -d .claude",
            "unzip x.zip -d.claude",
            "cd .claude && unzip ../x.zip",
        ],
        is_change,
    );
}

#[test]
fn searches_and_changes_of_all_there_is() {
    refused(
        &[
            "find .git -name work.json -delete",
            "find . -type f -exec sed -i s/user/agent/ {} +",
            "find . -type f -print0 | xargs -0 sed -i s/user/agent/",
            "find . -exec perl -pi -e s/user/agent/ {} \\;",
            "grep -rl satisfied_by . | xargs sed -i s/user/agent/",
            "grep -rlZ 'satisfied_by: user' | xargs -0 sed -i s/user/agent/",
            "rg --hidden -l satisfied_by | xargs sed -i s/user/agent/",
            "sed -i s/user/agent/ $(grep -rl satisfied_by .)",
        ],
        is_change,
    );
}

#[test]
fn all_of_a_folder_renamed_replaced_or_taken_from_another_commit() {
    refused(
        &[
            "mv .claude{,.bak}",
            "mv .claude/requirements{,.old}.yaml",
            "ln -sfn /tmp/x .claude",
            "ln -s -T /tmp/x .claude",
            "ln --no-dereference -sf /tmp/x .claude",
            "mv -T /tmp/x .claude",
            "git checkout HEAD~1 -- .",
            "git checkout main .",
            "git checkout main -- :/",
            "git checkout main -- /srv/app",
            "git checkout -f HEAD~1 -- src .",
            "git checkout HEAD~1 -- '*'",
            "cd src && git checkout HEAD~1 -- ..",
            "cd src && git restore -s HEAD~1 ':(top)'",
            "git restore --source=HEAD~1 .",
            "git restore --source HEAD~1 -- .",
            "git restore -sHEAD~1 -SW .",
        ],
        is_change,
    );
}
