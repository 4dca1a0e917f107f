//! Paths of source code, of core code, and of excluded files.

use super::{Kind, kind};
use crate::plan::tests::defaults;

#[test]
fn the_ending_and_the_folders_decide() {
    let mut settings = defaults();
    let owned = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect();
    settings.core_paths = owned(&["src", "lib/inner", "kernel/"]);
    settings.exclude_paths = owned(&["vendor", "gen/out", "packages/*/dist", "docs/*.py", "**/*_pb2.py"]);
    let plain = "a.py A.PY a.d.ts mysrc/a.py src.py x/lib/inner/a.py lib/innermost/a.py src/a.test.ts e/test_a.py \
                 vendored/a.py vendor.py x/gen/out/a.py packages/one/two/dist/a.js docs/deep/conf.py";
    let core =
        "src/a.py ./src/a.py web/src/pages/a.py lib/inner/a.py deep/kernel/a.c src/latest.ts src/contest.py";
    let ignored = "a.py.bak Makefile dir.py/readme src/vendor/a.py gen/out/deep/a.py packages/one/dist/deep/a.js \
                   docs/conf.py src/api/user_pb2.py user_pb2.py";
    for (paths, expected) in [(plain, Some(Kind::Plain)), (core, Some(Kind::Core)), (ignored, None)] {
        for path in paths.split_whitespace() {
            assert_eq!(kind(path, &settings), expected, "{path}");
        }
    }
}
