//! Lines as they are typed, and what is understood of them.

#[cfg(unix)]
mod bash;

use std::path::PathBuf;
use std::time::Instant;

use proptest::prelude::*;

use super::{Line, Pattern, Simple, parse};

fn commands(line: &str) -> Vec<Simple> {
    parse(line).commands.unwrap_or_else(|| panic!("cannot be read: {line:?}"))
}

/// The words of the commands, joined by bars.
fn words(line: &str) -> Vec<String> {
    commands(line).iter().map(|simple| simple.words.join("|")).collect()
}

fn pattern(text: &str) -> Pattern {
    Pattern::parse_pattern(text).unwrap()
}

/// The one command of `line` that `text` matches.
#[track_caller]
fn matched<'a>(line: &'a Line, text: &str) -> &'a Simple {
    let pattern = pattern(text);
    let commands = line.commands.iter().flatten();
    let found: Vec<&Simple> = commands.filter(|simple| pattern.matches_command(simple)).collect();
    let [one] = found[..] else { panic!("{text} in {line:?}") };
    one
}

const WORDS: &[(&str, &str)] = &[
    ("", ""),
    (" # only a comment", ""),
    ("git commit -m 'a b' \"c d\" e\\ f", "git|commit|-m|a b|c d|e f"),
    ("echo \"a\\\"b\" 'c\\d' $'e f' $\"g h\" $'a\\n'", "echo|a\"b|c\\d|e f|g h|$'a\\n'"),
    ("gi't' \"com\"mit", "git|commit"),
    ("echo \"a$\" 2&>x", "echo|a$|2"),
    ("`echo 'c\\d'`", "`echo 'c\\d'` ¦ echo|c\\d"),
    ("echo \"a\\b\" \"<(c) >(d)\"", "echo|a\\b|<(c) >(d)"),
    ("echo \"$HOME/x\" ${A:-b c} $((1 << 2)) ~/y", "echo|$HOME/x|${A:-b c}|$((1 << 2))|~/y"),
    ("git \\\n commit", "git|commit"),
    ("git commit\r\ncargo test\r\n", "git|commit ¦ cargo|test"),
    ("a;b&&c||d|e&f |& g", "a ¦ b ¦ c ¦ d ¦ e ¦ f ¦ g"),
    ("a#b c # git commit\nb", "a#b|c ¦ b"),
    ("echo 'git commit' \"; git commit\" done if", "echo|git commit|; git commit|done|if"),
    ("écho 'ü 漢字' \u{1f600}", "écho|ü 漢字|\u{1f600}"),
    ("(a; b) && { c; } > d", "a ¦ b ¦ c ¦ "),
    ("((a) ); b; ((x = 1 + 2)); c", "a ¦ b ¦ c"),
    ("if a; then b; elif c; then d; else e; fi; ! f", "a ¦ b ¦ c ¦ d ¦ e ¦ f"),
    ("for x in 1 2; do a $x; done; while b; do c; done; for ((;;)); do d; done", "a|$x ¦ b ¦ c ¦ d"),
    ("case $x in a|b) c;; (*) d;& e) f ;; esac", "b ¦ c ¦ * ¦ d ¦ e ¦ f"),
    ("( case x in a) (b);; esac ) && c", "b ¦ c"),
    ("f() { a; }; function g { b; }; function h() ( c )", "a ¦ b ¦ c"),
    ("[[ a < b && ( -f c ) ]] && d", "[[|a|b|-f|c|]] ¦ d"),
    ("X=1 Y='2 3' a; X=(a b) c; X=(a b)", "a ¦ c ¦ "),
    ("time a; time -p b; time (c); time { d; }", "a ¦ b ¦ c ¦ d"),
    ("a >(b) <(c)", "a|>(b)|<(c) ¦ b ¦ c"),
    ("if ($x) { git commit }", "$x ¦ git|commit|}"),
    ("echo \"a $(b \"$(c)\") d\" `e \\`f\\``", "echo|a $(b \"$(c)\") d|`e \\`f\\`` ¦ b|$(c) ¦ c ¦ e|`f` ¦ f"),
    ("X=$(a) b ${Y:-$(c)} $((1 + $(d))) > $(e)", "b|${Y:-$(c)}|$((1 + $(d))) ¦ a ¦ c ¦ d ¦ e"),
    ("sudo sh -c \"cd x && sh -c 'a'\"", "sh|-c|cd x && sh -c 'a' ¦ cd|x ¦ sh|-c|a ¦ a"),
    (
        "bash -eo pipefail -c 'a' name; eval 'b c' '&& d'",
        "bash|-eo|pipefail|-c|a|name ¦ a ¦ eval|b c|&& d ¦ b|c ¦ d",
    ),
    (
        "timeout --preserve-status 2 bash -c a; setsid sh -c a",
        "timeout|--preserve-status|2|bash|-c|a ¦ a ¦ setsid|sh|-c|a ¦ a",
    ),
    ("b | xargs sh -c a; find . -exec sh -c a ;", "b ¦ xargs|sh|-c|a ¦ a ¦ find|.|-exec|sh|-c|a ¦ a"),
    ("exec bash -c a; stdbuf -oL eval a", "exec|bash|-c|a ¦ a ¦ stdbuf|-oL|eval|a ¦ a"),
    ("bash -ce a; sh -c -- b; ash -c -e c", "bash|-ce|a ¦ a ¦ sh|-c|--|b ¦ b ¦ ash|-c|-e|c ¦ c"),
    ("bash script.sh -x 'a'; python -c 'git commit'", "bash|script.sh|-x|a ¦ python|-c|git commit"),
    ("cat <<EOF | b\ngit commit\nEOF\na", "cat ¦ b ¦ a"),
    ("cat <<-A <<'B'\n\t1\n\tA\nit's ( $(x)\nB\nc <<< 'git commit'", "cat ¦ c"),
    ("cat <<EOF\n$(a) `b`\nEOF\nc", "cat ¦ a ¦ b ¦ c"),
    ("bash <<EOF\ngit commit\nnever ended", "bash"),
    ("a \"$(cat <<'EOF'\nit's (done)\nEOF\n)\" && b", "a|$(cat <<'EOF'\nit's (done)\nEOF\n) ¦ cat ¦ b"),
];

