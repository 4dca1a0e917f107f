//! Whether a command's exit status is the line's.

use super::*;

#[test]
fn a_command_counts_alone_and_in_pure_chains() {
    let lines = [
        "cargo test",
        "cargo test;",
        "cargo test\n",
        "a && cargo test",
        "cargo test && a",
        "cd x && cargo test && a",
        "a; cargo test",
        "a\ncargo test",
        "a & cargo test",
        "export X=1; cargo test",
        "X=1 cargo test > log 2>&1",
        "timeout 10 cargo test",
        "nohup cargo test",
        "nice -n 5 cargo test",
        "time cargo test",
        "sudo -u x env A=b cargo test",
        "cargo test $(cat args)",
        "cargo test # || true",
        "cargo test '|' x",
        "(cargo test)",
        "(cd x && cargo test)",
        "{ cargo test; }",
        "{ a; cargo test; } > log",
        "a | cargo test",
        "set -o pipefail; cargo test | tail",
        "set -o pipefail && cargo test | tail",
        "set -eo pipefail; cargo test | tail",
        "cd x && set -o pipefail && cargo test | tee log",
        "sh -c 'cargo test'",
        "bash -lc \"cd x && cargo test\"",
        "bash -c 'set -o pipefail; cargo test | tail'",
        "eval 'cargo test'",
        "cd x || exit 1; cargo test",
        "cd x || exit; cargo test",
        "[[ -f x ]] && cargo test",
        "! a && cargo test",
        "cargo test <<EOF\n|| true\nEOF\n",
    ];
    for line in lines {
        assert_eq!(hidden(line, "cargo test"), None, "{line:?}");
    }
}

#[test]
fn a_command_does_not_count_where_something_else_decides() {
    let table = [
        ("cargo test 2>&1 | tail", Hidden::Pipe),
        ("cargo test |& tail", Hidden::Pipe),
        ("a && cargo test | tail", Hidden::Pipe),
        ("cargo test | tail; set -o pipefail", Hidden::Pipe),
        ("a && set -o pipefail; cargo test | tail", Hidden::Pipe),
        ("(set -o pipefail); cargo test | tail", Hidden::Pipe),
        ("if a; then set -o pipefail; fi; cargo test | tail", Hidden::Pipe),
        ("set -o pipefail; set +o pipefail; cargo test | tail", Hidden::Pipe),
        ("set -o pipefail; sh -c 'cargo test | tail'", Hidden::Pipe),
        ("f() { set -o pipefail; }; cargo test | tail", Hidden::Compound),
        ("cargo test || true", Hidden::Or),
        ("a && cargo test || true", Hidden::Or),
        ("a || cargo test", Hidden::Or),
        ("cargo test; echo", Hidden::FollowedBy),
        ("cargo test\necho", Hidden::FollowedBy),
        ("cargo test && a; echo", Hidden::FollowedBy),
        ("cargo test &", Hidden::Background),
        ("a && cargo test &", Hidden::Background),
        ("cargo test & wait", Hidden::Background),
        ("set -e; cargo test; echo", Hidden::FollowedBy),
        ("exec cargo test", Hidden::Wrapper),
        ("timeout -k 5 10 cargo test", Hidden::Wrapper),
        ("(cargo test) &", Hidden::Background),
        ("setsid cargo test", Hidden::Wrapper),
        ("! cargo test", Hidden::Negated),
        ("if cargo test; then a; fi", Hidden::Compound),
        ("for x in 1 2; do cargo test; done", Hidden::Compound),
        ("while cargo test; do a; done", Hidden::Compound),
        ("case x in x) cargo test;; esac", Hidden::Compound),
        ("f() { cargo test; }", Hidden::Compound),
        ("a | xargs cargo test", Hidden::Wrapper),
        ("echo $(cargo test)", Hidden::Substitution),
        ("X=`cargo test`", Hidden::Substitution),
        ("diff <(cargo test) a", Hidden::Substitution),
        ("exit 0; cargo test", Hidden::AfterExit),
        ("exit; cargo test", Hidden::AfterExit),
        ("if a; then exit $X; fi; cargo test", Hidden::AfterExit),
        ("exec a; cargo test", Hidden::AfterExit),
        ("set -n; cargo test", Hidden::AfterExit),
        ("set -o noexec && cargo test", Hidden::AfterExit),
        ("set $X; cargo test", Hidden::AfterExit),
        ("bash -n -c 'cargo test'", Hidden::AfterExit),
        ("bash -nc 'cargo test'", Hidden::AfterExit),
        ("sh -o noexec -c 'cargo test'", Hidden::AfterExit),
        ("bash --version -c 'cargo test'", Hidden::AfterExit),
        ("cargo() { true; }; cargo test", Hidden::Compound),
        ("function cargo { true; }; cargo test", Hidden::Compound),
        ("sh -c 'cargo test' | tail", Hidden::Pipe),
        ("bash -c \"cargo test $ARGS\"", Hidden::Expansion),
        ("(cargo test; a)", Hidden::FollowedBy),
        ("(cargo test) || true", Hidden::Or),
    ];
    for (line, expected) in table {
        assert_eq!(hidden(line, "cargo test"), Some(expected), "{line:?}");
    }
}
