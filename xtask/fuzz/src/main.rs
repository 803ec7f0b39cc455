//! Feeds one target: inputs from the fuzzer or, in an ordinary build, the given files.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
use std::sync::LazyLock;

/// The target that `cargo xtask stress fuzz` names.
#[cfg(fuzzing)]
static TARGET: LazyLock<&fuzz::Target> = LazyLock::new(|| {
    let name = std::env::var("TEXTSEARCH_FUZZ_TARGET").unwrap_or_default();
    match fuzz::target(&name) {
        Ok(target) => target,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2)
        }
    }
});

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| (TARGET.check)(input));

#[cfg(not(fuzzing))]
fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let target = fuzz::target(&arguments.next().unwrap_or_default())?;
    arguments.try_for_each(|path| {
        (target.check)(&std::fs::read(path)?);
        Ok(())
    })
}
