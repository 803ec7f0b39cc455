//! Loops over vectors, compiled for several instruction sets and chosen at run time.
//! `docs/decisions/0012-simd-by-the-standard-library.md` says why the crate uses no library.
//!
//! # Instruction sets
//!
//! Loops in safe Rust are compiled for the baseline of the architecture and for AVX2; coding also
//! for AVX-512. The dot product of bytes is written with intrinsics of AVX-512 VNNI. A kernel for
//! another architecture is a function in this module.
//!
//! # Reproducible results
//!
//! Every set gives the same results to the last bit. Sums of bytes are integers, and exact. Sums of
//! `f32` use 16 lanes, one order of additions, and no fused multiplication, which not every
//! processor has. So a score has the same bits on every machine, for any number of threads and
//! queries, and whichever rows are compared together. Tests compare every set that the processor
//! has with the portable loops.
//!
//! # Unsafe code
//!
//! There are three kinds, each with an `#[expect]` and its reason: calling a function whose
//! features were detected, loading a register from an aligned line of 64 bytes, and storing four
//! floats. Prefetching needs `unsafe` in older versions of Rust only.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod codes;
mod coding;
mod sums;

pub(crate) use self::{
    codes::{CodeRows, Line, QueryCodes},
    coding::Coded,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowLocation {
    /// Prefetch rows.
    Memory,
    /// Prefetching costs more than it saves.
    Cache,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instructions(InstructionSet);

/// Private, so that only detected sets can be constructed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InstructionSet {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// With the 8-bit dot products of VNNI.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            let has_vnni = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni");
            return Self(if has_vnni { InstructionSet::Avx512 } else { InstructionSet::Avx2 });
        }
        Self(InstructionSet::Baseline)
    }

    #[cfg(test)]
    pub(crate) fn all_detected() -> Vec<Self> {
        let best = Self::detect();
        let mut sets = vec![Self(InstructionSet::Baseline)];
        #[cfg(target_arch = "x86_64")]
        if best != Self(InstructionSet::Baseline) {
            sets.push(Self(InstructionSet::Avx2));
        }
        if !sets.contains(&best) {
            sets.push(best);
        }
        sets
    }

    /// A sum depends only on the two vectors: equal rows have equal sums, to the last bit.
    #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the features were detected"))]
    pub(crate) fn sums<'a>(
        self,
        query: &[f32],
        offsets: &[u16],
        row: impl Fn(u16) -> &'a [f32] + Copy,
        term: impl Fn(f32, f32) -> f32 + Copy,
        sums: &mut Vec<f32>,
    ) {
        match self.0 {
            InstructionSet::Baseline => sums::of_rows(query, offsets, row, term, sums),
            // SAFETY: these sets are constructed only if the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe {
                sums::of_rows_avx2(query, offsets, row, term, sums);
            },
        }
    }

    /// Sums in `f64`.
    #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the features were detected"))]
    pub(crate) fn sum_of_squares(self, elements: &[f32]) -> f64 {
        match self.0 {
            InstructionSet::Baseline => sums::of_squares(elements),
            // SAFETY: these sets are constructed only if the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe {
                sums::of_squares_avx2(elements)
            },
        }
    }

    /// Sums are in units of both scales. Each row must have as many lines as the query. Results are
    /// exact up to the final rounding to `f32`.
    #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the features were detected"))]
    pub(crate) fn code_sums<'a, const PARTS: usize>(
        self,
        query: &QueryCodes<PARTS>,
        offsets: &[u16],
        row: impl Fn(u16) -> &'a [Line<u8>] + Copy,
        location: RowLocation,
        sums: &mut Vec<f32>,
    ) {
        match self.0 {
            InstructionSet::Baseline => codes::sums(query, offsets, row, sums),
            // SAFETY: this set is constructed only if the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { codes::sums_avx2(query, offsets, row, sums) },
            // SAFETY: this set is constructed only if the processor has AVX-512 F, BW and VNNI.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { avx512::sums(query, offsets, row, location, sums) },
        }
    }

    /// Codes are the elements, scaled to whole numbers, plus 128. The elements must be finite and
    /// not all zero.
    #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the features were detected"))]
    pub(crate) fn code(self, elements: &[f32], codes: &mut [Line<u8>]) -> Coded {
        match self.0 {
            InstructionSet::Baseline => coding::code(elements, codes),
            // SAFETY: this set is constructed only if the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { coding::code_avx2(elements, codes) },
            // SAFETY: this set is constructed only if the processor has AVX-512 F and BW.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { coding::code_avx512(elements, codes) },
        }
    }
}

/// Asks the processor to load the items into its cache, without waiting for them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(
    unused_unsafe,
    reason = "the intrinsic takes a pointer, so older versions of Rust require `unsafe`"
)]
#[expect(unsafe_code, reason = "the same")]
pub(crate) fn prefetch<T>(items: &[T]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

    for line in items.chunks(64_usize.div_ceil(size_of::<T>().max(1))) {
        // SAFETY: the pointer comes from a reference, and nothing is read or written through it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn prefetch<T>(_: &[T]) {}

const AHEAD: usize = 6;

/// Calls `four` with offsets from four distant places and `single` with the rest: memory delivers
/// several streams about a third faster than one. Sums are in the order of `offsets`. Calls
/// `announce` with later offsets, to prefetch them.
#[inline(always)]
fn by_fours(
    offsets: &[u16],
    sums: &mut Vec<f32>,
    announce: impl Fn(u16),
    four: impl Fn([u16; 4]) -> [f32; 4],
    single: impl Fn(u16) -> f32,
) {
    sums.clear();
    sums.resize(offsets.len(), 0.0);
    let quarter = offsets.len() / 4;
    let ([a, b, c, d], rest) = quarters(offsets, quarter);
    let (a_sums, others) = sums.split_at_mut(quarter);
    let (b_sums, others) = others.split_at_mut(quarter);
    let (c_sums, others) = others.split_at_mut(quarter);
    let (d_sums, rest_sums) = others.split_at_mut(quarter);
    let places = a_sums.iter_mut().zip(b_sums).zip(c_sums).zip(d_sums);
    let announce_four = |place: usize| {
        let places = [0, quarter, 2 * quarter, 3 * quarter].map(|first| first + place);
        places
            .into_iter()
            .filter_map(|place| offsets.get(place))
            .for_each(|offset| announce(*offset));
    };
    (0..AHEAD.min(quarter)).for_each(announce_four);
    rest.iter().for_each(|offset| announce(*offset));
    let streams = a.iter().zip(b).zip(c).zip(d);
    for (later, ((((a, b), c), d), (((a_sum, b_sum), c_sum), d_sum))) in
        (AHEAD..).zip(streams.zip(places))
    {
        if later < quarter {
            announce_four(later);
        }
        [*a_sum, *b_sum, *c_sum, *d_sum] = four([*a, *b, *c, *d]);
    }
    for (sum, offset) in rest_sums.iter_mut().zip(rest) {
        *sum = single(*offset);
    }
}

fn quarters(offsets: &[u16], quarter: usize) -> ([&[u16]; 4], &[u16]) {
    let (a, rest) = offsets.split_at(quarter);
    let (b, rest) = rest.split_at(quarter);
    let (c, rest) = rest.split_at(quarter);
    let (d, rest) = rest.split_at(quarter);
    ([a, b, c, d], rest)
}

#[cfg(test)]
mod tests;
