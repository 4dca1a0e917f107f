//! `req doctor`: the installer's engine looks; here is only how it is asked and told.

use installer::doctor::{self, Report, managed_settings};
use shared::host::Host;

use crate::command::Reply;
use crate::command::arguments::Doctor;

pub(super) fn doctor(wanted: &Doctor) -> Result<Reply, String> {
    let report = doctor::run(&Host::real(), wanted.fix, &managed_settings())
        .map_err(|error| format!("req: {error:#}"))?;
    let text = if wanted.json { json(&report)? } else { report.to_string() };
    Ok(Reply { text, is_no: !report.ok, is_report: true, ..Reply::default() })
}

fn json(report: &Report) -> Result<String, String> {
    serde_json::to_string_pretty(report).map_err(|error| format!("req: {error}"))
}
