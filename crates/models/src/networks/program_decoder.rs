//! Greedy decoding of programs: a function, its arguments and its dependencies at each step.

use super::program_batch::ARGUMENTS;
use super::sup_program::{ArgumentNetwork, Question, SupProgram, pair_logits, selected};
use burn::tensor::{Device, Tensor};
use touchstone_train::decode::{best, log_probabilities, numbers, positions};
use touchstone_train::layers::{Attention, LayerState};
use touchstone_train::{END, Pass, Rows, START};

/// Maximum number of functions that a function takes results from.
const DEPENDENCIES: usize = 2;

/// A decoded program, without start and end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DecodedProgram {
    /// The functions.
    pub functions: Vec<u32>,
    /// The arguments of each function; missing ones are the padding.
    pub arguments: Vec<[u32; ARGUMENTS]>,
    /// The dependencies of each function, in ascending order; `None`: the network does not predict them.
    pub dependencies: Option<Vec<Vec<usize>>>,
    /// The log-probabilities of all functions and arguments, and of the end if it was reached.
    pub log_probs: Vec<f32>,
    /// Whether the end was reached within the maximum number of functions.
    pub is_finished: bool,
}

/// The rows that are not finished.
struct Open {
    question: Question,
    argument_states: Vec<LayerState>,
    function: Vec<u32>,
    argument: Vec<u32>,
    /// The vectors of the functions so far, `[rows, functions, hidden]`.
    history: Option<Tensor<3>>,
}

/// The most likely word of each row and its log-probability.
struct Choice {
    words: Vec<u32>,
    log_probs: Vec<f32>,
}

impl SupProgram {
    /// The most likely function and arguments at each step.
    pub fn decode(&self, source: &Rows, max_functions: usize, device: &Device) -> Vec<DecodedProgram> {
        let rows = source.rows();
        let question = self.question(source, &Pass::inference(), device);
        let mut open = Open {
            argument_states: question.states.clone(),
            question,
            function: vec![START; rows],
            argument: vec![START; rows],
            history: None,
        };
        let dependencies = self.dependencies.as_ref().map(|_| Vec::new());
        let mut decoded = vec![DecodedProgram { dependencies, ..DecodedProgram::default() }; rows];
        let mut numbers: Vec<usize> = (0..rows).collect();
        for _ in 0..max_functions {
            let vector = self.function_vector(&mut open, device);
            let found = chosen(self.classifier.forward(vector.clone()));
            let mut kept = Vec::new();
            for (at, &row) in numbers.iter().enumerate() {
                decoded[row].log_probs.push(found.log_probs[at]);
                if found.words[at] == END {
                    decoded[row].is_finished = true;
                } else {
                    decoded[row].functions.push(found.words[at]);
                    kept.push(at);
                }
            }
            if kept.is_empty() {
                break;
            }
            open.function = found.words;
            let vector = open.keep(&kept, vector, device);
            numbers = kept.iter().map(|&at| numbers[at]).collect();
            self.decode_arguments(&mut open, &vector, &numbers, &mut decoded, device);
            self.decode_dependencies(&mut open, vector, &numbers, &mut decoded);
        }
        decoded
    }

    /// The vectors of the next functions, `[rows, hidden]`.
    fn function_vector(&self, open: &mut Open, device: &Device) -> Tensor<2> {
        let vectors = self.functions.forward(numbers(&open.function, device).unsqueeze_dim(1)).squeeze_dim(1);
        let states = std::mem::take(&mut open.question.states);
        let (output, states) = self.decoder.step(vectors, states, 0.0, &Pass::inference());
        open.question.states = states;
        open.question.attended(output)
    }

