//! The generated files again, as real files: plain ones and links of every kind, with the backups as what there was before.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::files::any_file;
use super::world::{Part, Plan, World, any_plan};
use super::{on, owner};
use crate::{FileError, KEEP_BACKUPS, Owner, Registration, UserFile, Wanted, arrange, present};
use shared::host::Timestamp;

const FILES: usize = 200;

const THREADS: usize = 16;

/// What `settings.json` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Plain,
    NewFolder,
    #[cfg(unix)]
    RelativeLink,
    #[cfg(unix)]
    AbsoluteLink,
    #[cfg(unix)]
    Chain,
}

#[cfg(unix)]
const PLACES: [Place; 5] =
    [Place::Plain, Place::NewFolder, Place::RelativeLink, Place::AbsoluteLink, Place::Chain];
#[cfg(not(unix))]
const PLACES: [Place; 2] = [Place::Plain, Place::NewFolder];

/// A settings file in a folder of its own.
struct Disk {
    scratch: tempfile::TempDir,
    place: Place,
    mode: u32,
    changes: i64,
}

impl Disk {
    fn new(place: Place, mode: u32, text: Option<&str>) -> Self {
        let disk = Self { scratch: tempfile::tempdir().unwrap(), place, mode, changes: 0 };
        disk.link();
        if let Some(text) = text {
            fs::create_dir_all(disk.target().parent().unwrap()).unwrap();
            fs::write(disk.target(), text).unwrap();
            disk.set_mode();
        }
        disk
    }

    fn path(&self) -> PathBuf {
        self.scratch
            .path()
            .join(if self.place == Place::NewFolder { "home/.claude" } else { "" })
            .join("settings.json")
    }

    /// Where the bytes are.
    fn target(&self) -> PathBuf {
        if self.is_link() { self.scratch.path().join("dotfiles/claude.json") } else { self.path() }
    }

    fn is_link(&self) -> bool {
        !matches!(self.place, Place::Plain | Place::NewFolder)
    }

    #[cfg(unix)]
    fn link(&self) {
        use std::os::unix::fs::symlink;
        match self.place {
            Place::Plain | Place::NewFolder => {}
            Place::RelativeLink => symlink("dotfiles/claude.json", self.path()).unwrap(),
            Place::AbsoluteLink => symlink(self.target(), self.path()).unwrap(),
            Place::Chain => {
                symlink("./between", self.path()).unwrap();
                symlink(self.target(), self.scratch.path().join("between")).unwrap();
            }
        }
    }

    #[cfg(not(unix))]
    fn link(&self) {}

    #[cfg(unix)]
    fn set_mode(&self) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(self.target(), fs::Permissions::from_mode(self.mode)).unwrap();
    }

    #[cfg(not(unix))]
    fn set_mode(&self) {}

    #[track_caller]
    fn assert_mode(&self) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let metadata = fs::metadata(self.target());
            assert_eq!(metadata.unwrap().permissions().mode() & 0o777, self.mode);
        }
    }

    fn read(&self) -> Option<String> {
        fs::read_to_string(self.path()).ok()
    }

    /// Changes it as the installer does.
    fn change(&mut self, world: &World, parts: &[Part]) {
        self.changes += 1;
        let file = UserFile::at(&self.path()).unwrap();
        let now = Timestamp::from_secs(self.changes);
        put(&file, now, &world.owner(), &world.wanted(parts));
        assert!(file.backups().len() <= KEEP_BACKUPS + 1);
    }

    /// Nothing lies around but the file, its links and its backups.
    #[track_caller]
    fn assert_tidy(&self) {
        let names = |folder: &Path| -> Vec<String> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name().into_string().unwrap());
            names.filter(|name| !name.starts_with("settings.json.barbless-backup-")).collect()
        };
        let beside = names(self.path().parent().unwrap());
        assert!(
            beside.iter().all(|name| ["settings.json", "between", "dotfiles"].contains(&name.as_str())),
            "{beside:?}"
        );
        if self.is_link() {
            assert!(fs::symlink_metadata(self.path()).unwrap().is_symlink());
            assert!(names(self.target().parent().unwrap()).iter().all(|name| name == "claude.json"));
        }
    }
}

