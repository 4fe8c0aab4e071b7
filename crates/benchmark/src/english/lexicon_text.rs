//! A lexicon as text to read and edit: the entries that were derived from odd labels first.

use super::lexicon::{AttributeWords, ClassWords, Lexicon, QualifierWords, RelationWords};
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt::Write;
use touchstone_kb::{Kb, Property};

/// An entry of a lexicon, with what may be wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LexiconEntry {
    /// classes, relations, attributes or qualifiers.
    pub section: &'static str,
    /// The id in the KB.
    pub id: String,
    /// Whether the words were derived from the label.
    pub derived: bool,
    /// Why derived words may sound wrong.
    pub doubts: Vec<&'static str>,
    /// How often the KB has it: members of a class, facts of a property.
    pub uses: usize,
    /// The entry in TOML.
    pub toml: String,
}

/// Which entries of a lexicon to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LexiconFilter {
    /// Only those that may sound wrong.
    pub doubtful: bool,
    /// The most doubtful first.
    pub worst_first: bool,
    /// Maximum number of entries.
    pub limit: Option<usize>,
}

/// Entries of a lexicon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntries {
    /// Those that were asked for.
    pub entries: Vec<LexiconEntry>,
    /// Number of entries in all.
    pub all: usize,
    /// Number of entries that may sound wrong, in all.
    pub doubtful: usize,
}

impl Lexicon {
    /// Some of the entries.
    pub fn listed(&self, kb: &Kb, filter: LexiconFilter) -> ListedEntries {
        let mut entries = self.entries(kb);
        let all = entries.len();
        let doubtful = entries.iter().filter(|entry| !entry.doubts.is_empty()).count();
        entries.retain(|entry| !filter.doubtful || !entry.doubts.is_empty());
        if filter.worst_first {
            worst_first(&mut entries);
        }
        entries.truncate(filter.limit.unwrap_or(usize::MAX));
        ListedEntries { entries, all, doubtful }
    }

    /// All entries by section and id.
    pub fn entries(&self, kb: &Kb) -> Vec<LexiconEntry> {
        let derived = Lexicon::derived(kb);
        let mut entries = Vec::new();
        let mut add = |section, id: &str, is_derived: bool, noun: &str, uses, toml: String| {
            let doubts = if is_derived { doubts(noun) } else { Vec::new() };
            entries.push(LexiconEntry {
                section,
                id: id.to_owned(),
                derived: is_derived,
                doubts,
                uses,
                toml,
            });
        };
        for (id, words) in &self.classes {
            let uses = kb.class(id).map_or(0, |class| kb.members(class).len());
            let is_derived = derived.classes.get(id) == Some(words);
            add("classes", id, is_derived, &words.one, uses, class_toml(words));
        }
        for (id, words) in &self.relations {
            let uses =
                kb.relation(id).map_or(0, |relation| kb.facts_with(Property::Relation(relation)).count());
            let is_derived = derived.relations.get(id) == Some(words);
            add("relations", id, is_derived, &words.noun, uses, relation_toml(words));
        }
        for (id, words) in &self.attributes {
            let uses = kb.attribute(id).map_or(0, |attribute| kb.facts_by_value(attribute).len());
            let is_derived = derived.attributes.get(id) == Some(words);
            add("attributes", id, is_derived, &words.noun, uses, attribute_toml(words));
        }
        for (id, words) in &self.qualifiers {
            let is_derived = derived.qualifiers.get(id) == Some(words);
            add("qualifiers", id, is_derived, &words.noun, 0, qualifier_toml(words));
        }
        entries
    }
}

/// Puts the entries with the most doubts first, then derived ones, then those that are used most.
fn worst_first(entries: &mut [LexiconEntry]) {
    entries.sort_by_key(|entry| (Reverse(entry.doubts.len()), !entry.derived, Reverse(entry.uses)));
}

/// Entries as a file for `--lexicon`.
pub fn lexicon_toml<'e>(entries: impl IntoIterator<Item = &'e LexiconEntry>) -> String {
    let mut text = String::new();
    for entry in entries {
        let origin = match (entry.derived, entry.doubts.is_empty()) {
            (true, true) => "# derived from the label".to_owned(),
            (true, false) => format!("# derived from the label, which {}", entry.doubts.join(", and ")),
            (false, _) => "# written by hand".to_owned(),
        };
        let _ = writeln!(text, "{origin}\n[{}.{}]\n{}", entry.section, quoted(&entry.id), entry.toml);
    }
    text
}

/// What may sound wrong in a sentence.
fn doubts(noun: &str) -> Vec<&'static str> {
    let words: Vec<&str> = noun.split(' ').filter(|word| !word.is_empty()).collect();
    let verbs = ["has", "have", "is", "are", "was", "were", "can", "does"];
    let mut doubts = Vec::new();
    if words.first().is_none_or(|first| verbs.contains(&first.to_lowercase().as_str())) {
        doubts.push("begins with a verb");
    }
    if noun.chars().any(|c| !c.is_alphabetic() && !" -'".contains(c)) {
        doubts.push("has digits or signs");
    }
    if words.iter().any(|word| word.chars().count() == 1 && *word != "a") {
        doubts.push("has a word of one letter");
    }
    let odd =
        |word: &&str| word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    if words.iter().any(odd) {
        doubts.push("has capitals inside a word");
    }
    if words.len() > 5 {
        doubts.push("has many words");
    }
    doubts
}

