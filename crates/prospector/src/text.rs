//! The words of a question, and how alike two words are.

/// Maximum number of words of a question that are read; sets of words are bits of a number.
pub(crate) const MAX_WORDS: usize = 64;

/// Maximum number of bytes of a question that are read.
const MAX_BYTES: usize = 4096;

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuestionWord {
    /// Its first byte.
    pub(crate) start: usize,
    /// The byte after its last one.
    pub(crate) end: usize,
    /// In lower case, without a possessive ending.
    pub(crate) lower: String,
    /// Its stem.
    pub(crate) stem: String,
    /// Whether it only connects others.
    pub(crate) is_plain: bool,
    /// Whether it begins with a capital letter.
    pub(crate) is_capital: bool,
}

/// Words that connect others, in alphabetical order.
const PLAIN: [&str; 82] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can",
    "could", "did", "do", "does", "each", "every", "find", "for", "from", "get", "give", "had", "has",
    "have", "he", "her", "his", "how", "i", "im", "in", "is", "it", "its", "know", "let", "list", "many",
    "me", "much", "my", "name", "of", "on", "or", "please", "show", "some", "tell", "than", "that", "the",
    "their", "them", "there", "these", "they", "this", "those", "to", "us", "was", "we", "were", "what",
    "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// Whether a word only connects others.
pub(crate) fn is_plain(word: &str) -> bool {
    PLAIN.binary_search(&word).is_ok()
}

/// A question without the clauses that only limit what the data are about: "counting only major rivers", "as of 2026". They are replaced by
/// spaces, so that positions stay.
pub(crate) fn without_scope(question: &str) -> String {
    const OPENERS: [&str; 6] = [
        "considering only ",
        "counting only ",
        "including only ",
        "according to the data of ",
        "as of ",
        "in the data of ",
    ];
    let mut text = question.to_owned();
    for opener in OPENERS {
        let mut from = 0;
        while let Some(at) = text[from..].to_ascii_lowercase().find(opener).map(|at| at + from) {
            let is_word = text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
            let end = clause_end(&text, at);
            if is_word {
                text.replace_range(at..end, &" ".repeat(end - at));
            }
            from = end;
        }
    }
    text
}

/// Where a clause ends: at a comma or the end of the sentence, but not at the stops of "U.S.".
fn clause_end(text: &str, from: usize) -> usize {
    let is_end = |(at, found): &(usize, char)| match found {
        ',' | '?' | '!' | ';' => true,
        '.' => text[..from + at].ends_with(|before: char| before.is_lowercase() || before.is_ascii_digit()),
        _ => false,
    };
    text[from..].char_indices().find(is_end).map_or(text.len(), |(at, _)| from + at)
}

/// The words of a question.
pub(crate) fn words(question: &str) -> Vec<QuestionWord> {
    let mut limit = question.len().min(MAX_BYTES);
    while !question.is_char_boundary(limit) {
        limit -= 1;
    }
    let question = &question[..limit];
    let mut found: Vec<QuestionWord> = Vec::new();
    let mut start = None;
    let ends = question.char_indices().chain([(question.len(), ' ')]);
    for (at, character) in ends {
        let next = question[at..].chars().nth(1);
        let joins = matches!(character, '\'' | '’' | '.' | ',' | '-')
            && start.is_some()
            && next.is_some_and(char::is_alphanumeric)
            && (character != '.' && character != ',' || is_between_digits(question, at));
        // "U.S." is a word.
        let is_initial = character == '.' && start.is_some_and(|first| is_initials(&question[first..at]));
        if character.is_alphanumeric() || joins || is_initial {
            start.get_or_insert(at);
        } else if let Some(first) = start.take() {
            push(question, first, at, &mut found);
            if found.len() == MAX_WORDS {
                break;
            }
        }
    }
    found
}

/// Whether a text is a letter, or letters that each have a stop, but for the last one: "U", "U.S".
fn is_initials(text: &str) -> bool {
    text.split('.').all(|part| part.len() == 1 && part.chars().all(char::is_uppercase))
}

fn is_between_digits(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at..].chars().nth(1);
    before.is_some_and(|c| c.is_ascii_digit()) && after.is_some_and(|c| c.is_ascii_digit())
}

fn push(question: &str, start: usize, end: usize, found: &mut Vec<QuestionWord>) {
    let text = &question[start..end];
    let bare = text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(text);
    let lower = bare.to_lowercase().replace('.', if bare.ends_with('.') { "" } else { "." });
    let is_plain = is_plain(&lower);
    found.push(QuestionWord {
        start,
        end: start + bare.len(),
        stem: stem(&lower),
        is_plain,
        is_capital: text.starts_with(char::is_uppercase),
        lower,
    });
}

