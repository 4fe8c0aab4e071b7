//! The ontology of an RDF KB in GrailQA's file format: which names are classes and relations, what a relation
//! connects, which relation is its inverse, and which classes are directly above a class.
//!
//! Look-ups follow GrailQA's evaluator: superclasses one step up, the last line for a relation that is
//! described twice, and inverses even if no other file has them.

use crate::cast::index32;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};

/// The number of a name. Numbers from [`LOCAL`] on are reserved for the users of an ontology.
pub(crate) type NameId = u32;
/// No name.
pub(crate) const NO_NAME: NameId = u32::MAX;
/// The first number that no name of an ontology has.
pub(crate) const LOCAL: NameId = 1 << 31;

const ROLES: &str = "fb_roles";
const TYPES: &str = "fb_types";
const INVERSES: &str = "reverse_properties";

/// The classes and relations of an RDF KB.
#[derive(Debug, Default)]
pub struct Ontology {
    names: NameTable,
    /// By name.
    entries: Vec<Entry>,
    /// Class and direct superclass, sorted.
    superclasses: Vec<(NameId, NameId)>,
}

/// Why an ontology cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OntologyError {
    /// One of the files does not exist.
    #[error(
        "{} has no file {file}; an ontology is the three files {ROLES}, {TYPES} and {INVERSES}",
        dir.display()
    )]
    Missing {
        /// The directory that was searched.
        dir: PathBuf,
        /// The missing file.
        file: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line has too few fields.
    #[error("{}, line {line}: expected {expected}, found `{found}`", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The expected content of a line.
        expected: &'static str,
        /// The beginning of the line.
        found: String,
    },
    /// The file is larger than 32-bit numbers can address.
    #[error("{} is too large: the files of an ontology hold at most {limit} bytes each", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
}

/// What is known about a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) is_class: bool,
    pub(crate) is_relation: bool,
    /// Of a relation.
    pub(crate) domain: NameId,
    /// Of a relation.
    pub(crate) range: NameId,
    /// `NO_NAME` if there is none.
    pub(crate) inverse: NameId,
}

impl Entry {
    const EMPTY: Entry =
        Entry { is_class: false, is_relation: false, domain: NO_NAME, range: NO_NAME, inverse: NO_NAME };
}

impl Ontology {
    /// Reads `fb_roles` (domain, relation, range), `fb_types` (class, `meta.subclassOf`, superclass) and
    /// `reverse_properties` (relation, tab, inverse) from a directory.
    ///
    /// Fields after the third are ignored: the published `fb_roles` has two lines that run into the next
    /// record, and the evaluator reads them in the same way. Empty lines are skipped.
    pub fn load(dir: &Path) -> Result<Ontology, OntologyError> {
        let mut ontology = Ontology::default();
        each_line(dir, ROLES, "domain, relation and range", |line| {
            let [domain, relation, range] = three_fields(line)?;
            ontology.add_relation(domain, relation, range);
            Some(())
        })?;
        each_line(dir, TYPES, "class, meta.subclassOf and superclass", |line| {
            let [class, _, superclass] = three_fields(line)?;
            ontology.add_class(class, superclass);
            Some(())
        })?;
        each_line(dir, INVERSES, "relation, a tab and its inverse", |line| {
            let mut fields = line.split('\t');
            let (relation, inverse) = (fields.next()?, fields.next()?);
            ontology.add_inverse(relation, inverse);
            Some(())
        })?;
        ontology.finish();
        Ok(ontology)
    }

    /// An ontology from memory: relations as (domain, relation, range), classes as (class, superclass), and
    /// inverses as (relation, inverse). An inverse counts only in the given direction.
    pub fn from_parts<'n>(
        relations: impl IntoIterator<Item = (&'n str, &'n str, &'n str)>,
        classes: impl IntoIterator<Item = (&'n str, &'n str)>,
        inverses: impl IntoIterator<Item = (&'n str, &'n str)>,
    ) -> Ontology {
        let mut ontology = Ontology::default();
        relations
            .into_iter()
            .for_each(|(domain, relation, range)| ontology.add_relation(domain, relation, range));
        classes.into_iter().for_each(|(class, superclass)| ontology.add_class(class, superclass));
        inverses.into_iter().for_each(|(relation, inverse)| ontology.add_inverse(relation, inverse));
        ontology.finish();
        ontology
    }

    /// Whether the name occurs at all, including the mediator types that `fb_types` does not list.
    pub fn knows(&self, name: &str) -> bool {
        self.entry_of(name).is_some()
    }

    /// Whether the name is a class: the domain or range of a relation is one only if the class file has it.
    pub fn is_class(&self, name: &str) -> bool {
        self.entry_of(name).is_some_and(|entry| entry.is_class)
    }

    /// Whether the name is a relation with domain and range.
    pub fn is_relation(&self, name: &str) -> bool {
        self.entry_of(name).is_some_and(|entry| entry.is_relation)
    }

