//! A cargo registry on loopback, for rehearsals.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result};

use crate::shell;

/// As `--registry` takes it.
pub(crate) const NAME: &str = "loopback";
const TOKEN: &str = "rehearsal";

/// Dropping it stops its server and forgets its crates.
#[derive(Debug)]
pub(crate) struct Registry {
    server: Child,
    port: u16,
}

impl Registry {
    /// Starts an empty registry, which refuses the first upload of each crate in `refused`.
    pub(crate) fn start(refused: &[&str]) -> Result<Self> {
        let mut command = Command::new("python3");
        command.arg(shell::root().join("xtask/release/registry.py")).arg(TOKEN).args(refused);
        let server = command.stdout(Stdio::piped()).spawn().context("this needs python3")?;
        let mut registry = Self { server, port: 0 };
        let output = registry.server.stdout.take().context("the registry has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        registry.port = line.trim().parse().context("the registry printed no port")?;
        Ok(registry)
    }

    /// Variables for cargo, which then reads and writes nothing of the user's configuration.
    pub(crate) fn environment(&self, scratch: &Path) -> Vec<(&'static str, String)> {
        let folder = |name| scratch.join(name).to_string_lossy().into_owned();
        let index = format!("sparse+http://127.0.0.1:{}/index/", self.port);
        vec![
            ("CARGO_HOME", folder("cargo-home")),
            ("CARGO_TARGET_DIR", folder("target")),
            ("CARGO_REGISTRIES_LOOPBACK_INDEX", index),
            ("CARGO_REGISTRIES_LOOPBACK_TOKEN", TOKEN.to_owned()),
        ]
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Takes our crates from this registry: in the root manifest, their entries state path and version.
pub(crate) fn with_registry(manifest: &str) -> String {
    let lines = manifest.lines().map(|line| {
        let is_ours = line.starts_with("textsearch-") && line.contains("version = ");
        if is_ours {
            line.replacen("version = ", &format!("registry = \"{NAME}\", version = "), 1)
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_crates_come_from_the_registry() {
        let manifest = "textsearch-core = { path = \"core\", version = \"0.1.0\" }\n\
                        serde = { version = \"1\" }\n";
        assert_eq!(
            with_registry(manifest),
            "textsearch-core = { path = \"core\", registry = \"loopback\", version = \"0.1.0\" }\n\
             serde = { version = \"1\" }\n"
        );
    }
}
