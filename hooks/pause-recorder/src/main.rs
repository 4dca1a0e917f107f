//! The hook's binary. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    pause_recorder::main()
}
