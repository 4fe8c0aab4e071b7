//! Pretrained vectors of words from a local file, in GloVe's text format or as safetensors.

use crate::cast;
use crate::error::TrainError;
use crate::vocabulary::{SPECIAL, TokenVocabulary};
use burn::module::Param;
use burn::nn::Embedding;
use burn::tensor::{Tensor, TensorData};
use safetensors::{Dtype, SafeTensors};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The word whose vector words without one get, as KQA Pro's baselines do.
const COMMON: &str = "the";

/// Vectors for the words of a vocabulary: row after row, in the order of their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct WordVectors {
    size: usize,
    rows: Vec<Option<Vec<f32>>>,
    found: usize,
}

impl WordVectors {
    /// Reads the vectors of a vocabulary's words. A word of several parts, such as a name, gets the mean of its parts; a word without a
    /// vector gets that of "the". `FILE.safetensors` holds one table, and `FILE.txt` beside it its words, one a line; any other file
    /// is read as text, each line a word and its numbers.
    pub fn read(path: &Path, vocabulary: &TokenVocabulary) -> Result<WordVectors, TrainError> {
        let words: Vec<&str> =
            (SPECIAL.len()..vocabulary.len()).map(|at| vocabulary.word(cast::index32(at))).collect();
        let mut wanted: HashSet<&str> = words.iter().flat_map(|word| parts(word)).collect();
        wanted.extend(words.iter().copied());
        wanted.insert(COMMON);
        let is_table = path.extension().is_some_and(|extension| extension == "safetensors");
        let (size, known) =
            if is_table { from_safetensors(path, &wanted)? } else { from_text(path, &wanted)? };
        let special = SPECIAL.iter().map(|_| None);
        let own: Vec<Option<Vec<f32>>> = words.iter().map(|word| vector(word, size, &known)).collect();
        let found = own.iter().flatten().count();
        let common = known.get(COMMON);
        let rows = special.chain(own.into_iter().map(|row| row.or_else(|| common.cloned()))).collect();
        Ok(WordVectors { size, rows, found })
    }

    /// Number of words that have a vector of their own.
    pub fn found(&self) -> usize {
        self.found
    }

    /// Number of numbers in a vector.
    pub fn size(&self) -> usize {
        self.size
    }

    /// A table with these vectors; rows without one stay as they are. `None` if its vectors have another size or number.
    pub fn put(&self, table: Embedding) -> Option<Embedding> {
        let [words, size] = table.weight.dims();
        if (words, size) != (self.rows.len(), self.size) {
            return None;
        }
        let device = table.weight.device();
        let mut values: Vec<f32> = table.weight.val().into_data().try_to_vec().ok()?;
        for (row, vector) in values.chunks_exact_mut(size).zip(&self.rows) {
            if let Some(vector) = vector {
                row.copy_from_slice(vector);
            }
        }
        let weight = Tensor::<2>::from_data(TensorData::new(values, [words, size]), &device);
        Some(Embedding { weight: Param::from_tensor(weight) })
    }
}

/// The parts of a word that may have vectors of their own.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split([' ', '_']).filter(|part| !part.is_empty())
}

/// The vector of a word, or the mean of its parts.
fn vector(word: &str, size: usize, known: &HashMap<String, Vec<f32>>) -> Option<Vec<f32>> {
    if let Some(vector) = known.get(word) {
        return Some(vector.clone());
    }
    let of_parts: Vec<&Vec<f32>> = parts(word).filter_map(|part| known.get(part)).collect();
    let mean = |at: usize| {
        of_parts.iter().map(|part| part[at]).sum::<f32>() / cast::single(cast::float(of_parts.len()))
    };
    (!of_parts.is_empty()).then(|| (0..size).map(mean).collect())
}

type Known = (usize, HashMap<String, Vec<f32>>);

fn from_text(path: &Path, wanted: &HashSet<&str>) -> Result<Known, TrainError> {
    let file = fs::File::open(path).map_err(TrainError::io("read", path))?;
    let (mut size, mut known) = (0, HashMap::new());
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(TrainError::io("read", path))?;
        // The first line of word2vec's format: the numbers of words and of their numbers.
        if number == 1 && line.split(' ').count() == 2 {
            continue;
        }
        let columns = line.trim_end().split(' ').count() - 1;
        if size == 0 {
            size = columns;
        }
        // A few words of GloVe 840B contain blanks.
        let word_blanks = columns.checked_sub(size);
        let Some(blanks) = word_blanks.filter(|_| size > 0) else {
            let problem = format!("line {number} has {columns} numbers instead of {size}");
            return Err(TrainError::WordVectors { path: path.to_owned(), problem });
        };
        let end = line.match_indices(' ').nth(blanks).map_or(line.len(), |(at, _)| at);
        let (word, numbers) = line.split_at(end);
        if !wanted.contains(word) {
            continue;
        }
        let vector: Result<Vec<f32>, _> = numbers.split_whitespace().map(str::parse).collect();
        let Ok(vector) = vector else {
            let problem = format!("line {number} (`{word}`) has a value that is not a number");
            return Err(TrainError::WordVectors { path: path.to_owned(), problem });
        };
        known.entry(word.to_owned()).or_insert(vector);
    }
    match size {
        0 => {
            Err(TrainError::WordVectors { path: path.to_owned(), problem: "it holds no vectors".to_owned() })
        }
        _ => Ok((size, known)),
    }
}

