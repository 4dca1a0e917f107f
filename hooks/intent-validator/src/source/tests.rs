//! The location of a file, and paths of source code, of core code, and of excluded and private files.

use std::path::Path;

use shared::host::Places;

use super::{Kind, Location, is_private, kind};
use crate::plan::tests::defaults;

#[test]
fn the_ending_and_the_folders_decide() {
    let mut settings = defaults();
    let owned = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect();
    settings.core_paths = owned(&["src", "lib/inner", "kernel/"]);
    settings.exclude_paths = owned(&["vendor", "gen/out", "packages/*/dist", "docs/*.py", "**/*_pb2.py"]);
    let plain = "a.py A.PY a.d.ts mysrc/a.py src.py x/lib/inner/a.py lib/innermost/a.py src/a.test.ts e/test_a.py \
                 vendored/a.py vendor.py x/gen/out/a.py packages/one/two/dist/a.js docs/deep/conf.py";
    let core = "src/a.py web/src/pages/a.py lib/inner/a.py deep/kernel/a.c src/latest.ts src/contest.py";
    let ignored = "a.py.bak Makefile dir.py/readme src/vendor/a.py gen/out/deep/a.py packages/one/dist/deep/a.js \
                   docs/conf.py src/api/user_pb2.py user_pb2.py";
    for (paths, expected) in [(plain, Some(Kind::Plain)), (core, Some(Kind::Core)), (ignored, None)] {
        for path in paths.split_whitespace() {
            assert_eq!(kind(path, &settings), expected, "{path}");
        }
    }
}

#[test]
fn a_file_is_called_from_the_root_of_the_project() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("project");
    for folder in ["project/sub/src", "outside"] {
        std::fs::create_dir_all(scratch.path().join(folder)).unwrap();
    }
    let places = Places { root: Some(root.clone()), ..Places::default() };
    let sub = root.join("sub");
    let absolute = root.join("src/a b.py");
    let found = |folder: Option<&Path>, file: &str| {
        Location::find(&places, folder, file).map(|location| location.file)
    };
    for (folder, file, expected) in [
        (None, "src/new.py", Some("src/new.py")),
        (None, "./a/../src/new.py", Some("src/new.py")),
        (Some(sub.as_path()), "src/a.py", Some("sub/src/a.py")),
        (None, absolute.to_str().unwrap(), Some("src/a b.py")),
        (None, "../outside/a.py", None),
    ] {
        assert_eq!(found(folder, file).as_deref(), expected, "{file}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(scratch.path().join("outside"), root.join("way-out")).unwrap();
        assert_eq!(found(None, "way-out/a.py"), None);
    }
}

#[test]
fn the_files_that_no_model_may_see() {
    let globs = defaults().judge.never_send;
    for file in ".env a/b/.env.local src/id_rsa certs/server.PEM src/my_secrets.py src/secrets/db.py credentials/x.py \
                 src/.env.d/x.py a/Secret-keys/b/c.py"
        .split_whitespace()
    {
        assert!(is_private(file, &globs), "{file}");
    }
    for file in ["src/identity.py", "src/environment.py"] {
        assert!(!is_private(file, &globs), "{file}");
    }
    assert!(is_private("config/private/a/b.py", &["config/private".to_owned()]));
    assert!(!is_private("src/private/a.py", &["private/**".to_owned()]));
    assert!(is_private("[x", &["[x".to_owned()]) && is_private("a/Keys.py", &["keys.py".to_owned()]));
}
