//! requirements-check and `req` as real processes: calls are denied and allowed, commands become evidence and stop being it,
//! satisfactions count where and as long as they should, turns end or do not, wherever the work is done.

mod evidence;
mod gates;
mod places;
mod robust;
pub(crate) mod world;
