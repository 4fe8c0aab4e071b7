//! Padded batches of questions and KoPL programs.

use burn::tensor::{Device, Tensor, TensorData};
use std::ops::Range;
use touchstone_train::{END, PAD, Rows, START, TrainBatch};

/// Maximum number of textual arguments of a function.
pub const ARGUMENTS: usize = 3;

/// A question and its program, without start and end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramPair {
    /// The words of the question.
    pub source: Vec<u32>,
    /// The functions.
    pub functions: Vec<u32>,
    /// The textual arguments of each function; missing ones are [`PAD`].
    pub arguments: Vec<[u32; ARGUMENTS]>,
    /// For each function, the positions of the earlier functions that it takes results from.
    pub dependencies: Vec<Vec<usize>>,
}

/// A batch of questions and programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramBatch {
    /// The questions.
    pub source: Rows,
    /// The functions with [`START`] before them: the inputs of the decoder.
    pub input: Rows,
    /// The functions with [`END`] after them: what the decoder must say.
    pub output: Rows,
    /// The arguments of all functions with [`START`] before them, [`ARGUMENTS`] positions for each position of `output`.
    pub argument_input: Rows,
    /// The arguments of all functions; the end and the padding have none.
    pub argument_output: Rows,
    /// Number of functions of each row, without end.
    counts: Vec<usize>,
    dependencies: Vec<Vec<Vec<usize>>>,
}

impl ProgramBatch {
    /// Pads programs. Questions and programs are cut to `max_length` words or functions.
    pub fn new(pairs: &[&ProgramPair], max_length: usize) -> ProgramBatch {
        let source: Vec<&[u32]> =
            pairs.iter().map(|pair| &pair.source[..pair.source.len().min(max_length)]).collect();
        let counts: Vec<usize> = pairs.iter().map(|pair| pair.functions.len().min(max_length)).collect();
        let steps = counts.iter().max().map_or(1, |longest| longest + 1);
        let full = |pair: &&ProgramPair, count: usize| {
            let mut row = [&[START], &pair.functions[..count], &[END]].concat();
            row.resize(steps + 1, PAD);
            row
        };
        let functions: Vec<Vec<u32>> =
            pairs.iter().zip(&counts).map(|(pair, &count)| full(pair, count)).collect();
        let arguments = |(pair, &count): (&&ProgramPair, &usize)| {
            let mut row = vec![START];
            row.extend(pair.arguments.iter().take(count).flatten());
            row.resize(1 + ARGUMENTS * steps, PAD);
            row
        };
        let arguments: Vec<Vec<u32>> = pairs.iter().zip(&counts).map(arguments).collect();
        ProgramBatch {
            source: Rows::padded(source.iter().copied()),
            input: Rows::padded(functions.iter().map(|row| &row[..steps])),
            output: Rows::padded(functions.iter().map(|row| &row[1..])),
            argument_input: Rows::padded(arguments.iter().map(|row| &row[..ARGUMENTS * steps])),
            argument_output: Rows::padded(arguments.iter().map(|row| &row[1..])),
            counts,
            dependencies: pairs.iter().map(|pair| pair.dependencies.clone()).collect(),
        }
    }

    /// The first, second or third argument of all functions.
    pub(super) fn arguments_at(&self, slot: usize) -> Rows {
        let of_slot = self.argument_output.as_slice().iter().skip(slot).step_by(ARGUMENTS);
        let numbers: Vec<u32> = of_slot.map(|&number| number.cast_unsigned()).collect();
        Rows::padded(numbers.chunks_exact(self.output.length()))
    }

    /// 1 at the steps of the decoder of arguments that the released code runs, 0 after them: `[rows, arguments]`. It runs one step more than the
    /// functions with end have arguments.
    pub(super) fn argument_mask(&self, device: &Device) -> Tensor<2> {
        let length = self.argument_input.length();
        let row = |count: &usize| {
            let steps = (1 + ARGUMENTS * (count + 1)).min(length);
            (0..length).map(move |at| if at < steps { 1.0 } else { 0.0 })
        };
        let mask: Vec<f32> = self.counts.iter().flat_map(row).collect();
        Tensor::from_data(TensorData::new(mask, [self.counts.len(), length]), device)
    }

    /// For each function and each earlier one `[rows, functions, earlier]`: 1 if the function depends on it, and 1 if it is a pair of two functions.
    pub(super) fn dependencies(&self, device: &Device) -> (Tensor<3>, Tensor<3>) {
        let steps = self.output.length();
        let (rows, size) = (self.counts.len(), steps * steps);
        let (mut wanted, mut counted) = (vec![0.0_f32; rows * size], vec![0.0_f32; rows * size]);
        for (row, (&count, dependencies)) in self.counts.iter().zip(&self.dependencies).enumerate() {
            for function in 0..count {
                let start = row * size + function * steps;
                counted[start..start + function].fill(1.0);
                let earlier = dependencies.get(function).into_iter().flatten();
                earlier.filter(|&&at| at < function).for_each(|at| wanted[start + at] = 1.0);
            }
        }
        let tensor = |values| Tensor::from_data(TensorData::new(values, [rows, steps, steps]), device);
        (tensor(wanted), tensor(counted))
    }
}

impl TrainBatch for ProgramBatch {
    fn rows(&self) -> usize {
        self.source.rows()
    }

    fn part(&self, rows: Range<usize>) -> ProgramBatch {
        ProgramBatch {
            source: self.source.part(rows.clone()),
            input: self.input.part(rows.clone()),
            output: self.output.part(rows.clone()),
            argument_input: self.argument_input.part(rows.clone()),
            argument_output: self.argument_output.part(rows.clone()),
            counts: self.counts[rows.clone()].to_vec(),
            dependencies: self.dependencies[rows].to_vec(),
        }
    }
}
