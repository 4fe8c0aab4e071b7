//! Columns that only say how something is called: labels, descriptions and their languages.

use super::Simplifier;
use super::group::{Group, Optional, predicate};
use super::languages;
use super::select::{Column, Grouping, Select};
use super::statements::is_statement;
use super::variables::{self, Names, name_of};
use spargebra::algebra::{
    AggregateExpression, AggregateFunction, Expression, Function, GraphPattern, OrderExpression,
};
use spargebra::term::{TermPattern, TriplePattern, Variable};

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

/// A variable for the name or description of something, with others that only repeat it.
struct Label {
    /// The variable of the label, those bound to its text or language, and samples of them; with whether they are the whole name.
    variables: Vec<(String, bool)>,
    /// What is named; `None` for a constant.
    subject: Option<String>,
    is_name: bool,
    /// Whether a thing without such a label is found as well.
    is_optional: bool,
    /// How often the query has the variable where it is bound.
    n_bound: usize,
    /// Whether the label service gives it.
    is_of_service: bool,
}

impl Label {
    fn has(&self, name: &str) -> bool {
        self.variables.iter().any(|(variable, _)| variable == name)
    }
}

/// Long lists are never written by hand, and looking for each label in all of a query takes long.
const MAX_LABELS: usize = 200;

impl Select {
    /// Removes columns that only name or describe what is found, and the patterns that bind them. A name is shown for the thing if the thing
    /// itself is neither a column nor a key.
    pub(super) fn remove_decoration(&mut self, simplifier: &mut Simplifier) {
        let mut labels = self.labels(simplifier);
        // A query for nothing but names asks for names.
        let bound = self.bound();
        let is_label = |column: &Column| labels.iter().any(|label| label.has(column.source.as_str()));
        if !self.columns.iter().any(|column| !is_label(column) && bound.has(column.source.as_str())) {
            let by_service = |label: &Label| {
                label.is_of_service && self.columns.iter().any(|c| label.has(c.source.as_str()))
            };
            if labels.iter().any(by_service) {
                simplifier.languages.extend(std::mem::take(&mut simplifier.service_languages));
            }
            return;
        }
        // Where a name stands for a thing, a description is one of that thing.
        labels.sort_by_key(|label| !label.is_name);
        for label in &labels {
            self.remove_label(label, simplifier);
        }
    }

    /// Removes a label, or puts what it names in its place.
    fn remove_label(&mut self, label: &Label, simplifier: &mut Simplifier) {
        let is_column = |name: &str| self.columns.iter().any(|column| column.source.as_str() == name);
        let is_key = |name: &str| {
            self.grouping
                .as_ref()
                .is_some_and(|grouping| grouping.keys.iter().any(|key| key.as_str() == name))
        };
        let is_grouped = label.variables.iter().any(|(name, _)| is_key(name));
        let mut shown = label.variables.iter().filter(|(name, _)| is_column(name) || is_key(name)).peekable();
        let is_shown = shown.peek().is_some();
        let is_replaced = match &label.subject {
            // To have a description is a condition.
            _ if !is_shown && !label.is_name && !label.is_optional => return,
            _ if !is_shown => false,
            None if is_grouped => return,
            None => false,
            Some(subject) if is_column(subject) => false,
            Some(_) if !label.is_name || !shown.all(|(_, is_whole)| *is_whole) => return,
            Some(_) => true,
        };
        if let Some(subject) = label.subject.as_deref().filter(|_| is_replaced) {
            for (name, _) in &label.variables {
                simplifier.note_languages(&self.group, name);
            }
            if label.is_of_service {
                simplifier.languages.extend(simplifier.service_languages.iter().cloned());
            }
            self.show_instead(label, subject, simplifier);
        }
        for (name, _) in &label.variables {
            self.group.remove_label(name);
            simplifier.n_meant += 1;
            let shown = self.columns.iter().filter(|column| column.source.as_str() == name);
            simplifier.decoration.extend(shown.map(|column| column.name.as_str().to_owned()));
        }
        self.columns.retain(|column| !label.has(column.source.as_str()));
        self.order.retain(|order| {
            let mut names = Names::default();
            variables::of_expression(sort_key(order), &mut names);
            !names.iter().any(|name| label.has(name))
        });
        if let Some(grouping) = &mut self.grouping {
            grouping.keys.retain(|key| !label.has(key.as_str()));
        }
    }

