//! Converts names, types and schema statements of RDF.

use super::import_log::ImportLog;
use super::profile::{Mapper, TRIPLE_AS_VALUE, keep_first, rdf_literal, same_language};
use super::roles::{DBPEDIA_RESOURCE, HOUSEKEEPING, Role, is_literal_range};
use super::{Profile, wikidata_rdf};
use crate::build::{KbBuilder, NameKind};
use crate::error::Result;
use crate::iri::{Resource, WIKIDATA_ENTITY, decode};
use crate::literal::{Literal, LiteralFamily};
use crate::vocabulary::{OWL, RDF, RDFS, TOUCHSTONE, VocabularyTerm};
use oxrdf::{NamedOrBlankNode, Quad, Term, Triple};

/// A name is text, whatever its datatype.
fn name_text(term: &Term) -> Literal<'_> {
    match rdf_literal(term) {
        name if name.kind().family() == LiteralFamily::Text => name,
        other => Literal::text_value(other.text()),
    }
}

impl Mapper {
    /// A label, an alias or a description.
    pub(super) fn name(
        &mut self,
        kind: NameKind,
        quad: &Quad,
        builder: &mut KbBuilder,
        log: &mut ImportLog,
    ) -> Result<()> {
        let Term::Literal(literal) = &quad.object else {
            self.leave_out("name that is not a literal", log);
            return Ok(());
        };
        if let Some(lang) = literal.language()
            && self.lang != "any"
            && !same_language(lang, &self.lang)
        {
            self.leave_out("name or description in another language (see --lang)", log);
            return Ok(());
        }
        let name = name_text(&quad.object);
        let (word, kept) = match kind {
            NameKind::Label => (VocabularyTerm::Label, "label"),
            NameKind::Alias => (VocabularyTerm::Alias, "alias"),
            NameKind::Description => (VocabularyTerm::Description, "description"),
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
        log.keep(kept);
        if self.name_of_property(kind, quad, &name, builder, log) {
            return Ok(());
        }
        let subject = self.subject(&quad.subject, builder)?;
        let is_predicate = |iri: &String| iri == quad.predicate.as_str();
        match self.preferred.iter().position(|(_, spellings)| spellings.iter().any(is_predicate)) {
            Some(rank) => builder.prefer_label(subject, rank, &name),
            None => builder.add_name(subject, kind, &name),
        }
        Ok(())
    }

    /// Names a property or a qualifier key, if the subject is one.
    fn name_of_property(
        &self,
        kind: NameKind,
        quad: &Quad,
        name: &Literal<'_>,
        builder: &mut KbBuilder,
        log: &mut ImportLog,
    ) -> bool {
        let NamedOrBlankNode::NamedNode(iri) = &quad.subject else { return false };
        if self.profile == Profile::Wikidata
            && let Some(id) = wikidata_rdf::property_of_entity(iri.as_str())
        {
            let property = builder.property(id);
            match kind {
                NameKind::Label => builder.set_property_label(property, name),
                NameKind::Description => builder.set_property_description(property, name),
                NameKind::Alias => log.note("aliases of properties, which have none"),
            }
            return true;
        }
        match (self.scheme.resource(iri.as_str()), kind) {
            (Resource::Property(id), NameKind::Label) => {
                let property = builder.property(&id);
                builder.set_property_label(property, name);
            }
            (Resource::Property(id), NameKind::Description) => {
                let property = builder.property(&id);
                builder.set_property_description(property, name);
            }
            (Resource::Qualifier(id), NameKind::Label) => {
                let qualifier = builder.qualifier(&id);
                builder.describe_qualifier(qualifier, Some(name), None);
            }
            (Resource::Property(_) | Resource::Qualifier(_) | Resource::Node(_), _) => return false,
        }
        true
    }

    /// A type: a class of the model, or a kind of schema item.
    pub(super) fn typed(&mut self, quad: &Quad, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
        if let Term::NamedNode(class) = &quad.object {
            let class = class.as_str();
            if self.profile == Profile::Wikidata && !class.starts_with(WIKIDATA_ENTITY) {
                log.skip(HOUSEKEEPING);
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
                    self.note_rewritten(
                        "classes whose type is not kept as written",
                        class,
                        VocabularyTerm::Class,
                    );
                    log.keep("schema");
                    let node = self.subject(&quad.subject, builder)?;
                    builder.mark_class(node);
                    return Ok(());
                }
                Some("Qualifier") => {
                    log.keep("schema");
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
                    log.keep("schema");
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
                    log.keep("schema");
                    let property = builder.property(&property_id(self));
                    builder.property_info(property).is_attribute = true;
                    return Ok(());
                }
                Some(
                    "Property" | "FunctionalProperty" | "AnnotationProperty" | "NamedIndividual" | "Ontology"
                    | "Restriction" | "Statement",
                ) => {
                    let why = "type that adds no information (rdf:Property, owl:Ontology, ...)";
                    self.leave_out(why, log);
                    return Ok(());
                }
                _ => {}
            }
        }
        let subject = self.subject(&quad.subject, builder)?;
        match self.node(&quad.object, builder)? {
            Some(class) => {
                log.keep("type");
                builder.add_class(subject, class);
            }
            None => self.leave_out("type that is a literal", log),
        }
        Ok(())
    }

