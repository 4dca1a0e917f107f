//! Where a path belongs, read from the files that git leaves.

use super::super::tests::Sandbox;
use super::*;

#[test]
fn reads_what_head_says() {
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let branch = |name: &str| Some(Key::Branch(name.to_owned()));
    for (text, expected) in [
        ("ref: refs/heads/main", branch("main")),
        ("ref:refs/heads/feature/auth", branch("feature/auth")),
        ("ref:\trefs/heads/ünï", branch("ünï")),
        (commit, Some(Key::Detached(commit.to_owned()))),
        ("ref: refs/heads/.invalid", None),
        ("ref: refs/heads/", None),
        ("ref: refs/heads/a//b", None),
        ("ref: refs/heads/../x", None),
        ("ref: refs/heads/a\tb", None),
        ("ref: refs/remotes/origin/main", None),
        ("ref: ", None),
        ("0123456", None),
        ("garbage", None),
    ] {
        assert_eq!(parse_head(text), expected, "{text}");
    }
}

#[test]
fn finds_the_work_tree_of_files_that_do_not_exist_yet() {
    let sandbox = Sandbox::with_commit();
    let root = sandbox.path("").canonicalize().unwrap();
    for path in ["", "first.txt", "no/such/folder/file.rs", "no/../other.rs"] {
        let found = Worktree::find(&sandbox.path(path)).unwrap().unwrap();
        let git_dir = root.join(".git");
        assert_eq!(found, Worktree { root: root.clone(), common_dir: git_dir.clone(), git_dir }, "{path}");
    }
    assert_eq!(sandbox.worktree().head(), Ok(Key::Branch("main".to_owned())));
}

#[test]
fn outside_of_any_there_is_none() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.beside("plain/.git")).unwrap();
    assert_eq!(Worktree::find(&sandbox.beside("plain/x")), Ok(None), "an empty .git is no repository");
}

#[test]
fn linked_worktrees_have_their_own_head_and_share_the_rest() {
    let sandbox = Sandbox::with_commit();
    let linked = sandbox.beside("linked");
    sandbox.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let found = Worktree::find(&linked.join("new.txt")).unwrap().unwrap();
    assert_eq!((&found.root, &found.common_dir), (&linked, &sandbox.worktree().common_dir));
    assert_eq!(found.head(), Ok(Key::Branch("side".to_owned())));
    assert_eq!(sandbox.worktree().head(), Ok(Key::Branch("main".to_owned())));
}

#[test]
fn submodules_are_work_trees_of_their_own() {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["clone", "--quiet", ".", sandbox.beside("other").to_str().unwrap()]);
    sandbox.git(&["submodule", "--quiet", "add", sandbox.beside("other").to_str().unwrap(), "sub"]);
    let found = Worktree::find(&sandbox.path("sub/first.txt")).unwrap().unwrap();
    assert_eq!(found.root, sandbox.path("sub"));
    assert_eq!(found.common_dir, sandbox.path(".git/modules/sub"));
}

#[test]
fn a_linked_folder_belongs_where_it_really_lies() {
    let (one, other) = (Sandbox::with_commit(), Sandbox::with_commit());
    std::os::unix::fs::symlink(other.path(""), one.path("link")).unwrap();
    let found = Worktree::find(&one.path("link/new.txt")).unwrap().unwrap();
    assert_eq!(found, other.worktree());
}

#[test]
fn a_linked_head_is_read_as_old_repositories_have_it() {
    let sandbox = Sandbox::with_commit();
    fs::remove_file(sandbox.path(".git/HEAD")).unwrap();
    std::os::unix::fs::symlink("refs/heads/main", sandbox.path(".git/HEAD")).unwrap();
    assert_eq!(sandbox.worktree().head(), Ok(Key::Branch("main".to_owned())));
}

