//! How `req` is called in a shell here: the bare name, or the quoted path. It is looked up when a text needs it: that takes
//! more system calls than a call that is allowed may cost.

use std::fmt;

use shared::hook::Context;
use shared::host::{Host, Places};

use crate::settings::Settings;

#[derive(Debug)]
pub enum ReqCommand {
    Known(&'static str),
    Here(Box<(Host, Places)>),
}

impl ReqCommand {
    pub(super) fn of(context: &Context<'_, Settings>) -> Self {
        Self::Here(Box::new((context.host.clone(), context.places.clone())))
    }
}

impl From<&'static str> for ReqCommand {
    fn from(command: &'static str) -> Self {
        Self::Known(command)
    }
}

impl Default for ReqCommand {
    fn default() -> Self {
        Self::Known("req")
    }
}

impl fmt::Display for ReqCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(command) => formatter.write_str(command),
            Self::Here(here) => formatter.write_str(&here.0.own_command("req", &here.1)),
        }
    }
}
