//! Converts triples to items of a KB, by the roles of their predicates.

use super::import_log::{ImportLog, Tally};
use super::roles::{DBPEDIA_DATATYPE, HOUSEKEEPING, Role, role_of};
use super::wikidata_rdf::{StatementRole, WikidataStatements};
use super::{Profile, label_properties};
use crate::build::{Ignored, KbBuilder, RawNode, RawProperty, RawValue};
use crate::error::Result;
use crate::iri::{IriScheme, WIKIDATA_ENTITY};
use crate::literal::{Literal, UNIT_NAMESPACE};
use crate::rdf::literals::{language_of, read, unit_of};
use crate::vocabulary::{FREEBASE, RdfVocabulary, VocabularyTerm};
use hashbrown::{HashMap, HashSet};
use oxrdf::{BlankNode, NamedOrBlankNode, Quad, Term, Triple};

/// Converts quads to items of a KB.
pub(super) struct Mapper {
    pub(super) profile: Profile,
    pub(super) lang: String,
    pub(super) scheme: IriScheme,
    /// The base of the ids of an exported KB.
    base: Option<String>,
    /// The prefix of blank node labels, which are local to a file.
    blank_scope: String,
    /// Blank nodes without a label, in the order of their occurrence.
    anonymous: HashMap<u128, usize>,
    next_anonymous: usize,
    /// Numbers that labels of the file use.
    labelled: HashSet<usize>,
    roles: HashMap<String, Role>,
    /// The properties whose values are preferred as labels, the best first: as given, and their possible IRIs.
    pub(super) preferred: Vec<(String, Vec<String>)>,
    /// Whether the triples are kept exactly as written.
    exact: bool,
    /// The namespace of datatypes that are units.
    units: &'static str,
    /// Triples for which the model uses another predicate or class than the file, with counts.
    pub(super) rewritten: Tally,
    wikidata: WikidataStatements,
}

impl Mapper {
    pub(super) fn new(profile: Profile, lang: &str, builder: &mut KbBuilder) -> Mapper {
        let (vocabulary, base) = match profile {
            Profile::Rdfs | Profile::Dbpedia => (RdfVocabulary::Rdfs, ""),
            Profile::Freebase => (RdfVocabulary::Freebase, FREEBASE),
            Profile::Wikidata => (RdfVocabulary::Wikidata, WIKIDATA_ENTITY),
        };
        builder.meta.vocabulary = vocabulary;
        builder.meta.base = base.to_owned();
        let exact = matches!(profile, Profile::Rdfs | Profile::Dbpedia);
        if exact {
            builder.keep_asserted();
        }
        let units = if profile == Profile::Dbpedia { DBPEDIA_DATATYPE } else { UNIT_NAMESPACE };
        builder.meta.unit_namespace = Some(units.to_owned()).filter(|_| units != UNIT_NAMESPACE);
        Mapper {
            exact,
            units,
            rewritten: Tally::default(),
            profile,
            lang: lang.to_owned(),
            scheme: IriScheme { base: base.to_owned(), vocabulary },
            base: None,
            blank_scope: String::new(),
            anonymous: HashMap::new(),
            next_anonymous: 0,
            labelled: HashSet::new(),
            roles: HashMap::new(),
            preferred: Vec::new(),
            wikidata: WikidataStatements::default(),
        }
    }

    /// Uses the values of these properties as labels, the best first.
    pub(super) fn prefer_labels(&mut self, typed: &[String]) {
        self.preferred = typed.iter().map(|typed| (typed.clone(), label_properties::expand(typed))).collect();
    }