/// The words of a label.
pub(crate) fn label_stems(label: &str) -> Vec<String> {
    let all = words(label);
    let content = all.iter().filter(|word| !word.is_plain).map(|word| word.stem.clone());
    let content: Vec<String> = content.collect();
    if content.is_empty() { all.into_iter().map(|word| word.stem).collect() } else { content }
}

/// A word without its inflection: crude, but the same for labels and questions.
pub(crate) fn stem(word: &str) -> String {
    const IRREGULAR: [(&str, &str); 14] = [
        ("born", "birth"),
        ("borne", "birth"),
        ("children", "child"),
        ("cities", "city"),
        ("countries", "country"),
        ("died", "death"),
        ("movies", "film"),
        ("movie", "film"),
        ("people", "person"),
        ("won", "win"),
        ("winner", "win"),
        ("written", "writ"),
        ("wrote", "writ"),
        ("high", "high"),
    ];
    if let Some((_, stem)) = IRREGULAR.iter().find(|(from, _)| *from == word) {
        return (*stem).to_owned();
    }
    if !word.is_ascii() || word.len() < 4 || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word.to_owned();
    }
    let mut stem = word;
    for (ending, shortest) in [
        ("ations", 4),
        ("ation", 4),
        ("ingly", 4),
        ("ings", 4),
        ("ing", 3),
        ("ions", 4),
        ("ion", 4),
        ("ments", 4),
        ("ment", 4),
        ("ies", 3),
        ("ers", 4),
        ("ors", 4),
        ("er", 4),
        ("or", 4),
        ("est", 4),
        ("ed", 3),
        ("es", 4),
        ("s", 3),
        ("ly", 4),
    ] {
        if let Some(rest) = stem.strip_suffix(ending)
            && rest.len() >= shortest
            && !(ending == "s" && rest.ends_with('s'))
        {
            stem = rest;
            break;
        }
    }
    let stem = stem.strip_suffix(['e', 'y', 'i']).filter(|rest| rest.len() >= 3).unwrap_or(stem);
    let bytes = stem.as_bytes();
    match bytes {
        [.., a, b] if a == b && stem.len() > 4 && !matches!(b, b's' | b'l') => {
            stem[..stem.len() - 1].to_owned()
        }
        _ => stem.to_owned(),
    }
}

/// How alike two stems are, from 0 to 1: 1 if they are equal, less for a long common beginning or a misspelling.
pub(crate) fn likeness(one: &str, other: &str) -> f32 {
    if one == other {
        return 1.0;
    }
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if short.len() < 4 || !one.is_ascii() || !other.is_ascii() {
        return 0.0;
    }
    let common = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    if common == short.len() && common * 10 >= long.len() * 6 {
        return 0.8;
    }
    if common >= 5 && common * 10 >= long.len() * 7 {
        return 0.7;
    }
    if short.len() >= 5 && is_one_edit(short.as_bytes(), long.as_bytes()) {
        return 0.7;
    }
    0.0
}

/// Whether one letter was replaced, left out, added or swapped with the next.
fn is_one_edit(short: &[u8], long: &[u8]) -> bool {
    let at = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    match long.len() - short.len() {
        0 => {
            let swapped = at + 1 < short.len()
                && short[at] == long[at + 1]
                && short[at + 1] == long[at]
                && short[at + 2..] == long[at + 2..];
            swapped || short.get(at + 1..) == long.get(at + 1..)
        }
        1 => short[at..] == long[at + 1..],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(question: &str) -> Vec<String> {
        words(question).into_iter().map(|word| word.lower).collect()
    }

    #[test]
    fn words_keep_numbers_and_lose_possessives() {
        assert_eq!(
            texts("What's Germany's area, 1,000.5 km² or U.S.?"),
            ["what", "germany", "area", "1,000.5", "km²", "or", "us"]
        );
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts("Jean-Luc isn't here."), ["jean-luc", "isn't", "here"]);
    }

    #[test]
    fn scope_is_left_out() {
        let text = "Which rivers are long, counting only major rivers, as of 2026?";
        assert_eq!(
            without_scope(text).split_whitespace().collect::<Vec<_>>().join(" "),
            "Which rivers are long, , ?"
        );
        assert_eq!(without_scope(text).len(), text.len());
        assert_eq!(without_scope("was ofÉ"), "was ofÉ");
    }

    #[test]
    fn plain_words_are_sorted() {
        assert!(PLAIN.is_sorted());
    }

    #[test]
    fn inflections_share_a_stem() {
        for (one, other) in [
            ("director", "directed"),
            ("directs", "directing"),
            ("flows", "flow"),
            ("elections", "election"),
            ("discovered", "discoverer"),
            ("written", "wrote"),
            ("movies", "film"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
    }

    #[test]
    fn likeness_sees_misspellings() {
        assert!(likeness("elemnt", "element") > 0.5);
        assert!(likeness("populaton", "population") > 0.5);
        assert!(likeness("film", "fire") < 0.1);
        assert!(likeness("direct", "director") > 0.5);
    }
}
