//! A little English morphology: plurals, articles, participles; numbers and dates as people write them.

use touchstone_kb::Literal;

/// The plural of a noun phrase: of its last word, or of the word before `of`, `per`, `in` ...
pub fn plural(noun: &str) -> String {
    let words: Vec<&str> = noun.split(' ').collect();
    let joint = words
        .iter()
        .position(|word| matches!(*word, "of" | "per" | "in" | "for" | "with" | "by" | "to" | "from"));
    let head = joint.filter(|&at| at > 0).unwrap_or(words.len()) - 1;
    let mut out: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    out[head] = plural_word(words[head]);
    out.join(" ")
}

fn plural_word(word: &str) -> String {
    let lower = word.to_lowercase();
    let irregular = match lower.as_str() {
        "person" => Some("people"),
        "man" => Some("men"),
        "woman" => Some("women"),
        "child" => Some("children"),
        "foot" => Some("feet"),
        "series" | "species" | "percent" | "pokemon" | "pokémon" | "games" | "aircraft" | "hertz"
        | "people" | "kelvin" => Some(lower.as_str()),
        _ => None,
    };
    if let Some(irregular) = irregular {
        return irregular.to_owned();
    }
    let ends = |ending: &str| lower.ends_with(ending);
    if ends("s") || ends("x") || ends("z") || ends("ch") || ends("sh") {
        return format!("{word}es");
    }
    let consonant_y = ends("y") && !["ay", "ey", "oy", "uy"].iter().any(|vowel| ends(vowel));
    if consonant_y { format!("{}ies", &word[..word.len() - 1]) } else { format!("{word}s") }
}

/// The noun whose plural a word is, if it looks like one.
pub fn singular(word: &str) -> Option<String> {
    // The plural is the same: "sery" is no word.
    if matches!(word, "series" | "species") {
        return None;
    }
    let cut = |ending: &str, put: &str| word.strip_suffix(ending).map(|stem| format!("{stem}{put}"));
    let known = ["person", "man", "woman", "child", "foot"].map(|noun| Some(noun.to_owned()));
    let regular = [cut("ies", "y"), cut("es", ""), cut("s", "")];
    known.into_iter().chain(regular).flatten().find(|noun| !noun.is_empty() && plural_word(noun) == word)
}

/// With the indefinite article.
pub fn with_article(noun: &str) -> String {
    let lower = noun.to_lowercase();
    let vowel = lower.starts_with(['a', 'e', 'i', 'o', 'u'])
        && !["uni", "use", "eu", "one ", "u.s", "us ", "ura", "uri", "ut"]
            .iter()
            .any(|sound| lower.starts_with(sound))
        || ["hour", "honor", "honour", "heir", "imdb", "mpa"].iter().any(|sound| lower.starts_with(sound));
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// Whether a word is a past participle, by its look.
pub(crate) fn is_participle(word: &str) -> bool {
    const IRREGULAR: [&str; 16] = [
        "born", "written", "held", "won", "made", "built", "spoken", "known", "led", "taught", "drawn",
        "given", "found", "seen", "shown", "sold",
    ];
    (word.len() > 3 && word.ends_with("ed")) || IRREGULAR.contains(&word)
}

/// A value as people write it: numbers with separators and the unit in the plural, dates in words, texts as they are.
pub fn value(literal: &Literal<'_>) -> String {
    if let Some(number) = literal.number() {
        let text = separated(literal.text());
        return match literal.unit() {
            "" => text,
            unit if number == 1.0 => format!("{text} {unit}"),
            unit => format!("{text} {}", plural(unit)),
        };
    }
    if let Some(time) = literal.as_time() {
        let date = time.date_text();
        let year = if time.year() < 0 { format!("{} BC", -time.year()) } else { time.year().to_string() };
        let mut parts =
            date.trim_start_matches('-').split('-').skip(1).map(|part| part.parse::<usize>().unwrap_or(0));
        return match (parts.next(), parts.next()) {
            (Some(month @ 1..=12), Some(day)) => format!("{day} {} {year}", MONTHS[month - 1]),
            (Some(month @ 1..=12), None) => format!("{} {year}", MONTHS[month - 1]),
            _ => year,
        };
    }
    literal.text().to_owned()
}

/// A time with its preposition: in 2008, on 12 May 2008.
pub fn at_time(literal: &Literal<'_>) -> String {
    let text = value(literal);
    match literal.as_time() {
        Some(time) if time.precision() >= touchstone_kb::Precision::Day => format!("on {text}"),
        Some(_) => format!("in {text}"),
        None => text,
    }
}

/// The names of the months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// 28817291 as 28,817,291; numbers of four digits stay as they are.
fn separated(number: &str) -> String {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number.trim_start_matches('+')),
    };
    let (whole, rest) = match digits.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => digits.split_at(at),
        None => (digits, ""),
    };
    // 813400.0 is a whole number.
    let is_zero = rest.len() > 1 && rest.starts_with('.') && rest[1..].bytes().all(|digit| digit == b'0');
    let rest = if is_zero { "" } else { rest };
    if rest.contains(['e', 'E']) {
        return number.to_owned();
    }
    if whole.len() <= 4 {
        return format!("{sign}{whole}{rest}");
    }
    let mut out = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (one, many) in [
            ("film", "films"),
            ("city", "cities"),
            ("person", "people"),
            ("field of study", "fields of study"),
            ("death per 1,000 people", "deaths per 1,000 people"),
            ("percent", "percent"),
            ("day", "days"),
            ("US dollar", "US dollars"),
            ("square kilometre", "square kilometres"),
            ("process", "processes"),
        ] {
            assert_eq!(plural(one), many);
        }
        for (many, one) in
            [("airports", "airport"), ("children", "child"), ("cities", "city"), ("boxes", "box")]
        {
            assert_eq!(singular(many).as_deref(), Some(one));
        }
        assert_eq!(singular("percent"), None);
        assert_eq!(singular("series"), None);
        assert_eq!(with_article("actor"), "an actor");
        assert_eq!(with_article("U.S. state"), "a U.S. state");
        assert_eq!(with_article("university"), "a university");
        assert!(is_participle("directed") && is_participle("born") && !is_participle("red"));
    }

    #[test]
    fn values() {
        let quantity =
            |text: &str, unit: &'static str| value(&Literal::quantity(text, unit).expect("a number"));
        assert_eq!(quantity("28817291", "US dollar"), "28,817,291 US dollars");
        assert_eq!(quantity("1", "minute"), "1 minute");
        assert_eq!(quantity("1994", ""), "1994");
        assert_eq!(quantity("813400.0", ""), "813,400");
        assert_eq!(quantity("630.0", "kilogram"), "630 kilograms");
        assert_eq!(quantity("-12345.5", ""), "-12,345.5");
        assert_eq!(value(&Literal::date("1994-09-10").expect("a date")), "10 September 1994");
        assert_eq!(value(&Literal::year("-44").expect("a year")), "44 BC");
        assert_eq!(at_time(&Literal::year("1994").expect("a year")), "in 1994");
        assert_eq!(at_time(&Literal::date("1994-09-10").expect("a date")), "on 10 September 1994");
    }
}
