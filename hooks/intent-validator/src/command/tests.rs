//! The words of `declare`, and what is no declaration.

use super::{fault, parse};
use crate::form::Form;

const VALUES: [&str; 4] = ["src/a.py", "add f()", "it's wanted", "tests/test_a.py"];

fn form(values: [&str; 4]) -> Form {
    Form::new(values.map(|value| (!value.is_empty()).then(|| value.to_owned())))
}

#[test]
fn options_stand_in_any_order_and_in_both_forms() {
    let words =
        ["--test=tests/test_a.py", "--goal", "it's wanted", "--changes=add f()", "--file", "src/a.py"];
    assert_eq!(parse(&words), Ok(form(VALUES)));
    for (words, why) in [
        (["--file", "a"], "declare: --file, --changes and --goal are needed\n"),
        (["--fiel", "a"], "declare: unknown word --fiel\nintent-validator declare --file F"),
    ] {
        assert!(parse(&words).unwrap_err().starts_with(why), "{words:?}");
    }
}

#[test]
fn empty_values_placeholders_and_core_code_without_a_test_are_faults() {
    let [file, changes, goal, test] = VALUES;
    for (values, is_fault) in [
        ([file, "<what you change>", goal, test], true),
        ([file, changes, "rename", test], true),
        (["<path>", changes, goal, test], true),
        ([file, changes, goal, ""], true),
        ([file, changes, goal, "none"], true),
        (VALUES, false),
        ([file, "use Vec<u8> and <b>", goal, test], false),
        ([file, changes, goal, "none, the user said: \"skip the tests\""], false),
    ] {
        assert_eq!(fault(&form(values), true).is_some(), is_fault, "{values:?}");
    }
    assert_eq!(fault(&form([file, changes, goal, ""]), false), None);
}