#[test]
fn each_command_is_found_with_its_words() {
    for (line, expected) in WORDS {
        assert_eq!(words(line).join(" ¦ "), *expected, "{line:?}");
    }
}

#[test]
fn prefix_and_redirections_are_separate_from_the_words() {
    // The prefix, the program with its arguments, and the files that are written and read.
    for (line, expected) in [
        ("X+=1 A[0]=2 git commit", "X+=1 A[0]=2 : git commit : :"),
        ("env -i -u X A=1 git commit", "env -i -u X A=1 : git commit : :"),
        ("/usr/bin/env sudo -u root -E X=1 git commit", "/usr/bin/env sudo -u root -E X=1 : git commit : :"),
        ("env -S x git commit", ": env -S x git commit : :"),
        ("env -S git commit", ": env -S git commit : :"),
        ("command -v git", ": command -v git : :"),
        ("nohup nice -n 5 timeout 10 time -p a", "nohup nice -n 5 timeout 10 time -p : a : :"),
        ("timeout -k 5 10m cargo test", "timeout -k 5 10m : cargo test : :"),
        ("xargs -0 git add", ": xargs -0 git add : :"),
        ("env", ": env : :"),
        ("a >> 'b' 2>&1 < d &> c >| e", ": a : b c e : d"),
        ("> b a <> c 99999>d >& e", ": a : b c d e :"),
        ("a >&2 2>&- <&3 '>' b", ": a > b : :"),
    ] {
        let simple = &commands(line)[0];
        let parts = [&simple.prefix, &simple.words, &simple.writes, &simple.reads].map(|part| part.join(" "));
        assert_eq!(parts.join(" : ").trim().replace(":  :", ": :").replace(":  ", ": "), expected, "{line}");
    }
    let simple = &commands("RUST_LOG=x cargo   test -- 'a b' \"$X\" 2>&1 | tail")[0];
    assert_eq!(simple.text, "RUST_LOG=x cargo test -- 'a b' \"$X\"");
}