    /// Chooses labels among the values of name properties.
    fn label_by_properties(&self, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
        let is_met = |spellings: &[String]| spellings.iter().any(|iri| self.roles.contains_key(iri));
        if let Some((typed, _)) = self.preferred.iter().find(|(_, spellings)| !is_met(spellings)) {
            return Err(label_properties::unknown(typed, builder));
        }
        let id = |iri: &String| self.scheme.resource(iri).id().into_owned();
        let preferred: Vec<Vec<String>> =
            self.preferred.iter().map(|(_, spellings)| spellings.iter().map(id).collect()).collect();
        let usual = self.profile == Profile::Rdfs;
        let is_wanted = |lang: &str| self.lang == "any" || same_language(lang, &self.lang);
        let n_labels = builder.label_by_properties(&preferred, usual, &is_wanted)?;
        log.note_times("labels taken from another property than rdfs:label", n_labels);
        Ok(())
    }

    /// Blank nodes are local to a file: those of later files get their own names.
    pub(super) fn start_file(&mut self, number: usize) {
        self.blank_scope = if number == 0 { String::new() } else { format!("f{number}-") };
        self.anonymous.clear();
        self.labelled.clear();
        self.next_anonymous = 0;
    }

    pub(super) fn quad(&mut self, quad: &Quad, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
        if !quad.graph_name.is_default_graph() {
            log.note("graph names, which are not kept");
        }
        let predicate = quad.predicate.as_str();
        let role = match self.roles.get(predicate) {
            Some(&role) => role,
            None => {
                let role = role_of(self.profile, predicate, &self.scheme, builder);
                self.roles.insert(predicate.to_owned(), role);
                role
            }
        };
        if self.exact && !matches!(role, Role::Fact(_)) {
            self.assert(quad, builder)?;
        }
        match role {
            Role::Base => {
                if let (Term::Literal(base), RdfVocabulary::Rdfs) = (&quad.object, self.scheme.vocabulary) {
                    // It may be the last triple, so it is removed from all ids at the end.
                    keep_first(&mut self.base, base.value());
                }
                log.keep("schema");
                Ok(())
            }
            Role::Fact(property) => {
                if let Some(why) = self.unwanted_subject(&quad.subject) {
                    self.leave_out(why, log);
                    return Ok(());
                }
                let Some(value) = self.value(&quad.object, builder)? else {
                    self.leave_out(TRIPLE_AS_VALUE, log);
                    return if self.exact { self.assert(quad, builder) } else { Ok(()) };
                };
                let subject = self.subject(&quad.subject, builder)?;
                log.keep("fact");
                builder.fact(subject, property, value, &mut [], None)
            }
            Role::Truthy(property) => {
                let Some(value) = self.value(&quad.object, builder)? else {
                    log.skip(TRIPLE_AS_VALUE);
                    return Ok(());
                };
                let subject = self.subject(&quad.subject, builder)?;
                log.keep("fact");
                builder.truthy_fact(subject, property, value)
            }
            Role::Skip(why) => {
                self.leave_out(why, log);
                Ok(())
            }
            Role::Name(kind) => self.name(kind, quad, builder, log),
            Role::Statement(role, property) => self.statement(role, property, quad, builder, log),
            Role::Rank => {
                log.keep("statement");
                if matches!(&quad.object, Term::NamedNode(rank) if rank.as_str().ends_with("#DeprecatedRank"))
                {
                    let statement = self.subject(&quad.subject, builder)?;
                    builder.ignore_statement(statement, Ignored::Deprecated);
                }
                Ok(())
            }
            Role::Type => self.typed(quad, builder, log),
            schema => self.schema(schema, quad, builder, log),
        }
    }

    /// A triple of a statement node of Wikidata.
    fn statement(
        &mut self,
        role: StatementRole,
        property: RawProperty,
        quad: &Quad,
        builder: &mut KbBuilder,
        log: &mut ImportLog,
    ) -> Result<()> {
        let subject = self.subject(&quad.subject, builder)?;
        if let Term::Literal(_) = &quad.object {
            log.keep("statement");
            let literal = rdf_literal(&quad.object);
            return self.wikidata.literal(subject, role, property, &literal, builder);
        }
        match self.node(&quad.object, builder)? {
            Some(object) => {
                log.keep("statement");
                self.wikidata.node(subject, role, property, object, builder)
            }
            None => {
                log.skip(TRIPLE_AS_VALUE);
                Ok(())
            }
        }
    }