#[test]
fn a_head_that_is_not_understood_is_an_error_that_names_the_file() {
    let sandbox = Sandbox::with_commit();
    for text in ["", "ref: refs/heads/.invalid\n", "two\nlines\n", &"x".repeat(10_000)] {
        fs::write(sandbox.path(".git/HEAD"), text).unwrap();
        let error = sandbox.worktree().head().unwrap_err().to_string();
        assert!(error.starts_with(sandbox.path(".git/HEAD").to_str().unwrap()), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_of_gits_is_an_error_and_not_waited_for() {
    use std::process::Command;
    for name in ["HEAD", "index", "config", "packed-refs"] {
        let sandbox = Sandbox::with_commit();
        let file = sandbox.path(".git").canonicalize().unwrap().join(name);
        let _ = fs::remove_file(&file);
        assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
        assert_eq!(first_line(&file), None, "{name}");
        let error = Worktree::find(&sandbox.path("x")).unwrap_err();
        assert!(matches!(&error, GitError::Final(why) if why.starts_with(file.to_str().unwrap())), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn answers_at_once_where_a_pipe_or_a_folder_stands_for_a_file_of_rules() {
    use std::process::Command;
    for name in [".gitignore", ".gitattributes", ".git/info/exclude", ".git/info/attributes"] {
        for is_pipe in [true, false] {
            let sandbox = Sandbox::with_commit();
            let file = sandbox.path("").canonicalize().unwrap().join(name);
            let _ = fs::remove_file(&file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            if is_pipe {
                assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
            } else {
                fs::create_dir(&file).unwrap();
            }
            let worktree = sandbox.worktree();
            assert_eq!(worktree.head(), Ok(Key::Branch("main".to_owned())), "{name}");
            let begun = std::time::Instant::now();
            let request = super::super::SizeRequest {
                base: None,
                exclude: Vec::new(),
                own: super::super::Own::default(),
            };
            let odd = worktree.check_rules().unwrap_err();
            assert!(odd.to_string().starts_with(file.to_str().unwrap()), "{odd}");
            assert_eq!(super::super::count(&worktree, request, None), Err(odd.clone()), "{name}");
            assert_eq!(super::super::take(&worktree, None, &super::super::Own::default()).err(), Some(odd));
            assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn finds_the_work_tree_of_a_path_longer_than_any_system_opens() {
    let sandbox = Sandbox::with_commit();
    let long = sandbox.path(&"a/".repeat(50_000));
    let begun = std::time::Instant::now();
    assert_eq!(Worktree::find(&long).unwrap(), Some(sandbox.worktree()));
    assert!(crate::paths::real(&long).starts_with(&sandbox.worktree().root));
    assert!(begun.elapsed() < std::time::Duration::from_secs(5));
}

#[test]
fn a_pointer_to_nowhere_is_an_error() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.beside("lost")).unwrap();
    fs::write(sandbox.beside("lost/.git"), "gitdir: /no/such/folder\n").unwrap();
    assert!(matches!(Worktree::find(&sandbox.beside("lost")), Err(GitError::Other(_))));
}

/// The local branches, and what work trees have out though it is no branch.
fn heads(worktree: &Worktree) -> Vec<String> {
    worktree.heads().unwrap().iter().map(|key| key.label().into_owned()).collect()
}

#[test]
fn the_heads_are_the_local_branches_packed_or_not_and_what_is_out() {
    let sandbox = Sandbox::new();
    assert_eq!(heads(&sandbox.worktree()), ["main"], "before the first commit");
    sandbox.commit();
    sandbox.git(&["branch", "feature/auth"]);
    sandbox.git(&["pack-refs", "--all"]);
    sandbox.git(&["branch", "loose"]);
    sandbox.git(&["tag", "v1"]);
    sandbox.git(&["update-ref", "refs/remotes/origin/theirs", "HEAD"]);
    assert_eq!(heads(&sandbox.worktree()), ["feature/auth", "loose", "main"]);
    sandbox.git(&["branch", "--delete", "loose"]);
    let linked = sandbox.beside("linked");
    sandbox.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    let commit = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let all = ["feature/auth".to_owned(), "main".to_owned(), format!("detached at {commit}")];
    assert_eq!(heads(&sandbox.worktree()), all);
    assert_eq!(heads(&Worktree::find(&linked).unwrap().unwrap()), all, "the same from there");
    fs::write(sandbox.path(".git/HEAD"), "garbage").unwrap();
    assert!(sandbox.worktree().heads().is_err(), "what cannot be read may be anything");
}
