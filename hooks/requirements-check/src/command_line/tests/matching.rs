//! Patterns against lines.

use super::*;
use crate::command_line::pattern::is_regex;

#[test]
fn a_commit_is_found_wherever_it_runs() {
    let lines = [
        "git commit",
        "git commit -m x",
        "git -C d commit",
        "git -c a=b commit -m x",
        "git -c a=b -C d --no-pager commit",
        "git --git-dir=x --work-tree y commit",
        "git -P -p --paginate --bare --namespace x --exec-path=y commit",
        "/usr/bin/git commit",
        "git.exe commit",
        "env X=1 git commit",
        "X=1 git commit",
        "sudo git commit",
        "sudo -u me git commit",
        "command git commit",
        "find . -name x -exec git commit \\;",
        "flock lock git commit",
        "sudo -D ../main git commit",
        "echo a | xargs git commit -m",
        "a; b && git commit | c",
        "sh -c 'git commit'",
        "bash -lc \"cd x && git commit\"",
        "eval 'git commit'",
        "echo $(git commit)",
        "( (git commit) )",
        "if a; then git commit; fi",
        "git 'commit'",
        "git \\\n commit",
        "git commit 99999999999>x",
        "(<<$(( ); git commit",
        "& git commit; if ($x) {",
        "case x in a) git commit;; esac",
        "echo $(case x in a) git commit;; esac)",
        "while read x; do git commit; done < list",
    ];
    for line in lines {
        assert!(parse(line).may_contain(&pattern("git commit")), "{line:?}");
    }
}

#[test]
fn what_only_looks_like_a_commit_is_none() {
    let lines = [
        "echo \"git commit\"",
        "echo git commit",
        "cat <<EOF\ngit commit\nEOF",
        "git commit-tree",
        "git log --grep 'git commit'",
        "git\ncommit",
        "# git commit",
        "ls # git commit",
        "git status commit",
        "Git commit",
        "git Commit",
        "mygit commit",
        "git -C commit status",
        "git -c commit",
        "git",
        "grep -r 'git commit' .",
    ];
    for line in lines {
        assert!(!parse(line).may_contain(&pattern("git commit")), "{line:?}");
    }
}

#[test]
fn a_pattern_may_name_a_path_a_toolchain_or_a_prefix() {
    let table = [
        ("./gradlew test", "./gradlew test --info", true),
        ("./gradlew test", "sub/gradlew test", false),
        ("gradlew test", "./gradlew test", true),
        ("cargo test", "cargo +nightly test", true),
        ("cargo +nightly test", "cargo +nightly test", true),
        ("cargo +nightly test", "cargo test", false),
        ("cargo test", "cargo -q test", false),
        ("npm run 'build prod'", "npm run \"build prod\"", true),
        ("sudo apt", "sudo apt install x", true),
        ("git -C d commit", "git -C d commit", true),
        ("cargo", "cargo", true),
        ("cargo test", "cargo", false),
    ];
    for (text, line, expected) in table {
        assert_eq!(parse(line).may_contain(&pattern(text)), expected, "{text} in {line}");
    }
}

#[test]
fn an_expression_is_searched_in_commands_and_not_in_what_is_quoted() {
    let original = r"git\s+(commit|cherry-pick|revert|merge)";
    let table = [
        (original, "git commit", true),
        (original, "a && GIT  Cherry-Pick x", true),
        (original, "git -C d commit", true),
        (original, "/usr/bin/git -c a=b revert", true),
        (original, "sudo git merge x", true),
        (original, "sh -c 'git commit'", true),
        (original, "echo 'git commit'", false),
        (original, "git log --grep \"git commit\"", false),
        (original, "cat <<EOF\ngit commit\nEOF", false),
        (original, "git status\ncommit", false),
        (original, "echo 'git commit'; git commit", true),
        ("^git commit$", "git commit", true),
        ("^git commit$", "git commit -m x", false),
        ("commit.*WIP", "git commit -m 'WIP'", true),
        (r"gh\s+pr\s+create", "gh pr create --fill", true),
    ];
    for (text, line, expected) in table {
        let expression = Pattern::parse_regex(text).unwrap();
        assert_eq!(parse(line).may_contain(&expression), expected, "{text} in {line:?}");
    }
}

#[test]
fn lines_that_cannot_be_read_are_searched_as_text() {
    let table = [
        ("git commit", "git commit -m 'open", true),
        ("git commit", "git -C d commit \"open", true),
        ("git commit", "if ($x) { git commit }", true),
        ("git commit", "git commit-tree 'open", false),
        ("git commit", "commit git 'open", false),
        ("git commit", "mygit commit 'open", false),
        ("git commit", "git comm 'open", false),
        (r"git\s+commit", "GIT commit 'open", true),
        (r"git\s+commit", "git log 'open", false),
    ];
    for (text, line, expected) in table {
        let line = parse(line);
        assert!(line.commands.is_none(), "{line:?}");
        assert_eq!(line.may_contain(&pattern(text)), expected, "{text} in {line:?}");
        assert!(pattern(text).matches(&line).is_empty());
    }
}

#[test]
fn dots_and_plus_signs_alone_make_no_expression() {
    for words in [
        "git commit",
        "./gradlew test",
        "npm run build.prod",
        "cargo +nightly test",
        "g++ -c",
        "a-b",
        "make a=b",
    ] {
        assert!(!is_regex(words), "{words}");
    }
    for regex in [
        r"git\s+commit",
        "^git",
        "commit$",
        "git.*commit",
        "git.+commit",
        "(a|b)",
        "a|b",
        "a?",
        "[ab]",
        "a{2}",
    ] {
        assert!(is_regex(regex), "{regex}");
    }
}

#[test]
fn what_is_no_pattern_is_refused() {
    for text in ["", "  ", "git 'commit", "git commit; ls", "(a", "(a{100}){100}{100}"] {
        assert!(Pattern::parse_pattern(text).is_none(), "{text:?}");
    }
    assert!(Pattern::parse_regex(" ").is_none());
}
