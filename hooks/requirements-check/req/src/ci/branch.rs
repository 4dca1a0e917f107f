//! Which branch is judged, by its short name. CI systems check out a commit and say its branch in a variable, some of them as
//! a reference or with the remote before it.

use git2::Branch;

/// The variables, of each system first that of pull requests: the branch that is to be merged.
const VARIABLES: [&str; 15] = [
    // GitHub: the second one is a reference, of a tag or a pull request, too.
    "GITHUB_HEAD_REF",
    "GITHUB_REF",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_COMMIT_BRANCH",
    "BITBUCKET_BRANCH",
    "BUILDKITE_BRANCH",
    "CIRCLE_BRANCH",
    "SYSTEM_PULLREQUEST_SOURCEBRANCH",
    "BUILD_SOURCEBRANCH",
    // Travis: the second one is the target of a pull request.
    "TRAVIS_PULL_REQUEST_BRANCH",
    "TRAVIS_BRANCH",
    "DRONE_SOURCE_BRANCH",
    // Jenkins: the second one is `PR-7`, too.
    "CHANGE_BRANCH",
    "BRANCH_NAME",
    "GIT_BRANCH",
];

/// Where one of these is set, the variables name a tag.
const TAGS: [&str; 2] = ["TRAVIS_TAG", "TAG_NAME"];

/// The branch, and the variable that names it. `remotes` are those of the clone.
pub(super) fn of_variables(
    remotes: &[String],
    variable: impl Fn(&str) -> Option<String>,
) -> Option<(String, &'static str)> {
    if TAGS.into_iter().any(|name| variable(name).is_some()) {
        return None;
    }
    let named = |name| Some((short(&variable(name)?, remotes)?, name));
    VARIABLES.into_iter().find_map(named)
}

/// The short name of the branch that `--branch` means.
///
/// # Errors
/// No branch can be called so; why, for whoever typed it.
pub(super) fn named(text: &str, remotes: &[String]) -> Result<String, String> {
    let shown: String = text.trim().chars().filter(|char| !char.is_control()).take(60).collect();
    short(text, remotes).ok_or_else(|| {
        if shown.is_empty() {
            "req: --branch is empty: name the branch that is judged, or leave --branch out".to_owned()
        } else {
            format!("req: --branch {shown}: no branch can be called so; name it as git branch shows it")
        }
    })
}

/// `main` of `main`, `refs/heads/main`, `refs/remotes/origin/main` and, where origin is a remote, `origin/main`. Another
/// reference is no branch.
fn short(text: &str, remotes: &[String]) -> Option<String> {
    let text = text.trim();
    let name = if let Some(name) = text.strip_prefix("refs/heads/") {
        name
    } else if let Some(rest) = text.strip_prefix("refs/remotes/") {
        behind_remote(rest, remotes).or_else(|| rest.split_once('/').map(|(_, name)| name))?
    } else {
        behind_remote(text, remotes).unwrap_or(text)
    };
    let is_branch = !name.starts_with("refs/") && Branch::name_is_valid(name).unwrap_or(false);
    is_branch.then(|| name.to_owned())
}

fn behind_remote<'a>(text: &'a str, remotes: &[String]) -> Option<&'a str> {
    remotes.iter().find_map(|remote| text.strip_prefix(remote.as_str())?.strip_prefix('/'))
}

#[cfg(test)]
mod tests {
    use super::{VARIABLES, named, of_variables};

    fn told(variables: &[(&str, &str)]) -> Option<(String, &'static str)> {
        of_variables(&["origin".to_owned()], |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn each_system_names_the_branch_in_its_own_variable() {
        for name in VARIABLES {
            assert_eq!(told(&[(name, "refs/heads/feature")]), Some(("feature".to_owned(), name)));
        }
        assert_eq!(told(&[("BRANCH", "feature"), ("CI", "true")]), None);
    }

    #[test]
    fn pull_requests_name_the_branch_that_is_to_be_merged_and_tags_none() {
        for (variables, expected) in [
            (&[("GITHUB_HEAD_REF", "feature"), ("GITHUB_REF", "refs/pull/7/merge")][..], Some("feature")),
            (
                &[("CI_COMMIT_BRANCH", "main"), ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "feature")],
                Some("feature"),
            ),
            (&[("TRAVIS_BRANCH", "main"), ("TRAVIS_PULL_REQUEST_BRANCH", "feature")], Some("feature")),
            (
                &[("BRANCH_NAME", "PR-7"), ("CHANGE_BRANCH", "feature"), ("GIT_BRANCH", "PR-7")],
                Some("feature"),
            ),
            (&[("GITHUB_REF", "refs/tags/v1")], None),
            (&[("BUILD_SOURCEBRANCH", "refs/pull/7/merge")], None),
            (&[("BRANCH_NAME", "v1"), ("TAG_NAME", "v1")], None),
            (&[("TRAVIS_BRANCH", "v1"), ("TRAVIS_TAG", "v1")], None),
        ] {
            assert_eq!(told(variables).map(|(branch, _)| branch).as_deref(), expected, "{variables:?}");
        }
    }

    #[test]
    fn however_a_branch_is_written_its_short_name_is_judged() {
        let remotes = ["origin".to_owned(), "their/fork".to_owned()];
        for (text, expected) in [
            ("main", Ok("main")),
            (" main\n", Ok("main")),
            ("release/1.0", Ok("release/1.0")),
            ("refs/heads/main", Ok("main")),
            ("refs/heads/origin/main", Ok("origin/main")),
            ("refs/remotes/origin/main", Ok("main")),
            ("refs/remotes/their/fork/release/1.0", Ok("release/1.0")),
            ("refs/remotes/gone/main", Ok("main")),
            ("origin/main", Ok("main")),
            ("upstream/main", Ok("upstream/main")),
            (" ", Err("is empty")),
            ("refs/tags/v1", Err("no branch can be called so")),
            ("origin/", Err("no branch can be called so")),
            ("a..b", Err("no branch can be called so")),
        ] {
            match (named(text, &remotes), expected) {
                (Ok(name), Ok(expected)) => assert_eq!(name, expected, "{text:?}"),
                (Err(why), Err(expected)) => assert!(why.contains(expected), "{text:?}: {why}"),
                (got, _) => panic!("{text:?}: {got:?}"),
            }
        }
        assert_eq!(told(&[("BUILDKITE_BRANCH", "refs/heads/main")]).unwrap().0, "main");
        assert_eq!(told(&[("GIT_BRANCH", "origin/main")]).unwrap().0, "main");
        assert_eq!(told(&[("BUILDKITE_BRANCH", " "), ("CIRCLE_BRANCH", "main")]).unwrap().1, "CIRCLE_BRANCH");
    }
}
