//! Commands of a line before the one that needs something: requirements look at things as they are before the line.

use crate::satisfactions::By;
use crate::scene::{OWN, Scene, denied, is_silent};
use crate::world::Freshness;

const TESTS: &str = "\
tests: {type: evidence, command: cargo test, enforce: tool, trigger_tools: [{tool: Bash, command_pattern: git commit}]}
";

const GUARD: &str = "\
own_branch: {type: guard, guard_type: protected_branch, trigger_tools: [{tool: Bash, command_pattern: git commit}]}
";

/// A session whose tests have passed on what is there.
fn tested(requirements: &str) -> Scene {
    let mut scene = Scene::new(requirements);
    scene.satisfy("tests", OWN, By::Evidence);
    scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
    scene
}

/// Parted by `~`.
const CHANGES_BEFORE: &str = "\
    cargo fmt && git commit -am x~sed -i s/a/b/ src/a.rs && git commit -am x~\
    echo broken > src/a.rs; git add -A && git commit -m x~git stash pop && git commit -am x~\
    git checkout other && git commit -am x~git pull && git commit --amend~make; git commit -am x~\
    git status && cargo fmt; cd sub && git commit -am x~sh -c 'cargo fmt; git commit -am x'~\
    cargo fmt | git commit -F -~git commit -am \"$(cargo fmt)\"~\
    git add -A && git commit -m x && cargo fmt && git commit -am y~git rm a && git commit -m x~\
    git commit -m x < a; ./x; git commit -m y~find . -name a -delete; git commit -am x~\
    GIT_DIR=/elsewhere/.git; git commit -m x~git branch -m main && git commit -m x~source env.sh && git commit -m x";

#[test]
fn denies_commit_behind_a_command_that_may_change_files() {
    for line in CHANGES_BEFORE.split('~') {
        let answer = tested(TESTS).bash("t1", line);
        let reason = denied(&answer);
        assert!(
            reason.contains("\n- tests: ") && reason.contains("in the same line may change the files"),
            "{reason}"
        );
        assert!(reason.contains("in a line of its own"), "{line}: {reason}");
        assert!(!reason.contains("run alone on a line (no pipe)"), "{line}: {reason}");
    }
    let answer = tested(TESTS).bash("t1", "cargo fmt --all && git commit -am x");
    let reason = denied(&answer);
    assert!(reason.contains("`cargo fmt --all`") && reason.contains("git commit -am x"), "{reason}");
    let answer = tested(TESTS).bash("t1", "echo x > src/a.rs && git commit -am x");
    assert!(denied(&answer).contains("`echo x > src/a.rs` in the same line"), "{}", denied(&answer));
    let answer = Scene::new(TESTS).bash("t1", "cargo fmt && git commit -am x");
    let reason = denied(&answer);
    assert!(reason.contains("no command has passed") && reason.contains("may change the files"), "{reason}");
    assert!(!reason.contains("Then repeat the call"), "{reason}");
}

const CHANGES_NOTHING: &str = "\
    git commit -m x~git add -A && git commit -m x~cd sub && git add . && git commit -m x~\
    git add -A; git diff --cached --stat; git commit -m x~git status && git commit -m x && git push~\
    git -C /repo/tree add -A && git -C /repo/tree commit -m x~set -e; export GIT_EDITOR=true; git commit --amend~\
    echo done && git commit -m x~test -f a && [ -f b ] && [[ -f c ]] && git commit -m x~git fetch && git commit -m x~\
    true; :; sleep 1; date; git commit -m x~git commit -m \"$(cat <<'EOF'\nit's done\nEOF\n)\"~\
    echo x | git commit -F -~git switch -c fix && git commit -m x~\
    git checkout -b fix && git add -A && git commit -m x~git commit -m x && cargo fmt~git commit -m x && bash -c 'cargo fmt'~cargo test && git commit -m x~\
    bash -lc 'cd sub && git add -A && git commit -m x'~git commit -m x && git commit --amend --no-edit~\
    X=1 git commit -m x~X=1; git commit -m \"$X\"~if git diff --quiet; then git commit -m x; fi~\
    cat > ../msg <<EOF\nwhy\nEOF\ngit commit -F ../msg~cat > /tmp/msg <<'EOF' && git commit -F /tmp/msg\nwhy\nEOF~\
    source .venv/bin/activate && git commit -m x~git --version && git commit -m x~python3 --version && git commit -m x";

