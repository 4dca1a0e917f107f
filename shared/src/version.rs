//! The version of this build.

/// The version of this build, such as `0.1.0`.
pub const fn ours() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
