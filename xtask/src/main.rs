//! `cargo xtask <verb>`.
fn main() {}
