//! The S-expression language: its tree, its parser and its printer.

use super::read::{ItemId, SexprTree};
use crate::query::Extreme;
use crate::reading::UnknownWords;
use crate::text::SyntaxError;
use crate::value::{Symbol, Value, is_language};
use crate::vocabulary::{Spelling, Vocabulary};
use std::fmt;
use touchstone_kb::{Comparison, UNIT_NAMESPACE, XSD, iri};

/// An S-expression.
///
/// ```
/// use touchstone_logic::{Form, Spelling};
/// let form = Form::parse("(and film.film (join film.film.directed_by m.0184jc))", &Spelling)?;
/// assert_eq!(form.to_string(), "(AND film.film (JOIN film.film.directed_by m.0184jc))");
/// assert!(Form::parse("(AND film.film", &Spelling).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// A class, by id or name; `(CLASS "...")` if the word alone would be ambiguous (our extension).
    Class(Symbol),
    /// An entity, by id; `(ENTITY "...")` if the word alone would be ambiguous (our extension).
    Entity(Symbol),
    /// Everything with a name (in quotes; our extension).
    Named(Symbol),
    /// A literal, as written: `1990^^http://www.w3.org/2001/XMLSchema#gYear`.
    Literal(Symbol),
    /// `(AND a b)`; more than two parts are printed nested to the right, as in GrailQA.
    And(Vec<Form>),
    /// `(JOIN relation set)`.
    Join(Binary, Box<Form>),
    /// `(lt relation literal)` and the three other comparisons.
    Compare(Comparison, Binary, Box<Form>),
    /// `(COUNT set)`.
    Count(Box<Form>),
    /// `(ARGMAX set path)`, `(ARGMIN set path)`.
    Superlative(Extreme, Box<Form>, Vec<Binary>),
    /// `(TC set relation time)`: the time is `NOW` or a year.
    During(Box<Form>, Symbol, Symbol),
}

/// A relation, or its reverse `(R relation)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// Its id.
    pub relation: Symbol,
    /// Whether it is inside an `R`.
    pub reversed: bool,
}

/// Maximum number of parts of an `AND` to print nested; more are printed as one list, because our parser could not read them nested.
const MAX_NESTED: usize = 50;

/// The operators, in the spelling of GrailQA and its successors.
const OPERATORS: [&str; 14] = [
    "AND", "JOIN", "R", "COUNT", "ARGMAX", "ARGMIN", "TC", "CONS", "CLASS", "ENTITY", "lt", "le", "gt", "ge",
];

/// The comparison operators.
const COMPARISONS: [(&str, Comparison); 4] = [
    ("lt", Comparison::Less),
    ("le", Comparison::LessOrEqual),
    ("gt", Comparison::Greater),
    ("ge", Comparison::GreaterOrEqual),
];

impl Form {
    /// Parses an S-expression. Operators may be in any case, `AND` may have more than two parts, and `CONS` is read as the equivalent `AND`.
    /// Unknown names are an error with a suggestion.
    pub fn parse(source: &str, words: &dyn Vocabulary) -> Result<Form, SyntaxError> {
        Form::read(source, words, UnknownWords::Suggest)
    }

    /// Like [`Form::parse`], with a choice of how unknown names are handled.
    pub fn read(source: &str, words: &dyn Vocabulary, unknown: UnknownWords) -> Result<Form, SyntaxError> {
        let mut tree = SexprTree::default();
        let root = tree.read(source).map_err(|error| error.located(source))?;
        Parser { tree: &tree, source, words, unknown }.set(root).map_err(|error| error.located(source))
    }

    /// The conjunction; the part itself if there is only one.
    pub fn and(mut parts: Vec<Form>) -> Option<Form> {
        if parts.len() > 1 { Some(Form::And(parts)) } else { parts.pop() }
    }
}

struct Parser<'p> {
    tree: &'p SexprTree,
    source: &'p str,
    words: &'p dyn Vocabulary,
    unknown: UnknownWords,
}