    /// Keeps a triple exactly as written.
    fn assert(&mut self, quad: &Quad, builder: &mut KbBuilder) -> Result<()> {
        let subject = self.subject(&quad.subject, builder)?;
        let object = match &quad.object {
            Term::Triple(triple) => {
                let triple = Term::Triple(Box::new(self.with_stable_names(triple)));
                RawValue::from(builder.node(&triple.to_string())?)
            }
            term => match self.value(term, builder)? {
                Some(value) => value,
                None => return Ok(()),
            },
        };
        builder.assert_triple(subject, quad.predicate.as_str(), object)
    }

    /// A quoted triple, with the names that its blank nodes have in the KB.
    fn with_stable_names(&mut self, triple: &Triple) -> Triple {
        let subject = match &triple.subject {
            NamedOrBlankNode::BlankNode(blank) => self.stable_name(blank).into(),
            iri @ NamedOrBlankNode::NamedNode(_) => iri.clone(),
        };
        let object = match &triple.object {
            Term::BlankNode(blank) => self.stable_name(blank).into(),
            Term::Triple(inner) => Term::Triple(Box::new(self.with_stable_names(inner))),
            other => other.clone(),
        };
        Triple { subject, predicate: triple.predicate.clone(), object }
    }

    /// Counts a triple that is not part of the model.
    pub(super) fn leave_out(&self, why: &'static str, log: &mut ImportLog) {
        if self.exact { log.keep_in_graph(why) } else { log.skip(why) }
    }

    /// Reports the triples that the model writes differently; these are losses if the graph is not kept.
    pub(super) fn note_rewritten(&mut self, what: &'static str, written: &str, word: VocabularyTerm) {
        if written != self.scheme.vocabulary.iri(word) {
            self.rewritten.add(what, 1);
        }
    }

    /// Processes what depends on all triples.
    pub(super) fn finish(self, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
        // Triples that the export of a KB added are part of its model.
        if self.base.is_none() {
            let n_apart = builder.set_expressions_apart()?;
            log.reclassify(
                "fact",
                n_apart,
                "part of an OWL expression (a restriction, a union, ...)",
                self.exact,
            );
        }
        self.label_by_properties(builder, log)?;
        // The file is an export of a KB that was not imported from RDF: all of its triples come from the model.
        if self.base.is_some() {
            builder.forget_asserted();
            log.skip_graph_only();
        }
        if !self.exact || self.base.is_some() {
            for (what, n) in &self.rewritten.0 {
                log.note_times(what, *n);
            }
        }
        self.wikidata.finish(builder, log)?;
        let n_aliases = builder.name_properties();
        log.note_times("aliases of properties, which have none", n_aliases);
        builder.apply_units()?;
        if let Some(base) = self.base {
            builder.take_away_base(&base);
        }
        Ok(())
    }