    /// The domain that a schema item belongs to.
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
    pub(super) fn schema(
        &mut self,
        role: Role,
        quad: &Quad,
        builder: &mut KbBuilder,
        log: &mut ImportLog,
    ) -> Result<()> {
        let subject_id = match &quad.subject {
            NamedOrBlankNode::NamedNode(iri) => self.scheme.resource(iri.as_str()).id().into_owned(),
            NamedOrBlankNode::BlankNode(_) if matches!(role, Role::Reifies) => String::new(),
            NamedOrBlankNode::BlankNode(_) => {
                self.leave_out("schema statement about a blank node (an OWL expression)", log);
                return Ok(());
            }
        };
        match (role, &quad.object) {
            (Role::InverseLabel | Role::Unit | Role::Group, Term::Literal(_)) => {
                log.keep("schema");
                self.schema_text(role, &subject_id, quad, builder)
            }
            (_, Term::NamedNode(iri)) => {
                let object_id = self.scheme.resource(iri.as_str()).id().into_owned();
                self.schema_link(role, &subject_id, &object_id, builder, log)
            }
            (Role::Reifies, Term::Triple(triple)) => self.reified(quad, triple, builder, log),
            _ => {
                let why = "schema statement with a blank node, literal or triple (an OWL expression)";
                self.leave_out(why, log);
                Ok(())
            }
        }
    }

    /// A label, a unit or a domain of a schema item.
    fn schema_text(&self, role: Role, subject_id: &str, quad: &Quad, builder: &mut KbBuilder) -> Result<()> {
        let Term::Literal(literal) = &quad.object else { return Ok(()) };
        match role {
            Role::InverseLabel => {
                let property = builder.property(subject_id);
                builder.set_inverse_label(property, &name_text(&quad.object));
            }
            Role::Unit => {
                let property = builder.property(subject_id);
                keep_first(&mut builder.property_info(property).unit, literal.value());
            }
            _ => self.group(&quad.subject, subject_id, literal.value(), builder)?,
        }
        Ok(())
    }

    /// A statement with a name.
    fn reified(
        &mut self,
        quad: &Quad,
        triple: &Triple,
        builder: &mut KbBuilder,
        log: &mut ImportLog,
    ) -> Result<()> {
        let name = self.subject(&quad.subject, builder)?;
        let Some(value) = self.value(&triple.object, builder)? else {
            self.leave_out(TRIPLE_AS_VALUE, log);
            return Ok(());
        };
        let subject = self.subject(&triple.subject, builder)?;
        let property = builder.property(&self.scheme.resource(triple.predicate.as_str()).id());
        log.keep("statement");
        builder.quoted_statement(name, subject, property, value);
        Ok(())
    }

    /// A schema statement between two named items.
    fn schema_link(
        &mut self,
        role: Role,
        subject_id: &str,
        object_id: &str,
        builder: &mut KbBuilder,
        log: &mut ImportLog,
    ) -> Result<()> {
        match role {
            Role::SubClassOf => {
                let (class, parent) = (builder.node(subject_id)?, builder.node(object_id)?);
                builder.add_parent(class, parent);
            }
            Role::Instance => {
                let (class, node) = (builder.node(subject_id)?, builder.node(object_id)?);
                builder.add_class(node, class);
            }
            Role::Domain => {
                let (property, class) = (builder.property(subject_id), builder.node(object_id)?);
                if !builder.set_domain(property, class) {
                    log.note("properties with more than one domain; the model uses one");
                }
            }
            Role::Range if is_literal_range(object_id) => {
                let property = builder.property(subject_id);
                self.rewritten.add("ranges of attributes, which are not kept", 1);
                builder.property_info(property).is_attribute = true;
            }
            Role::Range => {
                let (property, class) = (builder.property(subject_id), builder.node(object_id)?);
                builder.property_info(property).is_relation = true;
                if !builder.set_range(property, class) {
                    log.note("properties with more than one range; the model uses one");
                }
            }
            Role::InverseOf => {
                let (a, b) = (builder.property(subject_id), builder.property(object_id));
                for (from, to) in [(a, b), (b, a)] {
                    builder.property_info(from).is_relation = true;
                    if !builder.set_inverse(from, to) {
                        log.note("relations with more than one inverse; the model uses one");
                    }
                }
            }
            Role::Redirect => {
                let local = subject_id.strip_prefix(DBPEDIA_RESOURCE).unwrap_or(subject_id);
                let local = decode(local).replace('_', " ");
                let target = builder.node(object_id)?;
                builder.add_name(target, NameKind::Alias, &Literal::language_text(&local, &self.lang));
                log.keep("alias");
                return Ok(());
            }
            _ => {
                self.leave_out("schema statement that could not be understood", log);
                return Ok(());
            }
        }
        log.keep(if matches!(role, Role::Instance) { "type" } else { "schema" });
        Ok(())
    }
}
