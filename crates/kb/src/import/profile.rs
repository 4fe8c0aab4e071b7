//! Turns triples into what a KB holds, by the roles of their predicates.

use super::journal::{Journal, Tally};
use super::roles::{DBPEDIA_DATATYPE, DBPEDIA_RESOURCE, HOUSEKEEPING, Role, is_literal_range, role_of};
use super::wikidata_rdf::WikidataStatements;
use super::{Profile, label_properties};
use crate::build::{Ignored, KbBuilder, NameKind, RawNode, RawValue};
use crate::error::Result;
use crate::iri::{IriScheme, Resource, WIKIDATA_ENTITY, decode};
use crate::literal::{Literal, LiteralFamily, UNIT_NAMESPACE};
use crate::rdf::literals::{language_of, read, unit_of};
use crate::vocabulary::{FREEBASE, OWL, RDF, RDFS, TOUCHSTONE, Term as Word, Vocabulary};
use hashbrown::{HashMap, HashSet};
use oxrdf::{BlankNode, NamedOrBlankNode, Quad, Term, Triple};

/// Turns quads into what a KB holds.
pub(super) struct Mapper {
    profile: Profile,
    lang: String,
    scheme: IriScheme,
    /// The base that an exported KB put before its ids.
    base: Option<String>,
    /// Put before blank node labels, which are local to a file.
    blank_scope: String,
    /// Blank nodes without a label, in the order they were met.
    anonymous: HashMap<u128, usize>,
    next_anonymous: usize,
    /// Numbers that labels of the file use.
    labelled: HashSet<usize>,
    roles: HashMap<String, Role>,
    /// The properties whose values are labels before all others, the best first: as typed, and their spellings.
    preferred: Vec<(String, Vec<String>)>,
    /// The triples are kept exactly as they are written.
    exact: bool,
    /// The namespace of datatypes that are units.
    units: &'static str,
    /// What the model writes with another predicate or class than the file.
    rewritten: Tally,
    wikidata: WikidataStatements,
}

