//! Writes a view as N-Triples or Turtle.

use super::{ExportFormat, ExportReport, ExportRequest, ExportView};
use crate::iri::is_absolute;
use crate::literal::{LiteralKind, NumberType, XSD};
use crate::progress::Progress;
use crate::rdf::{DirectView, KqaProView, RdfTerm, RdfView};
use crate::store::Kb;
use crate::vocabulary::{OWL, RDF, RDFS, RdfVocabulary, SKOS, TOUCHSTONE};
use oxrdf::{Literal, NamedNode, Triple};
use oxttl::{NTriplesSerializer, TurtleSerializer};
use std::io::{self, Write};

pub(super) fn write(
    kb: &Kb,
    request: &ExportRequest,
    out: &mut impl Write,
    progress: &dyn Progress,
) -> io::Result<ExportReport> {
    let mut report = ExportReport::default();
    let n_sources = if kb.manifest().sources.is_empty() { 0 } else { kb.n_facts() as u64 };
    report.lose("sources of facts", n_sources);
    report.lose(super::COVERAGE, kb.manifest().coverage.len() as u64);
    match request.view {
        ExportView::Direct => {
            let view = DirectView::new(kb);
            if !request.qualifiers {
                report.lose("facts with qualifiers, written without them", kb.qualified_facts().len() as u64);
            }
            if !kb.is_exact_rdf() {
                report.lose(
                    "numbers with an unusual unit whose XML Schema type is not decimal",
                    odd_quantities(kb),
                );
            }
            let head = base_triple(kb).filter(|_| !kb.is_exact_rdf());
            let wanted = |triple: &[RdfTerm; 3]| request.qualifiers || !view.is_about_a_triple(triple);
            let triples = view.triples().filter(wanted).filter_map(|triple| view.decode_triple(triple));
            write_triples(head.into_iter().chain(triples), kb, request, out, progress, &mut report)?;
        }
        ExportView::KqaPro => {
            let nodes = || kb.nodes();
            report.lose("aliases", nodes().map(|n| kb.aliases(n).len() as u64).sum());
            report.lose(
                "descriptions",
                nodes().filter(|&n| kb.description_literal(n).is_some()).count() as u64,
            );
            report.lose(
                "classes' places in the hierarchy",
                kb.classes().map(|c| kb.parents(c).len() as u64).sum(),
            );
            report.lose(
                "domains, ranges, inverses and units of the schema",
                (kb.n_relations() + kb.n_attributes()) as u64,
            );
            let view = KqaProView::new(kb);
            let triples = view.triples().filter_map(|triple| view.decode_triple(triple));
            write_triples(triples, kb, request, out, progress, &mut report)?;
        }
    }
    Ok(report)
}

/// Writes the base of the ids, so that importers can remove it again.
fn base_triple(kb: &Kb) -> Option<Triple> {
    let manifest = kb.manifest();
    let ids = kb.nodes().map(|node| kb.node_id(node));
    let ids = ids.chain(kb.relations().map(|r| kb.relation_id(r)));
    let ids = ids.chain(kb.attributes().map(|a| kb.attribute_id(a)));
    let mut ids = ids.chain(kb.qualifier_keys().map(|q| kb.qualifier_id(q)));
    let needed = manifest.vocabulary == RdfVocabulary::Rdfs && ids.any(|id| !is_absolute(id));
    needed.then(|| {
        Triple::new(
            NamedNode::new_unchecked("urn:touchstone:kb"),
            NamedNode::new_unchecked(format!("{TOUCHSTONE}base")),
            Literal::new_simple_literal(manifest.base.as_str()),
        )
    })
}

fn odd_quantities(kb: &Kb) -> u64 {
    let odd = |id: u32| {
        let literal = kb.literal(crate::ids::LiteralId(id));
        literal.kind() == LiteralKind::Quantity
            && !literal.unit().is_empty()
            && literal.number_type() != NumberType::of(literal.text())
    };
    // In the usual unit of an attribute they are plain numbers and keep their type.
    let mut n = 0;
    for attribute in kb.attributes() {
        let facts = kb.facts_by_value(attribute);
        let usual = kb.attribute_unit(attribute);
        n += (0..facts.len())
            .map(|at| facts.value(at))
            .filter(|&id| odd(id.0) && kb.literal(id).unit() != usual)
            .count();
    }
    n as u64
}

fn write_triples(
    triples: impl Iterator<Item = Triple>,
    kb: &Kb,
    request: &ExportRequest,
    out: &mut impl Write,
    progress: &dyn Progress,
    report: &mut ExportReport,
) -> io::Result<()> {
    let mut last_subject = None;
    let mut n_subjects = 0;
    let mut count = |triple: &Triple| {
        report.n_records += 1;
        if last_subject.as_ref() != Some(&triple.subject) {
            n_subjects += 1;
            super::tick(progress, n_subjects)?;
            last_subject = Some(triple.subject.clone());
        }
        Ok::<(), io::Error>(())
    };
    match request.format {
        ExportFormat::Turtle => {
            let mut turtle = TurtleSerializer::new();
            let prefixes = [
                ("rdf", RDF),
                ("rdfs", RDFS),
                ("owl", OWL),
                ("skos", SKOS),
                ("xsd", XSD),
                ("ts", TOUCHSTONE),
            ];
            let base = kb.manifest().base.as_str();
            for (prefix, iri) in prefixes.into_iter().chain([("", base)]) {
                turtle = turtle.clone().with_prefix(prefix, iri).unwrap_or(turtle);
            }
            let mut writer = turtle.for_writer(out);
            for triple in triples {
                count(&triple)?;
                writer.serialize_triple(&triple)?;
            }
            writer.finish()?;
        }
        _ => {
            let mut writer = NTriplesSerializer::new().for_writer(out);
            for triple in triples {
                count(&triple)?;
                writer.serialize_triple(&triple)?;
            }
        }
    }
    Ok(())
}
