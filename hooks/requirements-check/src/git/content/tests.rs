//! A file is stored and counted as git would; the real git is the judge.

use super::super::repository::open;
use super::super::sandbox::Sandbox;
use super::*;

/// What git would store for `bytes` at `path`.
fn by_git(sandbox: &Sandbox, path: &str) -> String {
    sandbox.git(&["hash-object", path]).trim().to_owned()
}

#[test]
fn stores_line_ends_as_git_does() {
    let sandbox = Sandbox::new();
    let attributes =
        "*.t text\n*.n -text\n*.a text=auto\n*.lf eol=lf\n*.cr crlf\n*.in crlf=input\n*.e text eol=crlf\n";
    sandbox.write(".gitattributes", attributes);
    let contents: [&[u8]; 7] =
        [b"1\r\n2\r\n", b"1\r2\r\n", b"1\r\n\r\r\n", b"a\0\r\n", b"\x01\x02\r\n", b"1\r\n\x1a", b"\r"];
    for automatic in ["false", "input", "true"] {
        sandbox.git(&["config", "core.autocrlf", automatic]);
        for ending in ["t", "n", "a", "lf", "cr", "in", "e", "none"] {
            for content in contents {
                let path = format!("file.{ending}");
                sandbox.write(&path, content);
                let opened = open(&sandbox.worktree()).unwrap();
                let OnDisk::File(file) = read(&opened, path.as_bytes(), None, MAX_BYTES).unwrap() else {
                    panic!("{path}")
                };
                let id = file.stored().unwrap().id.to_string();
                assert_eq!(id, by_git(&sandbox, &path), "{path} {content:?} {automatic}");
            }
        }
    }
}

#[test]
fn nothing_is_read_behind_links_and_from_what_is_no_file() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("dir/x", "1");
    std::os::unix::fs::symlink("dir", sandbox.path("link")).unwrap();
    let opened = open(&sandbox.worktree()).unwrap();
    for path in ["link/x", "dir", "missing", "dir/x/y"] {
        assert!(matches!(read(&opened, path.as_bytes(), None, MAX_BYTES), Ok(OnDisk::Nothing)), "{path}");
    }
    let Ok(OnDisk::File(link)) = read(&opened, b"link", None, MAX_BYTES) else {
        panic!("a link is read as its target")
    };
    assert_eq!(link.bytes, b"dir");
}

#[test]
fn attributes_decide_before_the_content() {
    let sandbox = Sandbox::new();
    sandbox
        .write(".gitattributes", "*.b binary\n*.d -diff\n*.t diff\n*.f filter=known\n*.g filter=unknown\n");
    sandbox.git(&["config", "filter.known.clean", "cat"]);
    let opened = open(&sandbox.worktree()).unwrap();
    for (path, expected) in [
        ("x.b", Lines::Never),
        ("x.d", Lines::Never),
        ("x.t", Lines::Always),
        ("x.f", Lines::Never),
        ("x.g", Lines::ByContent),
        ("x", Lines::ByContent),
    ] {
        assert_eq!(lines(&opened.repo, path.as_bytes()), Ok(expected), "{path}");
    }
}