impl Mapper {
    pub(super) fn new(profile: Profile, lang: &str, builder: &mut KbBuilder) -> Mapper {
        let (vocabulary, base) = match profile {
            Profile::Rdfs | Profile::Dbpedia => (Vocabulary::Rdfs, ""),
            Profile::Freebase => (Vocabulary::Freebase, FREEBASE),
            Profile::Wikidata => (Vocabulary::Wikidata, WIKIDATA_ENTITY),
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

    /// Takes the values of these properties for labels, the best first.
    pub(super) fn prefer_labels(&mut self, typed: &[String]) {
        self.preferred = typed.iter().map(|typed| (typed.clone(), label_properties::expand(typed))).collect();
    }

    /// Chooses labels among the values of name properties.
    fn label_by_properties(&self, builder: &mut KbBuilder, journal: &mut Journal) -> Result<()> {
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
        journal.note_times("labels taken from another property than rdfs:label", n_labels);
        Ok(())
    }

    /// Blank nodes are local to a file: those of later files get their own names.
    pub(super) fn start_file(&mut self, number: usize) {
        self.blank_scope = if number == 0 { String::new() } else { format!("f{number}-") };
        self.anonymous.clear();
        self.labelled.clear();
        self.next_anonymous = 0;
    }

    pub(super) fn quad(&mut self, quad: &Quad, builder: &mut KbBuilder, journal: &mut Journal) -> Result<()> {
        if !quad.graph_name.is_default_graph() {
            journal.note("graph names, which are not kept");
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
                if let (Term::Literal(base), Vocabulary::Rdfs) = (&quad.object, self.scheme.vocabulary) {
                    // It may come last: it is taken away from all ids at the end.
                    keep_first(&mut self.base, base.value());
                }
                journal.keep("schema");
                Ok(())
            }
            Role::Fact(property) => {
                if let Some(why) = self.unwanted_subject(&quad.subject) {
                    self.leave_out(why, journal);
                    return Ok(());
                }
                let Some(value) = self.value(&quad.object, builder)? else {
                    self.leave_out(TRIPLE_AS_VALUE, journal);
                    return if self.exact { self.assert(quad, builder) } else { Ok(()) };
                };
                let subject = self.subject(&quad.subject, builder)?;
                journal.keep("fact");
                builder.fact(subject, property, value, &mut [], None)
            }
            Role::Truthy(property) => {
                let Some(value) = self.value(&quad.object, builder)? else {
                    journal.skip(TRIPLE_AS_VALUE);
                    return Ok(());
                };
                let subject = self.subject(&quad.subject, builder)?;
                journal.keep("fact");
                builder.truthy_fact(subject, property, value)
            }
            Role::Skip(why) => {
                self.leave_out(why, journal);
                Ok(())
            }
            Role::Name(kind) => self.name(kind, quad, builder, journal),
            Role::Statement(role, property) => {
                let subject = self.subject(&quad.subject, builder)?;
                match &quad.object {
                    Term::Literal(_) => {
                        journal.keep("statement");
                        let literal = rdf_literal(&quad.object);
                        self.wikidata.literal(subject, role, property, &literal, builder)
                    }
                    object => match self.node(object, builder)? {
                        Some(object) => {
                            journal.keep("statement");
                            self.wikidata.node(subject, role, property, object, builder)
                        }
                        None => {
                            journal.skip(TRIPLE_AS_VALUE);
                            Ok(())
                        }
                    },
                }
            }
            Role::Rank => {
                journal.keep("statement");
                if matches!(&quad.object, Term::NamedNode(rank) if rank.as_str().ends_with("#DeprecatedRank"))
                {
                    let statement = self.subject(&quad.subject, builder)?;
                    builder.ignore_statement(statement, Ignored::Deprecated);
                }
                Ok(())
            }
            Role::Type => self.typed(quad, builder, journal),
            schema => self.schema(schema, quad, builder, journal),
        }
    }

    /// Keeps a triple exactly as it is written.
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

    /// A quoted triple with blank nodes under the names that they have in the KB.
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

    /// Counts a triple that the model has no place for.
    fn leave_out(&self, why: &'static str, journal: &mut Journal) {
        if self.exact { journal.keep_in_graph(why) } else { journal.skip(why) }
    }

    /// Counts what the model writes differently from the file; without a graph next to the model that is a loss.
    fn note_rewritten(&mut self, what: &'static str, written: &str, word: Word) {
        if written != self.scheme.vocabulary.iri(word) {
            self.rewritten.add(what, 1);
        }
    }

    /// Hands over what could only be understood at the end.
    pub(super) fn finish(self, builder: &mut KbBuilder, journal: &mut Journal) -> Result<()> {
        // What a KB exported of itself is part of its model.
        if self.base.is_none() {
            let n_apart = builder.set_expressions_apart()?;
            journal.reclassify(
                "fact",
                n_apart,
                "part of an OWL expression (a restriction, a union, ...)",
                self.exact,
            );
        }
        self.label_by_properties(builder, journal)?;
        // The file is an export of a KB that was not made from RDF: all of its triples come from the model.
        if self.base.is_some() {
            builder.forget_asserted();
            journal.skip_graph_only();
        }
        if !self.exact || self.base.is_some() {
            for (what, n) in &self.rewritten.0 {
                journal.note_times(what, *n);
            }
        }
        self.wikidata.finish(builder, journal)?;
        let n_aliases = builder.name_properties();
        journal.note_times("aliases of properties, which have none", n_aliases);
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

    fn subject(&mut self, subject: &NamedOrBlankNode, builder: &mut KbBuilder) -> Result<RawNode> {
        match subject {
            NamedOrBlankNode::NamedNode(iri) => builder.node(&self.scheme.resource(iri.as_str()).id()),
            NamedOrBlankNode::BlankNode(blank) => self.blank(blank, builder),
        }
    }

    fn blank(&mut self, blank: &BlankNode, builder: &mut KbBuilder) -> Result<RawNode> {
        let name = self.stable_name(blank);
        builder.node(&format!("_:{}", name.as_str()))
    }

    /// The name of a blank node: the same file gives the same names.
    fn stable_name(&mut self, blank: &BlankNode) -> BlankNode {
        let label = match blank.as_ref().unique_id() {
            // Nodes without a label get a random one from the parser: number them instead, so that the same
            // file gives the same KB.
            Some(random) if random >> 96 != 0 => {
                let next =
                    (self.anonymous.len() + self.labelled.len()..).find(|n| !self.labelled.contains(n));
                let number = *self.anonymous.entry(random).or_insert(next.unwrap_or_default());
                format!("genid-{number}")
            }
            _ => {
                let label = blank.as_str();
                // A label that looks like one of ours keeps out of their way.
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

    /// The node that a term is; `None` for literals and quoted triples.
    fn node(&mut self, term: &Term, builder: &mut KbBuilder) -> Result<Option<RawNode>> {
        Ok(match term {
            Term::NamedNode(iri) => Some(builder.node(&self.scheme.resource(iri.as_str()).id())?),
            Term::BlankNode(blank) => Some(self.blank(blank, builder)?),
            Term::Literal(_) | Term::Triple(_) => None,
        })
    }

    /// The value that a term is; `None` for quoted triples.
    fn value(&mut self, term: &Term, builder: &mut KbBuilder) -> Result<Option<RawValue>> {
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
                        IriScheme { base: UNIT_NAMESPACE.to_owned(), vocabulary: Vocabulary::Freebase };
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

    fn name(
        &mut self,
        kind: NameKind,
        quad: &Quad,
        builder: &mut KbBuilder,
        journal: &mut Journal,
    ) -> Result<()> {
        let Term::Literal(literal) = &quad.object else {
            self.leave_out("name that is not a literal", journal);
            return Ok(());
        };
        if let Some(lang) = literal.language()
            && self.lang != "any"
            && !same_language(lang, &self.lang)
        {
            self.leave_out("name or description in another language (see --lang)", journal);
            return Ok(());
        }
        // A name is text, whatever datatype it was given.
        let name = match rdf_literal(&quad.object) {
            name if name.kind().family() == LiteralFamily::Text => name,
            other => Literal::text_value(other.text()),
        };
        let word = match kind {
            NameKind::Label => Word::Label,
            NameKind::Alias => Word::Alias,
            NameKind::Description => Word::Description,
        };
        self.note_rewritten(
            "names and descriptions whose predicate is not kept",
            quad.predicate.as_str(),
            word,
        );
        if name.text() != literal.value()
            || !matches!(rdf_literal(&quad.object).kind().family(), LiteralFamily::Text)
        {
            self.rewritten.add("names whose datatype is not kept", 1);
        }
        journal.keep(match kind {
            NameKind::Label => "label",
            NameKind::Alias => "alias",
            NameKind::Description => "description",
        });
        if let NamedOrBlankNode::NamedNode(iri) = &quad.subject
            && self.profile == Profile::Wikidata
            && let Some(id) = super::wikidata_rdf::property_of_entity(iri.as_str())
        {
            let property = builder.property(id);
            match kind {
                NameKind::Label => builder.set_property_label(property, &name),
                NameKind::Description => builder.set_property_description(property, &name),
                NameKind::Alias => journal.note("aliases of properties, which have none"),
            }
            return Ok(());
        }
        if let NamedOrBlankNode::NamedNode(iri) = &quad.subject {
            match (self.scheme.resource(iri.as_str()), kind) {
                (Resource::Property(id), NameKind::Label) => {
                    let property = builder.property(&id);
                    builder.set_property_label(property, &name);
                    return Ok(());
                }
                (Resource::Property(id), NameKind::Description) => {
                    let property = builder.property(&id);
                    builder.set_property_description(property, &name);
                    return Ok(());
                }
                (Resource::Qualifier(id), NameKind::Label) => {
                    let qualifier = builder.qualifier(&id);
                    builder.describe_qualifier(qualifier, Some(&name), None);
                    return Ok(());
                }
                (Resource::Property(_) | Resource::Qualifier(_) | Resource::Node(_), _) => {}
            }
        }
        let subject = self.subject(&quad.subject, builder)?;
        let is_predicate = |iri: &String| iri == quad.predicate.as_str();
        match self.preferred.iter().position(|(_, spellings)| spellings.iter().any(is_predicate)) {
            Some(rank) => builder.prefer_label(subject, rank, &name),
            None => builder.add_name(subject, kind, &name),
        }
        Ok(())
    }

    fn typed(&mut self, quad: &Quad, builder: &mut KbBuilder, journal: &mut Journal) -> Result<()> {
        if let Term::NamedNode(class) = &quad.object {
            let class = class.as_str();
            if self.profile == Profile::Wikidata && !class.starts_with(WIKIDATA_ENTITY) {
                journal.skip(HOUSEKEEPING);
                return Ok(());
            }
            let property_id = |this: &Self| match &quad.subject {
                NamedOrBlankNode::NamedNode(iri) => this.scheme.resource(iri.as_str()).id().into_owned(),
                NamedOrBlankNode::BlankNode(blank) => blank.as_str().to_owned(),
            };
            let local = class
                .strip_prefix(OWL)
                .or_else(|| class.strip_prefix(RDFS))
                .or_else(|| class.strip_prefix(RDF));
            let local = local.or_else(|| class.strip_prefix(TOUCHSTONE));
            match local {
                Some("Class") => {
                    self.note_rewritten("classes whose type is not kept as written", class, Word::Class);
                    journal.keep("schema");
                    let node = self.subject(&quad.subject, builder)?;
                    builder.mark_class(node);
                    return Ok(());
                }
                Some("Qualifier") => {
                    journal.keep("schema");
                    let id = property_id(self);
                    builder.qualifier(&id);
                    return Ok(());
                }
                Some(
                    "ObjectProperty"
                    | "SymmetricProperty"
                    | "TransitiveProperty"
                    | "InverseFunctionalProperty",
                ) => {
                    journal.keep("schema");
                    let property = builder.property(&property_id(self));
                    if !matches!(local, Some("ObjectProperty" | "SymmetricProperty")) {
                        self.rewritten.add("types of properties that are not kept", 1);
                    }
                    let info = builder.property_info(property);
                    info.is_relation = true;
                    info.symmetric |= local == Some("SymmetricProperty");
                    return Ok(());
                }
                Some("DatatypeProperty") => {
                    journal.keep("schema");
                    let property = builder.property(&property_id(self));
                    builder.property_info(property).is_attribute = true;
                    return Ok(());
                }
                Some(
                    "Property" | "FunctionalProperty" | "AnnotationProperty" | "NamedIndividual" | "Ontology"
                    | "Restriction" | "Statement",
                ) => {
                    let why = "type that adds no information (rdf:Property, owl:Ontology, ...)";
                    self.leave_out(why, journal);
                    return Ok(());
                }
                _ => {}
            }
        }
        let subject = self.subject(&quad.subject, builder)?;
        match self.node(&quad.object, builder)? {
            Some(class) => {
                journal.keep("type");
                builder.add_class(subject, class);
            }
            None => self.leave_out("type that is a literal", journal),
        }
        Ok(())
    }

    fn group(
        &self,
        subject: &NamedOrBlankNode,
        id: &str,
        group: &str,
        builder: &mut KbBuilder,
    ) -> Result<()> {
        let NamedOrBlankNode::NamedNode(iri) = subject else { return Ok(()) };
        match self.scheme.resource(iri.as_str()) {
            Resource::Property(id) => {
                let property = builder.property(&id);
                keep_first(&mut builder.property_info(property).group, group);
            }
            Resource::Qualifier(id) => {
                let qualifier = builder.qualifier(&id);
                builder.describe_qualifier(qualifier, None, Some(group));
            }
            Resource::Node(_) => builder.set_group_of_any(id, group)?,
        }
        Ok(())
    }

    /// Roles that describe classes, properties and statements.
    fn schema(
        &mut self,
        role: Role,
        quad: &Quad,
        builder: &mut KbBuilder,
        journal: &mut Journal,
    ) -> Result<()> {
        let subject_id = match &quad.subject {
            NamedOrBlankNode::NamedNode(iri) => self.scheme.resource(iri.as_str()).id().into_owned(),
            NamedOrBlankNode::BlankNode(_) if matches!(role, Role::Reifies) => String::new(),
            NamedOrBlankNode::BlankNode(_) => {
                self.leave_out("schema statement about a blank node (an OWL expression)", journal);
                return Ok(());
            }
        };
        if let (Role::InverseLabel | Role::Unit | Role::Group, Term::Literal(literal)) = (role, &quad.object)
        {
            journal.keep("schema");
            let text = literal.value();
            match role {
                Role::InverseLabel => {
                    let property = builder.property(&subject_id);
                    // A name is text, whatever datatype it was given.
                    let name = match rdf_literal(&quad.object) {
                        name if name.kind().family() == LiteralFamily::Text => name,
                        other => Literal::text_value(other.text()),
                    };
                    builder.set_inverse_label(property, &name);
                }
                Role::Unit => {
                    let property = builder.property(&subject_id);
                    keep_first(&mut builder.property_info(property).unit, text);
                }
                _ => self.group(&quad.subject, &subject_id, text, builder)?,
            }
            return Ok(());
        }
        let object_id = match (&quad.object, role) {
            (Term::NamedNode(iri), _) => self.scheme.resource(iri.as_str()).id().into_owned(),
            (Term::Triple(triple), Role::Reifies) => {
                let name = self.subject(&quad.subject, builder)?;
                let Some(value) = self.value(&triple.object, builder)? else {
                    self.leave_out(TRIPLE_AS_VALUE, journal);
                    return Ok(());
                };
                let subject = self.subject(&triple.subject, builder)?;
                let property = builder.property(&self.scheme.resource(triple.predicate.as_str()).id());
                journal.keep("statement");
                builder.quoted_statement(name, subject, property, value);
                return Ok(());
            }
            _ => {
                let why = "schema statement with a blank node, literal or triple (an OWL expression)";
                self.leave_out(why, journal);
                return Ok(());
            }
        };
        match role {
            Role::SubClassOf => {
                let (class, parent) = (builder.node(&subject_id)?, builder.node(&object_id)?);
                builder.add_parent(class, parent);
            }
            Role::Instance => {
                let (class, node) = (builder.node(&subject_id)?, builder.node(&object_id)?);
                builder.add_class(node, class);
            }
            Role::Domain => {
                let (property, class) = (builder.property(&subject_id), builder.node(&object_id)?);
                if !builder.set_domain(property, class) {
                    journal.note("properties with more than one domain; the model uses one");
                }
            }
            Role::Range if is_literal_range(&object_id) => {
                let property = builder.property(&subject_id);
                self.rewritten.add("ranges of attributes, which are not kept", 1);
                builder.property_info(property).is_attribute = true;
            }
            Role::Range => {
                let (property, class) = (builder.property(&subject_id), builder.node(&object_id)?);
                builder.property_info(property).is_relation = true;
                if !builder.set_range(property, class) {
                    journal.note("properties with more than one range; the model uses one");
                }
            }
            Role::InverseOf => {
                let (a, b) = (builder.property(&subject_id), builder.property(&object_id));
                for (from, to) in [(a, b), (b, a)] {
                    builder.property_info(from).is_relation = true;
                    if !builder.set_inverse(from, to) {
                        journal.note("relations with more than one inverse; the model uses one");
                    }
                }
            }
            Role::Redirect => {
                let local = subject_id.strip_prefix(DBPEDIA_RESOURCE).unwrap_or(&subject_id);
                let local = decode(local).replace('_', " ");
                let target = builder.node(&object_id)?;
                builder.add_name(target, NameKind::Alias, &Literal::language_text(&local, &self.lang));
                journal.keep("alias");
                return Ok(());
            }
            _ => {
                self.leave_out("schema statement that could not be understood", journal);
                return Ok(());
            }
        }
        journal.keep(if matches!(role, Role::Instance) { "type" } else { "schema" });
        Ok(())
    }
}

/// Of several texts the first in order stays, so that the order of triples does not matter.
fn keep_first(place: &mut Option<String>, text: &str) {
    if place.as_deref().is_none_or(|old| text < old) {
        *place = Some(text.to_owned());
    }
}

const TRIPLE_AS_VALUE: &str = "triple that has a quoted triple as value";

/// `en` is asked for: `en` and `en-GB` fit.
fn same_language(found: &str, wanted: &str) -> bool {
    let primary = found.split('-').next().unwrap_or(found);
    found.eq_ignore_ascii_case(wanted) || primary.eq_ignore_ascii_case(wanted)
}

/// A literal term; anything else gives an empty text.
fn rdf_literal(term: &Term) -> Literal<'_> {
    let Term::Literal(literal) = term else { return Literal::text_value("") };
    let datatype = literal.datatype().as_str();
    if let Some(unit) = datatype.strip_prefix(DBPEDIA_DATATYPE)
        && let Some(quantity) = Literal::quantity(literal.value(), unit)
    {
        return quantity;
    }
    Literal::from_rdf(literal.value(), datatype, literal.language().unwrap_or(""))
}
