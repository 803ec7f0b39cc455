//! Dot products of bytes by VNNI, which the compiler does not generate itself.

use std::arch::x86_64::{
    __m128i, __m512i, _mm_add_epi32, _mm_add_ps, _mm_cvtepi32_ps, _mm_mul_ps, _mm_set1_epi32,
    _mm_set1_ps, _mm_storeu_ps, _mm_sub_epi32, _mm256_add_epi32, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm512_add_epi32, _mm512_castsi512_si256, _mm512_dpbusd_epi32,
    _mm512_extracti64x4_epi64, _mm512_load_si512, _mm512_reduce_add_epi32, _mm512_setzero_si512,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

use super::{
    RowLocation, by_fours,
    codes::{Line, QueryCodes},
    prefetch,
};

/// Returns the same bits as [`super::codes::sums`].
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn sums<'a, const PARTS: usize>(
    query: &QueryCodes<PARTS>,
    offsets: &[u16],
    row: impl Fn(u16) -> &'a [Line<u8>] + Copy,
    location: RowLocation,
    out: &mut Vec<f32>,
) {
    let zeros = || [_mm512_setzero_si512(); PARTS];
    let four = |offsets: [u16; 4]| {
        let [a, b, c, d] = offsets.map(row);
        let mut sums = [zeros(), zeros(), zeros(), zeros()];
        for ((((query, a), b), c), d) in query.lines.iter().zip(a).zip(b).zip(c).zip(d) {
            let query = query.each_ref().map(|line| load(line));
            let [a_sums, b_sums, c_sums, d_sums] = &mut sums;
            add(a_sums, a, query);
            add(b_sums, b, query);
            add(c_sums, c, query);
            add(d_sums, d, query);
        }
        fold_four(query, sums)
    };
    let single = |offset| {
        let mut sums = zeros();
        for (row, query) in row(offset).iter().zip(&query.lines) {
            add(&mut sums, row, query.each_ref().map(|line| load(line)));
        }
        query.join(sums.map(|sums| _mm512_reduce_add_epi32(sums)))
    };
    match location {
        RowLocation::Memory => {
            // The processor prefetches consecutive rows by itself, but not past the end of a 4 KiB
            // page, and not over rows that a filter skips.
            by_fours(offsets, out, |offset| prefetch(row(offset)), four, single);
        }
        RowLocation::Cache => by_fours(offsets, out, |_| {}, four, single),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add<const PARTS: usize>(sums: &mut [__m512i; PARTS], row: &Line<u8>, query: [__m512i; PARTS]) {
    let row = load(row);
    for (sum, part) in sums.iter_mut().zip(query) {
        *sum = _mm512_dpbusd_epi32(*sum, row, part);
    }
}

/// Takes a fraction of the instructions of four times a single fold.
#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "registers are stored through pointers")]
fn fold_four<const PARTS: usize>(
    query: &QueryCodes<PARTS>,
    sums: [[__m512i; PARTS]; 4],
) -> [f32; 4] {
    let mut joined = _mm_set1_ps(0.0);
    for (part, surplus) in query.surplus.iter().enumerate() {
        let [Some(a), Some(b), Some(c), Some(d)] = sums.each_ref().map(|sums| sums.get(part))
        else {
            break;
        };
        let folded = _mm_sub_epi32(fold_columns([*a, *b, *c, *d]), _mm_set1_epi32(*surplus));
        joined = _mm_add_ps(_mm_mul_ps(joined, _mm_set1_ps(128.0)), _mm_cvtepi32_ps(folded));
    }
    let mut out = [0.0; 4];
    // SAFETY: the array has room for four floats, and the store needs no alignment.
    unsafe { _mm_storeu_ps(out.as_mut_ptr(), joined) };
    out
}

#[inline]
#[target_feature(enable = "avx512f")]
fn fold_columns([a, b, c, d]: [__m512i; 4]) -> __m128i {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let abcd = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let halves =
        _mm256_add_epi32(_mm512_castsi512_si256(abcd), _mm512_extracti64x4_epi64::<1>(abcd));
    _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves))
}

#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "registers are loaded through pointers")]
fn load<T>(line: &Line<T>) -> __m512i {
    const { assert!(size_of::<Line<T>>() == 64 && align_of::<Line<T>>() == 64) };
    // SAFETY: a line is 64 initialized bytes at an address that is a multiple of 64.
    unsafe { _mm512_load_si512(std::ptr::from_ref(line).cast()) }
}
