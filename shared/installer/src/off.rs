//! The file `OFF`, which silences every hook: whether one holds, and until when.

use std::path::{Path, PathBuf};

use shared::host::Timestamp;
use shared::state::Off;

/// Every hook is off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Silence {
    pub(crate) file: PathBuf,
    /// Until then; `None`: until it is removed.
    end: Option<Timestamp>,
}

impl Silence {
    /// What holds now in these state folders; of several what lasts longest.
    pub(crate) fn in_force<'a>(folders: impl IntoIterator<Item = &'a Path>, now: Timestamp) -> Option<Self> {
        let of = |folder: &Path| {
            let end = match Off::read(folder, now)? {
                Off::ForGood => None,
                Off::Until(end) => Some(end),
            };
            Some(Self { file: folder.join("OFF"), end })
        };
        folders
            .into_iter()
            .filter_map(of)
            .max_by_key(|silence| silence.end.map_or(i64::MAX, Timestamp::micros))
    }

    /// What it does and how long, as a person reads it.
    pub(crate) fn words(&self) -> String {
        match self.end {
            Some(end) => format!("every hook is off until {}", end.local()),
            None => "every hook is off while this file is there".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use shared::host::Timestamp;
    use shared::state::Off;

    use super::Silence;

    #[test]
    fn what_lasts_longest_counts_and_what_has_ended_does_not() {
        let scratch = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| scratch.path().join(name));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        let at = |secs| Silence::in_force([&*one, &*other], Timestamp::from_secs(secs));
        assert_eq!(at(1), None);
        Off::until(&one, Timestamp::from_secs(100)).unwrap();
        Off::until(&other, Timestamp::from_secs(200)).unwrap();
        assert_eq!(at(1).unwrap().file, other.join("OFF"));
        let told = format!("every hook is off until {}", Timestamp::from_secs(200).local());
        assert_eq!(at(1).unwrap().words(), told);
        assert_eq!(at(200), None, "it is over");
        fs::write(one.join("OFF"), "").unwrap();
        assert_eq!(at(1).unwrap().file, one.join("OFF"));
        assert_eq!(at(300).unwrap().words(), "every hook is off while this file is there");
    }
}
