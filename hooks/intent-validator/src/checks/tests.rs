//! The findings of the checks, and the near misses without one.

use shared::config::ZeroOr;

use super::find;
use crate::change::Versions;
use crate::settings::Checks;

fn checks() -> Checks {
    Checks {
        secrets: true,
        commented_out_code: true,
        max_function_lines: ZeroOr::new(10).unwrap(),
        max_nesting: ZeroOr::new(2).unwrap(),
    }
}

/// Rule and line of what is found in a new file.
#[track_caller]
fn check(path: &str, after: &str, expected: &[(&str, i64)]) {
    check_change(path, "", after, expected);
}

#[track_caller]
fn check_change(path: &str, before: &str, after: &str, expected: &[(&str, i64)]) {
    let versions = Versions { before: Some(before.to_owned()), after: after.to_owned(), is_fragment: false };
    let found = find(path, &versions, &checks());
    let found: Vec<(&str, i64)> = found.iter().map(|finding| (finding.rule.as_str(), finding.line)).collect();
    assert_eq!(found, expected, "{path}:\n{after}");
}

const SECRET: &str = "hardcoded-secrets";
const DEAD: &str = "commented-out-code";
const LONG: &str = "long-functions";
const DEEP: &str = "deep-nesting";

#[test]
fn secrets_are_found_by_form_and_by_name() {
    for line in [
        "AWS = \"AKIAIOSFODNN7ABCDEFG\"",
        "token = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\"",
        "password = \"hunter2-and-more-9\"",
        "url = \"postgres://app:s3cr3tpw9x@db.internal/app\"",
        "key = \"-----BEGIN RSA PRIVATE KEY-----\"",
    ] {
        let found = find("a.py", &new(line), &checks());
        assert_eq!(found.iter().map(|finding| finding.rule.as_str()).collect::<Vec<_>>(), [SECRET], "{line}");
        assert!(!found[0].why.contains("hunter2") && !found[0].why.contains("AKIA"), "{found:?}");
    }
    for line in [
        "password = os.environ[\"PASSWORD\"]",
        "api_key = \"your-api-key-here\"",
        "SECRET = \"test-secret\"",
        "url = 'http://username:password@host.com:80/x'",
        "SHA = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
    ] {
        assert_eq!(find("a.py", &new(line), &checks()), [], "{line}");
    }
}

fn new(text: &str) -> Versions {
    Versions { before: None, after: format!("{text}\n"), is_fragment: false }
}

#[test]
fn code_in_comments_differs_from_sentences() {
    check("a.rs", "// let x = compute(1);\n", &[(DEAD, 1)]);
    check("a.rs", "fn a() {}\n    // foo(bar);\n    // if x {\n    //     baz();\n    // }\n", &[(DEAD, 2)]);
    check("a.py", "# x = compute(1)\n# y = x + 2\n# save(y)\n", &[(DEAD, 1)]);
    check("a.py", "# for i in xs:\n#     total += i\n#     print(total)\n#     save(total)\n", &[(DEAD, 2)]);
    check("a.py", "# import os\n# os.remove(path)\n", &[(DEAD, 1)]);
    check("a.js", "/*\nfoo();\nbar();\n*/\n", &[(DEAD, 2)]);
    for (path, text) in [
        ("a.rs", "/// let x = compute(1);\n/// let y = 2;\n"),
        ("a.rs", "let url = \"http://x.y/z;\"; // keep in sync with the server\n"),
        ("a.py", "# for tests:\n# x = compute(1)\n# y = x + 2\n"),
        ("a.rs", "// for i in xs:\n// let x = compute(1);\n// let y = x + 2;\n"),
        ("a.py", "#!/usr/bin/env python\n# type: ignore\n# noqa: E501\n"),
        ("a.go", "// Example:\n//\n//\tfoo := bar()\n//\tfoo.Close();\n"),
        ("a.py", "# Usage:\n#   foo = bar(1)\n#   foo.run()\n"),
        ("a.c", "// Copyright 2026 (c) the authors; all rights reserved;\n"),
    ] {
        check(path, text, &[]);
    }
}