impl<'p> Parser<'p> {
    fn text(&self, item: ItemId) -> &'p str {
        self.tree.span(item).of(self.source)
    }

    fn error(&self, item: ItemId, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.tree.span(item), message)
    }

    /// An expression that denotes a set.
    fn set(&self, item: ItemId) -> Result<Form, SyntaxError> {
        if !self.tree.is_list(item) {
            return self.atom(item);
        }
        let mut children = self.tree.children(item);
        let Some(head) = children.next() else {
            return Err(self.error(item, "expected an operator, found an empty list"));
        };
        let arguments: Vec<ItemId> = children.collect();
        if self.tree.is_list(head) {
            return Err(self.error(head, "expected an operator such as AND or JOIN, found a list"));
        }
        let operator = self.text(head);
        let is = |name: &str| operator.eq_ignore_ascii_case(name);
        if is("AND") {
            if arguments.len() < 2 {
                return Err(self.arity(item, "AND", "two sets", arguments.len()));
            }
            let mut parts = arguments.iter().map(|&part| self.set(part)).collect::<Result<Vec<_>, _>>()?;
            // An expression nested to the right becomes one list, as it is printed.
            if let Some(Form::And(_)) = parts.last()
                && let Some(Form::And(rest)) = parts.pop()
            {
                parts.extend(rest);
            }
            return Form::and(parts).ok_or_else(|| self.error(item, "AND without sets"));
        }
        if let Some(&(name, comparison)) = COMPARISONS.iter().find(|(name, _)| is(name)) {
            let [relation, value] = self.exactly(item, name, "a relation and a literal", &arguments)?;
            return self.compare(comparison, relation, value);
        }
        if is("JOIN") {
            let [relation, of] = self.exactly(item, "JOIN", "a relation and a set", &arguments)?;
            return Ok(Form::Join(self.binary(relation)?, Box::new(self.set(of)?)));
        }
        if is("COUNT") {
            let [of] = self.exactly(item, "COUNT", "one set", &arguments)?;
            return Ok(Form::Count(Box::new(self.set(of)?)));
        }
        if is("ARGMAX") || is("ARGMIN") {
            let extreme = if is("ARGMAX") { Extreme::Max } else { Extreme::Min };
            let [of, path] = self.exactly(item, operator, "a set and a path of relations", &arguments)?;
            return Ok(Form::Superlative(extreme, Box::new(self.set(of)?), self.path(path)?));
        }
        if is("TC") {
            let [of, relation, time] =
                self.exactly(item, "TC", "a set, a relation and a time", &arguments)?;
            return self.during(of, relation, time);
        }
        if is("CONS") {
            let [of, relation, value] =
                self.exactly(item, "CONS", "a set, a relation and a value", &arguments)?;
            let join = Form::Join(self.binary(relation)?, Box::new(self.set(value)?));
            return Ok(Form::And(vec![self.set(of)?, join]));
        }
        if is("CLASS") || is("ENTITY") {
            let [word] = self.exactly(item, operator, "one word", &arguments)?;
            let text = self.text(word);
            let text = unquote(text).unwrap_or_else(|| text.to_owned());
            return Ok(if is("CLASS") { Form::Class(text.into()) } else { Form::Entity(text.into()) });
        }
        if is("R") {
            return Err(self
                .error(item, "expected a set, found the reversed relation")
                .hint("a reversed relation belongs inside JOIN: (JOIN (R relation) set)"));
        }
        let error = self.error(head, format!("unknown operator {}", self.found(head)));
        Err(error.hint(format!("the operators are {}", OPERATORS.join(", "))).nearest(operator, OPERATORS))
    }

    /// The things whose value matches a comparison with a literal.
    fn compare(&self, comparison: Comparison, relation: ItemId, value: ItemId) -> Result<Form, SyntaxError> {
        let relation = self.binary(relation)?;
        let form = self.set(value)?;
        if !matches!(form, Form::Literal(_)) {
            let message = format!("expected a literal such as 1990^^{XSD}gYear, found {}", self.found(value));
            return Err(self.error(value, message));
        }
        Ok(Form::Compare(comparison, relation, Box::new(form)))
    }

    /// A set at a time.
    fn during(&self, of: ItemId, relation: ItemId, time: ItemId) -> Result<Form, SyntaxError> {
        let relation = self.relation(relation)?;
        let when = self.text(time);
        let year = when.len() == 4 && when.bytes().all(|b| b.is_ascii_digit());
        if !year && when != "NOW" {
            let message = format!("expected NOW or a year of four digits, found {}", self.found(time));
            return Err(self.error(time, message));
        }
        Ok(Form::During(Box::new(self.set(of)?), relation.into(), when.into()))
    }

    fn exactly<const N: usize>(
        &self,
        item: ItemId,
        operator: &str,
        wanted: &str,
        arguments: &[ItemId],
    ) -> Result<[ItemId; N], SyntaxError> {
        arguments.try_into().map_err(|_| self.arity(item, operator, wanted, arguments.len()))
    }

    fn arity(&self, item: ItemId, operator: &str, wanted: &str, found: usize) -> SyntaxError {
        let things = if found == 1 { "argument" } else { "arguments" };
        self.error(item, format!("{} takes {wanted}, found {found} {things}", operator.to_owned()))
    }

    fn found(&self, item: ItemId) -> String {
        let text = self.text(item);
        let what = if self.tree.is_list(item) {
            "the list"
        } else if text.contains("^^") {
            "the literal"
        } else if self.words.is_entity(text) == Some(true) {
            "the entity"
        } else if self.words.is_property(text) == Some(true) {
            "the relation"
        } else {
            ""
        };
        let shown: String = text.chars().take(60).collect();
        let dots = if shown.len() < text.len() { "…" } else { "" };
        format!("{what}{}`{shown}{dots}`", if what.is_empty() { "" } else { " " })
    }

    fn atom(&self, item: ItemId) -> Result<Form, SyntaxError> {
        let text = self.text(item);
        if let Some(name) = unquote(text) {
            return Ok(Form::Named(name.into()));
        }
        if text.contains("^^") {
            // An unclosed quote would run into the following text when printed.
            let token =
                if text.contains('"') { literal_token(&literal_value(text)) } else { text.to_owned() };
            return Ok(Form::Literal(token.into()));
        }
        if self.words.is_entity(text) == Some(true) {
            return Ok(Form::Entity(text.into()));
        }
        if self.unknown != UnknownWords::Accept && self.words.is_class(text) == Some(false) {
            let mut error = self
                .error(item, format!("expected a class, an entity or a literal, found {}", self.found(item)));
            if self.words.is_property(text) == Some(true) {
                error = error.hint(format!("to follow it, write (JOIN {text} ...)"));
            } else if self.unknown == UnknownWords::Suggest
                && let Some(name) = self.words.nearest_class(text)
            {
                error = error.hint(format!("did you mean `{name}`?"));
            }
            return Err(error);
        }
        Ok(Form::Class(text.into()))
    }

    fn binary(&self, item: ItemId) -> Result<Binary, SyntaxError> {
        if !self.tree.is_list(item) {
            return Ok(Binary { relation: self.relation(item)?.into(), reversed: false });
        }
        let parts: Vec<ItemId> = self.tree.children(item).collect();
        match parts[..] {
            [head, inner] if self.text(head).eq_ignore_ascii_case("R") => {
                let inner = self.binary(inner)?;
                Ok(Binary { reversed: !inner.reversed, ..inner })
            }
            _ => {
                Err(self
                    .error(item, format!("expected a relation or (R relation), found {}", self.found(item))))
            }
        }
    }

    fn relation(&self, item: ItemId) -> Result<String, SyntaxError> {
        let text = self.text(item);
        let name = unquote(text);
        let word = name.as_deref().unwrap_or(text);
        // A word in quotes is taken literally, however it is spelled.
        let quoted_id = name.is_some() && Spelling::looks_like_entity(word);
        let is_refused = self.unknown != UnknownWords::Accept && !quoted_id;
        let unknown = is_refused && self.words.is_property(word) == Some(false);
        let wrong = self.tree.is_list(item) || text.contains("^^") && name.is_none() || unknown;
        // WebQSP's time macro is not a relation of any ontology.
        if wrong && !word.ends_with(".time_macro") {
            let mut error = self.error(item, format!("expected a relation, found {}", self.found(item)));
            if self.unknown == UnknownWords::Suggest
                && let Some(name) = self.words.nearest_property(word)
            {
                error = error.hint(format!("did you mean `{name}`?"));
            }
            return Err(error);
        }
        Ok(word.to_owned())
    }

    /// A path of relations, nested in JOINs.
    fn path(&self, mut item: ItemId) -> Result<Vec<Binary>, SyntaxError> {
        let mut path = Vec::new();
        loop {
            let parts: Vec<ItemId> = self.tree.children(item).collect();
            match parts[..] {
                [head, relation, rest] if self.text(head).eq_ignore_ascii_case("JOIN") => {
                    path.push(self.binary(relation)?);
                    item = rest;
                }
                _ => {
                    path.push(self.binary(item)?);
                    return Ok(path);
                }
            }
        }
    }
}