/// A string, or a key, as TOML writes it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A line of TOML; defaults are left out.
fn line(toml: &mut String, key: &str, values: &[String]) {
    match values {
        [] => {}
        [one] if one.is_empty() => {}
        [one] => {
            let _ = writeln!(toml, "{key} = {}", quoted(one));
        }
        several => {
            let list: Vec<String> = several.iter().map(|text| quoted(text)).collect();
            let _ = writeln!(toml, "{key} = [{}]", list.join(", "));
        }
    }
}

fn flag(toml: &mut String, key: &str, value: bool) {
    if value {
        let _ = writeln!(toml, "{key} = true");
    }
}

fn class_toml(words: &ClassWords) -> String {
    let mut toml = String::new();
    for (key, value) in [("one", &words.one), ("many", &words.many), ("name", &words.name)] {
        line(&mut toml, key, std::slice::from_ref(value));
    }
    flag(&mut toml, "person", words.person);
    flag(&mut toml, "article", words.article);
    toml
}

fn relation_toml(words: &RelationWords) -> String {
    let mut toml = String::new();
    line(&mut toml, "subject", &words.subject);
    line(&mut toml, "object", &words.object);
    line(&mut toml, "noun", std::slice::from_ref(&words.noun));
    line(&mut toml, "inverse_noun", std::slice::from_ref(&words.inverse_noun));
    for (key, list) in [
        ("subject_after", &words.subject_after),
        ("object_after", &words.object_after),
        ("subject_before", &words.subject_before),
        ("test_subject", &words.test_subject),
        ("test_object", &words.test_object),
    ] {
        line(&mut toml, key, list);
    }
    toml
}

fn attribute_toml(words: &AttributeWords) -> String {
    let mut toml = String::new();
    line(&mut toml, "noun", std::slice::from_ref(&words.noun));
    for (key, list) in [
        ("ask", &words.ask),
        ("equal", &words.equal),
        ("less", &words.less),
        ("greater", &words.greater),
        ("largest", &words.largest),
        ("smallest", &words.smallest),
        ("equal_after", &words.equal_after),
        ("less_after", &words.less_after),
        ("greater_after", &words.greater_after),
        ("test_ask", &words.test_ask),
        ("test_equal", &words.test_equal),
        ("test_less", &words.test_less),
        ("test_greater", &words.test_greater),
        ("test_largest", &words.test_largest),
        ("test_smallest", &words.test_smallest),
    ] {
        line(&mut toml, key, list);
    }
    for (key, value) in [
        ("unqualified", &words.unqualified),
        ("between_greater", &words.between_greater),
        ("between_less", &words.between_less),
        ("yes", &words.yes),
        ("no", &words.no),
        ("largest_before", &words.largest_before),
        ("smallest_before", &words.smallest_before),
    ] {
        line(&mut toml, key, std::slice::from_ref(value));
    }
    flag(&mut toml, "dated", words.dated);
    toml
}

fn qualifier_toml(words: &QualifierWords) -> String {
    let mut toml = String::new();
    line(&mut toml, "phrase", &words.phrase);
    line(&mut toml, "noun", std::slice::from_ref(&words.noun));
    flag(&mut toml, "when", words.when);
    if !words.about.is_empty() {
        let list =
            |phrases: &[String]| phrases.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
        let about: Vec<String> =
            words.about.iter().map(|(id, phrases)| format!("{} = [{}]", quoted(id), list(phrases))).collect();
        let _ = writeln!(toml, "about = {{ {} }}", about.join(", "));
    }
    toml
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_again() {
        let world = touchstone_world::open(&touchstone_kb::NoProgress).unwrap();
        for lexicon in [Lexicon::of(&world), Lexicon::derived(&world)] {
            let text = lexicon_toml(&lexicon.entries(&world));
            assert_eq!(Lexicon::parse(&text, &world).unwrap(), lexicon);
        }
    }

    #[test]
    fn odd_labels_come_first() {
        let world = touchstone_world::open(&touchstone_kb::NoProgress).unwrap();
        let mut lexicon = Lexicon::derived(&world);
        let mut entries = lexicon.entries(&world);
        worst_first(&mut entries);
        assert!(entries.iter().all(|entry| entry.derived));
        assert!(entries.windows(2).all(|pair| pair[0].doubts.len() >= pair[1].doubts.len()));
        // What a user has written is not doubted.
        let worst =
            entries.iter().find(|entry| entry.section == "attributes" && !entry.doubts.is_empty()).unwrap();
        lexicon.attributes.get_mut(&worst.id).unwrap().noun = "name".to_owned();
        let again = lexicon.entries(&world);
        let written =
            again.iter().find(|entry| entry.id == worst.id && entry.section == "attributes").unwrap();
        assert!(!written.derived && written.doubts.is_empty());
        assert_eq!(doubts("has primary type"), ["begins with a verb"]);
        assert_eq!(doubts("base h p 2"), ["has digits or signs", "has a word of one letter"]);
        assert_eq!(doubts("date of birth"), [""; 0]);
    }

    #[test]
    fn one_phrase_needs_no_list() {
        let world = touchstone_world::open(&touchstone_kb::NoProgress).unwrap();
        let one = "[relations.director]\nsubject = \"was made by\"\nobject = \"made\"\nnoun = \"maker\"\n";
        let list = one.replace("\"was made by\"", "[\"was made by\"]").replace("\"made\"", "[\"made\"]");
        assert_eq!(Lexicon::parse(one, &world).unwrap(), Lexicon::parse(&list, &world).unwrap());
    }
}
