//! The words of `declare`, and what is no declaration.

use super::{fault, parse};
use crate::form::Form;

fn form() -> Form {
    Form {
        file: "src/a.py".into(),
        changes: "add f()".into(),
        goal: "it's wanted".into(),
        test: Some("tests/test_a.py".into()),
    }
}

#[test]
fn options_stand_in_any_order_and_in_both_forms() {
    let words =
        ["--test=tests/test_a.py", "--goal", "it's wanted", "--changes=add f()", "--file", "src/a.py"];
    assert_eq!(parse(&words), Ok(form()));
    for (words, why) in [
        (["--file", "a"], "declare: --file, --changes and --goal are needed\n"),
        (["--fiel", "a"], "declare: unknown word --fiel\nintent-validator declare --file F"),
    ] {
        assert!(parse(&words).unwrap_err().starts_with(why), "{words:?}");
    }
}

#[test]
fn empty_values_placeholders_and_core_code_without_a_test_are_faults() {
    let with = |change: fn(&mut Form)| {
        let mut form = form();
        change(&mut form);
        fault(&form, true)
    };
    for change in [
        (|form| "<what you change>".clone_into(&mut form.changes)) as fn(&mut Form),
        |form| "rename".clone_into(&mut form.goal),
        |form| "<path>".clone_into(&mut form.file),
        |form| form.test = None,
        |form| form.test = Some("none".into()),
    ] {
        assert!(with(change).is_some());
    }
    for change in [
        (|_| ()) as fn(&mut Form),
        |form| "use Vec<u8> and <b>".clone_into(&mut form.changes),
        |form| form.test = Some("none, the user said: \"skip the tests\"".into()),
    ] {
        assert_eq!(with(change), None);
    }
    assert_eq!(fault(&Form { test: None, ..form() }, false), None);
}
