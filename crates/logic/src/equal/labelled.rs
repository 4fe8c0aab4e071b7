//! The canonical form of a small graph with labels on vertices and edges.

/// A directed graph with labels.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelledGraph {
    labels: Vec<String>,
    edges: Vec<(usize, usize, String)>,
    /// Vertices that are equal to another one.
    merged: Vec<(usize, usize)>,
}

/// Maximum work of the search, in visited vertices and edges, before it falls back to the refined labels alone.
const MAX_WORK: usize = 400_000;

impl LabelledGraph {
    pub(super) fn vertex(&mut self, label: String) -> usize {
        self.labels.push(label);
        self.labels.len() - 1
    }

    pub(super) fn label(&mut self, vertex: usize, label: String) {
        self.labels[vertex] = label;
    }

    pub(super) fn edge(&mut self, from: usize, to: usize, label: String) {
        self.edges.push((from, to, label));
    }

    /// Makes two vertices equal.
    pub(super) fn same(&mut self, vertex: usize, other: usize) {
        self.merged.push((vertex, other));
    }

    /// A text that is equal exactly for graphs that differ only in the numbering of vertices, and true; or, if that takes
    /// too long, a text that is equal for those but possibly also for others, and false.
    pub(super) fn canonical(mut self) -> (String, bool) {
        self.merge();
        let mut search = Search { graph: &self, best: None, work: 0 };
        let colours = search.refine(ranks(&self.labels));
        if search.run(colours.clone())
            && let Some(best) = search.best
        {
            return (best, true);
        }
        (format!("approximately {}", self.described(&colours)), false)
    }

    /// Merges vertices that are equal.
    fn merge(&mut self) {
        let mut target: Vec<usize> = (0..self.labels.len()).collect();
        for &(vertex, other) in &self.merged {
            let label = std::mem::take(&mut self.labels[vertex]);
            if !label.is_empty() {
                let joined = format!("{}&{label}", self.labels[other]);
                self.labels[other] = joined;
            }
            target[vertex] = other;
        }
        let find = |mut vertex: usize| {
            while target[vertex] != vertex {
                vertex = target[vertex];
            }
            vertex
        };
        let kept: Vec<usize> = (0..self.labels.len()).filter(|&v| target[v] == v).collect();
        let place = |vertex: usize| kept.binary_search(&find(vertex)).unwrap_or(0);
        self.edges = self.edges.iter().map(|(a, b, label)| (place(*a), place(*b), label.clone())).collect();
        self.labels = kept.iter().map(|&v| self.labels[v].clone()).collect();
        self.merged.clear();
    }

    /// The graph as text, in the order of its colours.
    fn described(&self, colours: &[usize]) -> String {
        let mut vertices: Vec<(usize, &str)> =
            colours.iter().copied().zip(self.labels.iter().map(String::as_str)).collect();
        vertices.sort_unstable();
        let mut edges: Vec<(usize, usize, &str)> =
            self.edges.iter().map(|(a, b, label)| (colours[*a], colours[*b], label.as_str())).collect();
        edges.sort_unstable();
        format!("{vertices:?} {edges:?}")
    }
}

/// The colour of a vertex, and those of its neighbours by direction and label of the edge.
type Signature<'g> = (usize, Vec<(bool, &'g str, usize)>);

struct Search<'g> {
    graph: &'g LabelledGraph,
    best: Option<String>,
    work: usize,
}

impl Search<'_> {
    /// Splits colours by the colours of neighbours until nothing changes, or the work limit is reached.
    fn refine(&mut self, mut colours: Vec<usize>) -> Vec<usize> {
        loop {
            self.work += self.graph.labels.len() + 2 * self.graph.edges.len();
            let mut signatures: Vec<Signature<'_>> = colours.iter().map(|&c| (c, Vec::new())).collect();
            for (a, b, label) in &self.graph.edges {
                signatures[*a].1.push((true, label, colours[*b]));
                signatures[*b].1.push((false, label, colours[*a]));
            }
            for signature in &mut signatures {
                signature.1.sort_unstable();
            }
            let next = ranks(&signatures);
            if count(&next) == count(&colours) || self.work > MAX_WORK {
                return next;
            }
            colours = next;
        }
    }

    /// For each vertex of the first colour that several vertices share: gives it its own colour, and keeps the smallest text.
    /// False if the work limit was reached.
    fn run(&mut self, colours: Vec<usize>) -> bool {
        let mut stack = vec![colours];
        while let Some(colours) = stack.pop() {
            if self.work > MAX_WORK {
                return false;
            }
            let mut sizes = vec![0usize; colours.len()];
            for &colour in &colours {
                sizes[colour] += 1;
            }
            let Some(shared) = sizes.iter().position(|&size| size > 1) else {
                let text = self.graph.described(&colours);
                self.work += text.len();
                if self.best.as_ref().is_none_or(|best| text < *best) {
                    self.best = Some(text);
                }
                continue;
            };
            for vertex in (0..colours.len()).filter(|&v| colours[v] == shared) {
                if self.work > MAX_WORK {
                    return false;
                }
                let split: Vec<(usize, bool)> =
                    colours.iter().enumerate().map(|(v, &c)| (c, v != vertex)).collect();
                let split = self.refine(ranks(&split));
                stack.push(split);
            }
        }
        true
    }
}

/// The rank of each item among the distinct items.
fn ranks<T: Ord>(items: &[T]) -> Vec<usize> {
    let mut sorted: Vec<&T> = items.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    items.iter().map(|item| sorted.binary_search(&item).unwrap_or(0)).collect()
}

fn count(colours: &[usize]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}