    /// Puts a thing in the place of its label in columns and keys.
    fn show_instead(&mut self, label: &Label, subject: &str, simplifier: &mut Simplifier) {
        let name = match subject.starts_with("_:") {
            true => {
                let name = simplifier.fresh();
                self.group.rename(subject, &name);
                name
            }
            false => subject.to_owned(),
        };
        let subject = Variable::new_unchecked(name);
        for column in self.columns.iter_mut().filter(|column| label.has(column.source.as_str())) {
            column.source = subject.clone();
        }
        if let Some(Grouping { keys, .. }) = &mut self.grouping
            && !keys.contains(&subject)
            && let Some(key) = keys.iter_mut().find(|key| label.has(key.as_str()))
        {
            *key = subject;
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

    /// The labels that are only shown.
    fn labels(&self, simplifier: &Simplifier) -> Vec<Label> {
        let mut found = self.group.labels();
        if simplifier.label_service {
            found.extend(self.labels_of_service());
        }
        if found.len() > MAX_LABELS {
            return Vec::new();
        }
        // What is bound to the text or language of a label is one, too.
        for (variable, expression) in &self.group.binds {
            let mut names = Names::default();
            variables::of_expression(expression, &mut names);
            let repeated = found.iter_mut().find(|label| names.iter().any(|name| label.has(name)));
            if let Some(label) = repeated.filter(|label| {
                let is_subject = |name: &str| label.subject.as_deref() == Some(name);
                is_text(expression) && names.iter().all(|name| label.has(name) || is_subject(name))
            }) {
                label.variables.push((variable.as_str().to_owned(), is_whole(expression)));
            }
        }
        // A sample of the names of one thing is its name.
        if let Some(grouping) = &self.grouping {
            for (variable, aggregate) in &grouping.aggregates {
                let is_key = |subject: &String| grouping.keys.iter().any(|key| key.as_str() == subject);
                if let Some(of) = sample(aggregate)
                    && let Some(label) = found.iter_mut().find(|label| label.has(of))
                    && label.subject.as_ref().is_some_and(is_key)
                {
                    label.variables.push((variable.as_str().to_owned(), true));
                }
            }
        }
        found.retain(|label| self.is_only_shown(label) && !self.multiplies_rows(label));
        found
    }

    /// Whether a thing with several labels comes up several times where that matters: under a COUNT of rows, or a limit. A thing has one name in
    /// each language.
    fn multiplies_rows(&self, label: &Label) -> bool {
        let is_cut = self.is_cut();
        let counts_rows = self.grouping.as_ref().is_some_and(Grouping::counts_rows);
        if label.is_of_service || !(is_cut || counts_rows) {
            return false;
        }
        let Some((name, _)) = label.variables.first() else { return false };
        if label.is_name && self.group.fixes_language(name) {
            return false;
        }
        match &self.grouping {
            // Each label makes a group with all its rows.
            Some(grouping) if grouping.keys.iter().any(|key| label.has(key.as_str())) => is_cut,
            Some(_) => counts_rows,
            None => !self.distinct || self.columns.iter().any(|column| label.has(column.source.as_str())),
        }
    }

    /// The columns that the label service fills.
    fn labels_of_service(&self) -> Vec<Label> {
        let scope = self.group.scope();
        let label = |column: &Column| {
            let name = column.source.as_str();
            let (suffix, subject) =
                SERVICE_SUFFIXES.iter().find_map(|suffix| Some((suffix, name.strip_suffix(suffix)?)))?;
            (scope.has(subject) && !scope.has(name)).then(|| Label {
                variables: vec![(name.to_owned(), true)],
                subject: Some(subject.to_owned()),
                is_name: *suffix == "Label",
                is_optional: true,
                n_bound: 0,
                is_of_service: true,
            })
        };
        self.columns.iter().filter_map(label).collect()
    }

    /// Whether a label occurs nowhere but where it is bound, in columns and keys, and in conditions on its language.
    fn is_only_shown(&self, label: &Label) -> bool {
        let decides =
            |expression: &Expression| label.variables.iter().any(|(name, _)| mentions(expression, name));
        let decides_order = self.slice.is_some() && self.order.iter().any(|order| decides(sort_key(order)));
        let is_counted = self.grouping.as_ref().is_some_and(|grouping| {
            let counts = |(variable, aggregate): &(Variable, AggregateExpression)| match aggregate {
                AggregateExpression::CountSolutions { .. } => false,
                AggregateExpression::FunctionCall { expr, .. } => {
                    !label.has(variable.as_str()) && decides(expr)
                }
            };
            grouping.aggregates.iter().any(counts)
                || grouping.having.iter().any(decides)
                || grouping.named.iter().any(|(_, expression)| decides(expression))
        });
        let is_used = label.variables.iter().enumerate().any(|(at, (name, _))| {
            let repeats = |(variable, expression): &&(Variable, Expression)| {
                label.has(variable.as_str()) && mentions(expression, name)
            };
            let n_known = self.group.binds.iter().filter(repeats).count();
            let mut uses = 0;
            self.group.count_uses(name, &mut uses);
            uses != n_known + if at == 0 { label.n_bound } else { 0 }
        });
        !decides_order && !is_counted && !is_used
    }
}

fn sort_key(order: &OrderExpression) -> &Expression {
    let (OrderExpression::Asc(key) | OrderExpression::Desc(key)) = order;
    key
}

/// The variable that an aggregate takes one value of, if all values are the same.
fn sample(aggregate: &AggregateExpression) -> Option<&str> {
    match aggregate {
        AggregateExpression::FunctionCall {
            name:
                AggregateFunction::Sample
                | AggregateFunction::Min
                | AggregateFunction::Max
                | AggregateFunction::GroupConcat { .. },
            expr: Expression::Variable(of),
            ..
        } => Some(of.as_str()),
        _ => None,
    }
}

/// Whether an expression is the text or language of something, or a part of it.
fn is_text(expression: &Expression) -> bool {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        let is_known = match expression {
            Expression::FunctionCall(function, _) => matches!(
                function,
                Function::Str
                    | Function::Lang
                    | Function::LangMatches
                    | Function::LCase
                    | Function::UCase
                    | Function::Concat
                    | Function::Replace
                    | Function::SubStr
                    | Function::StrBefore
                    | Function::StrAfter
            ),
            Expression::Variable(_)
            | Expression::Literal(_)
            | Expression::Bound(_)
            | Expression::Coalesce(_)
            | Expression::If(..)
            | Expression::Equal(..)
            | Expression::Not(_) => true,
            _ => false,
        };
        if !is_known {
            return false;
        }
        variables::operands(expression, &mut stack);
    }
    true
}

/// Whether the text of an expression is the whole name: `STR(?l)`, `COALESCE(?l, "")`.
fn is_whole(expression: &Expression) -> bool {
    match expression {
        Expression::Variable(_) => true,
        Expression::Coalesce(list) | Expression::FunctionCall(Function::Str, list) => {
            list.first().is_some_and(|first| matches!(first, Expression::Variable(_)))
        }
        _ => false,
    }
}

impl Group {
    /// The names and descriptions of things that something else describes.
    fn labels(&self) -> Vec<Label> {
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
        let label = |triple: &TriplePattern, is_optional: bool| {
            let subject = name_of(&triple.subject);
            let is_known = subject.as_ref().is_none_or(|subject| mandatory.has(subject));
            let variable = label_of(triple).filter(|_| is_known)?.to_owned();
            let is_name = predicate(triple).is_some_and(|iri| NAME_PROPERTIES.contains(&iri));
            let variables = vec![(variable, true)];
            Some(Label { variables, subject, is_name, is_optional, n_bound: 1, is_of_service: false })
        };
        let in_optionals = optionals.iter().flat_map(|group| &group.triples);
        let own = self.triples.iter().filter_map(|triple| label(triple, false));
        own.chain(in_optionals.filter_map(|triple| label(triple, true))).collect()
    }

