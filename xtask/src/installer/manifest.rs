//! What was deployed: `<config dir>/hooks/manifest.json`, name to hash. A file is ours if it stands here, and is run as a
//! proof only if its bytes still have the hash that stands here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::settings::{FileError, UserFile};

use crate::installer::places::Installation;

const PRODUCT: &str = "barbless";

/// The deployed files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    product: String,
    /// Binary name to what was deployed under it.
    pub(crate) files: BTreeMap<String, Deployed>,
}

/// One deployed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Deployed {
    /// Of the bytes, in hexadecimal.
    pub(crate) sha256: String,
    /// In bytes.
    pub(crate) size: u64,
    /// Of the source it was built from.
    pub(crate) version: String,
}

impl Default for Manifest {
    fn default() -> Self {
        Self { product: PRODUCT.to_owned(), files: BTreeMap::new() }
    }
}

impl Manifest {
    /// The manifest of an installation; empty if nothing is deployed.
    pub(crate) fn read(installation: &Installation) -> anyhow::Result<Self> {
        let path = path(installation);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            bytes => bytes.with_context(|| format!("reading {}", path.display()))?,
        };
        let strange = || format!("{} is not a manifest of ours: move it away and try again", path.display());
        let manifest: Self = serde_json::from_slice(&bytes).with_context(strange)?;
        ensure!(manifest.product == PRODUCT, strange());
        Ok(manifest)
    }

    /// Writes it, or removes it when it is empty.
    pub(crate) fn write(&self, installation: &Installation) -> anyhow::Result<()> {
        if self.files.is_empty() && !path(installation).exists() {
            return Ok(());
        }
        let text = serde_json::to_string_pretty(self)?;
        let text = (!self.files.is_empty()).then_some(format!("{text}\n"));
        UserFile::at(&path(installation))?.change(|_| Ok::<_, FileError>(text))?;
        Ok(())
    }

    /// Whether the deployed file of that name has the bytes that were deployed.
    pub(crate) fn vouches_for(&self, installation: &Installation, binary: &str) -> bool {
        let hash = hash_of(&installation.deployed(binary)).ok().flatten();
        hash.is_some_and(|hash| self.files.get(binary).is_some_and(|deployed| deployed.sha256 == hash))
    }
}

/// The hash of a file; `None` if there is none.
pub(crate) fn hash_of(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(hash(&bytes))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

/// In hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn path(installation: &Installation) -> PathBuf {
    installation.hooks.join("manifest.json")
}
