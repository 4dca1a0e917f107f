//! The words of `declare`, and what is no declaration.

use super::{fault, line, parse, quoted};
use crate::declaration::Declaration;

fn declaration() -> Declaration {
    Declaration {
        file: "src/a.py".into(),
        changes: "add f()".into(),
        goal: "it's wanted".into(),
        test: Some("tests/test_a.py".into()),
        user_permission: None,
    }
}

#[test]
fn options_stand_in_any_order_and_in_both_forms() {
    for words in [
        &["--file", "src/a.py", "--changes", "add f()", "--goal", "it's wanted", "--test", "tests/test_a.py"]
            [..],
        &["--test=tests/test_a.py", "--goal=it's wanted", "--changes=add f()", "--file=src/a.py"],
        &["--file", " src/a.py ", "--changes=add f()", "--goal", "it's wanted", "--test", "tests/test_a.py"],
    ] {
        assert_eq!(parse(words), Ok(declaration()), "{words:?}");
    }
    assert_eq!(parse(&["--file=f", "--changes=a=b", "--goal=g"]).unwrap().changes, "a=b");
}

#[test]
fn wrong_words_are_told() {
    for (words, why) in [
        (&[][..], "declare: --file is missing"),
        (&["--file", "a", "--changes", "b"], "declare: --goal is missing"),
        (&["--file"], "declare: --file needs a value"),
        (&["--file", "a", "--file", "b"], "declare: --file is given twice"),
        (&["--fiel", "a"], "declare: unknown word --fiel"),
        (&["src/a.py"], "declare: unknown word src/a.py"),
    ] {
        let told = parse(words).unwrap_err();
        assert_eq!(told.lines().next(), Some(why), "{words:?}");
        assert!(told.contains("\nintent-validator declare --file F"), "{told}");
    }
}

#[test]
fn empty_parts_placeholders_and_core_code_without_a_test_are_faults() {
    let with = |change: fn(&mut Declaration)| {
        let mut declaration = declaration();
        change(&mut declaration);
        fault(&declaration, true)
    };
    assert_eq!(fault(&declaration(), true), None);
    for change in [
        (|d| d.changes.clear()) as fn(&mut Declaration),
        |d| "<what>".clone_into(&mut d.changes),
        |d| "...".clone_into(&mut d.goal),
        |d| "G".clone_into(&mut d.goal),
        |d| d.goal = "x".repeat(1001),
        |d| d.test = None,
        |d| d.test = Some("<test>".into()),
        |d| d.user_permission = Some("skip tests".into()),
    ] {
        assert!(with(change).is_some());
    }
    assert_eq!(with(|d| "use Vec<u8> and <b>".clone_into(&mut d.changes)), None);
    assert_eq!(with(|d| (d.test, d.user_permission) = (None, Some("skip tests".into()))), None);
    assert_eq!(fault(&Declaration { test: None, ..declaration() }, false), None);
}

#[test]
fn the_line_is_quoted_as_a_shell_and_we_read_it() {
    assert_eq!(
        line("intent-validator", &declaration()),
        "intent-validator declare --file src/a.py --changes 'add f()' --goal 'it'\"'\"'s wanted' --test tests/test_a.py"
    );
    assert_eq!(quoted(""), "''");
    assert_eq!(quoted("$x `y` \\ \"z\""), "'$x `y` \\ \"z\"'");
}
