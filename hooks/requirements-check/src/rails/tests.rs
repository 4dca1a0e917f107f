//! Calls that go around the user, and those that do not.

use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::call::Call;
use crate::rule::LOCKED;
use crate::scene::{call, tool_call};

fn places() -> Places {
    Places {
        config_dir: Some("/home/me/.claude".into()),
        root: Some("/srv/app".into()),
        state_dir: Some("/var/me/state".into()),
        default_state_dir: Some("/home/me/.claude/hook-state".into()),
        ..Places::default()
    }
}

fn of(tool: &str, input: &Value) -> Option<Verdict> {
    let call = Call::read(&tool_call("t", tool, input), Some(Path::new("/home/me")));
    let (places, in_force) = (places(), ("requirements.adr".to_owned(), LOCKED));
    let guarded = Guarded::new(&places, Some(Path::new("/srv/app/.git")), Path::new("/srv/app"));
    guarded.breach(&call, call.file.as_deref(), &input.to_string(), in_force)
}

fn of_line(line: &str) -> Option<Verdict> {
    of("Bash", &json!({ "command": line }))
}

#[test]
fn the_folder_of_the_users_configuration_is_protected_whatever_its_name() {
    let places = Places { config_dir: Some("/home/me/cfg".into()), ..places() };
    let guarded = Guarded::new(&places, None, Path::new("/srv/app"));
    for (line, expected) in [
        ("rm -rf /home/me/cfg", true),
        ("sed -i s/a/b/ ~/cfg/*.yaml", true),
        ("mv ~/cfg /tmp/x", true),
        ("touch ~/cfg/requirements.yaml", true),
        ("touch ~/cfg/notes.md", false),
        ("cat ~/cfg/requirements.yaml", false),
    ] {
        let breach =
            guarded.breach(&call("Bash", &json!({ "command": line })), None, "", (String::new(), LOCKED));
        assert_eq!(breach.is_some(), expected, "{line}");
    }
}

#[test]
fn a_tool_of_a_server_may_neither_move_our_folder_nor_run_a_line_that_names_our_files() {
    for input in [
        json!({ "source": "/srv/app/.claude", "destination": "/srv/app/x" }),
        json!({ "path": "./.claude" }),
        json!({ "command": "touch $HOME/.claude/hook-state/OFF" }),
        json!({ "step": { "command": "rm .claude/requirements.yaml" } }),
        json!({ "script": "rm .claude/requirements.yaml" }),
        json!({ "args": ["-c", "rm .claude/requirements.yaml"] }),
        json!({ "file_path": "x", "then": "sed -i s/a/b/ .claude/settings.json" }),
    ] {
        assert!(of("mcp__fs__do", &input).is_some(), "{input}");
    }
    assert_eq!(of("mcp__fs__do", &json!({ "path": "/srv/app/src", "command": "ls .claude" })), None);
    // The time grows with the words, not with their square.
    let long = json!({ "content": "word ".repeat(12_000), "path": ".claude/requirements.yaml" });
    assert!(of("mcp__fs__do", &long).is_some());
}

const PROTECTED: &str = "/srv/app/.claude/requirements.yaml¦/home/me/other/.claude/requirements.yaml¦/srv/app/.claude/requirements.local.yaml¦/srv/app/.claude/settings.json¦\
    /srv/app/packages/web/.claude/settings.local.json¦/srv/app/src/../.claude/./requirements.yaml¦\
    /srv/app/.Claude/Requirements.YAML¦.claude/requirements.yaml¦../app/.claude/settings.json¦\
    /home/me/.claude/requirements.yaml¦/home/me/.claude/settings.json¦/home/me/.claude/hooks/req¦\
    /home/me/.claude/hook-state/OFF¦/var/me/state/journal.jsonl¦/srv/app/.git/requirements/main.json";

#[test]
fn any_tool_that_names_a_protected_file_is_denied_unless_it_reads() {
    for file in PROTECTED.split('¦') {
        for tool in ["Edit", "Write", "MultiEdit"] {
            assert!(of(tool, &json!({ "file_path": file })).is_some(), "{tool} {file}");
        }
        for input in [json!({ "path": file }), json!({ "edits": [{ "target": { "uri": file } }] })] {
            assert!(of("mcp__files__write", &input).is_some(), "{input}");
        }
        for reader in
            ["Read", "AskUserQuestion", "Agent", "mcp__files__read_file", "mcp__files__list_directory"]
        {
            assert!(!may_breach(&call(reader, &json!({ "path": file }))), "{reader}");
        }
        for writer in [
            "mcp__ed__search_replace",
            "mcp__files__readwrite_x",
            "mcp__files__listener",
            "mcp__read__write",
            "Reader",
        ] {
            assert!(may_breach(&call(writer, &json!({ "path": file }))), "{writer}");
        }
    }
    assert!(of("NotebookEdit", &json!({ "notebook_path": "/var/me/state/x.ipynb" })).is_some());
    let told = json!({ "text": "# Hooks\nSee .claude/settings.json.", "name": "settings.json" });
    assert_eq!(of("mcp__mail__send", &told), None, "a text of several lines that mentions one");
}

