//! What is written, and what is not.

use std::fs;
use std::path::Path;

use shared::host::Places;
use tempfile::TempDir;

use super::write;
use crate::report::page::MARK;

/// A folder of the user's: `work`, and what Claude Code, Git and the hooks keep in it and beside it.
fn world() -> (TempDir, Places) {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for path in
        ["work/.claude/worktrees", "work/.git/hooks", "config/hook-state", "state/sub", "Home/.Claude"]
    {
        fs::create_dir_all(at(path)).unwrap();
    }
    let places = Places {
        config_dir: Some(at("config")),
        default_state_dir: Some(at("config/hook-state")),
        state_dir: Some(at("state")),
        ..Places::default()
    };
    (folder, places)
}

fn left_beside(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".tmp")).collect()
}

#[test]
fn only_a_report_of_ours_is_overwritten() {
    let (folder, places) = world();
    let page = format!("{MARK}new");
    let ours = format!("{MARK}old");
    for (name, there, force, is_written) in [
        ("new.html", None, false, true),
        ("new.HTM", None, false, true),
        ("ours.html", Some(ours.as_str()), false, true),
        ("other.html", Some("<!DOCTYPE html>\n<p>mine</p>"), false, false),
        ("forced.html", Some("<!DOCTYPE html>\n<p>mine</p>"), true, true),
        ("empty.html", Some(""), false, false),
    ] {
        let path = folder.path().join("work").join(name);
        if let Some(there) = there {
            fs::write(&path, there).unwrap();
        }
        let written = write(&path, &page, force, &places);
        assert_eq!(written.is_ok(), is_written, "{name}: {written:?}");
        if is_written {
            assert_eq!(written.unwrap(), fs::canonicalize(&path).unwrap(), "{name}");
        }
        let expected = if is_written { page.as_str() } else { there.unwrap_or_default() };
        assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{name}");
    }
    assert_eq!(left_beside(&folder.path().join("work")), Vec::<String>::new());
}

#[test]
fn what_is_no_page_or_no_place_for_one_is_refused_even_by_force() {
    const NAME: &str = "must end in .html or .htm";
    const KEPT: &str = "a folder of Claude Code, Git or these hooks";
    let (folder, places) = world();
    fs::write(folder.path().join("work/settings.json"), "mine").unwrap();
    for (path, why) in [
        ("work", "is a folder; name a file in it"),
        ("work/..", "is a folder; name a file in it"),
        ("work/missing/report.html", "cannot be written"),
        ("work/settings.json", NAME),
        ("work/report", NAME),
        ("work/report.html.sh", NAME),
        ("work/.html", NAME),
        ("state/OFF", NAME),
        ("config/report.html", KEPT),
        ("config/hook-state/report.html", KEPT),
        ("state/report.html", KEPT),
        ("state/sub/report.html", KEPT),
        ("work/../state/report.html", KEPT),
        ("work/.claude/report.html", KEPT),
        ("work/.claude/worktrees/report.html", KEPT),
        ("work/.git/hooks/report.html", KEPT),
        ("Home/.Claude/report.html", KEPT),
    ] {
        for force in [false, true] {
            let refused = write(&folder.path().join(path), MARK, force, &places).unwrap_err();
            assert!(refused.contains(why), "{path}: {refused}");
        }
        if why == KEPT {
            assert!(!folder.path().join(path).exists(), "{path}");
        }
    }
    assert_eq!(fs::read_to_string(folder.path().join("work/settings.json")).unwrap(), "mine");
    assert!(!folder.path().join("state/OFF").exists());
}

/// `statement` and `.claudette` only begin like what is kept.
#[test]
fn what_is_only_called_alike_is_no_kept_folder() {
    let (folder, places) = world();
    for name in ["statement", ".claudette", ".github", "claude"] {
        let path = folder.path().join(name).join("report.html");
        fs::create_dir(path.parent().unwrap()).unwrap();
        assert!(write(&path, MARK, false, &places).is_ok(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_seen_through() {
    use std::os::unix::fs::symlink;

    let (folder, places) = world();
    let at = |path: &str| folder.path().join(path);
    fs::write(at("work/file.html"), MARK).unwrap();
    for (link, to, why) in [
        // Where the name leads does not matter: it is not followed.
        ("work/link.html", "work/file.html", "is a link"),
        ("work/off.html", "state/OFF", "is a link"),
        ("work/folder", "state", "is in a folder of"),
        ("work/sub", "config/hook-state", "is in a folder of"),
    ] {
        symlink(at(to), at(link)).unwrap();
        let path = if why == "is a link" { at(link) } else { at(link).join("report.html") };
        for force in [false, true] {
            let refused = write(&path, "new", force, &places).unwrap_err();
            assert!(refused.contains(why), "{link}: {refused}");
        }
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
    }
    assert_eq!(fs::read_to_string(at("work/file.html")).unwrap(), MARK);
    assert!(!at("state/OFF").exists());

    symlink(at("config"), at("linked-config")).unwrap();
    let linked = Places { config_dir: Some(at("linked-config")), ..Places::default() };
    assert!(
        write(&at("config/report.html"), MARK, true, &linked).is_err(),
        "the folder's own path is a link"
    );
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused() {
    let (folder, places) = world();
    let path = folder.path().join("work/socket.html");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let refused = write(&path, MARK, true, &places).unwrap_err();
    assert!(refused.ends_with("is no file"), "{refused}");
}
