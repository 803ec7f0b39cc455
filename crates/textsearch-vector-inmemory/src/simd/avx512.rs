//! What the compiler does not find by itself: dot products of bytes by VNNI.

use std::arch::x86_64::{
    __m512i, _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_reduce_add_epi32, _mm512_setzero_si512,
};

use super::{
    by_fours,
    codes::{CodeRows, Line, QueryCodes},
};

/// The same as [`super::codes::sums`], to the last bit.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn sums(query: &QueryCodes, rows: CodeRows<'_>, offsets: &[u16], out: &mut Vec<f32>) {
    let four = |offsets: [u16; 4]| {
        let [a, b, c, d] = offsets.map(|offset| rows.row(offset));
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
        sums.map(|sums| fold(query, sums))
    };
    let one = |offset| {
        let mut sums = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for ((row, high), low) in rows.row(offset).iter().zip(&query.high).zip(&query.low) {
            add(&mut sums, row, (load(high), load(low)));
        }
        fold(query, sums)
    };
    by_fours(offsets, out, four, one);
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add(sums: &mut (__m512i, __m512i), row: &Line<u8>, query: (__m512i, __m512i)) {
    let row = load(row);
    sums.0 = _mm512_dpbusd_epi32(sums.0, row, query.0);
    sums.1 = _mm512_dpbusd_epi32(sums.1, row, query.1);
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
    // SAFETY: a line is 64 bytes, all of them initialised, at an address that is a multiple of 64.
    unsafe { _mm512_load_si512(std::ptr::from_ref(line).cast()) }
}
