//! One sentence for people on why there is a delay, or none.

use crate::{Fit, Rules, Status, WindowPace, seconds, whole_seconds};

impl WindowPace {
    /// "5-hour limit: 62 % used, 52 % safe by now", with the forecast if it is over its line.
    pub fn place(&self, now: f64, rules: &Rules) -> String {
        let used = percent(self.reading.map_or(0.0, |reading| reading.used_percent));
        let age = self.reading.map_or(0, |reading| whole_seconds(now) - reading.at);
        let has_reset = self.reading.is_some_and(|reading| seconds(reading.resets_at) <= now);
        let text = match self.status {
            Status::Off => "off".to_owned(),
            Status::Unknown => "no reading yet".to_owned(),
            Status::Stale if has_reset => "no reading since the reset".to_owned(),
            Status::Stale if age < 0 => "the reading is from the future".to_owned(),
            Status::Stale => format!("{used} used, but the reading is {} old", duration(age)),
            Status::Ok => format!("{used} used, {} safe by now", self.safe()),
            Status::Over => format!("{used} used, {} safe by now{}", self.safe(), self.forecast(now, rules)),
        };
        format!("{}: {text}", self.window.name())
    }

    fn safe(&self) -> String {
        percent(self.line.safe_percent)
    }

    /// The forecast of a window over its line, and why nothing waits all the same.
    fn forecast(&self, now: f64, rules: &Rules) -> String {
        let Some(Fit { expected, fitting, waits_above, .. }) = self.fit else { return String::new() };
        let why = match rules.calendar.is_quiet(now) {
            _ if self.delay_secs > 0.0 => String::new(),
            true => "; nothing waits in quiet_hours".to_owned(),
            false if expected > waits_above => "; a delay would be too short".to_owned(),
            false if expected <= fitting => "; nothing waits".to_owned(),
            false => {
                format!("; calls wait once {waits_above:.0} are expected, because the forecast is uncertain")
            }
        };
        format!("; about {expected:.0} calls expected until the reset, {fitting:.0} fit{why}")
    }

    /// "5-hour limit: 62 % used at 14:10; at this pace it would end at Wed 15:05, 55 min before it resets".
    pub fn why(&self, now: f64, rules: &Rules) -> String {
        let (name, calendar) = (self.window.name(), &rules.calendar);
        let Some(reading) = self.reading else { return name.to_owned() };
        let (at, resets_at) = (whole_seconds(now), reading.resets_at);
        let resets = calendar.said(resets_at, at);
        let ends_at = self.fit.and_then(|fit| fit.ends_at).filter(|ends_at| *ends_at < resets_at);
        let rest = match ends_at {
            Some(ends_at) => {
                let (ends, before) = (calendar.said(ends_at, at), duration(resets_at - ends_at));
                format!("at this pace it would end at {ends}, {before} before it resets ({resets})")
            }
            None => format!("little is left until it resets ({resets})"),
        };
        format!(
            "{name}: {} used at {}, {} safe by now; {rest}",
            percent(reading.used_percent),
            calendar.shown(at, "%H:%M"),
            self.safe(),
        )
    }
}

/// `62 %`, `61.5 %`.
pub fn percent(percent: f64) -> String {
    format!("{} %", (percent * 10.0).round() / 10.0)
}

/// In its two largest units: `42 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`.
pub fn duration(secs: i64) -> String {
    let secs = secs.max(0);
    let parts = [(secs / 86_400, "d"), (secs / 3600 % 24, "h"), (secs / 60 % 60, "min"), (secs % 60, "s")];
    let first = parts.iter().position(|(count, _)| *count > 0).unwrap_or(3);
    let shown = parts.iter().skip(first).take(2).enumerate();
    let shown = shown.filter(|(index, (count, _))| *index == 0 || *count > 0);
    shown.map(|(_, (count, unit))| format!("{count} {unit}")).collect::<Vec<_>>().join(" ")
}
