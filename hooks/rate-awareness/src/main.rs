//! The hook's binary. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    rate_awareness::main()
}
