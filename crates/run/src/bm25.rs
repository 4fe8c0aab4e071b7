//! Finds the texts that share the most informative words with another one (Okapi BM25).

use hashbrown::HashMap;

/// Texts as lists of words, by word.
pub(crate) struct Bm25 {
    /// By word: the texts that contain it, and how often.
    postings: HashMap<String, Vec<(u32, f32)>>,
    lengths: Vec<f32>,
    mean: f32,
}

const K1: f32 = 1.2;
const B: f32 = 0.75;

#[expect(clippy::cast_precision_loss, reason = "scores need no more than the 24 bits of a float")]
fn float(count: usize) -> f32 {
    count as f32
}

impl Bm25 {
    /// An index of texts, each a list of words.
    pub(crate) fn new(texts: impl IntoIterator<Item = Vec<String>>) -> Bm25 {
        let mut postings: HashMap<String, Vec<(u32, f32)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (number, words) in (0u32..).zip(texts) {
            lengths.push(float(words.len()));
            for word in words {
                let list = postings.entry(word).or_default();
                match list.last_mut() {
                    Some((last, times)) if *last == number => *times += 1.0,
                    _ => list.push((number, 1.0)),
                }
            }
        }
        let mean = lengths.iter().sum::<f32>() / float(lengths.len().max(1));
        Bm25 { postings, lengths, mean }
    }

    /// The best texts with their scores, best first; among ties, the earlier one.
    pub(crate) fn best(&self, words: &[String], limit: usize) -> Vec<(usize, f32)> {
        let n = float(self.lengths.len());
        let mut scores = vec![0f32; self.lengths.len()];
        let mut distinct: Vec<&String> = words.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        for word in distinct {
            let Some(list) = self.postings.get(word) else { continue };
            let weight = (1.0 + (n - float(list.len()) + 0.5) / (float(list.len()) + 0.5)).ln();
            for &(text, times) in list {
                let length = self.lengths[text as usize] / self.mean;
                scores[text as usize] += weight * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length));
            }
        }
        let mut order: Vec<usize> = (0..scores.len()).filter(|&text| scores[text] > 0.0).collect();
        let better = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
        if order.len() > limit && limit > 0 {
            order.select_nth_unstable_by(limit - 1, better);
            order.truncate(limit);
        }
        order.sort_unstable_by(better);
        order.truncate(limit);
        order.into_iter().map(|text| (text, scores[text])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn rare_words_count_more() {
        let texts = ["the film of the year", "the director of the film", "the rarest element"];
        let index = Bm25::new(texts.map(words));
        let order = |text: &str| -> Vec<usize> {
            index.best(&words(text), 3).into_iter().map(|(text, _)| text).collect()
        };
        assert_eq!(order("the element"), [2, 0, 1]);
        assert_eq!(order("director film"), [1, 0]);
        assert_eq!(order("nothing"), [0usize; 0]);
        assert_eq!(index.best(&words("the"), 1).len(), 1);
    }
}
