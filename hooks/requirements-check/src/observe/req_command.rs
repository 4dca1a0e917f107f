//! How `req` is called in a shell here: the bare name, or the quoted path. It is looked up when a text needs it: that takes
//! more system calls than a call that is allowed may cost.

use std::cell::LazyCell;
use std::fmt;

use shared::hook::Context;

use crate::settings::Settings;

pub struct ReqCommand(LazyCell<String, Box<dyn FnOnce() -> String>>);

impl ReqCommand {
    pub(super) fn of(context: &Context<'_, Settings>) -> Self {
        let (host, places) = (context.host.clone(), context.places.clone());
        Self(LazyCell::new(Box::new(move || host.own_command("req", &places))))
    }
}

impl From<&'static str> for ReqCommand {
    fn from(command: &'static str) -> Self {
        Self(LazyCell::new(Box::new(|| command.to_owned())))
    }
}

impl Default for ReqCommand {
    fn default() -> Self {
        "req".into()
    }
}

impl fmt::Display for ReqCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for ReqCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("req")
    }
}
