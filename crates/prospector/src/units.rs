//! Units as people write them.

/// How many units of a KB's attribute a unit of a question is; `None` if they do not measure the same, or the word is not a unit.
pub(crate) fn factor(word: &str, stem: &str, unit: &str) -> Option<f64> {
    let own = unit.to_lowercase();
    if own == word || crate::text::stem(&own) == stem {
        return Some(1.0);
    }
    let (kind, size) = size(word)?;
    let (own_kind, own_size) = size_of_kb(&own)?;
    (kind == own_kind).then(|| size / own_size)
}

/// What units measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Length,
    Time,
    Mass,
    Share,
    Area,
}

fn size_of_kb(unit: &str) -> Option<(Quantity, f64)> {
    let unit = unit.strip_suffix('s').filter(|rest| size(rest).is_some()).unwrap_or(unit);
    size(unit)
}

fn size(word: &str) -> Option<(Quantity, f64)> {
    use Quantity::{Area, Length, Mass, Share, Time};
    Some(match word {
        "mm" | "millimetre" | "millimeter" | "millimetres" | "millimeters" => (Length, 1e-3),
        "cm" | "centimetre" | "centimeter" | "centimetres" | "centimeters" => (Length, 1e-2),
        "m" | "metre" | "meter" | "metres" | "meters" => (Length, 1.0),
        "km" | "kilometre" | "kilometer" | "kilometres" | "kilometers" => (Length, 1e3),
        "ft" | "foot" | "feet" => (Length, 0.3048),
        "mile" | "miles" | "mi" => (Length, 1609.344),
        "second" | "seconds" | "sec" => (Time, 1.0),
        "minute" | "minutes" | "min" | "mins" => (Time, 60.0),
        "hour" | "hours" | "hrs" => (Time, 3600.0),
        "day" | "days" => (Time, 86_400.0),
        "year" | "years" => (Time, 31_556_952.0),
        "g" | "gram" | "grams" => (Mass, 1e-3),
        "kg" | "kilogram" | "kilograms" | "kilo" | "kilos" => (Mass, 1.0),
        "tonne" | "tonnes" | "ton" | "tons" => (Mass, 1e3),
        "percent" | "per cent" | "%" => (Share, 1.0),
        "km²" | "square kilometre" | "square kilometres" | "square kilometer" => (Area, 1e6),
        "m²" | "square metre" | "square metres" => (Area, 1.0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::factor;

    #[test]
    fn units_convert() {
        assert_eq!(factor("cm", "cm", "metre"), Some(0.01));
        assert_eq!(factor("hours", "hour", "minute"), Some(60.0));
        assert_eq!(factor("metres", "metr", "metre"), Some(1.0));
        assert_eq!(factor("kg", "kg", "metre"), None);
        assert_eq!(factor("countries", "countr", "metre"), None);
    }
}