fn function(head: &str, line: &str, lines: usize, end: &str) -> String {
    format!("{head}\n{}{end}", format!("{line}\n").repeat(lines))
}

#[test]
fn a_function_may_have_so_many_lines_of_code_in_each_language() {
    for (path, head, line, end) in [
        ("a.rs", "pub(crate) async fn long<T: Clone>(x: T) -> Result<(), Error> {", "    step();", "}\n"),
        ("a.go", "func (s *Server) long(w io.Writer) error {", "    step()", "}\n"),
        ("a.ts", "export const long = async (x: number): Promise<void> => {", "    step();", "};\n"),
        ("a.ts", "    private long(x: string) {", "        step();", "    }\n"),
        ("a.java", "public static void long(String x) throws IOException {", "    step();", "}\n"),
        ("a.kt", "fun long(x: Int): Int {", "    step()", "}\n"),
    ] {
        let short = function(head, line, 1, end);
        check_change(path, &short, &function(head, line, 8, end), &[]);
        check_change(path, &short, &function(head, line, 9, end), &[(LONG, 1)]);
        let with_comments = function(head, "        // why\n\n        /* how */", 9, end);
        check_change(path, &short, &with_comments, &[]);
    }
    let python = |lines| function("async def long(\n    x,\n):", "    step()", lines, "\nx = 1\n");
    check_change("a.py", &python(1), &python(7), &[]);
    check_change("a.py", &python(1), &python(8), &[(LONG, 1)]);
    let told =
        "def long():\n    \"\"\"\n".to_owned() + &"    words\n".repeat(30) + "    \"\"\"\n    step()\n";
    check_change("a.py", "x = 1\n", &told, &[]);
}

#[test]
fn only_functions_have_a_maximum_length() {
    for (path, head, line, end) in [
        ("a.js", "describe('x', () => {", "    step();", "});\n"),
        ("a.rs", "impl Server for Long<'_> {", "    const A: u8 = 1;", "}\n"),
        ("a.py", "class Long:", "    a = 1", ""),
        ("a.rs", "const TEXT: &str = r#\"fn long() {", "    step();", "}\"#;\n"),
    ] {
        check(path, &function(head, line, 30, end), &[]);
    }
}

#[test]
fn a_function_that_was_too_long_is_what_stood_there() {
    let long = |lines| function("fn long() {", "    step();", lines, "}\n");
    check_change("a.rs", &long(30), &long(31), &[]);
    check_change("a.rs", &long(30), &function("fn longer() {", "    step();", 30, "}\n"), &[]);
    check("a.rs", &long(30), &[(LONG, 1)]);
    let another = format!("{}{}", long(30), function("fn other() {", "    step();", 30, "}\n"));
    check_change("a.rs", &long(30), &another, &[(LONG, 33)]);
}

#[test]
fn texts_of_other_kinds_are_searched_for_secrets_alone() {
    check("a.sql", "-- SELECT 1;\n-- SELECT 2;\n", &[]);
    let there = "password = \"hunter2-and-more-9\"\n";
    check("noext", there, &[(SECRET, 1)]);
    check_change("a.py", there, &format!("{there}x = 1\n"), &[]);
}

#[test]
fn conditions_and_loops_lie_so_deep() {
    for (path, text, expected) in [
        ("a.rs", "fn a() {\n  if x {\n    for y in z {\n      w();\n    }\n  }\n}\n", &[][..]),
        ("a.rs", "fn a() {\n  if x {\n  } else if y {\n    match z {\n      A => {}\n    }\n  }\n}\n", &[]),
        (
            "a.js",
            "function a() {\n  if (x) {\n    for (;;) {\n      if (f('}')) {\n      }\n    }\n  }\n}\n",
            &[(DEEP, 4)],
        ),
        (
            "a.py",
            "def a():\n  if x:\n    for y in z:\n      with w:\n        while q:\n          pass\n",
            &[(DEEP, 4)],
        ),
        ("a.py", "def a():\n  x = [\n      y\n      for y in z\n      if y\n  ]\n", &[]),
    ] {
        check(path, text, expected);
    }
}
