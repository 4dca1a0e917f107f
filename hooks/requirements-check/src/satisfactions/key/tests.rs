//! File names, and never two keys on one of them.

use proptest::prelude::*;

use super::{Key, MAX_NAME};

fn branch(name: &str) -> Key {
    Key::Branch(name.to_owned())
}

#[test]
fn a_file_is_called_like_its_branch_and_a_label_leads_back_to_its_key() {
    for (key, slug) in [
        (branch("main"), "main"),
        (branch("feature/auth"), "feature-auth"),
        (branch("../../etc"), "__-__-etc"),
        (branch("permanent"), "permanent"),
        (Key::Permanent, "permanent"),
        (branch("detached-0a1b"), "detached-0a1b"),
        (Key::Detached("0a1b".to_owned()), "detached-0a1b"),
        (Key::NoGit, "no-git"),
    ] {
        assert!(key.file_name().starts_with(&format!("{slug}.")), "{}", key.file_name());
        assert_eq!(Key::of_label(&key.label()), key);
    }
    assert_ne!(branch("permanent").file_name(), Key::Permanent.file_name());
}

proptest! {
    #[test]
    fn a_name_is_one_component_and_nobody_elses(one in any::<String>(), other in "[a-c/.-]{0,4}") {
        let name = branch(&one).file_name();
        prop_assert_eq!(std::path::Path::new(&name).file_name(), Some(std::ffi::OsStr::new(&name)));
        prop_assert!(!name.contains(['/', '\\', '\0', ':']) && name.len() <= MAX_NAME, "{}", name);
        prop_assert_eq!(name == branch(&other).file_name(), one == other);
    }
}
