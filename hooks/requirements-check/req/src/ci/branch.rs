//! Which branch is judged, by its short name. CI systems check out a commit and say its branch in a variable, some of them as
//! a reference or with the remote before it.

use git2::Branch;

/// When a variable names a branch.
#[derive(Debug, Clone, Copy)]
enum When {
    /// Where it is set.
    Always,
    /// Where that other one begins so, or is not set.
    Begins(&'static str, &'static str),
    /// Where that other one is not set.
    Without(&'static str),
}

/// The variables, of each system first that of pull requests: the branch that is to be merged.
const VARIABLES: [(&str, When); 15] = [
    // GitHub Actions. The second one is a tag's name, or `7/merge`, where the reference is not under refs/heads.
    ("GITHUB_HEAD_REF", When::Always),
    ("GITHUB_REF_NAME", When::Begins("GITHUB_REF", "refs/heads/")),
    // GitLab.
    ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", When::Always),
    ("CI_COMMIT_BRANCH", When::Always),
    ("BITBUCKET_BRANCH", When::Always),
    ("BUILDKITE_BRANCH", When::Always),
    ("CIRCLE_BRANCH", When::Always),
    // Azure Pipelines: references.
    ("SYSTEM_PULLREQUEST_SOURCEBRANCH", When::Always),
    ("BUILD_SOURCEBRANCH", When::Begins("BUILD_SOURCEBRANCH", "refs/heads/")),
    // Travis: the second one is the target of a pull request, or a tag.
    ("TRAVIS_PULL_REQUEST_BRANCH", When::Always),
    ("TRAVIS_BRANCH", When::Without("TRAVIS_TAG")),
    ("DRONE_SOURCE_BRANCH", When::Always),
    // Jenkins: the second one is `PR-7` or a tag, too; the third one has the remote before it.
    ("CHANGE_BRANCH", When::Always),
    ("BRANCH_NAME", When::Without("TAG_NAME")),
    ("GIT_BRANCH", When::Without("TAG_NAME")),
];

/// The branch, and the variable that names it. `remotes` are those of the clone.
pub(super) fn of_variables(
    remotes: &[String],
    variable: impl Fn(&str) -> Option<String>,
) -> Option<(String, &'static str)> {
    let counts = |when: When| match when {
        When::Always => true,
        When::Begins(other, start) => variable(other).is_none_or(|value| value.starts_with(start)),
        When::Without(other) => variable(other).is_none(),
    };
    let named = |name: &str| variable(name).and_then(|value| short(&value, remotes));
    VARIABLES.into_iter().filter(|(_, when)| counts(*when)).find_map(|(name, _)| Some((named(name)?, name)))
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
        for (name, _) in VARIABLES {
            let value = if name == "BUILD_SOURCEBRANCH" { "refs/heads/feature" } else { "feature" };
            assert_eq!(told(&[(name, value)]), Some(("feature".to_owned(), name)));
        }
        assert_eq!(told(&[("BRANCH", "feature"), ("CI", "true")]), None);
    }

    #[test]
    fn of_a_pull_request_it_is_the_branch_that_is_to_be_merged() {
        let github = [
            ("GITHUB_HEAD_REF", "feature"),
            ("GITHUB_REF_NAME", "7/merge"),
            ("GITHUB_REF", "refs/pull/7/merge"),
        ];
        assert_eq!(told(&github).unwrap().0, "feature");
        let gitlab = [("CI_COMMIT_BRANCH", "main"), ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "feature")];
        assert_eq!(told(&gitlab).unwrap().0, "feature");
        let azure = [
            ("BUILD_SOURCEBRANCH", "refs/pull/7/merge"),
            ("SYSTEM_PULLREQUEST_SOURCEBRANCH", "refs/heads/feature"),
        ];
        assert_eq!(told(&azure).unwrap().0, "feature");
        let travis = [("TRAVIS_BRANCH", "main"), ("TRAVIS_PULL_REQUEST_BRANCH", "feature")];
        assert_eq!(told(&travis).unwrap().0, "feature");
        let jenkins = [("BRANCH_NAME", "PR-7"), ("CHANGE_BRANCH", "feature"), ("GIT_BRANCH", "PR-7")];
        assert_eq!(told(&jenkins).unwrap().0, "feature");
    }

    #[test]
    fn a_tag_and_a_pull_request_without_a_branch_are_none() {
        for reference in ["refs/tags/v1", "refs/pull/7/merge"] {
            assert_eq!(told(&[("GITHUB_REF_NAME", "main"), ("GITHUB_REF", reference)]), None);
            assert_eq!(told(&[("BUILD_SOURCEBRANCH", reference)]), None);
        }
        assert_eq!(told(&[("BRANCH_NAME", "v1"), ("GIT_BRANCH", "v1"), ("TAG_NAME", "v1")]), None);
        assert_eq!(told(&[("TRAVIS_BRANCH", "v1"), ("TRAVIS_TAG", "v1")]), None);
        let pushed = [("GITHUB_REF_NAME", "main"), ("GITHUB_REF", "refs/heads/main")];
        assert_eq!(told(&pushed).unwrap().0, "main");
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
            ("", Err("is empty")),
            (" ", Err("is empty")),
            ("refs/tags/v1", Err("no branch can be called so")),
            ("refs/heads/", Err("no branch can be called so")),
            ("origin/", Err("no branch can be called so")),
            ("a b", Err("no branch can be called so")),
            ("HEAD", Err("no branch can be called so")),
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