#[test]
fn lines_that_are_none_long_or_deep_cannot_be_read_and_are_searched_as_text() {
    let lines =
        "echo 'open ¦ echo $(open ¦ echo ${open ¦ a ) ¦ ( a ¦ sh -c 'echo \"open' ¦ a \0 b ¦ a b(c d)";
    for line in lines.split(" ¦ ") {
        assert!(parse(line).commands.is_none(), "{line:?}");
    }
    let fits = format!("echo {}", "x".repeat(64 * 1024 - 5));
    assert!(parse(&fits).commands.is_some() && parse(&format!("{fits}x")).commands.is_none());
    for (open, close) in [("$(", ")"), ("${x:-", "}"), ("\"$(", ")\""), ("<(", ")")] {
        let nested = |depth: usize| format!("echo {}a{}", open.repeat(depth), close.repeat(depth));
        assert!(parse(&nested(8)).commands.is_some() && parse(&nested(7000)).commands.is_none(), "{open}");
        assert!(parse(&open.repeat(7000)).commands.is_none(), "{open}");
    }
    assert!(parse(&format!("echo {}", "$(a)".repeat(100))).commands.is_some(), "beside each other");
    for open in ["( ", "{ ", "f() { ", "if ", "time ", "eval ", "eval $("] {
        parse(&open.repeat(7000));
    }
    // Parentheses in `case` are as deep as others: each `((` looks ahead.
    assert!(parse(&format!("case x in {}", "(".repeat(60_000))).commands.is_none());
    for (text, line, expected) in [
        ("git commit", "git -C d commit \"open", true),
        ("git commit", "git commit-tree 'open", false),
        ("git commit", "commit mygit 'open", false),
        (r"git\s+commit", "GIT commit 'open", true),
        (r"git\s+commit", "git log 'open", false),
    ] {
        assert_eq!(pattern(text).may_match(&parse(line)), expected, "{text} in {line:?}");
    }
}

const DIRECTORIES: &[(Option<&str>, &str)] = &[
    (Some(""), "X ¦ cd a | true; X ¦ sh -c 'cd a'; X ¦ echo $(cd a) && X"),
    (Some(""), "if a; then X; fi ¦ ! a && X ¦ /usr/bin/cd a; X"),
    (Some("a"), "cd a && X ¦ cd a; X ¦ A=1 command -p cd a; X ¦ builtin -- cd a; X"),
    (
        Some("a"),
        "sh -c 'cd a && X' ¦ (cd a && X) ¦ cd a && (cd b; a) && X ¦ (cd a; X > b) | c ¦ ((a); cd a; X)",
    ),
    (Some("a"), "cd a && for x in 1; do X; done ¦ a && cd a && X ¦ cd a && echo $(X) ¦ cd a\nX"),
    (Some("a"), "cd a && timeout -v 2 sh -c 'X && b' ¦ setsid bash -c 'cd a && X'"),
    (None, "env --chdir=a sh -c 'X && b' ¦ find . -execdir sh -c 'X && b' ;"),
    (Some("a/b"), "cd a && cd b && X ¦ cd a && (cd b; X)"),
    (Some("/b"), "cd a && cd /b && X ¦ cd $A && cd /b && X"),
    (Some("a b"), "cd 'a b' && X"),
    (Some("~/a"), "cd ~/a && X ¦ cd $HOME/a && X"),
    (Some("./a"), "cd $PWD/a && X ¦ cd `git rev-parse --show-toplevel`/a && X"),
    (
        None,
        "cd a & X ¦ env -C a sh -c 'X && b' ¦ pushd a && popd && X ¦ pushd +1 && X ¦ cd a || X ¦ cd $A && X ¦ cd && X ¦ cd - && X ¦ cd $A && cd b && X",
    ),
    (None, "eval 'cd a'; X ¦ eval a; X ¦ pushd a; X ¦ a && cd b; cd c; X"),
    (None, "{ cd a; } && X ¦ if a; then cd b; fi; X ¦ f() { cd b; }; X ¦ a && cd b; X"),
    (None, "cd a || cd b; X ¦ cd a && ((1)) & X"),
    (None, "for d in a b; do X; cd $d; done ¦ cat <<E\n$(X)\nE ¦ for x in $(X); do a; done"),
];