    fn unwanted_subject(&self, subject: &NamedOrBlankNode) -> Option<&'static str> {
        match (self.profile, subject) {
            (Profile::Wikidata, NamedOrBlankNode::NamedNode(iri))
                if super::wikidata_rdf::is_housekeeping(iri.as_str()) =>
            {
                Some(HOUSEKEEPING)
            }
            _ => None,
        }
    }

    pub(super) fn subject(&mut self, subject: &NamedOrBlankNode, builder: &mut KbBuilder) -> Result<RawNode> {
        match subject {
            NamedOrBlankNode::NamedNode(iri) => builder.node(&self.scheme.resource(iri.as_str()).id()),
            NamedOrBlankNode::BlankNode(blank) => self.blank(blank, builder),
        }
    }

    fn blank(&mut self, blank: &BlankNode, builder: &mut KbBuilder) -> Result<RawNode> {
        let name = self.stable_name(blank);
        builder.node(&format!("_:{}", name.as_str()))
    }

    /// The name of a blank node: the same file has the same names.
    fn stable_name(&mut self, blank: &BlankNode) -> BlankNode {
        let label = match blank.as_ref().unique_id() {
            // Nodes without a label get a random one from the parser: number them instead, so that the same
            // file becomes the same KB.
            Some(random) if random >> 96 != 0 => {
                let next =
                    (self.anonymous.len() + self.labelled.len()..).find(|n| !self.labelled.contains(n));
                let number = *self.anonymous.entry(random).or_insert(next.unwrap_or_default());
                format!("genid-{number}")
            }
            _ => {
                let label = blank.as_str();
                // A label that looks like a generated one must not collide with it.
                let number = label.strip_prefix("genid-").and_then(|number| number.parse().ok());
                match number {
                    Some(number) if self.labelled.contains(&number) => label.to_owned(),
                    Some(number) if self.anonymous.values().any(|&used| used == number) => {
                        format!("{label}-labelled")
                    }
                    Some(number) => {
                        self.labelled.insert(number);
                        label.to_owned()
                    }
                    None => label.to_owned(),
                }
            }
        };
        BlankNode::new_unchecked(format!("{}{label}", self.blank_scope))
    }

    /// The node of a term; `None` for literals and quoted triples.
    pub(super) fn node(&mut self, term: &Term, builder: &mut KbBuilder) -> Result<Option<RawNode>> {
        Ok(match term {
            Term::NamedNode(iri) => Some(builder.node(&self.scheme.resource(iri.as_str()).id())?),
            Term::BlankNode(blank) => Some(self.blank(blank, builder)?),
            Term::Literal(_) | Term::Triple(_) => None,
        })
    }

    /// The value of a term; `None` for quoted triples.
    pub(super) fn value(&mut self, term: &Term, builder: &mut KbBuilder) -> Result<Option<RawValue>> {
        match term {
            Term::Literal(literal) if self.exact => {
                let (language, unit) =
                    (language_of(literal), unit_of(literal.datatype().as_str(), self.units));
                builder.literal(&read(literal, &language, unit.as_deref())).map(Some)
            }
            Term::Literal(literal) => {
                let datatype = literal.datatype();
                // Units are percent-encoded in datatypes.
                if datatype.as_str().starts_with(UNIT_NAMESPACE) {
                    let units =
                        IriScheme { base: UNIT_NAMESPACE.to_owned(), vocabulary: RdfVocabulary::Freebase };
                    let unit = units.resource(datatype.as_str()).id();
                    if let Some(quantity) = Literal::quantity(literal.value(), &unit).filter(|_| unit != "1")
                    {
                        return builder.literal(&quantity).map(Some);
                    }
                }
                builder.literal(&rdf_literal(term)).map(Some)
            }
            _ => Ok(self.node(term, builder)?.map(RawValue::from)),
        }
    }
}

/// Keeps the first of several texts in their order, so that the order of triples does not matter.
pub(super) fn keep_first(place: &mut Option<String>, text: &str) {
    if place.as_deref().is_none_or(|old| text < old) {
        *place = Some(text.to_owned());
    }
}

pub(super) const TRIPLE_AS_VALUE: &str = "triple that has a quoted triple as value";

/// Whether a language matches the wanted one: `en` matches `en` and `en-GB`.
pub(super) fn same_language(found: &str, wanted: &str) -> bool {
    let primary = found.split('-').next().unwrap_or(found);
    found.eq_ignore_ascii_case(wanted) || primary.eq_ignore_ascii_case(wanted)
}

/// A literal term; an empty text for other terms.
pub(super) fn rdf_literal(term: &Term) -> Literal<'_> {
    let Term::Literal(literal) = term else { return Literal::text_value("") };
    let datatype = literal.datatype().as_str();
    if let Some(unit) = datatype.strip_prefix(DBPEDIA_DATATYPE)
        && let Some(quantity) = Literal::quantity(literal.value(), unit)
    {
        return quantity;
    }
    Literal::from_rdf(literal.value(), datatype, literal.language().unwrap_or(""))
}
