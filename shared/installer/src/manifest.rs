//! The record of what was put where: `<config dir>/hooks/manifest.json`. A program is ours if it stands here, and is run as a proof
//! only if its bytes still have the hash that stands here. A permission rule in a settings file is ours if it stands here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use client_settings::UserFile;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files::hash_of;
use crate::places::{Installation, Scope, USER};
use crate::requirements::Chained;

const PRODUCT: &str = "barbless";

/// The version this code writes. Raised when a field is added, because an older writer would drop it.
const VERSION: u32 = 1;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) files: BTreeMap<String, InstalledFile>,
    /// Folders in which our programs were before: entries that lead there are ours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) folders: Vec<PathBuf>,
    /// Parts of a settings file that do not look like ours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) settings: BTreeMap<PathBuf, Added>,
}

/// The manifest as a file. One without a version is of the first.
#[derive(Serialize)]
struct Written<'a> {
    product: &'a str,
    version: u32,
    #[serde(flatten)]
    manifest: &'a Manifest,
}

/// Our parts of a settings file beside hook entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Added {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rules: Vec<String>,
    /// The status line before ours, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status_line_before: Option<String>,
    /// The command, where the hook that prints ours finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chained: Option<Chained>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InstalledFile {
    pub(crate) sha256: String,
    /// The digest of the source it was built from.
    pub(crate) version: String,
}

impl Manifest {
    pub(crate) fn read(installation: &Installation) -> anyhow::Result<Self> {
        let path = path(installation);
        Self::parse(&path, UserFile::at(&path)?.read()?.as_deref())
    }

    /// Changes it under its lock; it goes when nothing is left in it.
    pub(crate) fn change(installation: &Installation, edit: impl FnOnce(&mut Self)) -> anyhow::Result<()> {
        let path = path(installation);
        UserFile::at(&path)?.change::<anyhow::Error>(|text| {
            let mut manifest = Self::parse(&path, text)?;
            edit(&mut manifest);
            if manifest.files.is_empty() && manifest.settings.is_empty() {
                return Ok(None);
            }
            let written = Written { product: PRODUCT, version: VERSION, manifest: &manifest };
            Ok(Some(serde_json::to_string_pretty(&written)? + "\n"))
        })?;
        Ok(())
    }

    fn parse(path: &Path, text: Option<&str>) -> anyhow::Result<Self> {
        let Some(text) = text else { return Ok(Self::default()) };
        let path = path.display();
        let strange = || format!("{path} is not a manifest of ours: move it away and try again");
        let value: Value = serde_json::from_str(text).with_context(strange)?;
        ensure!(value["product"] == PRODUCT, strange());
        ensure!(
            value["version"].as_u64().is_none_or(|version| version <= u64::from(VERSION)),
            "{path} was written by a newer version of Barbless and is not changed: use that version"
        );
        serde_json::from_value(value).with_context(strange)
    }

    pub(crate) fn vouches_for(&self, installation: &Installation, binary: &str) -> bool {
        let hash = hash_of(&installation.installed(binary)).ok().flatten();
        hash.is_some_and(|hash| self.files.get(binary).is_some_and(|file| file.sha256 == hash))
    }
}

/// This installation, and every project's settings in which it was registered.
pub(crate) fn and_registered_elsewhere(installation: &Installation) -> anyhow::Result<Vec<Installation>> {
    let files = Manifest::read(installation)?.settings.into_keys();
    let of_file = |file: PathBuf| {
        let is_local = file.file_name()?.to_str()?.contains(".local.");
        let scope = if is_local { Scope::Local } else { Scope::Project };
        Some(installation.of_project(scope, file.parent()?.parent()?))
    };
    let elsewhere = files.filter(|file| *file != installation.key() && file != Path::new(USER));
    Ok([installation.clone()].into_iter().chain(elsewhere.filter_map(of_file)).collect())
}

fn path(installation: &Installation) -> PathBuf {
    installation.hooks.join("manifest.json")
}