    fn decode_arguments(
        &self,
        open: &mut Open,
        functions: &Tensor<2>,
        rows: &[usize],
        decoded: &mut [DecodedProgram],
        device: &Device,
    ) {
        for slot in 0..ARGUMENTS {
            let logits = match &self.arguments {
                ArgumentNetwork::Classifiers(classifiers) => classifiers[slot].forward(functions.clone()),
                ArgumentNetwork::Decoder(arguments) => {
                    let words = arguments.words.forward(numbers(&open.argument, device).unsqueeze_dim(1));
                    let input = Tensor::cat(vec![words.squeeze_dim(1), functions.clone()], 1);
                    let states = std::mem::take(&mut open.argument_states);
                    let (output, states) = arguments.decoder.step(input, states, 0.0, &Pass::inference());
                    open.argument_states = states;
                    arguments.classifier.forward(open.question.attended(output))
                }
            };
            let found = chosen(logits);
            for (at, &row) in rows.iter().enumerate() {
                let program = &mut decoded[row];
                program.log_probs.push(found.log_probs[at]);
                if slot == 0 {
                    program.arguments.push([0; ARGUMENTS]);
                }
                if let Some(arguments) = program.arguments.last_mut() {
                    arguments[slot] = found.words[at];
                }
            }
            open.argument = found.words;
        }
    }

    /// Adds the dependencies of the last functions, and their vectors to the history.
    fn decode_dependencies(
        &self,
        open: &mut Open,
        functions: Tensor<2>,
        rows: &[usize],
        decoded: &mut [DecodedProgram],
    ) {
        let Some(pairs) = &self.dependencies else { return };
        let functions: Tensor<3> = functions.unsqueeze_dim(1);
        let logits: Vec<f32> = match &open.history {
            Some(earlier) => {
                let logits = pair_logits(pairs, functions.clone(), earlier.clone());
                logits.into_data().try_to_vec().unwrap_or_default()
            }
            None => Vec::new(),
        };
        let n_earlier = logits.len() / rows.len();
        for (at, &row) in rows.iter().enumerate() {
            let logits = &logits[at * n_earlier..(at + 1) * n_earlier];
            decoded[row].dependencies.get_or_insert_default().push(dependencies(logits));
        }
        open.history = Some(match open.history.take() {
            Some(earlier) => Tensor::cat(vec![earlier, functions], 1),
            None => functions,
        });
    }
}

impl Question {
    /// A state plus what attention finds for it.
    fn attended(&self, output: Tensor<2>) -> Tensor<2> {
        let (_, context) = Attention::dot().forward(output.clone(), &self.memory, &self.memory, &self.mask);
        output + context
    }
}

impl Open {
    /// Keeps some rows, also of the vectors of their last functions.
    fn keep(&mut self, kept: &[usize], vector: Tensor<2>, device: &Device) -> Tensor<2> {
        if kept.len() == self.function.len() {
            return vector;
        }
        let of = |words: &[u32]| kept.iter().map(|&at| words[at]).collect();
        (self.function, self.argument) = (of(&self.function), of(&self.argument));
        let rows = positions(kept, device);
        self.question = Question {
            memory: self.question.memory.clone().select(0, rows.clone()),
            mask: self.question.mask.clone().select(0, rows.clone()),
            states: selected(&self.question.states, &rows),
        };
        self.argument_states = selected(&self.argument_states, &rows);
        self.history = self.history.take().map(|history| history.select(0, rows.clone()));
        vector.select(0, rows)
    }
}

/// The most likely word of each row.
fn chosen(logits: Tensor<2>) -> Choice {
    let (words, log_probs) =
        log_probabilities(logits).iter().map(|row| best(row).unwrap_or((END, f32::NEG_INFINITY))).unzip();
    Choice { words, log_probs }
}

/// The positions of the most likely dependencies with a probability above one half, in ascending order.
fn dependencies(logits: &[f32]) -> Vec<usize> {
    let mut found: Vec<usize> = (0..logits.len()).filter(|&at| logits[at] > 0.0).collect();
    found.sort_by(|&one, &other| logits[other].total_cmp(&logits[one]));
    found.truncate(DEPENDENCIES);
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::dependencies;

    #[test]
    fn at_most_two_dependencies() {
        assert_eq!(dependencies(&[0.5, -1.0, 2.0, 0.1]), [0, 2]);
        assert_eq!(dependencies(&[-0.5]), [0; 0]);
    }
}
