//! Numbers as people read them.

/// `61 %`, or `61.5 %` where it is no whole number.
pub(crate) fn percent(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0;
    if tenths.fract() == 0.0 { format!("{tenths:.0} %") } else { format!("{tenths:.1} %") }
}

/// `42 s`, `3 min 5 s`, `25 min`, `2 h 10 min`: what is too small to matter beside the rest is left out.
pub(crate) fn duration(secs: i64) -> String {
    let (hours, minutes, seconds) = (secs / 3600, secs % 3600 / 60, secs % 60);
    match (hours, minutes, seconds) {
        (0, 0, _) => format!("{seconds} s"),
        (0, 10.., _) | (0, _, 0) => format!("{minutes} min"),
        (0, ..) => format!("{minutes} min {seconds} s"),
        (_, 0, _) => format!("{hours} h"),
        _ => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::{duration, percent};

    #[test]
    fn numbers() {
        for (number, expected) in
            [(0.0, "0 %"), (61.0, "61 %"), (61.46, "61.5 %"), (99.97, "100 %"), (130.0, "130 %")]
        {
            assert_eq!(percent(number), expected);
        }
        for (secs, expected) in [
            (0, "0 s"),
            (42, "42 s"),
            (60, "1 min"),
            (185, "3 min 5 s"),
            (3600, "1 h"),
            (3659, "1 h"),
            (7800, "2 h 10 min"),
        ] {
            assert_eq!(duration(secs), expected);
        }
    }
}
