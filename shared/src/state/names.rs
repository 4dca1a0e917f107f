//! File names from ids. A session id, branch or skill name never becomes a path separator.

use crate::digest;

/// Longer ids are hashed; leaves room for a prefix, a suffix and `.lock` in the 255 bytes a name may have.
pub const MAX_NAME: usize = 100;

/// The part of a file name that stands for `id`: the id itself if it is short and harmless, else a hash of it.
pub fn file_key(id: &str) -> String {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !id.is_empty() && id.len() <= MAX_NAME && id.bytes().all(harmless) {
        return id.to_owned();
    }
    format!("h.{}", digest::hex(id, 16))
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAME, file_key};

    #[test]
    fn a_hostile_id_becomes_a_name_without_separators() {
        let long = "x".repeat(MAX_NAME + 1);
        for id in ["../../escape", "a/b", "a\\b", "", ".", "..", "nul\0", "a b", "C:", "ünï", &long, "a\n"]
        {
            let key = file_key(id);
            assert!(key.starts_with("h.") && key.len() == 34, "{id:?} -> {key}");
            assert!(key[2..].bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
        }
    }
}
