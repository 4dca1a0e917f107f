//! Which branch a detached HEAD stands for: CI systems check out a commit and say its branch in a variable.

/// The variables, each with one that says what else it may be: it counts only where that one begins so, or is not set.
const VARIABLES: [(&str, Option<(&str, &str)>); 7] = [
    // Of pull requests: the branch that is to be merged.
    ("GITHUB_HEAD_REF", None),
    // A tag's name, or `7/merge`, where the reference is not under refs/heads.
    ("GITHUB_REF_NAME", Some(("GITHUB_REF", "refs/heads/"))),
    ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", None),
    ("CI_COMMIT_BRANCH", None),
    ("BITBUCKET_BRANCH", None),
    ("BUILDKITE_BRANCH", None),
    ("CIRCLE_BRANCH", None),
];

/// The branch, and the variable that names it.
pub(super) fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Option<(String, &'static str)> {
    let is_branch =
        |(beside, start): (&str, &str)| variable(beside).is_none_or(|value| value.starts_with(start));
    VARIABLES
        .into_iter()
        .filter(|(_, beside)| beside.is_none_or(is_branch))
        .find_map(|(name, _)| Some((variable(name)?, name)))
}

#[cfg(test)]
mod tests {
    use super::of_variables;

    fn named(variables: &[(&str, &str)]) -> Option<(String, &'static str)> {
        of_variables(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn each_system_names_the_branch_in_its_own_variable() {
        for name in [
            "GITHUB_HEAD_REF",
            "GITHUB_REF_NAME",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
            "CI_COMMIT_BRANCH",
            "BITBUCKET_BRANCH",
            "BUILDKITE_BRANCH",
            "CIRCLE_BRANCH",
        ] {
            assert_eq!(named(&[(name, "feature")]), Some(("feature".to_owned(), name)));
        }
        assert_eq!(named(&[("BRANCH", "feature"), ("CI", "true")]), None);
    }

    #[test]
    fn of_a_pull_request_it_is_the_branch_that_is_to_be_merged() {
        let github = [
            ("GITHUB_HEAD_REF", "feature"),
            ("GITHUB_REF_NAME", "7/merge"),
            ("GITHUB_REF", "refs/pull/7/merge"),
        ];
        assert_eq!(named(&github).unwrap().0, "feature");
        let gitlab = [("CI_COMMIT_BRANCH", "main"), ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "feature")];
        assert_eq!(named(&gitlab).unwrap().0, "feature");
    }

    #[test]
    fn a_tag_and_a_pull_request_without_a_branch_are_none() {
        for reference in ["refs/tags/v1", "refs/pull/7/merge"] {
            assert_eq!(named(&[("GITHUB_REF_NAME", "main"), ("GITHUB_REF", reference)]), None);
        }
        let pushed = [("GITHUB_REF_NAME", "main"), ("GITHUB_REF", "refs/heads/main")];
        assert_eq!(named(&pushed).unwrap().0, "main");
    }
}
