//! Columns that only say how something is called: labels, descriptions and their languages.

use super::Simplifier;
use super::group::{Group, Optional, predicate};
use super::select::{Column, Grouping, Select};
use super::statements::is_statement;
use super::variables::{self, Names, name_of};
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, Function, GraphPattern};
use spargebra::term::{TermPattern, TriplePattern};

/// Predicates from a thing to its name.
pub(in super::super) const NAME_PROPERTIES: [&str; 6] = [
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://xmlns.com/foaf/0.1/name",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://rdf.freebase.com/ns/type.object.name",
];

/// Predicates from a thing to a text about it.
const DESCRIPTIONS: [&str; 7] = [
    "http://schema.org/description",
    "https://schema.org/description",
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://dbpedia.org/ontology/abstract",
    "http://purl.org/dc/terms/description",
    "http://rdf.freebase.com/ns/common.topic.description",
];

/// What the label service adds to the name of a variable.
const SERVICE_SUFFIXES: [&str; 3] = ["Label", "Description", "AltLabel"];

fn is_decoration(iri: &str) -> bool {
    NAME_PROPERTIES.contains(&iri) || DESCRIPTIONS.contains(&iri)
}

/// Whether a pattern has a variable for the name or description of something, or a statement node of Wikidata.
pub(in super::super) fn says_more_than_meant(pattern: &GraphPattern) -> bool {
    let mut stack = vec![pattern];
    while let Some(pattern) = stack.pop() {
        match pattern {
            GraphPattern::Bgp { patterns }
                if patterns.iter().any(|triple| label_of(triple).is_some() || is_statement(triple)) =>
            {
                return true;
            }
            GraphPattern::Join { left, right } => stack.extend([left.as_ref(), right.as_ref()]),
            GraphPattern::Filter { inner, .. }
            | GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. }
            | GraphPattern::OrderBy { inner, .. }
            | GraphPattern::Extend { inner, .. }
            | GraphPattern::Group { inner, .. } => stack.push(inner),
            _ => {}
        }
    }
    false
}

impl Select {
    /// Removes columns that only name or describe what is found, and the patterns that bind them.
    pub(super) fn remove_decoration(&mut self, simplifier: &mut Simplifier) {
        let candidates = self.candidates(simplifier);
        let is_candidate = |column: &Column| candidates.iter().any(|name| name == column.source.as_str());
        // A query for nothing but names asks for names.
        let bound = self.bound();
        if !self.columns.iter().any(|column| !is_candidate(column) && bound.has(column.source.as_str())) {
            return;
        }
        for name in &candidates {
            self.group.remove_label(name);
            simplifier.n_meant += 1;
            let shown = self.columns.iter().filter(|column| column.source.as_str() == name);
            simplifier.decoration.extend(shown.map(|column| column.name.as_str().to_owned()));
        }
        self.columns.retain(|column| !is_candidate(column));
        self.order.retain(|order| {
            use spargebra::algebra::OrderExpression::{Asc, Desc};
            let (Asc(key) | Desc(key)) = order;
            let mut names = Names::default();
            variables::of_expression(key, &mut names);
            !names.iter().any(|name| candidates.iter().any(|candidate| candidate == name))
        });
        if let Some(grouping) = &mut self.grouping {
            grouping.keys.retain(|key| !candidates.iter().any(|name| name == key.as_str()));
        }
    }

    /// The variables that columns can show: those of the group and what is computed of it.
    fn bound(&self) -> Names {
        let mut names = self.group.scope();
        if let Some(Grouping { aggregates, named, .. }) = &self.grouping {
            aggregates.iter().for_each(|(variable, _)| names.add(variable.as_str()));
            named.iter().for_each(|(variable, _)| names.add(variable.as_str()));
        }
        names
    }

    /// The variables that only name or describe something.
    fn candidates(&self, simplifier: &Simplifier) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let scope = self.group.scope();
        for label in self.group.labels() {
            if self.is_only_shown(&label) {
                found.push(label);
            }
        }
        // A sample of labels is a label.
        if let Some(grouping) = &self.grouping {
            for (variable, aggregate) in &grouping.aggregates {
                if let AggregateExpression::FunctionCall { name, expr: Expression::Variable(of), .. } =
                    aggregate
                    && matches!(
                        name,
                        AggregateFunction::Sample
                            | AggregateFunction::Min
                            | AggregateFunction::Max
                            | AggregateFunction::GroupConcat { .. }
                    )
                    && found.iter().any(|label| label == of.as_str())
                {
                    found.push(variable.as_str().to_owned());
                }
            }
        }
        // What is bound to the text or language of a label is one, too.
        for (variable, expression) in &self.group.binds {
            let mut names = Names::default();
            variables::of_expression(expression, &mut names);
            let mut names = names.iter().peekable();
            let of_labels = names.peek().is_some()
                && names.all(|name| found.iter().any(|label| label == name))
                && self.is_only_projected(variable.as_str());
            if of_labels {
                found.push(variable.as_str().to_owned());
            }
        }
        if simplifier.label_service {
            for column in &self.columns {
                let name = column.source.as_str();
                let of = SERVICE_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix));
                if of.is_some_and(|of| scope.has(of)) && !scope.has(name) {
                    found.push(name.to_owned());
                }
            }
        }
        found
    }

    /// Whether a label occurs nowhere but in its triple, in columns and in conditions on its language.
    fn is_only_shown(&self, label: &str) -> bool {
        let mut uses = 0;
        self.group.count_uses(label, &mut uses);
        let order_matters = self.slice.is_some()
            && self.order.iter().any(|order| {
                use spargebra::algebra::OrderExpression::{Asc, Desc};
                let (Asc(key) | Desc(key)) = order;
                mentions(key, label)
            });
        let aggregated = self.grouping.as_ref().is_some_and(|grouping| {
            grouping.aggregates.iter().any(|(_, aggregate)| match aggregate {
                AggregateExpression::CountSolutions { .. } => false,
                AggregateExpression::FunctionCall { name, expr, .. } => {
                    mentions(expr, label)
                        && !matches!(
                            name,
                            AggregateFunction::Sample
                                | AggregateFunction::Min
                                | AggregateFunction::Max
                                | AggregateFunction::GroupConcat { .. }
                        )
                }
            }) || grouping.having.iter().any(|condition| mentions(condition, label))
        });
        uses == 1 && !order_matters && !aggregated
    }

    fn is_only_projected(&self, name: &str) -> bool {
        let mut uses = 0;
        self.group.count_uses(name, &mut uses);
        uses == 0
    }
}

