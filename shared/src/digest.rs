//! Short names of long texts: the beginning of a SHA-256.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The first so many bytes of the digest, at most 32, in hexadecimal digits.
pub fn hex(bytes: impl AsRef<[u8]>, length: usize) -> String {
    Sha256::digest(bytes).iter().take(length).fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// The first eight bytes of the digest as a number.
pub fn number(bytes: impl AsRef<[u8]>) -> u64 {
    Sha256::digest(bytes).iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}
