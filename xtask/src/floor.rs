//! The least a process can cost: `cargo xtask bench` runs it beside each hook, built and linked like a hook.

fn main() {}
