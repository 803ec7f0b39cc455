//! Reads numbers from untrusted bytes.

use super::fault::{Fault, Result};

pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        let bytes = self.take(4)?.first_chunk().ok_or(TOO_SHORT)?;
        Ok(u32::from_le_bytes(*bytes))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        let bytes = self.take(8)?.first_chunk().ok_or(TOO_SHORT)?;
        Ok(u64::from_le_bytes(*bytes))
    }
}

const TOO_SHORT: Fault = Fault::Damaged("a section is shorter than its content");
