//! `req ci` in a checkout: what counts as the branch's size, and against what.

use std::fs;
use std::path::PathBuf;

use git2::{Repository, RepositoryInitOptions, Signature};
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::operator::{Caller, Standing};

use super::ci;
use crate::location::Location;
use crate::verb::{Verb, parse_words};

const SIZE: &str = "requirements:\n  size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 10}}\n";

/// A checkout of a branch that begins at main.
struct Checkout {
    folder: tempfile::TempDir,
    repository: Repository,
}

impl Checkout {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut main = RepositoryInitOptions::new();
        let project = folder.path().join("project");
        let repository = Repository::init_opts(project, main.initial_head("main")).unwrap();
        let checkout = Self { folder, repository };
        checkout.write(".claude/requirements.yaml", SIZE);
        checkout.write("old.txt", &lines(40));
        checkout.commit();
        checkout.branch("feature");
        checkout
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project").join(file)
    }

    fn write(&self, file: &str, text: &str) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    fn commit(&self) {
        let mut index = self.repository.index().unwrap();
        index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();
        index.update_all(["*"], None).unwrap();
        let tree = self.repository.find_tree(index.write_tree().unwrap()).unwrap();
        index.write().unwrap();
        let parent = self.repository.head().ok().map(|head| head.peel_to_commit().unwrap());
        let who = Signature::now("a", "a@example.com").unwrap();
        let parents: Vec<_> = parent.iter().collect();
        self.repository.commit(Some("HEAD"), &who, &who, "x", &tree, &parents).unwrap();
    }

    fn branch(&self, name: &str) {
        let head = self.repository.head().unwrap().peel_to_commit().unwrap();
        self.repository.branch(name, &head, false).unwrap();
        self.repository.set_head(&format!("refs/heads/{name}")).unwrap();
    }

    fn says(&self, words: &str) -> String {
        let home = self.folder.path().canonicalize().unwrap();
        let project = self.path("");
        let environment =
            Environment { home: Some(home), project_dir: Some(project.clone()), ..Environment::default() };
        let now = Timestamp::from_secs(1_795_300_000);
        let host = Host { started: now, clock: Clock::Fixed(now), environment };
        let places = Places::resolve(&host.environment, Some(&project));
        let location = Location::of(host, places, None, Caller::Shell(Standing::NoTerminal)).unwrap();
        let words: Vec<String> = words.split_whitespace().map(ToOwned::to_owned).collect();
        let Verb::Ci(wanted) = parse_words(&words).unwrap() else { panic!("{words:?}") };
        ci(&wanted, &location).unwrap().text
    }
}

fn lines(count: u32) -> String {
    (0..count).map(|line| line.to_string() + "\n").collect()
}

#[test]
fn the_size_is_counted_over_all_commits_against_the_base_that_is_named() {
    let checkout = Checkout::new();
    checkout.write("new.txt", &lines(6));
    checkout.commit();
    assert!(checkout.says("ci").starts_with("met      size  6 changed lines against main"), "one commit");
    checkout.branch("middle");
    checkout.branch("later");
    checkout.write("other.txt", &lines(5));
    checkout.commit();
    for (words, expected) in [
        ("ci", "open     size  11 changed lines against main"),
        ("ci --base main", "open     size  11 changed lines against main"),
        ("ci --base middle", "met      size  5 changed lines against middle"),
        ("ci --base nowhere", "unknown  size  its size is not known: "),
    ] {
        let text = checkout.says(words);
        assert!(text.starts_with(expected), "{words}: {text}");
    }
}

#[test]
fn the_users_own_file_counts_where_it_is() {
    let checkout = Checkout::new();
    checkout.write("../.claude/requirements.yaml", "requirements: {size: {thresholds: {block: 3}}}\n");
    checkout.write("new.txt", &lines(6));
    checkout.commit();
    assert!(checkout.says("ci").starts_with("met "), "the project's file wins");
    let locked = "locked: [requirements.size]\n".to_owned() + &SIZE.replace("10", "3");
    checkout.write("../.claude/requirements.yaml", &locked);
    let text = checkout.says("ci");
    assert!(text.starts_with("open     size  6 changed lines against main, limit 3"), "{text}");
}
