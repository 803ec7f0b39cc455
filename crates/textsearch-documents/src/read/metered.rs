//! Limits what is unpacked.

use std::{
    cell::Cell,
    io::{self, Read},
    rc::Rc,
};

/// Counts down the bytes of several readers. Fails when none are left.
pub(super) struct Metered<R> {
    content: R,
    bytes_left: Rc<Cell<u64>>,
}

impl<R> Metered<R> {
    pub(super) fn new(content: R, bytes_left: &Rc<Cell<u64>>) -> Self {
        Self { content, bytes_left: Rc::clone(bytes_left) }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(buffer)?;
        let left = self.bytes_left.get().saturating_sub(count as u64);
        self.bytes_left.set(left);
        if left == 0 {
            return Err(io::Error::other("it has too many bytes"));
        }
        Ok(count)
    }
}
