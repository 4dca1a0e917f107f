//! placeholder until the real file lands
use crate::host::Host;
/// x
#[derive(PartialEq, Eq)]
pub enum Standing { /// x
 Operator }
/// x
pub fn standing(_: &Host) -> Standing { Standing::Operator }
/// x
pub fn refusal(line: &str) -> String { line.to_owned() }
