//! What was put where: `<config dir>/hooks/manifest.json`. A deployed file is ours if it stands here, and is run as a proof
//! only if its bytes still have the hash that stands here. A permission rule in a settings file is ours if it stands here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use client_settings::UserFile;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::chain::Chained;
use crate::places::Installation;

const PRODUCT: &str = "barbless";

/// The version this code writes. Raised when a field is added, because an older writer would drop it.
const VERSION: u32 = 1;

/// The deployed files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    product: String,
    /// Of the file's form; a manifest without one is of the first.
    #[serde(default = "first")]
    version: u32,
    /// Binary name to what was deployed under it.
    pub files: BTreeMap<String, Deployed>,
    /// Folders in which our binaries were before: entries that lead there are ours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// Settings file to what stands in it of ours that does not look like ours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<PathBuf, Added>,
}

/// What a manifest of every version has.
#[derive(Deserialize)]
struct Head {
    product: String,
    #[serde(default = "first")]
    version: u32,
}

const fn first() -> u32 {
    1
}

/// What was put into a settings file beside hook entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// Permission rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// The status line that was there before ours, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_line_before: Option<String>,
    /// Its command, where the hook that prints ours finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chained: Option<Chained>,
}

/// One deployed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployed {
    /// Of the bytes, in hexadecimal.
    pub sha256: String,
    /// In bytes.
    pub size: u64,
    /// Of the source it was built from.
    pub version: String,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            product: PRODUCT.to_owned(),
            version: VERSION,
            files: BTreeMap::new(),
            folders: Vec::new(),
            settings: BTreeMap::new(),
        }
    }
}

impl Manifest {
    /// The manifest of an installation; empty if nothing is deployed.
    pub fn read(installation: &Installation) -> anyhow::Result<Self> {
        let path = path(installation);
        Self::parse(&path, UserFile::at(&path)?.read()?.as_deref())
    }

    /// Changes it under its lock; it is gone when nothing is left in it.
    pub fn change(
        installation: &Installation,
        edit: impl FnOnce(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let path = path(installation);
        UserFile::at(&path)?.change::<anyhow::Error>(|text| {
            let mut manifest = Self::parse(&path, text)?;
            edit(&mut manifest)?;
            if manifest.files.is_empty() && manifest.settings.is_empty() {
                return Ok(None);
            }
            let text = serde_json::to_string_pretty(&manifest)?;
            Ok(Some(format!("{text}\n")))
        })?;
        Ok(())
    }

    fn parse(path: &Path, text: Option<&str>) -> anyhow::Result<Self> {
        let Some(text) = text else { return Ok(Self::default()) };
        let strange = || format!("{} is not a manifest of ours: move it away and try again", path.display());
        let head: Option<Head> = serde_json::from_str(text).ok();
        if head.is_some_and(|head| head.product == PRODUCT && head.version > VERSION) {
            let path = path.display();
            bail!("{path} was written by a newer version of Barbless and is not changed: use that version");
        }
        let manifest: Self = serde_json::from_str(text).with_context(strange)?;
        ensure!(manifest.product == PRODUCT, strange());
        Ok(manifest)
    }

    /// Whether the deployed file of that name has the bytes that were deployed.
    pub fn vouches_for(&self, installation: &Installation, binary: &str) -> bool {
        let hash = hash_of(&installation.deployed(binary)).ok().flatten();
        hash.is_some_and(|hash| self.files.get(binary).is_some_and(|deployed| deployed.sha256 == hash))
    }
}

/// The hash of a file; `None` if there is none.
pub fn hash_of(path: &Path) -> anyhow::Result<Option<String>> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        bail!("{} is not a regular file; move it away and try again", path.display());
    }
    match fs::read(path) {
        Ok(bytes) => Ok(Some(hash(&bytes))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

/// Both paths lead to one file, or to files with the same bytes.
pub(crate) fn is_same_file(left: &Path, right: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let hash = |path: &Path| hash_of(path).ok().flatten();
    real(left).is_some_and(|left| real(right) == Some(left))
        || hash(left).is_some_and(|left| hash(right) == Some(left))
}

/// In hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn path(installation: &Installation) -> PathBuf {
    installation.hooks.join("manifest.json")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::is_same_file;

    #[test]
    fn copy_is_the_same_file_and_other_bytes_are_not() {
        let scratch = tempfile::tempdir().unwrap();
        let [one, copy, other] = ["one", "copy", "other"].map(|name| scratch.path().join(name));
        for (path, bytes) in [(&one, "a"), (&copy, "a"), (&other, "b")] {
            fs::write(path, bytes).unwrap();
        }
        assert!(is_same_file(&one, &one) && is_same_file(&one, &copy));
        assert!(!is_same_file(&one, &other) && !is_same_file(&one, &scratch.path().join("gone")));
    }
}
