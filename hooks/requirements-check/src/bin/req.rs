//! The command line's binary. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    requirements_check::req::main()
}
