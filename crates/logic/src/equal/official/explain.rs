//! Explains why two forms do not match.

use super::graph::{FUNCTIONS, Graph, Kind, Link, Node, ZERO};
use super::{Form, OfficialMatcher};
use crate::ontology::NO_NAME;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Maximum number of differences to list in a message.
const MAX_REASONS: usize = 6;

/// An item of a graph: what is compared, and how it was written.
type Trait = (String, String);

impl OfficialMatcher<'_> {
    /// The differences between two graphs that are known to differ.
    pub(super) fn difference(&mut self, gold: &str, predicted: &str) -> String {
        let only_functions = self.isomorphism.test(&self.predicted.graph, &self.gold.graph, false);
        let mut reasons = Vec::new();
        self.oddities(&self.gold, gold, "gold", &mut reasons);
        self.oddities(&self.predicted, predicted, "predicted", &mut reasons);
        let n_oddities = reasons.len();

        self.compare("entity", &mut reasons, |graph| self.ids(graph, Kind::Entity));
        self.compare("literal", &mut reasons, |graph| self.ids(graph, Kind::Literal));
        let n_before_relations = reasons.len();
        self.compare("relation", &mut reasons, |graph| self.relations(graph));
        if reasons.len() == n_before_relations {
            // Different relations imply different classes, which need not be reported.
            self.compare("class", &mut reasons, |graph| self.ids(graph, Kind::Class));
        }
        self.compare("function", &mut reasons, |graph| self.functions(graph));
        self.compare("time constraint", &mut reasons, |graph| self.times(graph));
        if reasons.len() == n_oddities {
            reasons.push(match self.turned() {
                _ if only_functions => "the functions or time constraints are on other nodes".to_owned(),
                Some(relation) => format!("relation {relation} points the other way"),
                None => "same nodes and relations, joined differently".to_owned(),
            });
        }
        let n_more = reasons.len().saturating_sub(MAX_REASONS);
        reasons.truncate(MAX_REASONS);
        if n_more > 0 {
            reasons.push(format!("and {n_more} more"));
        }
        reasons.join("; ")
    }

    /// Names what is in one graph and not in the other.
    fn compare(&self, what: &str, reasons: &mut Vec<String>, traits: impl Fn(&Graph) -> Vec<Trait>) {
        let (mut gold, mut predicted) = (traits(&self.gold.graph), traits(&self.predicted.graph));
        gold.sort_unstable();
        predicted.sort_unstable();
        let (mut gold, mut predicted) = (gold.into_iter().peekable(), predicted.into_iter().peekable());
        let (mut missing, mut added) = (Vec::new(), Vec::new());
        loop {
            let order = match (gold.peek(), predicted.peek()) {
                (Some((one, _)), Some((two, _))) => one.cmp(two),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            match order {
                Ordering::Less => missing.extend(gold.next()),
                Ordering::Greater => added.extend(predicted.next()),
                Ordering::Equal => {
                    gold.next();
                    predicted.next();
                }
            }
        }
        let n_pairs = missing.len().min(added.len());
        let (replaced, lost) = missing.split_at(n_pairs);
        let (instead, surplus) = added.split_at(n_pairs);
        let replacements = instead.iter().zip(replaced);
        reasons.extend(
            replacements
                .map(|((_, new), (_, old))| format!("{what} {} instead of {}", short(new), short(old))),
        );
        reasons.extend(lost.iter().map(|(_, name)| format!("{what} {} is missing", short(name))));
        reasons.extend(surplus.iter().map(|(_, name)| format!("{what} {} is unexpected", short(name))));
    }

    fn ids(&self, graph: &Graph, kind: Kind) -> Vec<Trait> {
        // The values of superlatives are identified by their function.
        let nodes = graph.nodes.iter().filter(|node| node.kind == kind && node.id != ZERO);
        nodes.map(|node| plain(self.names.text(node.id))).collect()
    }

    /// A relation and its inverse give the same edges and count as one.
    fn relations(&self, graph: &Graph) -> Vec<Trait> {
        let relation = |link: &Link| {
            let (written, inverse) = (self.names.text(link.forward), self.names.text(link.back));
            let compared = if inverse.is_empty() { written } else { written.min(inverse) };
            (compared.to_owned(), written.to_owned())
        };
        graph.links.iter().map(relation).collect()
    }

    fn functions(&self, graph: &Graph) -> Vec<Trait> {
        let functions = graph.nodes.iter().map(|node| self.names.function_text(node.function));
        functions.filter(|&function| function != FUNCTIONS[0]).map(plain).collect()
    }

    fn times(&self, graph: &Graph) -> Vec<Trait> {
        let nodes = graph.nodes.iter().filter(|node| node.time != [NO_NAME; 2]);
        nodes.map(|node| plain(&node.time.map(|name| self.names.text(name)).join(" "))).collect()
    }

    /// A relation that connects the same nodes in both graphs in opposite directions.
    fn turned(&self) -> Option<&str> {
        let end = |graph: &Graph, node: u32| -> Node { graph.nodes[node as usize].bare() };
        let (gold, predicted) = (&self.gold.graph, &self.predicted.graph);
        let is_predicted = |from: Node, to: Node, link: &Link| {
            predicted.links.iter().any(|other| {
                let other = (end(predicted, other.from), end(predicted, other.to), other.forward, other.back);
                other == (from, to, link.forward, link.back) || other == (to, from, link.back, link.forward)
            })
        };
        // Enough for any real form, and a limit for any other.
        let turned = gold.links.iter().take(50).find(|link| {
            let (from, to) = (end(gold, link.from), end(gold, link.to));
            !is_predicted(from, to, link) && is_predicted(to, from, link)
        });
        turned.map(|link| self.names.text(link.forward))
    }

    /// What the evaluator silently ignores, to the surprise of its users.
    fn oddities(&self, form: &Form, text: &str, side: &str, reasons: &mut Vec<String>) {
        let items = &form.items;
        match items.missing_brackets() {
            0 => {}
            1 => reasons.push(format!("{side}: a `)` is missing")),
            n => reasons.push(format!("{side}: {n} `)` are missing")),
        }
        for list in items.lists() {
            let mut children = items.children(list);
            let (Some(head), Some(first)) = (children.next(), children.next()) else { continue };
            let takes_relation = matches!(items.text(text, head), "JOIN" | "R" | "le" | "lt" | "ge" | "gt");
            if items.is_list(head) || !takes_relation || items.is_list(first) {
                continue;
            }
            let name = items.text(text, first);
            if !self.names.ontology.is_relation(name) {
                let name = short(name);
                reasons.push(format!("{side}: {name} is not a relation of the ontology and does not count"));
            }
        }
    }
}

fn plain(name: &str) -> Trait {
    (name.to_owned(), name.to_owned())
}

/// The name, or the beginning of a very long one.
fn short(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &name[..end]).into(),
        None => name.into(),
    }
}
