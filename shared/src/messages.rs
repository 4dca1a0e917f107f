//! Texts of the user's own in place of built-in ones. The built-in ones are config/messages, compiled into the hook.

use std::path::Path;

use crate::config::read_text;
use crate::host::{Host, Places, display_path};

/// A longer text is not read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// The user's own text in place of a built-in one: `file` is absolute, from `~`, or from the configuration folder.
///
/// # Errors
/// If it cannot be read; the path as a person reads it.
pub fn own_message(file: &Path, host: &Host, places: &Places) -> Result<String, String> {
    let home = host.environment.home.as_deref();
    let path = match (file.strip_prefix("~"), home, &places.config_dir) {
        (Ok(rest), Some(home), _) => home.join(rest),
        (Err(_), _, Some(dir)) => dir.join(file),
        _ => file.to_path_buf(),
    };
    read_text(&path, None, MAX_BYTES).map_err(|_| display_path(&path, home))
}
