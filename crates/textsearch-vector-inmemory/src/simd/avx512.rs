//! Dot products of bytes by VNNI, which the compiler does not generate itself.

use std::arch::x86_64::{
    __m128i, __m512i, _MM_HINT_T0, _mm_add_epi32, _mm_add_ps, _mm_cvtepi32_ps, _mm_mul_ps,
    _mm_prefetch, _mm_set1_epi32, _mm_set1_ps, _mm_storeu_ps, _mm_sub_epi32, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm512_add_epi32, _mm512_castsi512_si256,
    _mm512_dpbusd_epi32, _mm512_extracti64x4_epi64, _mm512_load_si512, _mm512_reduce_add_epi32,
    _mm512_setzero_si512, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32,
    _mm512_unpacklo_epi64,
};

use super::{
    RowLocation, by_fours,
    codes::{Line, QueryCodes},
};

/// Returns the same bits as [`super::codes::sums`].
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn sums<'a>(
    query: &QueryCodes,
    offsets: &[u16],
    row: impl Fn(u16) -> &'a [Line<u8>] + Copy,
    location: RowLocation,
    out: &mut Vec<f32>,
) {
    let four = |offsets: [u16; 4]| {
        let [a, b, c, d] = offsets.map(row);
        let mut sums = [(_mm512_setzero_si512(), _mm512_setzero_si512()); 4];
        let query_lines = query.high.iter().zip(&query.low);
        for ((((query, a), b), c), d) in query_lines.zip(a).zip(b).zip(c).zip(d) {
            let query = (load(query.0), load(query.1));
            let [a_sums, b_sums, c_sums, d_sums] = &mut sums;
            add(a_sums, a, query);
            add(b_sums, b, query);
            add(c_sums, c, query);
            add(d_sums, d, query);
        }
        fold_four(query, sums)
    };
    let single = |offset| {
        let mut sums = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for ((row, high), low) in row(offset).iter().zip(&query.high).zip(&query.low) {
            add(&mut sums, row, (load(high), load(low)));
        }
        fold(query, sums)
    };
    match location {
        RowLocation::Memory => {
            by_fours(offsets, out, |offset| fetch(row(offset)), four, single);
        }
        RowLocation::Cache => by_fours(offsets, out, |_| {}, four, single),
    }
}

/// The processor prefetches consecutive rows by itself, but not past the end of a 4 KiB page, and
/// not over rows that a filter skips.
#[inline]
#[target_feature(enable = "avx512f")]
#[allow(
    unused_unsafe,
    reason = "the intrinsic takes a pointer, so older versions of Rust require `unsafe`"
)]
#[expect(unsafe_code, reason = "the same")]
fn fetch(lines: &[Line<u8>]) {
    for line in lines {
        // SAFETY: the pointer comes from a reference, and nothing is read or written through it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add(sums: &mut (__m512i, __m512i), row: &Line<u8>, query: (__m512i, __m512i)) {
    let row = load(row);
    sums.0 = _mm512_dpbusd_epi32(sums.0, row, query.0);
    sums.1 = _mm512_dpbusd_epi32(sums.1, row, query.1);
}

/// Takes a fraction of the instructions of four times [`fold`].
#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "registers are stored through pointers")]
fn fold_four(query: &QueryCodes, sums: [(__m512i, __m512i); 4]) -> [f32; 4] {
    let high = fold_columns(sums.map(|(high, _)| high));
    let low = fold_columns(sums.map(|(_, low)| low));
    let high = _mm_cvtepi32_ps(_mm_sub_epi32(high, _mm_set1_epi32(query.high_surplus)));
    let low = _mm_cvtepi32_ps(_mm_sub_epi32(low, _mm_set1_epi32(query.low_surplus)));
    let joined = _mm_add_ps(_mm_mul_ps(high, _mm_set1_ps(128.0)), low);
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
fn fold(query: &QueryCodes, (high, low): (__m512i, __m512i)) -> f32 {
    query.join(_mm512_reduce_add_epi32(high), _mm512_reduce_add_epi32(low))
}

#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "registers are loaded through pointers")]
fn load<T>(line: &Line<T>) -> __m512i {
    const { assert!(size_of::<Line<T>>() == 64 && align_of::<Line<T>>() == 64) };
    // SAFETY: a line is 64 initialized bytes at an address that is a multiple of 64.
    unsafe { _mm512_load_si512(std::ptr::from_ref(line).cast()) }
}
