//! Finds the names in a question: entities by the names of the KB, classes by the lexicon, numbers, dates, and texts that are values.

use hashbrown::{HashMap, HashSet};
use touchstone_benchmark::Mention;
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::english::inflect::MONTHS;
use touchstone_kb::{AttributeId, Kb, NodeId, ValueKind};

/// A part of a question that names something.
#[derive(Debug, Clone, PartialEq)]
pub struct Linked {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last one.
    pub end: usize,
    /// What it names.
    pub thing: Thing,
}

/// What a part of a question names.
#[derive(Debug, Clone, PartialEq)]
pub enum Thing {
    /// One of these entities, the best connected first.
    Entities(Vec<NodeId>),
    /// A class, by id.
    Class(String),
    /// A number or a year, without separators.
    Number(String),
    /// A month or day, as `1990-05` or `1990-05-17`.
    Date(String),
    /// A text that is the value of an attribute: `FRA`, `female`.
    Text(String),
}

/// Finds names in questions.
pub(crate) struct Linker<'k> {
    kb: &'k Kb,
    /// Classes by their nouns, in lower case.
    classes: HashMap<String, String>,
    /// Texts with the attributes that have them as a value.
    texts: HashMap<&'k str, Vec<AttributeId>>,
    /// The words with which questions are phrased, in lower case: by themselves they are not names.
    phrasing: HashSet<String>,
}

/// Maximum number of words of a name.
const LONGEST: usize = 14;

/// Minimum number of facts of a well-known entity.
const WELL_KNOWN: usize = 30;

/// Minimum length of a name in lower case.
const SHORTEST_SMALL: usize = 3;

/// Maximum number of entities for an ambiguous name.
const CANDIDATES: usize = 5;

/// Words that begin questions or connect their parts: by themselves they name nothing, although some films have such titles.
const PLAIN: [&str; 44] = [
    "what", "which", "who", "whom", "whose", "when", "where", "how", "is", "are", "was", "were", "does",
    "do", "did", "has", "have", "had", "the", "a", "an", "in", "on", "of", "at", "by", "for", "to", "from",
    "and", "or", "not", "no", "yes", "it", "its", "there", "many", "much", "that", "give", "name", "list",
    "tell",
];