/// The text between double quotes.
pub(super) fn unquote(token: &str) -> Option<String> {
    let inner = token.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(chars.next()?),
            // A quote inside ends the text, so this is not a quoted text.
            '"' => return None,
            c => text.push(c),
        }
    }
    Some(text)
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The value of a literal token.
pub(super) fn literal_value(token: &str) -> Value {
    let (text, datatype) = token.rsplit_once("^^").unwrap_or((token, ""));
    let text = unquote(text).unwrap_or_else(|| text.to_owned());
    let datatype = datatype.trim_start_matches('<').trim_end_matches('>');
    if let Some(unit) = datatype.strip_prefix(UNIT_NAMESPACE) {
        return Value { unit: iri::decode(unit).into(), ..Value::xsd(text, "double") };
    }
    if let Some(language) = datatype.strip_prefix('@').filter(|language| is_language(language)) {
        return Value { language: language.into(), ..Value::text(text) };
    }
    match datatype.strip_prefix("xsd:") {
        Some(name) => Value::xsd(text, name),
        None => Value::typed(text, iri::decode(datatype).into_owned()),
    }
    .without_zone()
}

/// The token of a value. GrailQA has no notation for languages; ours is `"text"^^@en`.
pub(super) fn literal_token(value: &Value) -> String {
    let datatype = if !value.unit.is_empty() {
        token_iri(UNIT_NAMESPACE, &value.unit)
    } else if !value.language.is_empty() {
        format!("@{}", value.language)
    } else if value.datatype.is_empty() {
        format!("{XSD}string")
    } else if is_odd(&value.datatype) || value.datatype.contains(['^', '<', '>', '%']) {
        token_iri("", &value.datatype)
    } else {
        value.datatype.clone().into_owned()
    };
    if is_odd(&value.text) {
        format!("{}^^{datatype}", quote(&value.text))
    } else {
        format!("{}^^{datatype}", value.text)
    }
}

