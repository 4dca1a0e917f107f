//! File names: the original tool's where they are to be had, and never two keys on one name of their own.

use proptest::prelude::*;

use super::{Key, MAX_NAME, hash_of};

fn branch(name: &str) -> Key {
    Key::Branch(name.to_owned())
}

#[test]
fn branches_have_the_original_tools_names() {
    for (name, expected) in [
        ("main", "main.json"),
        ("feature/auth", "feature-auth.json"),
        ("a\\b", "a-b.json"),
        ("fix_1-2", "fix_1-2.json"),
        ("v1.2", "v1_2.json"),
        ("ünï/x@y", "ünï-x_y.json"),
        ("../../etc", "__-__-etc.json"),
        (&"x".repeat(MAX_NAME), &format!("{}.json", "x".repeat(MAX_NAME))),
    ] {
        assert_eq!(branch(name).names().plain, expected, "{name}");
    }
}

#[test]
fn the_rest_has_names_that_say_what_they_are() {
    assert_eq!(Key::Permanent.names().plain, "permanent.json");
    assert_eq!(Key::NoGit.names().plain, "no-git.json");
    assert_eq!(Key::Detached("0a1b".to_owned()).names().plain, "detached-0a1b.json");
}

#[test]
fn a_branch_gets_a_name_with_a_hash_where_the_plain_one_is_not_to_be_had() {
    let long = "ü".repeat(MAX_NAME);
    for name in ["permanent", "Permanent", "", &long] {
        let names = branch(name).names();
        assert_eq!(names.plain, names.own, "{name}");
        assert!(names.own.ends_with(&format!(".{}.json", hash_of(name))), "{names:?}");
        assert!(names.own.len() <= MAX_NAME, "{names:?}");
    }
    assert_ne!(branch("permanent").names().plain, Key::Permanent.names().plain);
}

#[test]
fn branches_that_share_a_plain_name_have_names_of_their_own() {
    let (slash, dash) = (branch("feature/x").names(), branch("feature-x").names());
    assert_eq!(slash.plain, dash.plain);
    assert_ne!(slash.own, dash.own);
    assert_eq!(slash.own, branch("feature/x").names().own, "the same one each time");
}

#[test]
fn a_label_leads_back_to_its_key() {
    let detached = Key::Detached("0a1b".to_owned());
    for key in
        [branch("feature/x"), branch("detached-0a1b"), branch("no-git"), detached, Key::NoGit, Key::Permanent]
    {
        assert_eq!(Key::of_label(&key.label()), key);
    }
}

proptest! {
    #[test]
    fn a_name_stays_in_the_folder_and_is_one_component(label in any::<String>()) {
        let names = branch(&label).names();
        for name in [&names.plain, &names.own] {
            prop_assert_eq!(std::path::Path::new(name).file_name(), Some(std::ffi::OsStr::new(name)));
            prop_assert!(!name.contains(['/', '\\', '\0', ':']));
            prop_assert!(name.len() <= MAX_NAME + ".json".len(), "{name}");
        }
    }

    #[test]
    fn a_name_of_its_own_is_nobody_elses(one in "[a-c/.-]{0,4}", other in "[a-c/.-]{0,4}") {
        prop_assume!(one != other);
        let (one, other) = (branch(&one).names(), branch(&other).names());
        prop_assert_ne!(&one.own, &other.own);
        prop_assert_ne!(&one.own, &other.plain);
    }
}