impl<'k> Linker<'k> {
    /// A linker for a KB, with the words for its classes.
    pub(crate) fn new(kb: &'k Kb, lexicon: &Lexicon) -> Linker<'k> {
        let mut classes = HashMap::new();
        for (id, words) in &lexicon.classes {
            for word in [&words.one, &words.many] {
                classes.entry(word.to_lowercase()).or_insert_with(|| id.clone());
            }
        }
        let mut texts: HashMap<&str, Vec<AttributeId>> = HashMap::new();
        for attribute in kb.attributes().filter(|&a| kb.attribute_kind(a) == ValueKind::Text) {
            let column = kb.facts_by_value(attribute);
            for at in 0..column.len() {
                let attributes = texts.entry(kb.literal(column.value(at)).text()).or_default();
                if attributes.last() != Some(&attribute) {
                    attributes.push(attribute);
                }
            }
        }
        Linker { kb, classes, texts, phrasing: phrasing(lexicon) }
    }

    /// Whether two texts are values of one attribute.
    pub(crate) fn are_alike(&self, a: &str, b: &str) -> bool {
        let attributes = |text: &str| self.texts.get(text).map_or(&[][..], |attributes| attributes);
        attributes(a).iter().any(|attribute| attributes(b).contains(attribute))
    }

    /// Texts that are values, where nothing else is named; the longest first.
    fn texts(&self, question: &str, words: &[(usize, usize)], found: &mut Vec<Linked>) {
        for length in (1..=LONGEST.min(words.len())).rev() {
            for from in 0..=words.len() - length {
                let (start, mut end) = (words[from].0, words[from + length - 1].1);
                let is_plain = length == 1 && is_plain(&question[start..end]);
                if is_taken(found, start, end) || is_plain || is_contracted(question, start) {
                    continue;
                }
                // Some begin or end with punctuation: .fr, Washington, D.C.
                let mut text = &question[start..end];
                let mut first = start;
                if let Some(before) =
                    question[..start].chars().next_back().filter(|c| c.is_ascii_punctuation())
                    && self.texts.contains_key(&question[start - before.len_utf8()..end])
                {
                    first = start - before.len_utf8();
                    text = &question[first..end];
                }
                if let Some(after) = question[end..].chars().next().filter(|c| c.is_ascii_punctuation())
                    && self.texts.contains_key(&question[first..end + after.len_utf8()])
                {
                    end += after.len_utf8();
                    text = &question[first..end];
                }
                if self.texts.contains_key(text) {
                    found.push(Linked { start: first, end, thing: Thing::Text(text.to_owned()) });
                }
            }
        }
    }

    /// What a question names, in text order. Entities that are `given` are not searched for.
    pub(crate) fn link(&self, question: &str, given: Option<&[Mention]>) -> Vec<Linked> {
        let words = words(question);
        let mut found = given.map(|given| self.given(question, given)).unwrap_or_default();
        let text = |from: usize, to: usize| &question[words[from].0..words[to].1];
        // A question entirely in lower case may have names in lower case.
        let small = !question.chars().skip(1).any(char::is_uppercase);
        // Names of several words take precedence over numbers, which may be part of them: Apollo 13.
        for shortest in [2, 1] {
            if shortest == 1 {
                self.dates(question, &words, &mut found);
            }
            if given.is_some() {
                continue;
            }
            for length in (shortest..=LONGEST.min(words.len())).rev() {
                for from in 0..=words.len() - length {
                    let (start, mut end) = (words[from].0, words[from + length - 1].1);
                    let name = text(from, from + length - 1);
                    let is_plain = length == 1 && is_plain(name);
                    if is_taken(&found, start, end) || is_plain || is_contracted(question, start) {
                        continue;
                    }
                    let mut nodes = self.entities(name, small);
                    // Some names end with a dot or an exclamation mark.
                    for (at, mark) in question[end..].char_indices().take(2) {
                        if nodes.is_empty() && !mark.is_alphanumeric() && !mark.is_whitespace() {
                            let longer = end + at + mark.len_utf8();
                            nodes = self.exactly(&question[start..longer]);
                            end = if nodes.is_empty() { end } else { longer };
                        }
                    }
                    if !nodes.is_empty() {
                        found.push(Linked { start, end, thing: Thing::Entities(nodes) });
                    }
                }
            }
        }
        for length in (1..=4.min(words.len())).rev() {
            for from in 0..=words.len() - length {
                let (start, end) = (words[from].0, words[from + length - 1].1);
                if !is_taken(&found, start, end)
                    && let Some(class) = self.classes.get(&text(from, from + length - 1).to_lowercase())
                {
                    found.push(Linked { start, end, thing: Thing::Class(class.clone()) });
                }
            }
        }
        self.texts(question, &words, &mut found);
        found.sort_by_key(|linked| linked.start);
        found
    }

    fn given(&self, question: &str, given: &[Mention]) -> Vec<Linked> {
        let byte = |at: usize| question.char_indices().nth(at).map_or(question.len(), |(byte, _)| byte);
        let linked = |mention: &Mention| {
            let node = self.kb.node(&mention.id)?;
            let thing = Thing::Entities(vec![node]);
            Some(Linked { start: byte(mention.start), end: byte(mention.end), thing })
        };
        given.iter().filter_map(linked).collect()
    }

    fn exactly(&self, name: &str) -> Vec<NodeId> {
        let named = self.kb.nodes_named(name);
        named.into_iter().filter(|&node| self.kb.as_class(node).is_none()).take(CANDIDATES).collect()
    }

    /// The entities with a name, spelled exactly or almost so.
    fn entities(&self, name: &str, small: bool) -> Vec<NodeId> {
        if !name.chars().any(char::is_alphabetic) || self.classes.contains_key(&name.to_lowercase()) {
            return Vec::new();
        }
        let proper = name.chars().any(|c| c.is_uppercase() || c.is_numeric());
        if !proper && !small {
            return self.in_small_letters(name);
        }
        if !proper && name.chars().count() < SHORTEST_SMALL {
            return Vec::new();
        }
        let exact = self.exactly(name);
        if !exact.is_empty() || !(name.starts_with(char::is_uppercase) || small) {
            return exact;
        }
        let like = self.kb.nodes_named_like(name).iter().map(|&node| NodeId(node));
        // A single word in lower case is more likely an ordinary word than the name of an obscure entity.
        let is_known = |node: NodeId| proper || name.contains(' ') || self.kb.degree(node) >= WELL_KNOWN;
        like.filter(|&node| self.kb.as_class(node).is_none() && is_known(node)).take(CANDIDATES).collect()
    }

    /// The entities whose label is in lower case, spelled exactly so: gold, theoretical physics, diancie. Words with which
    /// questions are phrased are excluded.
    fn in_small_letters(&self, name: &str) -> Vec<NodeId> {
        let is_word = !name.contains(' ') && self.phrasing.contains(name);
        if is_word || name.chars().count() < SHORTEST_SMALL {
            return Vec::new();
        }
        let labelled = self.kb.nodes_labelled(name);
        labelled.filter(|&node| self.kb.as_class(node).is_none()).take(CANDIDATES).collect()
    }

    /// Dates, months, years and other numbers.
    fn dates(&self, question: &str, words: &[(usize, usize)], found: &mut Vec<Linked>) {
        let word = |at: usize| words.get(at).map(|&(start, end)| &question[start..end]);
        let month = |at: usize| {
            let word = word(at)?;
            MONTHS.iter().position(|month| month.eq_ignore_ascii_case(word)).map(|month| month + 1)
        };
        let year = |at: usize| word(at).filter(|word| word.len() == 4)?.parse::<u32>().ok();
        let day = |at: usize| word(at)?.parse::<u32>().ok().filter(|day| (1..=31).contains(day));
        for at in 0..words.len() {
            let (start, mut end) = words[at];
            if is_taken(found, start, end) {
                continue;
            }
            let thing = if let (Some(day), Some(month), Some(year)) = (day(at), month(at + 1), year(at + 2)) {
                end = words[at + 2].1;
                Thing::Date(format!("{year:04}-{month:02}-{day:02}"))
            } else if let (Some(month), Some(day), Some(year)) = (month(at), day(at + 1), year(at + 2)) {
                end = words[at + 2].1;
                Thing::Date(format!("{year:04}-{month:02}-{day:02}"))
            } else if let (Some(month), Some(year)) = (month(at), year(at + 1)) {
                end = words[at + 1].1;
                Thing::Date(format!("{year:04}-{month:02}"))
            } else if let Some(number) = word(at).and_then(number) {
                let before_christ = word(at + 1).is_some_and(|word| word == "BC");
                let minus = question[..start].ends_with(" -") || before_christ;
                Thing::Number(if minus { format!("-{number}") } else { number })
            } else {
                continue;
            };
            found.push(Linked { start, end, thing });
        }
    }
}

/// The words of all phrases of a lexicon, in lower case.
fn phrasing(lexicon: &Lexicon) -> HashSet<String> {
    let mut phrases: Vec<&str> = Vec::new();
    for words in lexicon.relations.values() {
        phrases.extend(words.subject.iter().chain(&words.object).map(String::as_str));
        phrases.extend([words.noun.as_str(), words.inverse_noun.as_str()]);
    }
    for words in lexicon.attributes.values() {
        let lists = [&words.ask, &words.equal, &words.less, &words.greater, &words.largest, &words.smallest];
        phrases.extend(lists.into_iter().flatten().map(String::as_str));
        phrases.extend([words.noun.as_str(), words.unqualified.as_str(), &words.between_greater]);
        phrases.extend([words.between_less.as_str(), words.yes.as_str(), words.no.as_str()]);
    }
    for words in lexicon.qualifiers.values() {
        phrases.extend(words.phrase.iter().chain(words.about.values().flatten()).map(String::as_str));
        phrases.push(&words.noun);
    }
    let split = |phrase: &&str| {
        phrase.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect::<Vec<_>>()
    };
    phrases.iter().flat_map(split).filter(|word| !word.is_empty()).collect()
}

/// A number without its separators.
fn number(word: &str) -> Option<String> {
    let plain = word.replace(',', "");
    let is_number = plain.starts_with(|c: char| c.is_ascii_digit()) && plain.parse::<f64>().is_ok();
    is_number.then_some(plain)
}

fn is_plain(word: &str) -> bool {
    PLAIN.contains(&word.to_lowercase().as_str())
}

/// Whether a word is the rest of another one after an apostrophe: the s of `what's`.
fn is_contracted(question: &str, start: usize) -> bool {
    let mut before = question[..start].chars().rev();
    matches!(before.next(), Some('\'' | '’')) && before.next().is_some_and(char::is_alphanumeric)
}

fn is_taken(found: &[Linked], start: usize, end: usize) -> bool {
    found.iter().any(|linked| start < linked.end && linked.start < end)
}

/// The positions of words: letters and digits, with dots, commas, hyphens and apostrophes between them. A possessive is a separate word.
pub(crate) fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut start = None;
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        let inside = c.is_alphanumeric() || (start.is_some() && next && ".,-'’/&".contains(c));
        let possessive = matches!(c, '\'' | '’') && is_possessive(&text[at + c.len_utf8()..]);
        if inside && !possessive {
            start.get_or_insert(at);
        } else if let Some(first) = start.take() {
            words.push((first, at));
        }
    }
    words.extend(start.map(|first| (first, text.len())));
    words
}

