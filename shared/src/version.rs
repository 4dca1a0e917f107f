//! Which build this is: its own version, and that of the files it keeps. Both stand in the program as text, so that the tests
//! make a later build out of a copy of the file: compiling every hook once more would cost them minutes.

use std::hint::black_box;

/// The stamp begins so. No other text of a program does.
const MARK: &[u8] = b"\0barbless-stamp\0";

/// So long is the number of the envelope's version, in digits, with spaces behind it.
const NUMBER: usize = 4;

const LENGTH: usize = 48;

/// The version that state files are written with. Raised when a field is added, because an older writer would drop it.
const OF_STATE: u8 = b'1';

static STAMP: [u8; LENGTH] = stamp(env!("CARGO_PKG_VERSION").as_bytes());

const fn stamp(version: &[u8]) -> [u8; LENGTH] {
    let mut stamp = [b' '; LENGTH];
    let mut at = 0;
    while at < MARK.len() {
        stamp[at] = MARK[at];
        at += 1;
    }
    stamp[at] = OF_STATE;
    at += NUMBER;
    let mut digit = 0;
    while digit < version.len() {
        stamp[at + digit] = version[digit];
        digit += 1;
    }
    stamp
}

/// What stands in the file, not what the compiler knows of it.
fn field(start: usize, end: usize) -> &'static str {
    let stamp: &'static [u8; LENGTH] = black_box(&STAMP);
    let bytes = stamp.get(start..end).unwrap_or_default();
    std::str::from_utf8(bytes).unwrap_or_default().trim_end()
}

/// The version of this build, such as `0.1.0`.
#[must_use]
pub fn ours() -> &'static str {
    field(MARK.len() + NUMBER, LENGTH)
}

/// The version its state files are written with; a file of a higher one is a newer build's.
pub(crate) fn of_state() -> u32 {
    field(MARK.len(), MARK.len() + NUMBER).parse().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::{LENGTH, of_state, ours, stamp};

    #[test]
    fn a_build_knows_its_own_version_and_that_of_its_files() {
        assert_eq!(ours(), env!("CARGO_PKG_VERSION"));
        assert_eq!(of_state(), 1);
    }

    #[test]
    fn a_long_version_has_room() {
        let long = stamp(b"100.100.100-alpha.100");
        assert_eq!(long.len(), LENGTH);
        assert!(long.ends_with(b"100.100.100-alpha.100       "));
    }
}