#[test]
fn a_directory_is_followed_as_far_as_it_is_literal_and_lasts_as_long_as_its_shell() {
    for (expected, lines) in DIRECTORIES {
        for line in lines.split(" ¦ ") {
            let parsed = parse(line);
            assert_eq!(matched(&parsed, "X").directory, expected.map(PathBuf::from), "{line:?}");
        }
    }
}

const HIDDEN: &[(&str, &str)] = &[
    ("before a pipe", "a && cargo test 2>&1 | tail ¦ cargo test |& tail; set -o pipefail"),
    ("before a pipe", "a && set -o pipefail; cargo test | tail"),
    ("before a pipe", "set -o pipefail; set +o pipefail; cargo test | tail"),
    ("before a pipe", "echo $(set -o pipefail); cargo test | tail"),
    ("beside `||`", "a && cargo test || true ¦ a || cargo test ¦ cargo test || exit 1 ¦ a || b; cargo test"),
    ("before `;`", "cargo test; echo ¦ cargo test && a\necho ¦ set -e; cargo test; echo"),
    ("beside `&`", "a && cargo test & ¦ a & cargo test"),
    ("behind a program", "timeout -v 10 cargo test ¦ a | xargs cargo test"),
    ("behind a program", "env --help cargo test ¦ sudo -b cargo test ¦ coproc cargo test"),
    ("beside `!`", "! cargo test ¦ if cargo test; then a; fi ¦ for x in 1; do cargo test; done"),
    ("beside `!`", "(cargo test) ¦ cargo test && { a; }"),
    ("beside `!`", "case x in x) cargo test;; esac ¦ f() { cargo test; }"),
    ("beside `!`", "cargo() { true; }; cargo test ¦ ((1)) && cargo test"),
    (
        "in a substitution",
        "echo $(cargo test) ¦ X=`cargo test` ¦ diff <(cargo test) a ¦ cat <<E\n$(cargo test)\nE",
    ),
    ("in a substitution or a script", "sh -c 'cargo test' ¦ bash -c \"cargo test $ARGS\""),
    (
        "beside `exit`",
        "exec cargo test ¦ exit; cargo test ¦ exec a; cargo test ¦ trap 'exit 0' EXIT; cargo test",
    ),
    (
        "beside `exit`",
        "a && exit 0; cargo test ¦ eval 'exit 0'; cargo test ¦ eval 'f() { a; }'; cargo test ¦ command -p exit; cargo test",
    ),
];

#[test]
fn a_command_counts_alone_and_in_pure_chains() {
    let lines = "cargo test;\n ¦ cd x && cargo test && a ¦ a; cargo test # || true ¦ \
        export X=1\nX=1 cargo test > log 2>&1 ¦ timeout 10 nohup nice -n 5 cargo test ¦ \
        sudo -u x env A=b cargo test ¦ time cargo test $(cat args) '|' x ¦ a | cargo test ¦ \
        set -eo pipefail; cargo test | tail ¦ cd x && set -o pipefail && cargo test | tee log ¦ \
        [[ -f x ]] && cargo test <<EOF\n|| true\nEOF\n";
    for line in lines.split(" ¦ ") {
        assert_eq!(matched(&parse(line), "cargo test").hidden, None, "{line:?}");
    }
    for (expected, lines) in HIDDEN {
        for line in lines.split(" ¦ ") {
            let hidden = matched(&parse(line), "cargo test").hidden;
            assert!(hidden.is_some_and(|hidden| hidden.starts_with(expected)), "{line:?}");
        }
    }
}