#[test]
fn allows_commit_behind_commands_that_change_nothing() {
    for line in CHANGES_NOTHING.split('~') {
        assert!(is_silent(&tested(TESTS).bash("t1", line)), "{line}");
    }
}

#[test]
fn denial_of_a_mixed_line_names_only_what_is_not_satisfied() {
    let answer = Scene::new(TESTS).bash("t1", "cargo test && git commit -m x");
    assert!(denied(&answer).contains("run alone on a line (no pipe): cargo test"), "{answer:?}");
    let line = "cargo fmt && git commit -am x";
    let mut waived = Scene::new(TESTS);
    waived.except("tests", OWN, By::Waiver, 600);
    assert!(is_silent(&waived.bash("t1", line)));
    let any_call = "tests: {type: evidence, command: cargo test, trigger_tools: [Bash]}\n";
    assert!(is_silent(&tested(any_call).bash("t1", "echo \"open")), "a line that cannot be read");
    assert!(denied(&tested(TESTS).bash("t1", "git commit -m \"open")).contains("the line cannot be read"));
    let mut plan = Scene::new("plan: {trigger_tools: [{tool: Bash, command_pattern: git commit}]}\n");
    plan.satisfy("plan", OWN, By::Agent);
    assert!(is_silent(&plan.bash("t1", line)));
}

#[test]
fn denies_guarded_command_behind_a_change_of_branch() {
    for line in
        "git checkout main && git commit -m x¦gh pr checkout 1 && git commit -m x¦git switch main; git commit -m x¦git pull && git commit -m x¦\
         timeout -k 1 5 git switch main && git commit -m x¦find . -exec git rm a ; -exec git switch main ; && git commit -m x"
            .split('¦')
    {
        let answer = Scene::new(GUARD).bash("t1", line);
        assert!(denied(&answer).contains("may change the branch"), "{line}");
    }
    for line in "git add -A && git commit -m x¦npm test && git commit -m x¦git commit -m x; git switch main¦\
                 git rm a && git commit -m x¦git restore --staged a && git commit -m x"
        .split('¦')
    {
        assert!(is_silent(&Scene::new(GUARD).bash("t1", line)), "{line}");
    }
}

#[test]
fn denies_a_commit_whose_work_tree_the_line_does_not_spell_out_with_the_form_that_passes() {
    for requirement in [GUARD, "own_branch: {trigger_tools: [{tool: Bash, command_pattern: git commit}]}\n"] {
        let mut scene = Scene::new(requirement);
        scene.satisfy("own_branch", OWN, By::Agent);
        for line in UNPLACED.split('¦') {
            let reason = denied(&scene.bash("t1", line)).to_owned();
            assert!(
                reason.contains("does not spell out") && reason.contains("git -C FOLDER commit"),
                "{line}: {reason}"
            );
        }
        for line in "git commit -m x¦cd \"$(git rev-parse --show-toplevel)\" && git commit¦cd $X; git -C /repo/tree commit".split('¦') {
            assert!(is_silent(&scene.bash("t1", line)), "{line}");
        }
    }
}

const UNPLACED: &str = "cd $PROJECT_DIR && git commit -m x¦git --git-dir=../main/.git commit¦GIT_DIR=../main/.git git commit¦\
    git -c core.worktree=../main commit¦git -C \"$X\" commit¦xargs git -C $X/.. commit¦\
    for d in a b; do git commit; cd $d; done";

#[test]
fn a_command_that_would_be_the_evidence_needs_none() {
    for (triggers, lines, passes) in [
        ("[Bash]", "cargo test¦cd sub && cargo test¦set -o pipefail; cargo test | tail", true),
        ("[{tool: Bash, command_pattern: cargo test}]", "npm ci && cargo test", true),
        (
            "[{tool: Bash, command_pattern: cargo}]",
            "cargo build¦cargo build && cargo test¦cargo test && cargo publish",
            false,
        ),
        ("[Bash]", "cargo test && make¦cargo test || true¦cargo test --no-run", false),
        ("[{tool: Bash, command_pattern: git commit}]", "cargo test && git commit -m x", false),
    ] {
        let requirement = format!(
            "tests: {{type: evidence, command: cargo test, enforce: both, trigger_tools: {triggers}}}\n"
        );
        for line in lines.split('¦') {
            let answer = Scene::new(&requirement).bash("t1", line);
            assert_eq!(is_silent(&answer), passes, "{triggers} {line}: {answer:?}");
        }
    }
}
