//! The graph of the benches: Freebase-like, generated, the same for the same size.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

const NS: &str = "http://kb.example/";
const N_RELATIONS: usize = 120;
const N_CLASSES: usize = 40;

/// A fixed sequence of numbers.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Zipfian: rank r has weight 1/(r+1)^s, by inversion of the continuous approximation.
    pub(crate) fn zipf(&mut self, n: usize, s: f64) -> usize {
        let n1 = (n as f64 + 1.0).powf(1.0 - s);
        let x = (1.0 + self.unit() * (n1 - 1.0)).powf(1.0 / (1.0 - s));
        (x as usize - 1).min(n - 1)
    }
}

/// Writes a Freebase-like graph: typed and labelled entities, relations with Zipfian degrees, numbers, dates.
pub(crate) fn generate(path: &Path, n_triples: usize) -> usize {
    let rng = &mut Rng(7);
    let n_entities = n_triples / 10;
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).unwrap());
    let mut n = 0;
    let class_of: Vec<usize> = (0..n_entities).map(|_| rng.zipf(N_CLASSES, 0.9)).collect();
    // Popularity has nothing to do with the order of ids.
    let mut shuffled: Vec<usize> = (0..n_entities).collect();
    for i in (1..n_entities).rev() {
        shuffled.swap(i, (rng.next() as usize) % (i + 1));
    }
    for (entity, class) in class_of.iter().enumerate() {
        let id = format!("<{NS}e/m{entity:06}>");
        writeln!(out, "{id} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{NS}c/class{class:02}> .")
            .unwrap();
        writeln!(
            out,
            "{id} <http://www.w3.org/2000/01/rdf-schema#label> \"Entity {entity} of kind {class}\"@en ."
        )
        .unwrap();
        n += 2;
    }
    for _ in 0..n_triples * 6 / 10 {
        let relation = rng.zipf(N_RELATIONS, 0.7);
        let subject = shuffled[rng.zipf(n_entities, 0.45)];
        let object = shuffled[rng.zipf(n_entities, 0.85)];
        writeln!(out, "<{NS}e/m{subject:06}> <{NS}r/rel{relation:03}> <{NS}e/m{object:06}> .").unwrap();
        n += 1;
    }
    let xsd = "http://www.w3.org/2001/XMLSchema#";
    while n < n_triples {
        let subject = shuffled[rng.zipf(n_entities, 0.3)];
        let attribute = class_of[subject] % 20;
        if rng.unit() < 0.35 {
            let (year, month, day) = (1850 + rng.next() % 174, 1 + rng.next() % 12, 1 + rng.next() % 28);
            let date = format!("{year}-{month:02}-{day:02}");
            writeln!(out, "<{NS}e/m{subject:06}> <{NS}p/date{:02}> \"{date}\"^^<{xsd}date> .", attribute % 6)
                .unwrap();
        } else if attribute.is_multiple_of(2) {
            let value = rng.next() % 10_000_000;
            writeln!(out, "<{NS}e/m{subject:06}> <{NS}p/num{attribute:02}> \"{value}\"^^<{xsd}integer> .")
                .unwrap();
        } else {
            let value = rng.unit() * 1e4;
            writeln!(out, "<{NS}e/m{subject:06}> <{NS}p/num{attribute:02}> \"{value:.6}\"^^<{xsd}double> .")
                .unwrap();
        }
        n += 1;
    }
    out.flush().unwrap();
    n
}