    /// The class of a relation's subjects.
    pub fn domain(&self, relation: &str) -> Option<&str> {
        self.entry_of(relation).and_then(|entry| self.some_name(entry.domain))
    }

    /// The class of a relation's objects.
    pub fn range(&self, relation: &str) -> Option<&str> {
        self.entry_of(relation).and_then(|entry| self.some_name(entry.range))
    }

    /// The inverse relation.
    pub fn inverse(&self, relation: &str) -> Option<&str> {
        self.entry_of(relation).and_then(|entry| self.some_name(entry.inverse))
    }

    /// The classes, in the order of the files.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.names_where(|entry| entry.is_class)
    }

    /// The relations, in the order of the files.
    pub fn relations(&self) -> impl Iterator<Item = &str> {
        self.names_where(|entry| entry.is_relation)
    }

    /// The hash under which [`Ontology::find`] expects a name.
    pub(crate) fn hash(&self, name: &str) -> u64 {
        self.names.hasher.hash_one(name)
    }

    /// The number of a name.
    pub(crate) fn find(&self, hash: u64, name: &str) -> Option<NameId> {
        self.names.find(hash, name)
    }

    /// What is known about a name.
    pub(crate) fn entry(&self, name: NameId) -> &Entry {
        &self.entries[name as usize]
    }

    /// The text of a name.
    pub(crate) fn name(&self, name: NameId) -> &str {
        self.names.text(name)
    }

    /// Whether the class file has a line that puts `superclass` above `class`. Steps are not chained.
    pub(crate) fn is_direct_superclass(&self, superclass: NameId, class: NameId) -> bool {
        self.superclasses.binary_search(&(class, superclass)).is_ok()
    }

    fn entry_of(&self, name: &str) -> Option<&Entry> {
        self.find(self.hash(name), name).map(|id| self.entry(id))
    }

    fn some_name(&self, name: NameId) -> Option<&str> {
        (name != NO_NAME).then(|| self.name(name))
    }

    fn names_where(&self, wanted: impl Fn(&Entry) -> bool) -> impl Iterator<Item = &str> {
        let numbered = self.entries.iter().zip(0..);
        numbered.filter(move |(entry, _)| wanted(entry)).map(|(_, id)| self.name(id))
    }

    fn intern(&mut self, name: &str) -> NameId {
        let id = self.names.intern(self.hash(name), name);
        if id as usize == self.entries.len() {
            self.entries.push(Entry::EMPTY);
        }
        id
    }

    fn add_relation(&mut self, domain: &str, relation: &str, range: &str) {
        let (domain, relation, range) = (self.intern(domain), self.intern(relation), self.intern(range));
        let entry = &mut self.entries[relation as usize];
        (entry.is_relation, entry.domain, entry.range) = (true, domain, range);
    }

    fn add_class(&mut self, class: &str, superclass: &str) {
        let (class, superclass) = (self.intern(class), self.intern(superclass));
        self.entries[class as usize].is_class = true;
        self.entries[superclass as usize].is_class = true;
        self.superclasses.push((class, superclass));
    }

    fn add_inverse(&mut self, relation: &str, inverse: &str) {
        let (relation, inverse) = (self.intern(relation), self.intern(inverse));
        self.entries[relation as usize].inverse = inverse;
    }

    fn finish(&mut self) {
        self.superclasses.sort_unstable();
        self.superclasses.dedup();
    }
}

/// Passes the non-empty lines to `take`, which returns `None` if the line has too few fields.
fn each_line(
    dir: &Path,
    file: &'static str,
    expected: &'static str,
    mut take: impl FnMut(&str) -> Option<()>,
) -> Result<(), OntologyError> {
    // Three files below this size cannot hold more than 2^31 bytes of names.
    const LIMIT: usize = (LOCAL / 3) as usize;
    let path = dir.join(file);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) if source.kind() == io::ErrorKind::NotFound => {
            return Err(OntologyError::Missing { dir: dir.to_path_buf(), file });
        }
        Err(source) => return Err(OntologyError::Io { path, source }),
    };
    if text.len() > LIMIT {
        return Err(OntologyError::TooLarge { path, limit: LIMIT });
    }
    for (line, number) in text.lines().zip(1..) {
        if !line.trim().is_empty() && take(line).is_none() {
            let found = line.chars().take(80).collect();
            return Err(OntologyError::Line { path, line: number, expected, found });
        }
    }
    Ok(())
}

fn three_fields(line: &str) -> Option<[&str; 3]> {
    let mut fields = line.split_whitespace();
    Some([fields.next()?, fields.next()?, fields.next()?])
}

