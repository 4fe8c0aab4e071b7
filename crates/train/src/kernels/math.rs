//! Functions that the compiler turns into vector instructions; those of the standard library it calls for one number after the other.

/// `e^x`, with a relative error below 2e-7; below -87 about 1e-38.
#[inline]
pub(crate) fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    // ln 2 in two parts: the product of the first with a small whole number is exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    // Adding it rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let rest = x - whole * LN_2_HIGH - whole * LN_2_LOW;
    let mut sum = 1.987_569_1e-4;
    for factor in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5] {
        sum = sum * rest + factor;
    }
    let sum = sum * rest * rest + rest + 1.0;
    let exponent = rounded.to_bits().cast_signed().wrapping_sub(ROUND.to_bits().cast_signed());
    sum * f32::from_bits((exponent.wrapping_add(127) << 23).cast_unsigned())
}

/// The logistic function.
#[inline]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The hyperbolic tangent.
#[inline]
pub(crate) fn tanh(x: f32) -> f32 {
    let far = 1.0 - 2.0 / (exp(2.0 * x) + 1.0);
    let square = x * x;
    let near = x * (1.0 + square * (-1.0 / 3.0 + square * (2.0 / 15.0)));
    // Near 0 the difference above has few digits.
    if square < 0.01 { near } else { far }
}

/// Numbers that are treated side by side.
const LANES: usize = 16;

/// The greatest number.
pub(crate) fn greatest(numbers: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &number) in lanes.iter_mut().zip(chunk) {
            *lane = if number > *lane { number } else { *lane };
        }
    }
    lanes
        .iter()
        .chain(rest)
        .fold(f32::NEG_INFINITY, |most, &number| if number > most { number } else { most })
}

/// The logarithm of the sum of `e^x`.
pub(crate) fn log_sum_exp(numbers: &[f32]) -> f32 {
    let most = greatest(numbers);
    if !most.is_finite() {
        // Not a number, or infinite: the usual rules.
        return numbers.iter().map(|number| number.exp()).sum::<f32>().ln();
    }
    let mut lanes = [0.0_f32; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, number)| *lane += exp(number - most));
    }
    let rest: f32 = rest.iter().map(|number| exp(number - most)).sum();
    (lanes.iter().sum::<f32>() + rest).ln() + most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_equal_the_standard_library() {
        let numbers = (-2000..2000).map(|number| number as f32 * 0.021);
        for x in numbers {
            let close = |found: f32, expected: f64, tolerance: f64| {
                let error = (f64::from(found) - expected).abs();
                assert!(error <= tolerance * expected.abs(), "{x}: {found} instead of {expected}");
            };
            let exact = f64::from(x);
            close(exp(x), exact.exp(), 2e-7);
            close(tanh(x), exact.tanh(), 2e-6);
            close(sigmoid(x), 1.0 / (1.0 + (-exact).exp()), 4e-7);
        }
        assert!(exp(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
        assert_eq!((tanh(-100.0), tanh(100.0), sigmoid(-100.0) < 1e-37), (-1.0, 1.0, true));
    }

    #[test]
    fn sums_of_exponentials() {
        let numbers: Vec<f32> = (0..37).map(|number| (number as f32 * 0.7).sin() * 50.0).collect();
        let expected = numbers.iter().map(|&number| f64::from(number).exp()).sum::<f64>().ln();
        assert!((f64::from(log_sum_exp(&numbers)) - expected).abs() < 1e-5);
        assert_eq!(log_sum_exp(&[f32::NEG_INFINITY; 3]), f32::NEG_INFINITY);
        assert!(log_sum_exp(&[0.0, f32::NAN]).is_nan());
        assert!(log_sum_exp(&[f32::NAN; 20]).is_nan());
        assert_eq!(greatest(&numbers), numbers.iter().copied().fold(f32::MIN, f32::max));
    }
}