#[test]
fn other_files_pass() {
    let files = "/srv/app/src/main.rs¦/srv/app/docs/requirements.yaml¦/srv/app/requirements.yaml¦/srv/app/.vscode/settings.json¦\
        /srv/app/.claude/agents/reviewer.md¦/srv/app/.claude/hooks/own.sh¦/srv/app/.claude/docs/requirements.yaml¦\
        /srv/app/.git/info/exclude¦/home/me/.claude/CLAUDE.md¦/home/me/.claude/plans/settings.json¦\
        /var/me/state2/x¦¦/";
    for file in files.split('¦') {
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
    symlink(at("dotfiles/local.yaml"), at("app/.claude/requirements.local.yaml")).unwrap();
    std::fs::write(at("dotfiles/local.yaml"), "").unwrap();
    let [config_dir, root, state, common] =
        ["me/.claude", "app", "me/.claude/hook-state", "app/.git"].map(at);
    let places = Places {
        config_dir: Some(config_dir),
        project_claude_dir: Some(root.join(".claude")),
        root: Some(root.clone()),
        state_dir: Some(state),
        ..Places::default()
    };
    let guarded = Guarded::new(&places, Some(&common), &root);
    for (file, expected) in [
        ("dotfiles/local.yaml", true),
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
        let in_force = ("requirements.adr".to_owned(), LOCKED);
        let found = guarded.breach(&call, named.as_deref(), "{}", in_force);
        assert_eq!(found.is_some(), expected, "{file}");
    }
}

/// Parted by `~`.
const PASSING: &str = "cat .claude/requirements.yaml~ls -la .claude && cargo test~cat .claude/requirements.yaml; npm test~\
cargo test && git commit -m 'docs: see .claude/requirements.yaml'~cat $HOME/.claude/settings.json | head -20~ls -la $HOME/.claude/hook-state~\
diff <(cat .claude/requirements.yaml) x~jq . $HOME/.claude/settings.json > /tmp/settings.json~sed -n '1,20p' .claude/requirements.yaml~\
if [ -f .claude/requirements.yaml ]; then cat .claude/requirements.yaml; fi~timeout 5 cat .claude/requirements.yaml~\
bash -c 'cat .claude/requirements.yaml'~F=.claude/requirements.yaml; grep x \"$F\"~git diff .claude/requirements.yaml~\
git show HEAD:.claude/requirements.yaml~git add .claude/requirements.yaml~git commit -m \"unset CLAUDECODE, .claude/requirements.yaml: stricter\"~\
git commit -m \"$(cat <<'EOF'\nfix .claude/settings.json\nEOF\n)\"~cat > notes.md <<'EOF'\nsee .claude/requirements.yaml\nEOF~\
echo 'see .claude/requirements.yaml' >> notes.md~gh pr create --body \"changes .claude/settings.json\"~echo $CLAUDECODE~\
node x.js $CLAUDE_PROJECT_DIR/y~req satisfy x --note 'edited .claude/requirements.yaml'~nohup req status~\
HOME=/tmp cargo test~claude -p 'explain requirements'~which requirements-check~cargo test~\
sed -i 's/req.set(/req.header(/' src/app.js~node -e 'f(r => r.req.pause())'~curl -s localhost/req/clear~npm run req:clear~\
vim docs/requirements.yaml~\
cd docs && sed -i s/a/b/ requirements.yaml~touch src/requirements.yaml.rs .claude/agents/x.md~mkdir -p .claude/commands~rm -rf target~\
rm -rf \"$TMP\"~chmod +x .claude/hooks/lint.sh~chmod +x .claude/hooks/*~ls $HOME/.claude/hooks/*~find . -name '*.pyc' -delete~prettier --write .~rm 'a~cd /tmp && touch OFF~cd $D && echo x > settings.json~cd $D && touch requirements.yaml";

/// Lines that write or name something protected.
const DENIED: &str = "pushd .claude && rm requirements.yaml~python3 -c 'run([\"req\", \"approve\", \"x\"])'~tmux send-keys '/home/me/.local/bin/req approve x'~ls .claude && rm .claude/requirements.yaml~rm $(ls .claude/requirements.yaml)~xargs rm < <(ls .claude/settings.json)~for f in x; do ls .claude/settings.json; done | xargs rm~stat; python3 - <<'EOF'\nopen('/home/me/.claude/hook-state/OFF', 'w')\nEOF~export F=.claude/settings.json; rm $F~echo x > .claude/requirements.yaml~echo '{}' > \"${HOME}/.claude/hook-state/switches.json\"~\
cat <<EOF > .claude/requirements.yaml\nenabled: false\nEOF~{ echo a; echo b; } > .claude/requirements.yaml~cd .claude && echo x > requirements.yaml~cd .claude && rm r*~rm $HOME//.claude/requirements.yaml~\
cd \"$HOME/.claude\" && echo '{}' > settings.json~echo x > \"$CLAUDE_CONFIG_DIR/settings.json\"~tee .claude/requirements.yaml < x~\
sed -i s/true/false/ .claude/requirements.yaml~tool --output=.claude/requirements.yaml~tool -o.claude/requirements.yaml~curl -o.claude/settings.json u~tar -C.claude -xf y~\
git diff --output=.claude/requirements.yaml~sudo touch .claude/requirements.yaml~xargs -n1 touch .claude/requirements.yaml~\
touch .claude/require*~rm $HOME/.claude/hooks/*~cd /home/me/.claude && chmod -x hooks/req*~for f in $HOME/.claude/hooks/*; do rm $f; done~touch /home/me/.claude/hooks/req~sh -c 'sed -i s/a/b/ .claude/requirements.yaml'~bash -c 'rm \"$1\"' x .claude/requirements.yaml~\
echo $(touch .claude/requirements.yaml)~git checkout HEAD^ -- .claude/requirements.yaml~cp .claude/requirements.yaml /tmp~cp requirements.yaml .claude/~cp x .claude/settings.json~cd .claude && cp x settings.json~D=.claude; cd $D && echo x > settings.json~\
mv .claude /tmp/x~rm -rf \"$HOME/.claude\"~rm .claude/*~rm -rf .git/requirements~cd .git/requirements && rm main.json~\
ls .claude/requirements.yaml | xargs rm~F=.claude/requirements.yaml; sed -i s/a/b/ $F~for f in .claude/requirements.yaml; do rm $f; done~\
python3 -c \"open('.claude/requirements.local.yaml','w').write('')\"~python3 - <<'EOF'\nopen('.claude/requirements.yaml', 'w').write('')\nEOF~\
rm '.claude/requirements.yaml~F=.claude/requirements.yaml; echo x >> \"${F}\"~cd $HOME && rm -rf .claude/hooks~\
sed -i s/a/b/ .cl'au'de/requirements.yaml~cd $PWD/.claude && echo > requirements.yaml~mkdir $HOME/.claude/hook-state/OFF~\
sed -i s/a/b/ \"$(git rev-parse --show-toplevel)/.claude/requirements.yaml\"~unset CLAUDECODE~env -u CLAUDECODE cargo test~export CLAUDE_HOOK_STATE_DIR=/tmp/x~\
CLAUDECODE= req approve x~env -u CLAUDECODE req approve x~BARBLESS_X=1; req status~env -u CLAUDECODE sh -c 'req approve x'~\
awk 'BEGIN{print \"x\" > \".claude/settings.json\"}'~node -e 'const f=[\".claude/settings.json\"]; fs.rmSync(f[0])'~\
    python3 -c \"open('.claude/settings.json'.strip(),'w')\"~python3 -c \"import os; os.remove('.claude/'+'requirements.yaml')\"~\
    python3 - <<'EOF'\nfor f in [\".claude/settings.json\"]: open(f, 'w')\nEOF~\
    python3 -c \"import os; os.environ.pop('CLAUDECODE')\"~script -qc 'req approve x' /dev/null~setsid req approve x~claude -p 'req satisfy x'";

#[test]
fn a_line_that_does_not_plainly_read_and_names_a_file_or_a_variable_of_ours_is_denied() {
    for line in PASSING.split('~') {
        assert_eq!(of_line(line), None, "{line}");
    }
    for line in DENIED.split('~') {
        assert!(of_line(line).is_some(), "{line}");
    }
}