/// Texts with dense numbers, all in one buffer. The caller passes the hash, so that one hash of a token serves the
/// names of an ontology and those of a single comparison. The interner of `touchstone_kb`'s builder is a separate
/// type: it stores no hashes, which saves 8 bytes for each of many millions of strings but would cost a second hash
/// of every token here.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    text: String,
    /// Start, length and hash of a text, by number.
    spans: Vec<(u32, u32, u64)>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl NameTable {
    pub(crate) fn find(&self, hash: u64, name: &str) -> Option<u32> {
        self.table.find(hash, |&id| self.spans[id as usize].2 == hash && self.text(id) == name).copied()
    }

    pub(crate) fn intern(&mut self, hash: u64, name: &str) -> u32 {
        if let Some(id) = self.find(hash, name) {
            return id;
        }
        let id = index32(self.spans.len());
        self.spans.push((index32(self.text.len()), index32(name.len()), hash));
        self.text.push_str(name);
        self.table.insert_unique(hash, id, |&id| self.spans[id as usize].2);
        id
    }

    pub(crate) fn text(&self, id: u32) -> &str {
        let (start, length, _) = self.spans[id as usize];
        &self.text[start as usize..(start + length) as usize]
    }

    /// Clears all texts and keeps the memory, unless a single large input has made it expensive to clear.
    pub(crate) fn clear(&mut self) {
        if self.spans.is_empty() {
            return;
        }
        self.text.clear();
        self.spans.clear();
        if self.table.capacity() > 1000 {
            self.table = HashTable::new();
        }
        self.table.clear();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Ontology, OntologyError};
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn queries() {
        let ontology = Ontology::from_parts(
            [("film.film", "film.film.director", "film.director"), ("a.cvt", "a.cvt.when", "type.datetime")],
            [
                ("film.film", "common.topic"),
                ("film.director", "people.person"),
                ("people.person", "common.topic"),
            ],
            [("film.film.director", "film.director.film"), ("film.director.film", "film.film.director")],
        );
        assert!(ontology.is_class("film.film") && ontology.is_class("common.topic"));
        assert!(
            !ontology.is_class("a.cvt") && !ontology.is_class("film.film.director") && !ontology.is_class("")
        );
        assert!(ontology.is_relation("a.cvt.when") && !ontology.is_relation("film.director.film"));
        assert_eq!(ontology.domain("a.cvt.when"), Some("a.cvt"));
        assert_eq!(ontology.range("a.cvt.when"), Some("type.datetime"));
        assert_eq!((ontology.range("film.film"), ontology.range("?")), (None, None));
        assert_eq!(ontology.inverse("film.director.film"), Some("film.film.director"));
        assert_eq!(ontology.relations().collect::<Vec<_>>(), ["film.film.director", "a.cvt.when"]);
        assert_eq!(ontology.classes().count(), 4);

        let id = |name: &str| ontology.find(ontology.hash(name), name).unwrap();
        assert!(ontology.is_direct_superclass(id("people.person"), id("film.director")));
        assert!(!ontology.is_direct_superclass(id("common.topic"), id("film.director")), "two steps");
    }

    #[test]
    fn empty() {
        let ontology = Ontology::from_parts([], [], []);
        assert!(!ontology.is_class("a") && ontology.inverse("a").is_none());
        assert_eq!((ontology.classes().count(), ontology.relations().count()), (0, 0));
    }

    /// A separate directory for a test, with these files.
    fn directory(test: &str, files: &[(&str, &str)]) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("touchstone-ontology-{test}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        files.iter().for_each(|(name, text)| fs::write(dir.join(name), text).unwrap());
        dir
    }

    #[test]
    fn files() {
        let dir = directory(
            "files",
            &[
                ("fb_roles", "a a.r type.intb b.s c\n\na a.t b\na a.t c\n"),
                ("fb_types", "a meta.subclassOf b .\r\nc meta.subclassOf c\n"),
                ("reverse_properties", "a.r\tx.y\nx.y\ta.r\t?\n"),
            ],
        );
        let ontology = Ontology::load(&dir).unwrap();
        fs::remove_dir_all(&dir).unwrap();
        assert_eq!(ontology.range("a.r"), Some("type.intb"), "the fused line");
        assert_eq!(ontology.range("a.t"), Some("c"), "the last line");
        assert!(!ontology.is_relation("b.s"));
        assert_eq!(ontology.classes().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(ontology.inverse("x.y"), Some("a.r"));
    }

    #[test]
    fn errors() {
        let roles = ("fb_roles", "");
        let dir = directory("missing", &[roles]);
        let error = Ontology::load(&dir).unwrap_err();
        assert!(matches!(error, OntologyError::Missing { file: "fb_types", .. }));
        assert!(error.to_string().contains("has no file fb_types"));
        fs::remove_dir_all(&dir).unwrap();

        let dir = directory("line", &[roles, ("fb_types", "a b c\nd e\n"), ("reverse_properties", "")]);
        let error = Ontology::load(&dir).unwrap_err();
        assert!(matches!(&error, OntologyError::Line { line: 2, found, .. } if found == "d e"));
        let end = "fb_types, line 2: expected class, meta.subclassOf and superclass, found `d e`";
        assert!(error.to_string().ends_with(end), "{error}");
        fs::remove_dir_all(&dir).unwrap();
    }
}
