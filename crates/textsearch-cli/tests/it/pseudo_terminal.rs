//! A terminal without a person.

use std::fs::File;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

pub(crate) struct PseudoTerminal {
    file: File,
    name: String,
}

impl PseudoTerminal {
    pub(crate) fn new() -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
        Self { file: terminal.into(), name }
    }

    /// Opens the side of the program.
    pub(crate) fn open(&self) -> File {
        File::options().read(true).write(true).open(&self.name).unwrap()
    }

    /// Returns the side of the person. Reading ends once the program has closed its own.
    pub(crate) fn into_file(self) -> File {
        self.file
    }
}
