//! Files that are generated as a whole or in part: tables of the manual, schemas, the plugin's hooks and its page of answers.

use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Sandbox, toolchain_env};

#[test]
fn all_that_is_generated_is_as_it_would_be_generated_now() {
    let sandbox = Sandbox::new();
    let built = binaries::folder().display().to_string();
    let check =
        Invocation::new(binaries::developer(), &sandbox).args(["schema", "--check", "--prebuilt", &built]);
    let outcome = check.envs(toolchain_env()).run();
    assert_eq!(outcome.status.code(), Some(0), "{outcome}");
    assert!(outcome.stdout_text().contains("the generated files are up to date"), "{outcome}");
}
