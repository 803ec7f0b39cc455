//! Converts floats to codes of one byte.

use super::codes::Line;

/// Adding this to a small number leaves the nearest whole number, plus 128, in the lowest byte.
const MAGIC: f32 = 12_582_912.0 + 128.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Coded {
    /// Codes times this factor give the elements.
    pub(crate) scale: f32,
    /// The length of the rounding error, itself approximate.
    pub(crate) loss: f32,
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) fn code_avx2(elements: &[f32], codes: &mut [Line<u8>]) -> Coded {
    code(elements, codes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn code_avx512(elements: &[f32], codes: &mut [Line<u8>]) -> Coded {
    code(elements, codes)
}

#[inline(always)]
pub(super) fn code(elements: &[f32], codes: &mut [Line<u8>]) -> Coded {
    let scale = largest(elements) / 127.0;
    let inverse = 1.0 / scale;
    let (parts, rest) = elements.as_chunks::<64>();
    let mut lost = [0.0_f32; 16];
    for (part, line) in parts.iter().zip(&mut *codes) {
        code_line(part, scale, inverse, line, &mut lost);
    }
    if let Some(last) = codes.get_mut(parts.len()) {
        let mut part = [0.0; 64];
        part.iter_mut().zip(rest).for_each(|(place, element)| *place = *element);
        code_line(&part, scale, inverse, last, &mut lost);
    }
    Coded { scale, loss: lost.iter().sum::<f32>().sqrt() }
}

#[inline(always)]
fn largest(elements: &[f32]) -> f32 {
    let (parts, rest) = elements.as_chunks::<16>();
    let mut max = [0.0_f32; 16];
    let keep = |max: &mut f32, element: &f32| {
        let size = element.abs();
        *max = if size > *max { size } else { *max };
    };
    for part in parts {
        max.iter_mut().zip(part).for_each(|(max, element)| keep(max, element));
    }
    max.iter_mut().zip(rest).for_each(|(max, element)| keep(max, element));
    max.into_iter().fold(0.0, f32::max)
}

#[inline(always)]
fn code_line(
    elements: &[f32; 64],
    scale: f32,
    inverse: f32,
    line: &mut Line<u8>,
    lost: &mut [f32; 16],
) {
    let (elements, _) = elements.as_chunks::<16>();
    let (codes, _) = line.0.as_chunks_mut::<16>();
    for (elements, codes) in elements.iter().zip(codes) {
        for ((element, code), lost) in elements.iter().zip(codes).zip(&mut *lost) {
            let shifted = element * inverse + MAGIC;
            *code = shifted.to_bits() as u8;
            let difference = element - (shifted - MAGIC) * scale;
            *lost += difference * difference;
        }
    }
}