fn is_possessive(rest: &str) -> bool {
    rest.starts_with('s') && !rest[1..].starts_with(char::is_alphanumeric)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_of_questions() {
        let text = "Who is Frank Darabont's son, born after 1,234.5 in Saint-Denis (U.S.)?";
        let found: Vec<&str> = words(text).into_iter().map(|(start, end)| &text[start..end]).collect();
        let expected = [
            "Who",
            "is",
            "Frank",
            "Darabont",
            "s",
            "son",
            "born",
            "after",
            "1,234.5",
            "in",
            "Saint-Denis",
            "U.S",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn names_numbers_and_classes() {
        let world = touchstone_world::open(&touchstone_kb::NoProgress).unwrap();
        let linker = Linker::new(&world, &Lexicon::of(&world));
        let said = |question: &str| -> Vec<String> {
            let shown = |linked: Linked| match linked.thing {
                Thing::Entities(nodes) => world.label(nodes[0]).to_owned(),
                Thing::Class(id) => format!("class {id}"),
                Thing::Number(text) | Thing::Date(text) | Thing::Text(text) => text,
            };
            linker.link(question, None).into_iter().map(shown).collect()
        };
        let film = "class film";
        assert_eq!(
            said("Which films directed by Christopher Nolan were released after 17 May 2008?"),
            [film, "Christopher Nolan", "2008-05-17"]
        );
        assert_eq!(
            said("which film by christopher nolan is longer than 1,200 minutes?"),
            [film, "Christopher Nolan", "1200"]
        );
        assert_eq!(said("How many of them are there?"), [""; 0]);
        assert_eq!(
            said("Which country has the ISO 3166-1 alpha-3 code FRA and the top-level domain .fr?").last(),
            Some(&".fr".to_owned())
        );
        assert!(linker.are_alike("FRA", "DEU") && !linker.are_alike("FRA", ".fr"));
        assert_eq!(said("Who directed Apollo 13 before May 5, 2008?"), ["Apollo 13", "2008-05-05"]);
        // Labels in lower case, in a question with normal capitals; but not the s of what's.
        assert_eq!(said("What's the atomic number of gold?"), ["gold"]);
        assert_eq!(
            said("Which Nobel laureate works in theoretical physics?").last().unwrap(),
            "theoretical physics"
        );
        assert_eq!(
            said("What is the name of the film that Christopher Nolan directed?").last().unwrap(),
            "Christopher Nolan"
        );
    }

    /// Compares the names that gold marks with those that are found: in total, and for names in lower case.
    #[test]
    fn names_in_small_letters_are_found_and_others_are_not_made_up() {
        let world = touchstone_world::open(&touchstone_kb::NoProgress).unwrap();
        let mut recipe =
            touchstone_forge::Recipe::parse(touchstone_forge::Recipe::text("quick").unwrap()).unwrap();
        recipe.questions = 400;
        let benchmark =
            touchstone_forge::make(&world, &recipe, &Lexicon::of(&world), &touchstone_kb::NoProgress)
                .unwrap();
        let linker = Linker::new(&world, &Lexicon::of(&world));
        let (mut gold, mut found, mut small, mut small_found) = (0, 0, 0, 0);
        let (mut linked, mut right, mut small_wrong) = (0, 0, 0);
        for question in &benchmark.questions {
            let links = linker.link(&question.question, None);
            let byte = |at: usize| {
                question.question.char_indices().nth(at).map_or(question.question.len(), |(at, _)| at)
            };
            for mention in &question.entities {
                let node = world.node(&mention.id).unwrap();
                let is_found = links.iter().any(|link| {
                    matches!(&link.thing, Thing::Entities(nodes) if nodes.contains(&node))
                        && link.start < byte(mention.end)
                        && byte(mention.start) < link.end
                });
                gold += 1;
                found += usize::from(is_found);
                let is_small = !mention.text.chars().any(|c| c.is_uppercase() || c.is_numeric());
                small += usize::from(is_small);
                small_found += usize::from(is_small && is_found);
            }
            for link in links.iter().filter(|link| matches!(link.thing, Thing::Entities(_))) {
                linked += 1;
                let is_gold =
                    |mention: &Mention| link.start < byte(mention.end) && byte(mention.start) < link.end;
                let is_right = question.entities.iter().any(is_gold);
                right += usize::from(is_right);
                let name = &question.question[link.start..link.end];
                let is_small = !name.chars().any(|c| c.is_uppercase() || c.is_numeric());
                small_wrong += usize::from(is_small && !is_right);
            }
        }
        let share = |part: usize, whole: usize| part as f64 / whole as f64;
        let figures = format!(
            "{found} of {gold} names found, {small_found} of {small} in small letters; {right} of {linked} links are gold's, {small_wrong} of the others in small letters"
        );
        assert!(small > 10 && share(small_found, small) > 0.9, "{figures}");
        assert!(share(found, gold) > 0.95 && share(right, linked) > 0.8, "{figures}");
        assert!(small_wrong < small_found / 2, "{figures}");
    }
}
