//! What is source code, what is core code, and what is not looked at.

use shared::config::{self, SectionSpec, Sources};
use shared::switches::Position;

use super::{Kind, kind};
use crate::settings::Settings;

/// As compiled in, with other lists of folders.
fn settings(core: &[&str], exclude: &[&str]) -> Settings {
    let spec = SectionSpec { name: "intent-validator", root_keys: &["judge"], ..SectionSpec::default() };
    let mut settings: Settings = config::load(spec, &Sources::default(), Position::Auto).unwrap().settings;
    let owned = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect();
    settings.core_paths = owned(core);
    settings.exclude_paths = owned(exclude);
    settings
}

#[track_caller]
fn check(core: &[&str], exclude: &[&str], table: &[(&str, Option<Kind>)]) {
    let settings = settings(core, exclude);
    for (path, expected) in table {
        assert_eq!(kind(path, &settings), *expected, "{path}");
    }
}

#[test]
fn the_last_ending_decides_whatever_its_case() {
    check(
        &[],
        &[],
        &[
            ("a.py", Some(Kind::Plain)),
            ("A.PY", Some(Kind::Plain)),
            ("a.d.ts", Some(Kind::Plain)),
            ("a.py.bak", None),
            ("Makefile", None),
            ("dir.py/readme", None),
            ("", None),
        ],
    );
}

#[test]
fn core_folders_are_whole_names_anywhere_or_a_path_from_the_root() {
    check(
        &["src", "lib/inner", "kernel/"],
        &[],
        &[
            ("src/a.py", Some(Kind::Core)),
            ("./src/a.py", Some(Kind::Core)),
            ("web/src/pages/a.py", Some(Kind::Core)),
            ("mysrc/a.py", Some(Kind::Plain)),
            ("src.py", Some(Kind::Plain)),
            ("lib/inner/a.py", Some(Kind::Core)),
            ("x/lib/inner/a.py", Some(Kind::Plain)),
            ("lib/innermost/a.py", Some(Kind::Plain)),
            ("deep/kernel/a.c", Some(Kind::Core)),
        ],
    );
}

#[test]
fn a_test_wants_no_test() {
    check(
        &["src"],
        &[],
        &[
            ("src/a.test.ts", Some(Kind::Plain)),
            ("src/latest.ts", Some(Kind::Core)),
            ("src/contest.py", Some(Kind::Core)),
            ("e/test_a.py", Some(Kind::Plain)),
        ],
    );
}

#[test]
fn excluded_folders_win_over_core_ones() {
    check(
        &["src"],
        &["vendor", "gen/out", "packages/*/dist", "docs/*.py", "**/*_pb2.py"],
        &[
            ("src/vendor/a.py", None),
            ("vendored/a.py", Some(Kind::Plain)),
            ("vendor.py", Some(Kind::Plain)),
            ("gen/out/deep/a.py", None),
            ("x/gen/out/a.py", Some(Kind::Plain)),
            ("packages/one/dist/deep/a.js", None),
            ("packages/one/two/dist/a.js", Some(Kind::Plain)),
            ("docs/conf.py", None),
            ("docs/deep/conf.py", Some(Kind::Plain)),
            ("src/api/user_pb2.py", None),
            ("user_pb2.py", None),
        ],
    );
}
