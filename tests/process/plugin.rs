//! The plugin without a client: its copy of a hook beside the one that settings start, what its texts tell people and Claude to
//! type, and the package that holds it.

mod package;
mod texts;
#[cfg(unix)]
mod twice;
