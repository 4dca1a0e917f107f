//! What a Linux program asks of the machine it is started on, read from its bytes. Pure.

/// Where the table of a program's segments says where it is, how long a row is, and how many there are: in bytes from the
/// beginning of the file, as the ELF format has it for 64 bits.
const TABLE: [usize; 3] = [32, 54, 56];

/// The segment that names the loader of libraries.
const INTERPRETER: u32 = 3;

/// 64 bits, the lowest byte first.
const BEGINNING: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];

/// What the names of glibc's versions begin with.
const VERSION: &[u8] = b"GLIBC_";

/// How a program comes by its C library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Linking {
    /// It brings it along.
    Static,
    /// It takes the machine's. That of glibc must be this version or a newer one, where the program names any.
    Dynamic(Option<String>),
}

/// How it is linked; none for what is no program of a 64-bit Linux.
pub(super) fn linking(program: &[u8]) -> Option<Linking> {
    program.starts_with(&BEGINNING).then_some(())?;
    let [start, size, count] = TABLE;
    let start = usize::try_from(u64::from_le_bytes(bytes(program, start)?)).ok()?;
    let size = usize::from(u16::from_le_bytes(bytes(program, size)?));
    let count = usize::from(u16::from_le_bytes(bytes(program, count)?));
    let kind = |row: usize| bytes(program, start.checked_add(row * size)?).map(u32::from_le_bytes);
    let kinds: Vec<u32> = (0..count).map(kind).collect::<Option<_>>()?;
    Some(if kinds.contains(&INTERPRETER) { Linking::Dynamic(newest_glibc(program)) } else { Linking::Static })
}

fn bytes<const COUNT: usize>(program: &[u8], at: usize) -> Option<[u8; COUNT]> {
    program.get(at..at.checked_add(COUNT)?)?.try_into().ok()
}

/// The newest of the versions that it names.
fn newest_glibc(program: &[u8]) -> Option<String> {
    let behind = |at: usize| &program[at + VERSION.len()..];
    let places = program.windows(VERSION.len()).enumerate().filter(|(_, window)| *window == VERSION);
    let newest = places.filter_map(|(at, _)| version(behind(at))).max()?;
    Some(newest.iter().map(u32::to_string).collect::<Vec<_>>().join("."))
}

/// Its numbers. What begins with a letter is a name of something else.
fn version(text: &[u8]) -> Option<Vec<u32>> {
    let length = text.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
    let numbers = std::str::from_utf8(&text[..length]).ok()?.split('.').map(|number| number.parse().ok());
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::{BEGINNING, INTERPRETER, Linking, linking, version};

    /// A program with segments of these kinds, then this text.
    fn program(kinds: &[u32], text: &str) -> Vec<u8> {
        let mut bytes = BEGINNING.to_vec();
        bytes.resize(64, 0);
        bytes[32..40].copy_from_slice(&64_u64.to_le_bytes());
        bytes[54..56].copy_from_slice(&56_u16.to_le_bytes());
        bytes[56..58].copy_from_slice(&u16::try_from(kinds.len()).unwrap().to_le_bytes());
        for kind in kinds {
            bytes.extend(kind.to_le_bytes());
            bytes.extend([0; 52]);
        }
        bytes.extend(text.as_bytes());
        bytes
    }

    #[test]
    fn a_program_that_names_a_loader_takes_the_machines_library_and_says_from_which_version_on() {
        let versions = "\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_ABI_DT_RELR\0GLIBC_";
        let dynamic = |version: &str| Some(Linking::Dynamic(Some(version.to_owned())));
        assert_eq!(linking(&program(&[1, INTERPRETER], versions)), dynamic("2.34"));
        assert_eq!(linking(&program(&[INTERPRETER], "")), Some(Linking::Dynamic(None)));
        assert_eq!(linking(&program(&[1, 2], versions)), Some(Linking::Static));
    }

    #[test]
    fn what_is_no_such_program_is_none_and_ends_nobody() {
        let whole = program(&[1, 2, INTERPRETER], "");
        for length in 0..whole.len() - 52 {
            assert_eq!(linking(&whole[..length]), None, "{length}");
        }
        let mut far = whole;
        far[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(linking(&far), None);
        assert_eq!(linking(b"#!/bin/sh\n"), None);
    }

    #[test]
    fn a_version_is_numbers() {
        for (text, expected) in [
            ("2.34\0", Some(vec![2, 34])),
            ("2.2.5\0x", Some(vec![2, 2, 5])),
            ("PRIVATE\0", None),
            ("2.34", None),
        ] {
            assert_eq!(version(text.as_bytes()), expected, "{text}");
        }
    }

    #[cfg(all(target_os = "linux", target_env = "gnu", not(target_feature = "crt-static")))]
    #[test]
    fn this_very_test_takes_the_machines_library() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let found = linking(&program);
        let Some(Linking::Dynamic(Some(version))) = &found else { panic!("{found:?}") };
        assert!(version.starts_with("2."), "{version}");
    }
}
