//! Describes the machine that measures.

use std::{env::consts, fs, thread};

use crate::shell;

pub(crate) fn describe() -> String {
    let processor = fs::read_to_string("/proc/cpuinfo").ok();
    let processor = processor.as_deref().and_then(model_name).unwrap_or(consts::ARCH);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let compiler = shell::read(&mut shell::cargo("version"));
    let compiler = compiler.unwrap_or_default();
    // The rest is a commit and its date.
    let compiler: Vec<&str> = compiler.split_whitespace().take(2).collect();
    format!("{processor}, {cores} cores, {}, {}", consts::OS, compiler.join(" "))
}

fn model_name(information: &str) -> Option<&str> {
    let line = information.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_found_among_its_properties() {
        let information = "processor\t: 0\nmodel name\t: Fast 3000\nflags\t: all\n";
        assert_eq!(model_name(information), Some("Fast 3000"));
    }

    #[test]
    fn the_description_names_system_and_compiler() {
        let text = describe();
        assert!(text.contains(consts::OS) && text.contains("cargo 1."), "{text}");
    }
}
