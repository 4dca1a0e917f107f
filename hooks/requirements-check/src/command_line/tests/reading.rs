//! What commands a line consists of.

use proptest::prelude::*;

use super::*;

#[test]
fn words_stand_without_quotes_and_expansions_as_written() {
    let table: &[(&str, &[&str])] = &[
        ("", &[]),
        ("  # only a comment", &[]),
        ("git commit -m x", &["git|commit|-m|x"]),
        ("git commit -m 'a b' \"c d\" e\\ f", &["git|commit|-m|a b|c d|e f"]),
        ("echo \"a\\\"b\" 'c\\d' $'e\\'f'", &["echo|a\"b|c\\d|e'f"]),
        ("gi't' \"com\"mit", &["git|commit"]),
        (r"echo $'a\tb\n' $'\\\'' $'a\x2d'", &["echo|a\tb\n|\\'|a$'\\x2d"]),
        ("echo \"$HOME/x\" ${A:-b c} $((1 + 2)) ~/y", &["echo|$HOME/x|${A:-b c}|$((1 + 2))|~/y"]),
        ("git \\\n  commit", &["git|commit"]),
        ("git\ncommit", &["git", "commit"]),
        ("git commit\r\ncargo test\r\n", &["git|commit", "cargo|test"]),
        ("a;b&&c||d|e&f", &["a", "b", "c", "d", "e", "f"]),
        ("a |& b", &["a", "b"]),
        ("a # git commit\nb", &["a", "b"]),
        ("a#b c", &["a#b|c"]),
        ("echo 'git commit' \"; git commit\"", &["echo|git commit|; git commit"]),
        ("écho 'ü 漢字' \u{1f600}", &["écho|ü 漢字|\u{1f600}"]),
        ("(a; b) && { c; }", &["a", "b", "c"]),
        ("( (a) )", &["a"]),
        ("((a) ); b", &["a", "b"]),
        ("((x = 1 + 2)); b", &["b"]),
        ("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]),
        ("for x in 1 2; do a $x; done; while b; do c; done", &["a|$x", "b", "c"]),
        ("for ((i=0; i<3; i++)); do a; done", &["a"]),
        ("case $x in a|b) c;; (*) d;& e) f ;; esac", &["b", "c", "*", "d", "e", "f"]),
        ("f() { a; }; function g { b; }; function h() ( c )", &["a", "b", "c"]),
        ("[[ a < b && ( -f c ) ]] && d", &["[[|a|b|-f|c|]]", "d"]),
        ("X=1 Y='2 3' a", &["a"]),
        ("X=(a b) c", &["c"]),
        ("X=(a b)", &[""]),
        ("time a; time -p b; time (c)", &["a", "b", "c"]),
        ("! a", &["a"]),
        ("echo done if then", &["echo|done|if|then"]),
        ("a >(b) <(c)", &["a|>(b)|<(c)", "b", "c"]),
        ("echo a{b,c} *.rs", &["echo|a{b,c}|*.rs"]),
    ];
    for (line, expected) in table {
        assert_eq!(words(line), *expected, "{line:?}");
    }
}

#[test]
fn what_stands_before_the_program_is_kept_apart() {
    let table: &[(&str, &str, &str)] = &[
        ("X=1 git commit", "X=1", "git|commit"),
        ("X+=1 A[0]=2 git commit", "X+=1 A[0]=2", "git|commit"),
        ("CLAUDECODE= git commit", "CLAUDECODE=", "git|commit"),
        ("env X=1 git commit", "env X=1", "git|commit"),
        ("env -i -u X A=1 git commit", "env -i -u X A=1", "git|commit"),
        ("env -u CLAUDECODE -- git commit", "env -u CLAUDECODE --", "git|commit"),
        ("/usr/bin/env git commit", "/usr/bin/env", "git|commit"),
        ("sudo git commit", "sudo", "git|commit"),
        ("sudo -u root -E X=1 git commit", "sudo -u root -E X=1", "git|commit"),
        ("command git commit", "command", "git|commit"),
        ("command -v git", "", "command|-v|git"),
        ("command -p git commit", "command -p", "git|commit"),
        ("builtin cd x", "builtin", "cd|x"),
        ("nohup nice -n 5 git commit", "nohup nice -n 5", "git|commit"),
        ("nice -5 git commit", "nice -5", "git|commit"),
        ("timeout 10 cargo test", "timeout 10", "cargo|test"),
        ("timeout -k 5 10m cargo test", "", "timeout|-k|5|10m|cargo|test"),
        ("time cargo test", "time", "cargo|test"),
        ("exec -a name cargo test", "", "exec|-a|name|cargo|test"),
        ("xargs -0 -n 1 git add", "", "xargs|-0|-n|1|git|add"),
        ("sudo timeout 3 env A=b git commit", "sudo timeout 3 env A=b", "git|commit"),
        ("env", "", "env"),
        ("timeout 10", "", "timeout|10"),
    ];
    for (line, prefix, expected) in table {
        let simple = only(line);
        assert_eq!(
            (simple.prefix.join(" ").as_str(), joined(&simple).as_str()),
            (*prefix, *expected),
            "{line:?}"
        );
    }
}

#[test]
fn scripts_in_quotes_are_looked_into_and_other_quotes_are_not() {
    let table: &[(&str, &[&str])] = &[
        ("sh -c 'git commit'", &["sh|-c|git commit", "git|commit"]),
        ("bash -lc \"cd x && git commit\"", &["bash|-lc|cd x && git commit", "cd|x", "git|commit"]),
        ("bash -eo pipefail -c 'a' name", &["bash|-eo|pipefail|-c|a|name", "a"]),
        ("sudo /bin/sh -c 'a; b'", &["/bin/sh|-c|a; b", "a", "b"]),
        ("eval 'a b' \"&& c\"", &["eval|a b|&& c", "a|b", "c"]),
        ("sh -c \"sh -c 'a'\"", &["sh|-c|sh -c 'a'", "sh|-c|a", "a"]),
        ("bash -c \"cd $X && git commit\"", &["bash|-c|cd $X && git commit", "cd|$X", "git|commit"]),
        ("bash script.sh -c 'a'", &["bash|script.sh|-c|a"]),
        ("python -c 'git commit'", &["python|-c|git commit"]),
    ];
    for (line, expected) in table {
        assert_eq!(words(line), *expected, "{line:?}");
    }
}

#[test]
fn commands_in_substitutions_are_found() {
    let table: &[(&str, &[&str])] = &[
        ("echo $(git commit)", &["echo|$(git commit)", "git|commit"]),
        ("echo \"a $(b \"$(c)\") d\"", &["echo|a $(b \"$(c)\") d", "b|$(c)", "c"]),
        ("echo `a \\`b\\``", &["echo|`a \\`b\\``", "a|`b`", "b"]),
        ("X=$(a) b ${Y:-$(c)} $((1 + $(d)))", &["b|${Y:-$(c)}|$((1 + $(d)))", "a", "c", "d"]),
        ("a > $(b)", &["a", "b"]),
        ("for x in $(a); do b; done", &["a", "b"]),
    ];
    for (line, expected) in table {
        assert_eq!(words(line), *expected, "{line:?}");
    }
}

#[test]
fn bodies_of_here_documents_are_data() {
    let table: &[(&str, &[&str])] = &[
        ("cat <<EOF\ngit commit\nEOF\na", &["cat", "a"]),
        ("cat <<'EOF' | b\nit's ( $(x)\nEOF\nc", &["cat", "b", "c"]),
        ("cat <<-EOF\n\ta\n\tEOF\nb", &["cat", "b"]),
        ("cat <<A <<B\n1\nA\n2\nB\nc", &["cat", "c"]),
        ("cat <<EOF\n$(a) `b`\nEOF\nc", &["cat", "a", "b", "c"]),
        ("cat <<EOF\nnever ended", &["cat"]),
        ("bash <<EOF\ngit commit\nEOF", &["bash"]),
        ("cat <<< 'git commit'", &["cat"]),
        (
            "git commit -m \"$(cat <<'EOF'\nit's (done)\n\nEOF\n)\" && git push",
            &["git|commit|-m|$(cat <<'EOF'\nit's (done)\n\nEOF\n)", "cat", "git|push"],
        ),
    ];
    for (line, expected) in table {
        assert_eq!(words(line), *expected, "{line:?}");
    }
}

#[test]
fn redirections_are_files_written_and_read() {
    let table: &[(&str, &[&str], &[&str])] = &[
        ("a > b", &["b"], &[]),
        ("a >> 'b c' 2>&1 < d", &["b c"], &["d"]),
        ("a &> b", &["b"], &[]),
        ("a &>> b", &["b"], &[]),
        ("a >| b 2>c", &["b", "c"], &[]),
        ("a <> b", &["b"], &["b"]),
        ("a >& b", &["b"], &[]),
        ("a >&2 2>&- <&3", &[], &[]),
        ("> b a", &["b"], &[]),
        ("a > \"$B\"", &["$B"], &[]),
        ("a 99999999999>b", &["b"], &[]),
    ];
    for (line, writes, reads) in table {
        let simple = only(line);
        assert_eq!(
            (joined(&simple).as_str(), &simple.writes[..], &simple.reads[..]),
            ("a", &owned(writes)[..], &owned(reads)[..]),
            "{line:?}"
        );
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_no_file_is_not_taken_for_one() {
    assert_eq!(only("a '>' b").words, ["a", ">", "b"]);
    assert!(only("a '>' b").writes.is_empty());
    assert!(commands("a > >(tee b)")[0].writes.is_empty());
}

#[test]
fn a_construct_that_writes_a_file_ends_with_a_command_without_words() {
    let group = commands("{ a; b; } > c");
    assert_eq!((group.len(), &group[2].words[..], &group[2].writes[..]), (3, &[][..], &owned(&["c"])[..]));
}

#[test]
fn the_text_is_the_command_as_written_without_its_redirections() {
    let table = [
        ("RUST_LOG=x cargo   test -- 'a b' 2>&1 | tail", "RUST_LOG=x cargo test -- 'a b'"),
        ("timeout 10 cargo test > log", "timeout 10 cargo test"),
        ("cargo test \"$X\" || true", "cargo test \"$X\""),
    ];
    for (line, text) in table {
        assert_eq!(commands(line)[0].text, text, "{line:?}");
    }
}

#[test]
fn lines_that_are_none_cannot_be_read() {
    let lines = [
        "echo 'open",
        "echo \"open",
        "echo $(open",
        "echo `open",
        "echo ${open",
        "a )",
        "( a",
        "{ a;",
        "sh -c 'echo \"open'",
        "if ($x) { git commit }",
        "a \0 b",
        "a(b c)",
    ];
    for line in lines {
        assert!(parse(line).commands.is_none(), "{line:?}");
    }
}

#[test]
fn long_and_deep_lines_cannot_be_read() {
    let fits = format!("echo {}", "x".repeat(64 * 1024 - 5));
    assert!(parse(&fits).commands.is_some());
    assert!(parse(&format!("{fits}x")).commands.is_none());
    for (open, close) in
        [("( ", ")"), ("$(", ")"), ("{ ", ";}"), ("${x:-", "}"), ("\"$(", ")\""), ("f() { ", ";}")]
    {
        let nested = |depth: usize| format!("echo;{}a{}", open.repeat(depth), close.repeat(depth));
        assert!(parse(&nested(8)).commands.is_some(), "{open}");
        assert!(parse(&nested(25)).commands.is_none(), "{open}");
        assert!(parse(&nested(7000)).commands.is_none(), "{open}");
        assert!(parse(&open.repeat(7000)).commands.is_none(), "{open}");
    }
    let eval = |depth: usize| format!("{}a", "eval ".repeat(depth));
    assert!(parse(&eval(8)).commands.is_some());
    assert!(parse(&eval(9)).commands.is_none());
}

#[test]
fn a_directory_is_followed_as_far_as_it_is_literal_and_lasts_as_long_as_its_shell() {
    let table = [
        ("X", at("")),
        ("cd a && X", at("a")),
        ("cd a; X", at("a")),
        ("cd a && cd b && X", at("a/b")),
        ("cd a && cd /b && X", at("/b")),
        ("cd 'a b' && X", at("a b")),
        ("cd -- a && X", at("a")),
        ("pushd a && X", at("a")),
        ("pushd a && popd && X", None),
        ("(cd a && true) && X", at("")),
        ("(cd a && X)", at("a")),
        ("{ cd a; } && X", at("a")),
        ("cd a & X", at("")),
        ("cd a | true; X", at("")),
        ("cd a || X", None),
        ("cd a || exit 1; X", at("a")),
        ("cd $A && X", None),
        ("cd && X", None),
        ("cd - && X", None),
        ("cd ~/a && X", at("~/a")),
        ("cd $A && cd b && X", None),
        ("cd $A && cd /b && X", at("/b")),
        ("if a; then cd b; fi; X", None),
        ("f() { cd b; }; X", None),
        ("a | if cd b; then X; fi", None),
        ("a && cd b && X", at("b")),
        ("a && cd b; X", None),
        ("cd a || cd b; X", None),
        ("cd $PWD/a && X", at("./a")),
        ("cd \"$(git rev-parse --git-dir)\" && X", at(".git")),
        ("sh -c 'cd a && X'", at("a")),
        ("sh -c 'cd a'; X", at("")),
        ("eval 'cd a'; X", at("a")),
        ("env -C a X", at("a")),
        ("cd a && env -C b X", at("a/b")),
        ("echo $(cd a) && X", at("")),
    ];
    for (line, expected) in table {
        let parsed = parse(line);
        let found = matched(&parsed, "X");
        assert_eq!(found.len(), 1, "{line:?}");
        assert_eq!(found[0].directory, expected, "{line:?}");
    }
}

/// What means something to a shell, so that random texts are nearly lines; parted by `~`.
const PIECES: &str = concat!(
    "git ~commit ~(~)~((~))~{ ~; }~<<~<<-~EOF~\n~'~\"~$~`~\\~&~|~;~<~>~#~! ~if ~then ~fi ~for ~in ~",
    "do ~done ~case ~esac ~1~=~=(~[[ ~]] ~$(~${~$((~sh -c ~eval ~cd ~\t~ ~-~*~function f ~time ~é~",
    "\r\n~xargs ~env ~sed ~-i~s/a/b/~$'~%~"
);

fn pieces() -> impl Strategy<Value = String> {
    let all: Vec<&str> = PIECES.split('~').filter(|piece| !piece.is_empty()).collect();
    let piece = proptest::sample::select(all);
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Everything that can be asked about a line is asked.
fn ask(line: &str) {
    let parsed = parse(line);
    for pattern in [pattern("git commit"), pattern(r"git\s+commit")] {
        pattern.matches(&parsed);
        parsed.may_contain(&pattern);
    }
    for simple in parsed.commands.iter().flatten() {
        simple.reads();
        simple.keeps_files();
        drop(simple.acts_in());
        drop(parsed.shown(simple));
    }
}

proptest! {
    #[test]
    fn any_text_has_an_answer(line in any::<String>()) {
        ask(&line);
    }

    #[test]
    fn any_text_of_shell_pieces_has_an_answer(line in pieces()) {
        ask(&line);
    }

    #[test]
    fn a_word_in_single_quotes_is_data(text in "[^']*") {
        prop_assume!(!text.contains('\0'));
        let found = commands(&format!("echo '{text}' && a"));
        prop_assert_eq!(&found[0].words, &vec!["echo".to_owned(), text]);
        prop_assert_eq!(found.len(), 2);
    }
}
