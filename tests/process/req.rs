//! The command line `req`: the real binary, as Claude's shell, a script and a person run it.

mod check;
mod ci;
mod completions;
mod config;
mod desk;
mod doctor;
mod hooks;
mod init;
mod installed;
mod json;
mod log;
mod marks;
mod pause;
mod places;
mod usage;
mod why;