/// An IRI without brackets, which would end the token.
fn token_iri(namespace: &str, id: &str) -> String {
    iri::encode(namespace, id).replace('(', "%28").replace(')', "%29")
}

/// Whether the official reader would split the word.
fn is_odd(word: &str) -> bool {
    word.is_empty() || word.contains(['(', ')', '"', '\\']) || word.contains(char::is_whitespace)
}

/// A relation, in quotes if it would be split otherwise.
struct Word<'w>(&'w str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quotes = is_odd(self.0) || self.0.contains("^^") || Spelling::looks_like_entity(self.0);
        if quotes { f.write_str(&quote(self.0)) } else { f.write_str(self.0) }
    }
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relation = Word(&self.relation);
        if self.reversed { write!(f, "(R {relation})") } else { write!(f, "{relation}") }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Ambiguous words are written in full.
            Form::Class(word) if is_odd(word) || word.contains("^^") || Spelling::looks_like_entity(word) => {
                write!(f, "(CLASS {})", quote(word))
            }
            Form::Entity(word) if is_odd(word) || !Spelling::looks_like_entity(word) => {
                write!(f, "(ENTITY {})", quote(word))
            }
            Form::Class(word) | Form::Entity(word) | Form::Literal(word) => f.write_str(word),
            Form::Named(name) => f.write_str(&quote(name)),
            Form::And(parts) if parts.len() <= MAX_NESTED => {
                let (last, first) = parts.split_last().ok_or(fmt::Error)?;
                first.iter().try_for_each(|part| write!(f, "(AND {part} "))?;
                write!(f, "{last}")?;
                first.iter().try_for_each(|_| f.write_str(")"))
            }
            Form::And(parts) => {
                f.write_str("(AND")?;
                parts.iter().try_for_each(|part| write!(f, " {part}"))?;
                f.write_str(")")
            }
            Form::Join(relation, of) => write!(f, "(JOIN {relation} {of})"),
            Form::Compare(comparison, relation, value) => {
                let operator = match comparison {
                    Comparison::Less => "lt",
                    Comparison::LessOrEqual => "le",
                    Comparison::Greater => "gt",
                    _ => "ge",
                };
                write!(f, "({operator} {relation} {value})")
            }
            Form::Count(of) => write!(f, "(COUNT {of})"),
            Form::Superlative(extreme, of, path) => {
                f.write_str(if *extreme == Extreme::Max { "(ARGMAX " } else { "(ARGMIN " })?;
                write!(f, "{of} ")?;
                let (last, first) = path.split_last().ok_or(fmt::Error)?;
                first.iter().try_for_each(|step| write!(f, "(JOIN {step} "))?;
                write!(f, "{last}")?;
                first.iter().try_for_each(|_| f.write_str(")"))?;
                f.write_str(")")
            }
            Form::During(of, relation, when) => write!(f, "(TC {of} {} {when})", Word(relation)),
        }
    }
}
