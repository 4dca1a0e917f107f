//! Which branch a branch is measured against, in every constellation of remotes.

use super::super::tests::Sandbox;
use super::*;

/// `origin` with `main`, and a clone of it that is on `feature`.
fn cloned() -> Sandbox {
    let sandbox = Sandbox::with_commit();
    let origin = sandbox.beside("origin");
    sandbox.git(&["clone", "--quiet", "--bare", ".", origin.to_str().unwrap()]);
    sandbox.git(&["remote", "add", "origin", origin.to_str().unwrap()]);
    sandbox.git(&["fetch", "--quiet", "origin"]);
    sandbox.git(&["switch", "--quiet", "--create=feature"]);
    sandbox.commit();
    sandbox
}

fn base(sandbox: &Sandbox, configured: Option<&str>) -> String {
    choose(&Repository::open(sandbox.path("")).unwrap(), configured).unwrap().name
}

#[test]
fn the_settings_come_first() {
    let sandbox = cloned();
    sandbox.git(&["branch", "release"]);
    sandbox.git(&["tag", "v1", "main"]);
    for name in ["release", "origin/main", "v1", "HEAD~1", "refs/heads/release"] {
        assert_eq!(base(&sandbox, Some(name)), name.trim_start_matches("refs/heads/"));
    }
    sandbox.git(&["branch", "--quiet", "--delete", "--force", "main"]);
    assert_eq!(base(&sandbox, Some("main")), "origin/main");
    let unknown = choose(&Repository::open(sandbox.path("")).unwrap(), Some("nowhere"));
    let why = "`nowhere` is no branch, tag or commit of this repository";
    assert_eq!(unknown.err().map(|error| error.to_string()).as_deref(), Some(why));
}

/// Each step changes the repository, and the base is another one.
#[test]
fn without_a_setting_the_upstream_then_the_remotes_default_then_a_usual_name_counts() {
    let sandbox = cloned();
    for (steps, expected) in [
        (&["branch develop main", "branch --quiet --set-upstream-to=develop"][..], "develop"),
        // An upstream of the same name is where the branch is pushed to.
        (&["push --quiet --set-upstream origin feature"], "main"),
        (
            &["push --quiet origin main:trunk", "fetch --quiet origin", "remote set-head origin trunk"],
            "origin/trunk",
        ),
        (&["remote set-head origin --delete"], "main"),
        (&["switch --quiet --detach"], "main"),
        (&["switch --quiet feature", "branch --move main master"], "master"),
        (&["branch --move master else"], "origin/main"),
        // On the base itself it is what its upstream lacks.
        (&["branch --move else main", "switch --quiet main"], "origin/main"),
        // Some other branch is never the base, and histories without a common commit are measured from HEAD.
        (&["switch --quiet --orphan other", "commit --quiet --allow-empty --message x"], "HEAD"),
    ] {
        for step in steps {
            sandbox.git(&step.split(' ').collect::<Vec<_>>());
        }
        assert_eq!(base(&sandbox, None), expected, "{steps:?}");
    }
    sandbox.git(&["switch", "--quiet", "main"]);
    assert_eq!(base(&sandbox, Some("main")), "origin/main", "the base itself, without an upstream");
    sandbox.git(&["branch", "--quiet", "--delete", "--remotes", "origin/main"]);
    assert_eq!(base(&sandbox, Some("main")), "HEAD", "what is not committed");
    sandbox.git(&["fetch", "--quiet", "origin"]);
    sandbox.git(&["branch", "--quiet", "--set-upstream-to=origin/main"]);
    assert_eq!(base(&sandbox, Some("main")), "origin/main");
}

#[test]
fn in_a_clone_that_lacks_the_base_or_the_way_to_it_there_is_none() {
    for depth in [&["--single-branch"][..], &["--depth=1"], &["--depth=1", "--no-single-branch"]] {
        let sandbox = cloned();
        for _ in 0..2 {
            sandbox.commit();
        }
        sandbox.git(&["push", "--quiet", "origin", "HEAD:feature"]);
        let (folder, origin) = (sandbox.beside("clone"), sandbox.beside("origin"));
        let from = format!("file://{}", origin.display());
        let last = ["--branch=feature", from.as_str(), folder.to_str().unwrap()];
        sandbox.git(&[&["clone", "--quiet"], depth, &last].concat());
        assert_eq!(choose(&Repository::open(&folder).unwrap(), None).unwrap().name, "HEAD");
    }
}
