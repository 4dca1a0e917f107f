//! The life of requirements-check and `req` through real processes: calls are refused and let go, commands become evidence
//! and stop being it, marks hold where and as long as they should, turns end or do not, wherever the work is done.

mod evidence;
mod gates;
mod places;
mod robust;
mod scopes;
mod stop;
mod world;
mod written_evidence;
