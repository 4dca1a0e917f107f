//! Where the line is printed: how wide, and whether in colours.

use shared::host::Host;

/// Where nobody says how wide it is.
const DEFAULT_COLUMNS: usize = 80;

/// The client keeps so many columns beside the line for itself.
const MARGIN: usize = 4;

/// So many columns the line may take, at least one.
pub(super) fn columns(host: &Host) -> usize {
    let said = host
        .variable("COLUMNS")
        .and_then(|columns| columns.trim().parse().ok())
        .filter(|columns| *columns > 0);
    said.or_else(of_terminal).unwrap_or(DEFAULT_COLUMNS).saturating_sub(MARGIN).max(1)
}

/// It may be coloured: see <https://no-color.org>.
pub(super) fn takes_colours(host: &Host) -> bool {
    host.variable("NO_COLOR").is_none() && host.variable("TERM").as_deref() != Some("dumb")
}

/// The client reads our output from a pipe; the terminal is still the process's own.
#[cfg(unix)]
fn of_terminal() -> Option<usize> {
    let terminal = std::fs::File::open("/dev/tty").ok()?;
    let size = rustix::termios::tcgetwinsize(&terminal).ok()?;
    (size.ws_col > 0).then(|| size.ws_col.into())
}

#[cfg(not(unix))]
fn of_terminal() -> Option<usize> {
    None
}
