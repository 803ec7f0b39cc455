//! Arithmetic on the CPU. Detects the processor's features once, and uses them without `unsafe`.

mod attend;
mod dot_products;
mod elementwise;
mod exponential;
mod matrix;
mod micro_kernel;
mod position_bias;
mod quantized;
mod rotary;

use std::fmt;

use pulp::{Arch, Simd, WithSimd};

pub(crate) use attend::{AttentionBuffers, Head, attend};
pub(crate) use elementwise::{Activation, Norm};
pub(crate) use matrix::{Panels, Rows, multiply};
pub(crate) use position_bias::PositionBias;
pub(crate) use quantized::{QuantizedPanels, QuantizedRows};
pub(crate) use rotary::RotaryEmbedding;

/// The instruction set of this machine.
#[derive(Clone, Copy)]
pub(crate) struct Processor(Arch);

impl Processor {
    pub(crate) fn detect() -> Self {
        Self(Arch::new())
    }

    /// Returns each detected kind that has its own code; the best is the last.
    #[cfg(test)]
    fn all_detected() -> Vec<Self> {
        let mut all = vec![Self(Arch::Scalar)];
        #[cfg(target_arch = "x86_64")]
        all.extend(pulp::x86::V3::try_new().map(|simd| Self(Arch::V3(simd))));
        all.push(Self::detect());
        all
    }

    fn run(self, work: impl Work) {
        self.0.dispatch(Compiled(work));
    }

    fn panel_width(self) -> usize {
        self.0.dispatch(PanelWidth)
    }
}

/// Compiled for each kind of processor. `run` and everything it calls must be `#[inline(always)]`;
/// otherwise it is compiled only for the oldest kind.
trait Work {
    fn run(self);
}

struct Compiled<W>(W);

impl<W: Work> WithSimd for Compiled<W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.run();
    }
}

struct PanelWidth;

impl WithSimd for PanelWidth {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        micro_kernel::REGISTERS_ACROSS * S::F32_LANES
    }
}

impl fmt::Debug for Processor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Processor({} columns at once)", self.panel_width())
    }
}
