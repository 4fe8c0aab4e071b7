//! What a view can distinguish: two literals with the same key look the same in it, or to engines that compare numbers and times by value.

use super::View;
use touchstone_kb::rdf::{DirectView, RdfTerm, RdfView};
use touchstone_kb::{
    Comparison, Kb, Literal, LiteralFamily, LiteralId, LiteralKind, Precision, Time, UNIT_NAMESPACE,
};

/// See the module documentation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ValueKey {
    Number { unit: String, bits: u64 },
    Time { precision: Precision, key: i64 },
    Boolean(bool),
    Text { text: String, language: String, datatype: String },
}

impl ValueKey {
    /// The key of a literal.
    pub(super) fn of(view: View, literal: &Literal<'_>) -> ValueKey {
        if let Some(number) = literal.number() {
            return ValueKey::Number { unit: literal.unit().to_owned(), bits: number.to_bits() };
        }
        if let Some(time) = literal.as_time() {
            return ValueKey::of_time(view, time);
        }
        if let Some(value) = literal.as_bool() {
            return ValueKey::Boolean(value);
        }
        match view {
            View::Direct => ValueKey::Text {
                text: literal.text().to_owned(),
                language: literal.language().to_ascii_lowercase(),
                datatype: literal.datatype().to_owned(),
            },
            View::KqaPro => ValueKey::Text {
                text: literal.text().to_owned(),
                language: String::new(),
                datatype: String::new(),
            },
        }
    }

    fn of_time(view: View, time: Time) -> ValueKey {
        let (precision, key) = match (view, time.precision()) {
            (View::Direct, precision) => (precision, time.key()),
            (View::KqaPro, Precision::Year | Precision::Month) => {
                (Precision::Year, time.key_at(Precision::Year))
            }
            (View::KqaPro, Precision::Day | Precision::Second) => {
                (Precision::Day, time.key_at(Precision::Day))
            }
        };
        ValueKey::Time { precision, key }
    }

    /// The key of a literal as the direct view shows it for an attribute with a usual unit.
    pub(super) fn shown(literal: &Literal<'_>, usual: &str) -> ValueKey {
        match ValueKey::of(View::Direct, literal) {
            ValueKey::Number { unit, bits } if !usual.is_empty() && unit == usual => {
                ValueKey::Number { unit: String::new(), bits }
            }
            ValueKey::Number { unit, bits } if !usual.is_empty() && unit.is_empty() => {
                ValueKey::Number { unit: "1".to_owned(), bits }
            }
            other => other,
        }
    }
}

/// The first literal of a KB that a view does not distinguish from this one.
pub(super) fn first_alike(kb: &Kb, view: View, literal: &Literal<'_>) -> Option<LiteralId> {
    let wanted = ValueKey::of(view, literal);
    // Indistinguishable literals are in the same year, or have the same number or text.
    let year = literal.as_time().map(|time| time.year().to_string());
    let probe = year.as_deref().and_then(Literal::year).unwrap_or(*literal);
    let near = crate::values::satisfying(kb, Comparison::Equal, &probe).ok()?;
    let found = near.literals().find(|&id| ValueKey::of(view, &kb.literal(LiteralId(id))) == wanted);
    found.map(LiteralId)
}

/// The first literal with a number in a unit. Servers do not always write all digits (Virtuoso writes sixteen), so the nearest one is taken if
/// no other is near it.
pub(super) fn quantity_alike(kb: &Kb, view: View, number: &str, unit: &str) -> Option<LiteralId> {
    let literal = Literal::quantity(number, unit)?;
    if let Some(found) = first_alike(kb, view, &literal) {
        return Some(found);
    }
    let value = literal.number()?;
    let margin = value.abs() * 1e-14;
    let bounds = [(Comparison::GreaterOrEqual, value - margin), (Comparison::LessOrEqual, value + margin)];
    let within = bounds.map(|(comparison, bound)| {
        let text = bound.to_string();
        let bound = Literal::quantity(&text, unit)?;
        crate::values::satisfying(kb, comparison, &bound).ok()
    });
    let [Some(above), Some(below)] = within else { return None };
    let near: Vec<u32> = above.intersection(&below).literals().take(8).collect();
    let first = LiteralId(*near.first()?);
    let same = |id: &u32| kb.literal(LiteralId(*id)).number() == kb.literal(first).number();
    near.iter().all(same).then_some(first)
}

/// A literal as the direct view shows it for an attribute with a usual unit; qualifiers have none.
pub(super) fn shown(kb: &Kb, view: &DirectView<'_>, id: u32, usual: &str) -> oxrdf::Term {
    let literal = kb.literal(LiteralId(id));
    let code = match literal.unit() {
        _ if usual.is_empty() || literal.kind() != LiteralKind::Quantity => RdfTerm::Literal(LiteralId(id)),
        "" => RdfTerm::Dimensionless(LiteralId(id)),
        unit if unit == usual => {
            let bare = Literal::quantity_of(literal.text(), "", literal.number_type());
            let found = bare.and_then(|bare| kb.find_literal(&bare));
            RdfTerm::Literal(found.unwrap_or(LiteralId(id)))
        }
        _ => RdfTerm::Literal(LiteralId(id)),
    };
    view.decode(code)
}

/// A term of the direct view as a literal of the KB.
pub(super) fn from_term(kb: &Kb, term: &oxrdf::Literal, usual: &str) -> Option<LiteralId> {
    let (text, datatype) = (term.value(), term.datatype());
    // In an RDF file, a datatype may look like a unit without being one.
    let as_written = Literal::typed_text(text, datatype.as_str());
    if let Some(found) = kb.find_literal(&as_written).filter(|_| kb.is_exact_rdf()) {
        return Some(found);
    }
    let units = kb.manifest().unit_namespace.as_deref().unwrap_or(UNIT_NAMESPACE);
    let with_unit = datatype.as_str().strip_prefix(units).map(touchstone_kb::iri::decode);
    if let Some(unit) = with_unit {
        return quantity_alike(kb, View::Direct, text, &unit);
    }
    let literal = Literal::from_rdf(text, datatype.as_str(), term.language().unwrap_or(""));
    match literal.kind().family() {
        LiteralFamily::Quantity => quantity_alike(kb, View::Direct, text, usual),
        _ => first_alike(kb, View::Direct, &literal),
    }
}