fn put(file: &UserFile, now: Timestamp, owner: &Owner<'_>, wanted: &Wanted) {
    let earlier: Vec<Option<String>> = file.backups().into_iter().map(|backup| backup.text).collect();
    let edit =
        |text: Option<&str>| arrange(text, owner, wanted, &earlier).map_err(|refused| file.refused(refused));
    file.change_with_backup::<FileError>(now, edit).unwrap();
}

/// Installs, changes and uninstalls on disk and in memory: both must be the same at every step.
fn check(before: Option<&str>, plan: &Plan, disk: &mut Disk) {
    let mut world = World::new(before, plan);
    let fewer = plan.parts.get(1..).unwrap_or_default();
    for parts in [&plan.parts, &plan.parts, fewer, &plan.parts, &[]] {
        disk.change(&world, parts);
        world.change(parts);
        assert_eq!(disk.read(), world.text);
        disk.assert_tidy();
    }
    assert_eq!(disk.read().as_deref(), before);
    if before.is_some() {
        disk.assert_mode();
    }
}

#[test]
fn real_files_and_links_go_through_the_same_and_keep_their_mode() {
    let strategy =
        (any_file(), any_plan(), select(PLACES.to_vec()), select(vec![0o600, 0o644, 0o664, 0o755]));
    let mut runner = TestRunner::deterministic();
    let inputs: Vec<_> = (0..FILES).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect();
    let started = Instant::now();
    // Nearly all of the time goes into waiting for the disk to sync, which does many at once as fast as one.
    std::thread::scope(|scope| {
        for inputs in inputs.chunks(FILES.div_ceil(THREADS)) {
            scope.spawn(move || {
                for (before, plan, place, mode) in inputs {
                    check(before.as_deref(), plan, &mut Disk::new(*place, *mode, before.as_deref()));
                }
            });
        }
    });
    eprintln!("{FILES} files in {:.1} s", started.elapsed().as_secs_f64());
}

/// One of several commands that run at once; each cares for a hook of its own.
struct Command<'a> {
    file: UserFile,
    owner: Owner<'a>,
    hook: Registration,
}

impl Command<'_> {
    /// Whatever else is there stays as it is.
    fn run(&self, is_on: bool) {
        let edit = |text: Option<&str>| {
            let refused = |refused| self.file.refused(refused);
            let there = present(text.unwrap_or_default(), &self.owner).map_err(refused)?;
            let mut wanted = there.as_wanted(&self.owner);
            wanted.hooks.retain(|hook| *hook != self.hook);
            if is_on {
                wanted.hooks.push(self.hook.clone());
            }
            let earlier: Vec<_> = self.file.backups().into_iter().map(|backup| backup.text).collect();
            arrange(text, &self.owner, &wanted, &earlier).map_err(refused)
        };
        self.file.change_with_backup::<FileError>(Timestamp::from_secs(0), edit).unwrap();
    }
}

#[test]
fn commands_that_run_at_once_lose_nothing() {
    const COMMANDS: usize = 8;
    let before = "{\r\n   \"hooks\": {\"Stop\": [ ] },\r\n   \"n\": 1.50\r\n}";
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("settings.json");
    fs::write(&path, before).unwrap();
    let binaries: Vec<String> = (0..COMMANDS).map(|index| format!("hook-{index}")).collect();
    let owner = Owner { binaries: &binaries, ..owner() };
    let command = |index: usize| {
        let event = ["Stop", "PreToolUse"][index % 2];
        Command { file: UserFile::at(&path).unwrap(), owner, hook: on(event, None, &binaries[index], 5) }
    };
    std::thread::scope(|scope| {
        for index in 0..COMMANDS {
            scope.spawn(move || {
                for round in 0..7 {
                    command(index).run((round + index) % 2 == 0);
                }
            });
        }
    });
    let there = present(&fs::read_to_string(&path).unwrap(), &owner).unwrap().hooks;
    let mut names: Vec<String> = there.into_iter().map(|entry| entry.name).collect();
    names.sort();
    assert_eq!(names, ["hook-0", "hook-2", "hook-4", "hook-6"]);

    for index in 0..COMMANDS {
        command(index).run(false);
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}