#[test]
fn a_commit_is_found_wherever_it_runs_and_what_only_looks_like_one_is_none() {
    let lines = "git -c a=b -C d --no-pager commit ¦ git --attr-source HEAD commit ¦ git --shallow-file x commit ¦ git --git-dir=x --work-tree y -P --namespace x commit ¦ \
        /usr/bin/git commit ¦ git.exe commit ¦ env X=1 git commit ¦ sudo --chdir=../main git commit ¦ \
        find . -name x -exec git commit \\; ¦ flock lock git commit ¦ echo a | xargs git commit -m ¦ \
        $SUDO git commit ¦ a; b && git commit | c ¦ eval 'git commit' ¦ ( (git commit) ) ¦ \
        if a; then git 'commit'; fi ¦ (<<$(( ); git commit ¦ & git commit; if ($x) { ¦ \
        echo $(case x in a) git commit;; esac) ¦ while read x; do git commit; done < list";
    for line in lines.split(" ¦ ") {
        assert!(pattern("git commit").may_match(&parse(line)), "{line:?}");
    }
    let lines = "echo git commit ¦ cat <<EOF\ngit commit\nEOF ¦ git commit-tree ¦ git log --grep 'git commit' ¦ \
        git\ncommit # git commit ¦ git status commit ¦ git Commit ¦ mygit commit ¦ git -C commit status ¦ \
        git -c commit";
    for line in lines.split(" ¦ ") {
        assert!(!pattern("git commit").may_match(&parse(line)), "{line:?}");
    }
}

#[test]
fn a_pattern_is_words_at_the_head_of_a_command_or_an_expression_in_its_text() {
    let original = r"git\s+(commit|cherry-pick|revert|merge)";
    for (text, line, expected) in [
        ("./gradlew test", "./gradlew test --info", true),
        ("./gradlew test", "sub/gradlew test", false),
        ("gradlew test", "./gradlew test", true),
        ("cargo test", "cargo +nightly test", true),
        ("cargo +nightly test", "cargo test", false),
        ("cargo test", "cargo -q test", false),
        ("npm run 'build prod'", "npm run \"build prod\"", true),
        ("sudo apt", "sudo apt install x", true),
        ("python3 -m a", "x/python -m a", true),
        ("git -C d commit", "git -C d commit", true),
        ("g++ -c", "g++ -c a", true),
        (original, "a && GIT  Cherry-Pick x", true),
        (original, "/usr/bin/git -c a=b -C d revert", true),
        (original, "sh -c 'sudo git commit'", true),
        (original, "echo 'git commit'", false),
        (original, "git log --grep \"git commit\"", false),
        (original, "git status\ncommit", false),
        ("^git commit$", "git commit -m x", false),
        ("^git commit", "sudo -b git commit", true),
        ("npm test", "X=/npm test -n a", false),
        ("commit.*WIP", "git commit -m 'WIP'", true),
    ] {
        assert_eq!(pattern(text).may_match(&parse(line)), expected, "{text} in {line:?}");
    }
    for text in ["", "  ", "git 'commit", "git commit; ls", "(a", "(a{100}){100}{100}"] {
        assert!(Pattern::parse_pattern(text).is_none(), "{text:?}");
    }
}