impl Group {
    /// The variables for names and descriptions of things that something else describes.
    fn labels(&self) -> Vec<String> {
        let mut mandatory = Names::default();
        for triple in self.triples.iter().filter(|triple| label_of(triple).is_none()) {
            variables::of_triple(triple, &mut mandatory);
        }
        // The names of things that the query lists are what it asks for.
        let rest = Group { triples: Vec::new(), optionals: Vec::new(), values: Vec::new(), ..self.clone() };
        mandatory.extend(rest.scope());
        let optionals = self.optional_groups();
        for triple in optionals.iter().flat_map(|group| &group.triples) {
            if label_of(triple).is_none() {
                variables::of_triple(triple, &mut mandatory);
            }
        }
        let known =
            |triple: &TriplePattern| name_of(&triple.subject).is_none_or(|subject| mandatory.has(&subject));
        let in_optionals = optionals.iter().flat_map(|group| &group.triples);
        let labels = self.triples.iter().chain(in_optionals).filter(|triple| known(triple));
        labels.filter_map(|triple| label_of(triple).map(str::to_owned)).collect()
    }

    /// The groups of all optional parts, also of those inside others.
    fn optional_groups(&self) -> Vec<&Group> {
        let mut found = Vec::new();
        let mut stack: Vec<&Optional> = self.optionals.iter().collect();
        while let Some(Optional { group, .. }) = stack.pop() {
            stack.extend(&group.optionals);
            found.push(group);
        }
        found
    }

    /// How often a variable is used, apart from conditions on its language.
    fn count_uses(&self, name: &str, uses: &mut usize) {
        let is = |term: &TermPattern| name_of(term).as_deref() == Some(name);
        for triple in &self.triples {
            *uses += usize::from(is(&triple.subject)) + usize::from(is(&triple.object));
        }
        for path in &self.paths {
            *uses += usize::from(is(&path.subject)) + usize::from(is(&path.object));
        }
        for part in self.unions.iter().flatten().chain(&self.minus) {
            part.count_uses(name, uses);
        }
        for Optional { group, conditions } in &self.optionals {
            group.count_uses(name, uses);
            *uses += conditions.iter().filter(|c| mentions(c, name) && !is_about_language(c, name)).count();
        }
        for table in &self.values {
            *uses += usize::from(table.variables.iter().any(|variable| variable.as_str() == name));
        }
        for pattern in &self.nested {
            let mut names = Names::default();
            variables::in_scope(pattern, &mut names);
            *uses += usize::from(names.has(name));
        }
        *uses += self.filters.iter().filter(|f| mentions(f, name) && !is_about_language(f, name)).count();
    }

    /// Removes the triple and the conditions of a label.
    fn remove_label(&mut self, name: &str) {
        self.triples.retain(|triple| label_of(triple) != Some(name));
        self.filters.retain(|filter| !mentions(filter, name));
        self.binds.retain(|(variable, expression)| variable.as_str() != name && !mentions(expression, name));
        for Optional { group, conditions } in &mut self.optionals {
            group.remove_label(name);
            conditions.retain(|condition| !mentions(condition, name));
        }
        self.optionals.retain(|optional| !optional.group.is_empty());
    }
}

/// The variable of a triple that names or describes its subject.
fn label_of(triple: &TriplePattern) -> Option<&str> {
    match &triple.object {
        TermPattern::Variable(label) if predicate(triple).is_some_and(is_decoration) => Some(label.as_str()),
        _ => None,
    }
}

fn mentions(expression: &Expression, name: &str) -> bool {
    let mut names = Names::default();
    variables::of_expression(expression, &mut names);
    names.has(name)
}

/// Whether a condition looks at nothing but the language of a variable.
fn is_about_language(condition: &Expression, name: &str) -> bool {
    let is = |expression: &Expression| matches!(expression, Expression::Variable(v) if v.as_str() == name);
    let mut stack = vec![condition];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::FunctionCall(Function::Lang | Function::IsLiteral, arguments)
                if arguments.len() == 1 && is(&arguments[0]) => {}
            Expression::FunctionCall(Function::LangMatches, arguments) => stack.extend(arguments),
            Expression::Bound(variable) if variable.as_str() == name => {}
            Expression::Or(..)
            | Expression::And(..)
            | Expression::Not(_)
            | Expression::Equal(..)
            | Expression::In(..) => variables::operands(expression, &mut stack),
            Expression::Literal(_) => {}
            _ => return false,
        }
    }
    true
}
