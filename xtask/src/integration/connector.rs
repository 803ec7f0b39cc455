//! Tests the connector of a vector store on a server or, without one, on a server that it starts.

use std::{ffi::OsString, path::PathBuf, process::Command};

use anyhow::{Context as _, Result};

use super::{same_program, server::Server};
use crate::{python::PythonEnvironment, shell};

/// Names the engine to tests, which start, kill and restart it.
const STORE_ENGINE: &str = "STORE_ENGINE";

/// Modules of tests that start an engine, or use a client of the server itself.
const NEED_ENGINE: [&str; 3] = ["faults::", "other_programs::", "tls::"];

/// Modules of tests that need an older server.
const NEED_OLD: [&str; 1] = ["old::"];

/// A connector whose crate has tests of a running server.
pub(super) struct Connector {
    /// The crate without its prefix, and the feature of the examples.
    pub(super) name: &'static str,
    /// The environment variable with the address of a server.
    pub(super) variable: &'static str,
    /// The command line's tests of MLIndex files.
    pub(super) files: &'static str,
}

impl Connector {
    /// Runs the tests. On its own server, runs the example and `more` too, with the server's URL.
    pub(super) fn check(
        &self,
        engine: impl FnOnce() -> Result<Engine>,
        more: impl FnOnce(&str) -> Result<()>,
    ) -> Result<()> {
        let Self { name, variable, files } = self;
        let files = format!(
            "test --quiet -p textsearch-cli --features local-embeddings,stores --test {files}"
        );
        if std::env::var_os(variable).is_some() {
            println!("     on the server that {variable} names; it is not ended, so no faults");
            shell::run(&mut self.tests(&[&NEED_ENGINE[..], &NEED_OLD].concat()))?;
            return shell::run(&mut shell::cargo(&files));
        }
        println!("     on a server of its own, since {variable} names none");
        let engine = engine()?;
        let server = engine.start()?;
        self.test(&engine, &server, &NEED_OLD)?;
        shell::run(shell::cargo(&files).env(variable, &server.url))?;
        same_program(name, &[(variable, &server.url)])?;
        more(&server.url)
    }

    /// Runs the tests of the crate on a server, without the modules in `skip`.
    pub(super) fn test(&self, engine: &Engine, server: &Server, skip: &[&str]) -> Result<()> {
        let mut tests = self.tests(skip);
        tests.env(self.variable, &server.url).env(STORE_ENGINE, engine.in_variable()?);
        shell::run(&mut tests)
    }

    fn tests(&self, skip: &[&str]) -> Command {
        let tests = format!("test --quiet -p textsearch-{} --test server", self.name);
        let mut tests = shell::cargo(&tests);
        tests.args(["--", "--show-output"]);
        tests.args(skip.iter().flat_map(|module| ["--skip", module]));
        tests
    }
}

/// A server that can be started more than once.
pub(super) struct Engine {
    program: PathBuf,
    script: Option<PathBuf>,
    #[expect(dead_code, reason = "dropping it deletes the program")]
    environment: Option<PythonEnvironment>,
}

impl Engine {
    pub(super) fn new(program: PathBuf) -> Self {
        Self { program, script: None, environment: None }
    }

    /// Installs packages for `xtask/integration/NAME/server.py`.
    pub(super) fn install(name: &str, packages: &[&str]) -> Result<Self> {
        println!("     with {}", packages.join(" and "));
        let environment = PythonEnvironment::with_packages(packages)?;
        let script = shell::root().join(format!("xtask/integration/{name}/server.py"));
        let program = environment.python();
        Ok(Self { program, script: Some(script), environment: Some(environment) })
    }

    pub(super) fn start(&self) -> Result<Server> {
        Server::start(|folder| {
            let mut command = Command::new(&self.program);
            command.args(&self.script).arg(folder).arg("0");
            command
        })
    }

    fn in_variable(&self) -> Result<OsString> {
        let parts = std::iter::once(&self.program).chain(&self.script);
        std::env::join_paths(parts).context("the path of the server has a separator")
    }
}
