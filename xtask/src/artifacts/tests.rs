//! What is read from cargo's messages and which flags it is given. Nothing is built.

use std::path::Path;
use std::process::Command;

use super::{executable, lacks_static_library, link_statically, with_what_to_install};

#[test]
fn programs_are_read_from_cargos_messages() {
    let line = r#"{"reason":"compiler-artifact","target":{"name":"a-gate","kind":["bin"]},"executable":"/t/release/a-gate"}"#;
    assert_eq!(executable(line), Some(("a-gate".to_owned(), Path::new("/t/release/a-gate").to_owned())));
    for other in
        [r#"{"reason":"compiler-artifact","target":{"name":"a"},"executable":null}"#, "warning: x", "{}"]
    {
        assert_eq!(executable(other), None);
    }
}

#[test]
fn gnu_linux_and_windows_need_a_flag_for_the_static_runtime() {
    let flags = |triple| {
        let mut command = Command::new("cargo");
        link_statically(&mut command, triple);
        command.get_args().count() + command.get_envs().count()
    };
    assert_eq!(flags("aarch64-apple-darwin"), 0);
    assert_eq!(flags("x86_64-unknown-linux-musl"), 0);
    assert!(flags("x86_64-unknown-linux-gnu") > 0);
    assert!(flags("x86_64-pc-windows-msvc") > 0);
}

#[test]
fn a_missing_static_library_is_told_apart_from_an_error_of_ours() {
    assert!(lacks_static_library(&anyhow::anyhow!("= note: /usr/bin/ld: cannot find -lc: No such file")));
    assert!(!lacks_static_library(&anyhow::anyhow!("error[E0425]: cannot find value `c`")));
}

#[test]
fn who_packs_without_a_static_library_is_told_what_to_install() {
    let told = |said: &str| format!("{:#}", with_what_to_install(anyhow::anyhow!(said.to_owned())));
    let linking = "/usr/bin/ld: cannot find -lc: No such file";
    assert!(told(linking).contains("libc6-dev") && told(linking).ends_with(linking), "{}", told(linking));
    assert_eq!(told("error[E0425]"), "error[E0425]");
}