    /// The groups of all optional parts, also of those inside others.
    pub(super) fn optional_groups(&self) -> Vec<&Group> {
        let mut found = Vec::new();
        let mut stack: Vec<&Optional> = self.optionals.iter().collect();
        while let Some(Optional { group, .. }) = stack.pop() {
            stack.extend(&group.optionals);
            found.push(group);
        }
        found
    }

    /// Whether a condition says in which one language a label is.
    fn fixes_language(&self, name: &str) -> bool {
        let own = self.filters.iter().any(|filter| languages::is_fixed(filter, name));
        own || self.optionals.iter().any(|Optional { group, conditions }| {
            let binds_here = group.triples.iter().any(|triple| label_of(triple) == Some(name));
            let is_here = binds_here && conditions.iter().any(|c| languages::is_fixed(c, name));
            is_here || group.fixes_language(name)
        })
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
        *uses += self.binds.iter().filter(|(_, expression)| mentions(expression, name)).count();
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
pub(super) fn label_of(triple: &TriplePattern) -> Option<&str> {
    match &triple.object {
        TermPattern::Variable(label) if predicate(triple).is_some_and(is_decoration) => Some(label.as_str()),
        _ => None,
    }
}

fn mentions(expression: &Expression, name: &str) -> bool {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::Variable(variable) | Expression::Bound(variable) if variable.as_str() == name => {
                return true;
            }
            Expression::Exists(pattern) => {
                let mut names = Names::default();
                variables::in_scope(pattern, &mut names);
                if names.has(name) {
                    return true;
                }
            }
            other => variables::operands(other, &mut stack),
        }
    }
    false
}

/// Whether a condition looks at nothing but the language of a variable.
fn is_about_language(condition: &Expression, name: &str) -> bool {
    let is = |expression: &Expression| matches!(expression, Expression::Variable(v) if v.as_str() == name);
    let mut stack = vec![condition];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::FunctionCall(Function::IsLiteral, arguments)
                if arguments.len() == 1 && is(&arguments[0]) => {}
            // It may have to be the language of another name.
            Expression::FunctionCall(Function::Lang, arguments)
                if matches!(&arguments[..], [Expression::Variable(_)]) => {}
            Expression::FunctionCall(Function::LangMatches | Function::LCase, arguments) => {
                stack.extend(arguments);
            }
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
