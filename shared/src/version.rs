//! The version of this build and of the files it keeps.

/// The version of this build, such as `0.1.0`.
pub const fn ours() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The version of state files. Raised when a field is added, because an older writer would drop that field.
pub(crate) const OF_STATE: u32 = 1;
