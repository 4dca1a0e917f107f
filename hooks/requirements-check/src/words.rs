//! Times in words, for people.

/// A span in the largest unit that fits: `40 s`, `12 min`, `3 h`, `2 d`. A clock that went back counts as none.
pub(crate) fn age(secs: i64) -> String {
    match secs.max(0) {
        secs @ 0..=119 => format!("{secs} s"),
        secs @ 120..=7_199 => format!("{} min", secs / 60),
        secs @ 7_200..=172_799 => format!("{} h", secs / 3_600),
        secs => format!("{} d", secs / 86_400),
    }
}

/// The first so many characters, with a sign where some are left out.
pub(crate) fn cut(text: &str, max_chars: usize) -> String {
    let mut kept: String = text.chars().take(max_chars).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{age, cut};

    #[test]
    fn a_span_is_told_in_the_largest_unit_that_fits() {
        for (secs, words) in [
            (-5, "0 s"),
            (119, "119 s"),
            (120, "2 min"),
            (7_199, "119 min"),
            (7_200, "2 h"),
            (172_800, "2 d"),
        ] {
            assert_eq!(age(secs), words);
        }
    }

    #[test]
    fn what_is_left_out_shows() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüx", 3), "äöü…");
    }
}
