//! Dot products of 8-bit codes: the innermost loop of a multiplication by an 8-bit matrix.
//!
//! Sums are integers, so every instruction set returns the same. AVX2 has no instruction for bytes
//! that doesn't saturate; its codes are 16 bits wide, and so are the portable loop's.
//!
//! `unsafe` calls the functions whose instruction set was detected, and nothing else.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    _mm256_add_epi32, _mm256_dpbusd_avx_epi32, _mm256_madd_epi16, _mm512_dpbusd_epi32,
};

#[cfg(target_arch = "x86_64")]
use pulp::{
    Simd, cast,
    x86::{V3, V4},
};

/// Rows summed at once with 32 registers.
#[cfg(target_arch = "x86_64")]
const MANY_ROWS: usize = 12;
/// The same with 16 registers.
const FEW_ROWS: usize = 6;
/// Columns of a panel with registers of 64 bytes.
const WIDE: usize = 32;
/// The same with registers of 32 bytes.
const NARROW: usize = 16;

/// The sums of the largest block, row by row.
pub(super) type Sums = [i32; 12 * WIDE];

#[derive(Debug, Clone, Copy)]
pub(super) struct Instructions(InstructionSet);

/// Private, so that only detected sets can be constructed.
#[derive(Debug, Clone, Copy)]
enum InstructionSet {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(V3),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(V3),
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(V4),
}

/// Multiplies blocks of rows by panels of columns.
pub(super) trait Blocks {
    /// Calls `sums` for each block and panel, to get the sums of `ROWS` rows.
    fn run<const ROWS: usize>(self, sums: impl Fn(&[[i32; ROWS]], &[i32], &mut Sums));
}

impl Instructions {
    pub(super) fn detect() -> Self {
        Self::all_detected().last().copied().unwrap_or(Self(InstructionSet::Portable))
    }

    /// Returns each detected set; the best is the last.
    pub(super) fn all_detected() -> Vec<Self> {
        let mut all = vec![Self(InstructionSet::Portable)];
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = V3::try_new() {
            all.push(Self(InstructionSet::Avx2(simd)));
            if is_x86_feature_detected!("avxvnni") {
                all.push(Self(InstructionSet::AvxVnni(simd)));
            }
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = V4::try_new()
            && is_x86_feature_detected!("avx512vnni")
        {
            all.push(Self(InstructionSet::Avx512Vnni(simd)));
        }
        all
    }

    /// The number of rows in a block.
    pub(super) fn rows(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Vnni(_) => MANY_ROWS,
            _ => FEW_ROWS,
        }
    }

    /// The number of columns in a panel.
    pub(super) fn columns(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Vnni(_) => WIDE,
            _ => NARROW,
        }
    }

    /// The number of codes in an element of 32 bits.
    pub(super) fn codes(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Vnni(_) | InstructionSet::AvxVnni(_) => 4,
            _ => 2,
        }
    }

    #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the features were detected"))]
    pub(super) fn run(self, blocks: impl Blocks) {
        match self.0 {
            InstructionSet::Portable => blocks.run::<FEW_ROWS>(portable),
            // SAFETY: constructed only if the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2(simd) => unsafe { avx2(simd, blocks) },
            // SAFETY: constructed only if the processor has AVX2 and AVX-VNNI.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::AvxVnni(simd) => unsafe { avx_vnni(simd, blocks) },
            // SAFETY: constructed only if the processor has AVX-512 and its VNNI.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Vnni(simd) => unsafe { avx512_vnni(simd, blocks) },
        }
    }
}

#[inline(always)]
fn portable(left: &[[i32; FEW_ROWS]], panel: &[i32], sums: &mut Sums) {
    let (panel, _) = panel.as_chunks::<NARROW>();
    let (output, _) = sums.as_chunks_mut::<NARROW>();
    let mut sums = [[0; NARROW]; FEW_ROWS];
    for (left, right) in left.iter().zip(panel) {
        let low = right.map(|pair| pair << 16 >> 16);
        let high = right.map(|pair| pair >> 16);
        for (sums, pair) in sums.iter_mut().zip(left) {
            let (left_low, left_high) = (pair << 16 >> 16, pair >> 16);
            for (sum, (low, high)) in sums.iter_mut().zip(low.iter().zip(&high)) {
                *sum += left_low * low + left_high * high;
            }
        }
    }
    for (output, sums) in output.iter_mut().zip(sums) {
        *output = sums;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(simd: V3, blocks: impl Blocks) {
    blocks.run::<FEW_ROWS>(|left, panel, sums| {
        block(simd, left, panel, sums, |sum, left, right| {
            cast(_mm256_add_epi32(cast(sum), _mm256_madd_epi16(cast(left), cast(right))))
        });
    });
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avxvnni")]
fn avx_vnni(simd: V3, blocks: impl Blocks) {
    blocks.run::<FEW_ROWS>(|left, panel, sums| {
        block(simd, left, panel, sums, |sum, left, right| {
            cast(_mm256_dpbusd_avx_epi32(cast(sum), cast(left), cast(right)))
        });
    });
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn avx512_vnni(simd: V4, blocks: impl Blocks) {
    blocks.run::<MANY_ROWS>(|left, panel, sums| {
        block(simd, left, panel, sums, |sum, left, right| {
            cast(_mm512_dpbusd_epi32(cast(sum), cast(left), cast(right)))
        });
    });
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "as in `micro_kernel::block`: written otherwise, the sums leave the registers"
)]
fn block<S: Simd, const ROWS: usize>(
    simd: S,
    left: &[[i32; ROWS]],
    panel: &[i32],
    output: &mut Sums,
    add_product: impl Fn(S::i32s, S::i32s, S::i32s) -> S::i32s,
) {
    let (panel, _) = S::as_simd_i32s(panel);
    let (panel, _) = panel.as_chunks::<2>();
    let mut sums = [[simd.splat_i32s(0); 2]; ROWS];
    for (left, right) in left.iter().zip(panel) {
        for row in 0..ROWS {
            let codes = simd.splat_i32s(left[row]);
            for register in 0..2 {
                sums[row][register] = add_product(sums[row][register], codes, right[register]);
            }
        }
    }
    let (output, _) = S::as_mut_simd_i32s(output);
    let (output, _) = output.as_chunks_mut::<2>();
    output[..ROWS].copy_from_slice(&sums);
}
