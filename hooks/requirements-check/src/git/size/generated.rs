//! Which files count as generated: what the attribute `linguist-generated` says now and said at the base. A branch that calls
//! its own work generated would be small whatever is in it.

use std::cell::OnceCell;

use git2::{AttrCheckFlags, Index, IndexEntry, IndexTime, Repository, Tree};

use super::super::GitError;
use super::super::content::is_marked_generated;
use super::super::repository::{Opened, Stored, native, stored};
use super::SizeRequest;

const ATTRIBUTES: &[u8] = b".gitattributes";

/// The attributes of the base, made when they are first needed.
#[derive(Default)]
pub(super) struct Marks {
    /// Has no work tree; its index holds the base's attribute files and nothing else.
    base: OnceCell<Repository>,
}

impl Marks {
    /// The file's lines do not count. Without a base there is nothing but the attributes of now.
    pub(super) fn is_generated(
        &self,
        opened: &Opened,
        request: &SizeRequest<'_>,
        tree: Option<&Tree<'_>>,
        path: &[u8],
    ) -> Result<bool, GitError> {
        if request.include_generated
            || !is_marked_generated(&opened.repo, path, AttrCheckFlags::FILE_THEN_INDEX)?
        {
            return Ok(false);
        }
        let Some(tree) = tree else { return Ok(true) };
        let base = self.base(opened)?;
        let mut index = base.index()?;
        for file in attribute_files(path) {
            if let Some(file_then) = stored(Some(tree), &file)
                && index.get_path(&native(&file), 0).is_none()
            {
                index.add(&entry(file, file_then))?;
            }
        }
        is_marked_generated(base, path, AttrCheckFlags::INDEX_ONLY)
    }

    fn base(&self, opened: &Opened) -> Result<&Repository, GitError> {
        if let Some(base) = self.base.get() {
            return Ok(base);
        }
        let repository = Repository::from_odb(opened.repo.odb()?)?;
        repository.set_index(&mut Index::new()?)?;
        Ok(self.base.get_or_init(|| repository))
    }
}

/// The files that say something of `path`: those of its folders.
fn attribute_files(path: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let folders = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(slash, _)| slash + 1);
    std::iter::once(0).chain(folders).map(|length| [&path[..length], ATTRIBUTES].concat())
}

fn entry(path: Vec<u8>, stored: Stored) -> IndexEntry {
    let never = IndexTime::new(0, 0);
    IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode: stored.mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id: stored.id,
        flags: 0,
        flags_extended: 0,
        path,
    }
}
