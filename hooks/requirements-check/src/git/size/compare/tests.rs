//! Files too large to be compared are counted as those that are not.

use super::*;

fn counted(content: &[u8], deadline: Option<Instant>) -> Counted {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), content).unwrap();
    count_on_disk(file.path(), is_text, deadline).unwrap()
}

#[test]
fn lines_on_disk_are_those_in_memory() {
    let long = "0123456789\n".repeat(20_000);
    for content in ["", "\n", "1", "1\n", "1\n2", "\n\n", &long, &format!("{long}end")] {
        let counted = counted(content.as_bytes(), None);
        assert_eq!((counted.lines, counted.is_all), (count_lines(content.as_bytes()), true));
    }
}

#[test]
fn at_the_deadline_there_are_at_least_the_lines_seen_so_far() {
    let content = "1\n".repeat(PIECE_BYTES);
    let counted = counted(content.as_bytes(), Some(Instant::now()));
    assert!(!counted.is_all && (1..=PIECE_BYTES).contains(&(counted.lines as usize)), "{counted:?}");
    assert_eq!(counted.against(b""), Change::AtLeast((counted.lines, 0)));
}

#[test]
fn binary_files_have_no_lines_on_disk_either() {
    assert_eq!(counted(b"a\0\n\n", None).against(b""), Change::Lines((0, 0)));
}

#[test]
fn against_an_old_file_the_difference_is_what_changed_at_least() {
    for (lines, is_all, change) in [
        (5, true, Change::AtLeast((3, 0))),
        (1, true, Change::AtLeast((0, 1))),
        (5, false, Change::AtLeast((3, 0))),
        (1, false, Change::AtLeast((0, 0))),
    ] {
        assert_eq!(Counted { lines, is_all, is_text: true }.against(b"1\n2\n"), change, "{lines} {is_all}");
    }
}

#[test]
fn the_less_time_there_is_the_less_is_read() {
    let left = |millis| Limits::until(Some(Instant::now() + Duration::from_millis(millis)));
    assert_eq!((left(20).read, left(20).unpack), (QUICK_BYTES, QUICK_BYTES));
    assert_eq!((left(600_000).read, left(600_000).unpack), (MAX_BYTES, COUNTED_BYTES));
    assert!(Limits::until(None).compare > left(600_000).compare);
}
