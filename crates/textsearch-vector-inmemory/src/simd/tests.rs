//! Compares every instruction set with plain arithmetic, to the last bit.

use super::*;

fn elements(random: &mut fastrand::Rng, length: usize) -> Vec<f32> {
    (0..length).map(|_| random.f32() - 0.5).collect()
}

const LENGTHS: [usize; 9] = [1, 15, 16, 63, 64, 65, 128, 200, 384];

#[test]
fn float_sums_are_equal_on_all_instruction_sets() {
    let mut random = fastrand::Rng::with_seed(1);
    for length in LENGTHS {
        let query = elements(&mut random, length);
        let rows: Vec<Vec<f32>> = (0..23).map(|_| elements(&mut random, length)).collect();
        let offsets: Vec<u16> = (0..23).rev().collect();
        let sums = |set: Instructions| {
            let mut sums = Vec::new();
            let row = |offset| rows[usize::from(offset)].as_slice();
            set.sums(&query, &offsets, row, |a, b| a * b, &mut sums);
            sums
        };
        let expected = sums(Instructions(InstructionSet::Baseline));
        for set in Instructions::all_detected() {
            assert_eq!(sums(set), expected, "{set:?}, {length}");
        }
    }
}

#[test]
fn sums_of_squares_are_equal_on_all_instruction_sets() {
    let mut random = fastrand::Rng::with_seed(4);
    for length in LENGTHS {
        let elements = elements(&mut random, length);
        let expected: f64 = elements.iter().map(|element| f64::from(*element).powi(2)).sum();
        let sums =
            Instructions::all_detected().into_iter().map(|set| set.sum_of_squares(&elements));
        let sums: Vec<f64> = sums.collect();
        assert!(sums.iter().all(|sum| *sum == sums[0]), "{length}");
        assert!((sums[0] - expected).abs() <= 1e-14 * expected, "{length}");
    }
}

#[test]
fn codes_round_to_nearest_on_all_instruction_sets() {
    let mut random = fastrand::Rng::with_seed(2);
    for length in LENGTHS {
        let elements = elements(&mut random, length);
        let largest = elements.iter().fold(0.0_f32, |max, element| max.max(element.abs()));
        for set in Instructions::all_detected() {
            let mut lines = vec![Line::ZERO; length.div_ceil(64)];
            let coded = set.code(&elements, &mut lines);
            assert_eq!(coded.scale, largest / 127.0);
            let codes = lines.iter().flat_map(|line| line.0).map(|code| f32::from(code) - 128.0);
            let lost =
                elements.iter().zip(codes).map(|(element, code)| element - code * coded.scale);
            let lost: Vec<f32> = lost.collect();
            assert!(lost.iter().all(|lost| lost.abs() <= coded.scale * 0.5001), "{set:?}");
            let expected = lost.iter().map(|lost| lost * lost).sum::<f32>().sqrt();
            assert!((coded.loss - expected).abs() <= 1e-5 * expected, "{set:?}, {length}");
        }
    }
}

#[test]
fn code_sums_are_exact_on_all_instruction_sets() {
    let mut random = fastrand::Rng::with_seed(3);
    for length in LENGTHS {
        let query: Vec<i16> = (0..length).map(|_| random.i16(-16_256..=16_256)).collect();
        let lines_a_row = length.div_ceil(64);
        let mut lines = vec![Line::ZERO; 23 * lines_a_row];
        for row in lines.chunks_mut(lines_a_row) {
            let places = row.iter_mut().flat_map(|line| line.0.iter_mut()).take(length);
            places.for_each(|place| *place = random.u8(1..));
        }
        let rows = CodeRows { lines: &lines, lines_a_row };
        let row = |offset| rows.row(offset);
        let offsets: Vec<u16> = (0..23).step_by(2).collect();
        let exact = |offset: &u16| -> i64 {
            let codes = rows.row(*offset).iter().flat_map(|line| line.0);
            let pairs = codes.zip(&query);
            let products =
                pairs.map(|(code, element)| (i64::from(code) - 128) * i64::from(*element));
            products.sum()
        };
        let codes = QueryCodes::new(query.iter().copied());
        for set in Instructions::all_detected() {
            let mut sums = Vec::new();
            let mut of_cache = Vec::new();
            set.code_sums(&codes, &offsets, row, RowLocation::Memory, &mut sums);
            set.code_sums(&codes, &offsets, row, RowLocation::Cache, &mut of_cache);
            assert_eq!(sums, of_cache, "{set:?}, {length}");
            for (sum, offset) in sums.iter().zip(&offsets) {
                let exact = exact(offset);
                let max = 4.0 * f32::EPSILON * (exact.abs() as f32 + 128.0);
                assert!(
                    (f64::from(*sum) - exact as f64).abs() <= f64::from(max),
                    "{set:?}, {length}"
                );
            }
        }
    }
}

#[test]
fn sums_of_two_rows_of_codes_are_exact_on_all_instruction_sets() {
    let mut random = fastrand::Rng::with_seed(5);
    for lines_a_row in [1, 2, 6] {
        let mut lines = vec![Line::ZERO; 9 * lines_a_row];
        let places = lines.iter_mut().flat_map(|line| line.0.iter_mut());
        places.for_each(|place| *place = random.u8(1..));
        let rows = CodeRows { lines: &lines, lines_a_row };
        let codes = |offset: u16| {
            let codes = rows.row(offset).iter().flat_map(|line| line.0);
            codes.map(|code| i32::from(code) - 128)
        };
        let offsets: Vec<u16> = (0..9).collect();
        let exact =
            |offset: &u16| -> i32 { codes(3).zip(codes(*offset)).map(|(a, b)| a * b).sum() };
        let expected: Vec<f32> = offsets.iter().map(|offset| exact(offset) as f32).collect();
        let query = QueryCodes::of_row(rows.row(3));
        for set in Instructions::all_detected() {
            let mut sums = Vec::new();
            set.code_sums(
                &query,
                &offsets,
                |offset| rows.row(offset),
                RowLocation::Memory,
                &mut sums,
            );
            assert_eq!(sums, expected, "{set:?}, {lines_a_row}");
        }
    }
}
