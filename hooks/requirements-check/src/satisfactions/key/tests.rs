//! File names, and never two keys on one of them.

use proptest::prelude::*;

use super::{Key, MAX_NAME, hash_of};

fn branch(name: &str) -> Key {
    Key::Branch(name.to_owned())
}

#[test]
fn a_file_is_called_like_its_branch_and_by_a_hash() {
    for (name, slug) in
        [("main", "main"), ("feature/auth", "feature-auth"), ("v1.2", "v1_2"), ("../../etc", "__-__-etc")]
    {
        assert_eq!(branch(name).file_name(), format!("{slug}.{}.json", hash_of(name)));
    }
    assert!(Key::Permanent.file_name().starts_with("permanent."));
    assert_ne!(branch("permanent").file_name(), Key::Permanent.file_name());
    assert!(branch(&"ü".repeat(MAX_NAME)).file_name().len() <= MAX_NAME);
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
        let name = branch(&label).file_name();
        prop_assert_eq!(std::path::Path::new(&name).file_name(), Some(std::ffi::OsStr::new(&name)));
        prop_assert!(!name.contains(['/', '\\', '\0', ':']) && name.len() <= MAX_NAME, "{}", name);
    }

    #[test]
    fn a_name_is_nobody_elses(one in "[a-c/.-]{0,4}", other in "[a-c/.-]{0,4}") {
        prop_assert_eq!(branch(&one).file_name() == branch(&other).file_name(), one == other);
    }
}