/// In doubt a command changes files.
#[test]
fn commands_that_change_no_file_are_known() {
    let all = |line: &str, is: fn(&Simple) -> bool| commands(line).iter().all(is);
    let lines = "cat a b | head -3 ¦ grep -rn x . 2>/dev/null | sort -u >&2 ¦ cd x && git status && git --version ¦ \
        git -C d --no-pager diff HEAD -- a ¦ git branch -a -v ¦ git branch new ¦ find . -name '*.rs' -type f ¦ \
        sort a | uniq -c && node -v ¦ sed -n -e '/x/p' a ¦ for f in a b; do cat $f; done";
    for line in lines.split(" ¦ ") {
        assert!(all(line, Simple::reads) && all(line, Simple::keeps_files), "{line:?}");
    }
    let lines = "cat a > b ¦ cat a | tee b ¦ echo $(rm b) ¦ sort -uo a b ¦ find . -exec rm {} ; ¦ sed 's/a/b/' c -i ¦ \
        awk '{print > \"b\"}' a ¦ git diff --output=a ¦ ./cat a ¦ xargs cat";
    for line in lines.split(" ¦ ") {
        assert!(!all(line, Simple::reads), "{line:?}");
    }
    for line in
        ["git add -A && git commit -m x", "source .venv/bin/activate", "X=1 git push", "git switch -c x"]
    {
        assert!(all(line, Simple::keeps_files), "{line:?}");
    }
    for line in [
        "git checkout x",
        "gh pr checkout 3",
        "source ./activate_x",
        "make",
        "GIT_DIR=x git commit",
        "command -p rm a",
        "sh x.sh",
        "sh -c \"$X\"",
    ] {
        assert!(!all(line, Simple::keeps_files), "{line:?}");
    }
}

#[test]
fn going_to_another_branch_is_known() {
    for (line, switches) in [
        ("git switch main", true),
        ("git -C d checkout abc1234", true),
        ("git checkout -- a.rs", false),
        ("git checkout .", false),
        ("git checkout main src/a.rs", false),
        ("git checkout -f main", false),
        ("git checkout --theirs a.rs", false),
        ("git switch -c fix origin/main", true),
        ("git commit -m checkout", false),
        ("git branch main", false),
    ] {
        assert_eq!(commands(line)[0].switches_branch(), switches, "{line}");
    }
}

/// Pieces with a meaning to a shell, so that random texts are nearly lines; separated by `~`.
const PIECES: &str = "git ~commit ~(~)~((~))~{ ~; }~<<~<<-~EOF~\n~'~\"~$~`~\\~&~|~;~<~>~#~! ~if ~then ~fi ~for ~in ~do ~done ~\
    case ~esac ~1~=~=(~[[ ~]] ~$(~${~$((~sh -c ~eval ~cd ~\t~ ~-~*~function f ~time ~é~\r\n~xargs ~env ~sed ~-i~$'~%~";

fn pieces() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(PIECES.split('~').collect::<Vec<_>>());
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A project's file cannot hold the hook up: beyond a bound an expression closes gates and opens none.
#[test]
fn expressions_beyond_the_bound_match_without_being_compiled() {
    let check = || {
        let all: Vec<Pattern> = (0..1001).filter_map(|_| Pattern::parse_regex("^x$")).collect();
        let line = parse("git commit");
        let command = &line.commands.as_ref().unwrap()[0];
        let found =
            |at: usize| (all[at].matches_command(command), all[at].begins(command), all[at].may_match(&line));
        assert_eq!((found(0), found(1000)), ((false, false, false), (true, false, true)));
        assert!(all[1000].may_match(&parse("echo \"open")));
    };
    // The bound is that of a thread.
    std::thread::spawn(check).join().unwrap();
}

proptest! {
    #[test]
    fn any_text_has_an_answer(line in prop_oneof![any::<String>(), pieces()]) {
        let parsed = parse(&line);
        for pattern in [pattern("git commit"), pattern(r"git\s+commit")] {
            pattern.may_match(&parsed);
        }
        for simple in parsed.commands.iter().flatten() {
            simple.keeps_files();
            drop((simple.acts_in(), parsed.shown(simple)));
        }
    }
}

#[test]
fn an_expression_that_is_not_searched_in_time_closes_gates_and_opens_none() {
    let mut line = parse("ls");
    let mut command = line.commands.take().unwrap().remove(0);
    let expression = Pattern::parse_regex("git commit").unwrap();
    assert!(!expression.may_match(&line) && !expression.matches_command(&command));
    line.until = Instant::now();
    command.until = Some(line.until);
    assert!(expression.may_match(&line) && expression.matches_command(&command));
    assert!(!Pattern::parse_regex("ls").unwrap().begins(&command));
}
