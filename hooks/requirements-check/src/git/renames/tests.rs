//! A moved file is found again as git finds it.

use git2::ObjectType;

use super::super::repository::{EXECUTABLE, LINK, REGULAR};
use super::*;

fn file(path: &str, mode: u32, content: &str) -> Moved {
    let stored = Stored { id: Oid::hash_object(ObjectType::Blob, content.as_bytes()).unwrap(), mode };
    let chunks = chunks(content.as_bytes(), true);
    Moved { path: path.into(), stored, bytes: content.len() as u64, chunks }
}

/// Ten lines of ten bytes, the first `other` of them replaced.
fn lines(other: usize) -> String {
    (0..10).fold(String::new(), |text, line| {
        text + if line < other { "other " } else { "line " } + &format!("{line:04}\n")
    })
}

#[test]
fn equal_files_are_paired_once_and_by_name_where_they_can_be() {
    let gone = [file("a/x", REGULAR, "1"), file("a/y", REGULAR, "1"), file("a/l", LINK, "2")];
    let added = [
        file("b/y", EXECUTABLE, "1"),
        file("b/z", REGULAR, "1"),
        file("b/w", REGULAR, "1"),
        file("b/l", REGULAR, "2"),
    ];
    assert_eq!(equal(&added, &gone), [(0, 1), (1, 0)]);
}

#[test]
fn half_of_the_content_is_enough_and_less_is_not() {
    let gone = [file("a", REGULAR, &lines(0))];
    for (other, paired) in [(0, true), (4, true), (6, false), (10, false)] {
        let added = [file("b", REGULAR, &lines(other))];
        assert_eq!(!similar(&added, &gone).is_empty(), paired, "{other} lines differ");
    }
}

#[test]
fn the_most_similar_is_taken_and_each_only_once() {
    let gone = [file("a", REGULAR, &lines(3)), file("b", REGULAR, &lines(0))];
    let added = [file("c", REGULAR, &lines(1)), file("d", REGULAR, &lines(2))];
    let pairs: HashMap<usize, usize> = similar(&added, &gone).into_iter().collect();
    assert_eq!(pairs, HashMap::from([(0, 1), (1, 0)]));
}

#[test]
fn a_file_that_kept_its_name_goes_first() {
    let gone = [file("a/kept", REGULAR, &lines(2)), file("a/other", REGULAR, &lines(0))];
    let added = [file("b/kept", REGULAR, &lines(1))];
    assert_eq!(similar(&added, &gone), [(0, 0)]);
}

#[test]
fn links_and_empty_files_are_like_nothing_else() {
    let gone = [file("a", LINK, "target"), file("b", REGULAR, "")];
    let added = [file("c", LINK, "target2"), file("d", REGULAR, "")];
    assert!(similar(&added, &gone).is_empty());
}