fn from_safetensors(path: &Path, wanted: &HashSet<&str>) -> Result<Known, TrainError> {
    let wrong = |problem: String| TrainError::WordVectors { path: path.to_owned(), problem };
    let bytes = fs::read(path).map_err(TrainError::io("read", path))?;
    let words_path = path.with_extension("txt");
    let words = fs::read_to_string(&words_path).map_err(TrainError::io("read the words of", &words_path))?;
    let words: Vec<&str> = words.lines().collect();
    let tensors = SafeTensors::deserialize(&bytes).map_err(|error| wrong(error.to_string()))?;
    let tables: Vec<_> =
        tensors.tensors().into_iter().filter(|(_, table)| table.shape().len() == 2).collect();
    let [(_, table)] = tables.as_slice() else {
        return Err(wrong(format!("it has {} tables of vectors instead of one", tables.len())));
    };
    let [rows, size] = [table.shape()[0], table.shape()[1]];
    if table.dtype() != Dtype::F32 {
        return Err(wrong(format!("its numbers are {:?} instead of F32", table.dtype())));
    }
    if rows != words.len() || size == 0 {
        let (names, file) = (words.len(), words_path.display());
        return Err(wrong(format!("it has {rows} vectors of {size} numbers, and {file} has {names} words")));
    }
    let each = words.iter().zip(table.data().chunks_exact(4 * size));
    let read = |bytes: &[u8]| {
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
    };
    let known =
        each.filter(|(word, _)| wanted.contains(*word)).map(|(word, row)| ((*word).to_owned(), read(row)));
    Ok((size, known.collect()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::layers::{Scale, Uniform, embedding};
    use burn::tensor::Device;

    fn vocabulary() -> TokenVocabulary {
        let words = ["who", "new york", "zzz"].map(str::to_owned);
        let all = SPECIAL.iter().map(|word| (*word).to_owned()).chain(words);
        TokenVocabulary::from(all.collect::<Vec<_>>())
    }

    fn rows(path: &Path) -> Vec<Vec<f32>> {
        let mut uniform = Uniform::new(Scale::Bound(0.1), 1);
        let table = embedding(7, 2, &mut uniform, &Device::flex());
        let before: Vec<f32> = table.weight.val().into_data().try_to_vec().unwrap();
        let vectors = WordVectors::read(path, &vocabulary()).unwrap();
        assert_eq!((vectors.found(), vectors.size()), (2, 2));
        let after: Vec<f32> = vectors.put(table).unwrap().weight.val().into_data().try_to_vec().unwrap();
        assert_eq!(before[..8], after[..8], "special words keep theirs");
        after[8..].chunks(2).map(<[f32]>::to_vec).collect()
    }

    #[test]
    fn text_and_table_give_the_same_vectors() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("glove.txt");
        fs::write(&text, "the 9 8\nwho 1 2\nother 0 0\nnew 2 4\nyork 4 0\n").unwrap();
        let expected = [[1.0, 2.0], [3.0, 2.0], [9.0, 8.0]];
        assert_eq!(rows(&text), expected);

        let words = ["the", "who", "new", "york"];
        let numbers: Vec<u8> =
            [9.0_f32, 8.0, 1.0, 2.0, 2.0, 4.0, 4.0, 0.0].iter().flat_map(|n| n.to_le_bytes()).collect();
        let view = safetensors::tensor::TensorView::new(Dtype::F32, vec![4, 2], &numbers).unwrap();
        let table = folder.path().join("table.safetensors");
        fs::write(&table, safetensors::serialize([("vectors", view)], None).unwrap()).unwrap();
        fs::write(folder.path().join("table.txt"), words.join("\n")).unwrap();
        assert_eq!(rows(&table), expected);
    }

    #[test]
    fn wrong_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text, problem) in [
            ("empty", "", "it holds no vectors"),
            ("short", "who 1 2\nthe 1\n", "line 2 has 1 numbers instead of 2"),
            ("words", "the 1 2\nwho 1 x\n", "line 2 (`who`) has a value that is not a number"),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            let error = WordVectors::read(&path, &vocabulary()).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        let missing = WordVectors::read(&folder.path().join("none"), &vocabulary()).unwrap_err().to_string();
        assert!(missing.starts_with("cannot read "), "{missing}");
    }
}
