//! `req hooks`: the installer's engine, for people without the source tree. It says itself what it does; what it refuses or
//! cannot do comes back here.

use std::process::ExitCode;

use installer::hooks::Command;
use shared::host::Host;

use super::failed;

pub(super) fn hooks(wanted: &Command) -> ExitCode {
    match installer::hooks::run(wanted, &Host::real()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => failed(&format!("req: {why:#}"), 1),
    }
}
