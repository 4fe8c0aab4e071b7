//! What the form of a record asks: a query of the algebra, or SPARQL outside it.

use crate::item::ItemSource;
use touchstone_benchmark::{Function, QuestionType};
use touchstone_kb::Kb;
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::{SchemaItems, Traits};
use touchstone_logic::sparql::SparqlOutline;
use touchstone_logic::{Knowledge, Query, QueryGraph, ReadError, ReadForm, Vocabulary, entities, with_ids};

/// What a form asks.
pub(crate) enum Meaning {
    /// A query of the algebra.
    Query(Box<Query>),
    /// SPARQL that the algebra cannot express.
    Outside(Box<ReadForm>),
}

impl Meaning {
    /// Of a form.
    pub(crate) fn of(source: &ItemSource, knowledge: &Knowledge<'_>) -> Result<Meaning, ReadError> {
        let ItemSource::Text(language, text) = source else {
            return Ok(Meaning::Query(Box::new(source.read(knowledge)?.query)));
        };
        let form = ReadForm::read(*language, text, knowledge);
        match (form.query(), form.error()) {
            (Some(query), _) => Ok(Meaning::Query(Box::new(query.clone()))),
            (None, Some(error)) if form.outside_algebra().is_none() => Err(error),
            (None, _) => Ok(Meaning::Outside(Box::new(form))),
        }
    }

    /// The same with ids in place of names.
    pub(crate) fn with_ids(self, kb: &Kb) -> Meaning {
        match self {
            Meaning::Query(query) => Meaning::Query(Box::new(with_ids(*query, kb))),
            outside @ Meaning::Outside(_) => outside,
        }
    }

    /// The query graph.
    pub(crate) fn graph(&self) -> Result<QueryGraph, ReadError> {
        match self {
            Meaning::Query(query) => Ok(QueryGraph::of(query)),
            Meaning::Outside(form) => form.graph(),
        }
    }

    /// The function on top of it, and KQA Pro's type.
    pub(crate) fn kind(&self) -> (Function, QuestionType) {
        match self {
            Meaning::Query(query) => (Function::of(query), QuestionType::of(query)),
            Meaning::Outside(form) => {
                let outline = form.outside_algebra().map(SparqlOutline::of).unwrap_or_default();
                (outline.into(), outline.into())
            }
        }
    }

    pub(crate) fn schema_items(&self) -> SchemaItems {
        match self {
            Meaning::Query(query) => SchemaItems::of(query),
            Meaning::Outside(form) => form.schema_items(),
        }
    }

    /// A key that questions with the same template share.
    pub(crate) fn template(&self, inverses: &dyn Vocabulary) -> String {
        match self {
            Meaning::Query(query) => Canonical::template(query, inverses).key().to_owned(),
            Meaning::Outside(form) => form.template(inverses).unwrap_or_default(),
        }
    }

    /// What the level of the question depends on.
    pub(crate) fn traits(&self, inverses: &dyn Vocabulary, inverse_rule: bool) -> Traits {
        Traits::new(self.schema_items(), self.template(inverses), inverses, inverse_rule)
    }

    /// The entities that it names.
    pub(crate) fn entities(&self) -> Vec<String> {
        match self {
            Meaning::Query(query) => entities(query).into_iter().map(str::to_owned).collect(),
            Meaning::Outside(form) => form.entities(),
        }
    }
}
