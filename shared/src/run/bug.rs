//! The end of a panic.

use super::write_entry;
use crate::hook::Hook;
use crate::host::{Host, Places};
use crate::journal::Entry;

/// A panic is a bug, and the session must not pay for it: exit 0 with nothing on stdout, and a line in the journal.
#[expect(clippy::exit, reason = "with panic = abort this is the only way to end with status 0")]
pub(super) fn fail_open_on_panic<H: Hook>(host: &Host) {
    let host = host.clone();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(|place| format!("panicked at {}:{}", place.file(), place.line()));
        let places = Places::resolve(&host.environment, host.cwd().as_deref());
        if let Some(store) = places.open_store() {
            let entry = Entry { what: "error", text: place.as_deref(), ..Entry::default() };
            write_entry::<H>(&store, &host, &places, &entry);
        }
        std::process::exit(0);
    }));
}
