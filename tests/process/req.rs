//! The command line `req`: the real binary, as Claude's shell, a script and a person run it.

mod check;
mod desk;
mod listing;
mod marks;
mod places;
mod status;
mod usage;
