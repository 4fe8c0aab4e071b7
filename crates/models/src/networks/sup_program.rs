//! Sup. Program of KQA Pro: GRU encoder, a decoder of functions, and their textual arguments, as the released code or as the paper has them.

use super::classifier::Classifier;
use super::dot_contexts;
use super::program_batch::{ARGUMENTS, ProgramBatch};
use crate::cast;
use burn::module::Module;
use burn::nn::Embedding;
use burn::tensor::activation::{relu, softplus};
use burn::tensor::{Device, Int, Tensor};
use serde::{Deserialize, Serialize};
use touchstone_train::kernels::cross_entropy;
use touchstone_train::layers::{LayerState, RecurrentCell, RecurrentStack, Scale, Uniform, embedding};
use touchstone_train::{Network, Pass, Rows};

/// How textual arguments are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramArguments {
    /// By a decoder of their own, which reads the vector of the function and the argument before: the released code.
    Decoder,
    /// By one classifier of the function's vector for each argument: the paper.
    Classifiers,
}

/// Sizes, dropout, and what paper and released code do differently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupProgramSizes {
    /// Size of the word vectors.
    pub embedding: usize,
    /// Size of the hidden states.
    pub hidden: usize,
    /// Number of recurrent layers.
    pub layers: usize,
    /// Dropout of word vectors and between layers.
    pub dropout: f64,
    /// How arguments are predicted.
    pub arguments: ProgramArguments,
    /// Whether a classifier predicts dependencies, as in the paper. The released code infers them by rule.
    pub predicts_dependencies: bool,
    /// Whether attention leaves out the padding of questions. The released code does not, so there what is decoded depends on the batch.
    pub masks_source: bool,
}

/// Numbers of words and functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramWords {
    /// Words of questions, and arguments: they share a vocabulary.
    pub words: usize,
    /// Functions.
    pub functions: usize,
}

/// Predicts arguments from the argument before and the vector of the function.
#[derive(Module, Debug)]
pub struct ArgumentDecoder {
    /// Vectors of arguments.
    pub words: Embedding,
    /// Reads `[vector of the argument before ; vector of the function]`.
    pub decoder: RecurrentStack,
    /// To the words.
    pub classifier: Classifier,
}

/// See [`ProgramArguments`].
#[derive(Module, Debug)]
#[expect(clippy::large_enum_variant, reason = "a network has one of it")]
pub enum ArgumentNetwork {
    /// A decoder.
    Decoder(ArgumentDecoder),
    /// Classifiers.
    Classifiers(Vec<Classifier>),
}

/// The network.
#[derive(Module, Debug)]
pub struct SupProgram {
    /// Vectors of the words of questions.
    pub source: Embedding,
    /// Vectors of functions.
    pub functions: Embedding,
    /// Reads the question.
    pub encoder: RecurrentStack,
    /// Writes the functions.
    pub decoder: RecurrentStack,
    /// To the functions.
    pub classifier: Classifier,
    /// To the arguments.
    pub arguments: ArgumentNetwork,
    /// From the vectors of a function and of an earlier one to a single number. The paper does not say what its classifier reads.
    pub dependencies: Option<Classifier>,
    #[module(skip)]
    dropout: f64,
    #[module(skip)]
    masks_source: bool,
    #[module(skip)]
    is_blind: bool,
}

/// What a question looks like to the decoders.
pub(super) struct Question {
    pub(super) memory: Tensor<3>,
    pub(super) mask: Tensor<2>,
    pub(super) states: Vec<LayerState>,
}

/// The logits of a batch.
pub struct ProgramLogits {
    /// `[rows, functions, kinds of functions]`
    pub functions: Tensor<3>,
    /// `[rows, arguments, words]`
    pub arguments: Tensor<3>,
    /// `[rows, functions, earlier functions]`: greater than 0 for a dependency.
    pub dependencies: Option<Tensor<3>>,
}

impl SupProgram {
    /// A network with PyTorch's initial distribution.
    pub fn new(sizes: &SupProgramSizes, words: ProgramWords, seed: u64, device: &Device) -> SupProgram {
        let mut uniform = Uniform::new(Scale::FanIn, seed);
        let mut vectors = uniform.scaled(Scale::Bound(0.1));
        let SupProgramSizes { embedding: size, hidden, layers, dropout, .. } = *sizes;
        let source = embedding(words.words, size, &mut vectors, device);
        let functions = embedding(words.functions, size, &mut vectors, device);
        let mut stack = |input: usize| {
            RecurrentStack::new(RecurrentCell::Gru, layers, input, hidden, &mut uniform, device)
        };
        let (encoder, decoder, argument_decoder) = (stack(size), stack(size), stack(size + hidden));
        let mut classifier = |input, classes| Classifier::new(input, hidden, classes, &mut uniform, device);
        SupProgram {
            source,
            functions,
            encoder,
            decoder,
            classifier: classifier(hidden, words.functions),
            arguments: match sizes.arguments {
                ProgramArguments::Decoder => ArgumentNetwork::Decoder(ArgumentDecoder {
                    words: embedding(words.words, size, &mut vectors, device),
                    decoder: argument_decoder,
                    classifier: classifier(hidden, words.words),
                }),
                ProgramArguments::Classifiers => ArgumentNetwork::Classifiers(
                    (0..ARGUMENTS).map(|_| classifier(hidden, words.words)).collect(),
                ),
            },
            dependencies: sizes.predicts_dependencies.then(|| classifier(2 * hidden, 1)),
            dropout,
            masks_source: sizes.masks_source,
            is_blind: false,
        }
    }

    /// Whether the output of the encoder is zero from now on, so that the decoders know nothing of the question.
    pub fn set_blind(&mut self, is_blind: bool) {
        self.is_blind = is_blind;
    }

    pub(super) fn question(&self, source: &Rows, pass: &Pass, device: &Device) -> Question {
        let vectors = pass.dropout(self.source.forward(source.tensor(device)), self.dropout);
        let mask = source.mask(device);
        let zeros = self.encoder.zeros(source.rows(), device);
        let needed = (!source.is_full()).then_some(&mask);
        let (memory, states) = self.encoder.forward(vectors, zeros, needed, self.dropout, pass);
        let mask = if self.masks_source { mask } else { mask.ones_like() };
        match self.is_blind {
            true => Question {
                memory: memory.zeros_like(),
                mask,
                states: self.encoder.zeros(source.rows(), device),
            },
            false => Question { memory, mask, states },
        }
    }

    /// The logits of all positions, with the right functions and arguments before them.
    pub fn logits(&self, batch: &ProgramBatch, pass: &Pass, device: &Device) -> ProgramLogits {
        let vectors = self.vectors(batch, pass, device);
        let arguments = match &self.arguments {
            ArgumentNetwork::Decoder(arguments) => {
                arguments.classifier.output.forward(vectors.arguments[0].clone())
            }
            ArgumentNetwork::Classifiers(classifiers) => {
                let slots = classifiers.iter().zip(&vectors.arguments);
                let all = slots.map(|(one, vectors)| one.output.forward(vectors.clone())).collect();
                let all: Tensor<4> = Tensor::stack(all, 2);
                let [rows, steps, slots, words] = all.dims();
                all.reshape([rows, steps * slots, words])
            }
        };
        let functions = vectors.functions;
        ProgramLogits {
            functions: self.classifier.forward(functions.clone()),
            arguments,
            dependencies: self
                .dependencies
                .as_ref()
                .map(|pairs| pair_logits(pairs, functions.clone(), functions)),
        }
    }

    fn vectors(&self, batch: &ProgramBatch, pass: &Pass, device: &Device) -> ProgramVectors {
        let question = self.question(&batch.source, pass, device);
        let vectors = pass.dropout(self.functions.forward(batch.input.tensor(device)), self.dropout);
        let mask = batch.input.mask(device);
        let needed = (!batch.input.is_full()).then_some(&mask);
        let states = question.states.clone();
        let (outputs, _) = self.decoder.forward(vectors, states, needed, self.dropout, pass);
        let functions = outputs.clone() + dot_contexts(outputs, &question.memory, &question.mask);
        let arguments = match &self.arguments {
            ArgumentNetwork::Classifiers(classifiers) => {
                classifiers.iter().map(|one| one.vectors(functions.clone())).collect()
            }
            ArgumentNetwork::Decoder(arguments) => {
                let found = self.decoded_arguments(arguments, batch, functions.clone(), &question, pass);
                vec![arguments.classifier.vectors(found)]
            }
        };
        ProgramVectors { functions, arguments }
    }

    fn decoded_arguments(
        &self,
        arguments: &ArgumentDecoder,
        batch: &ProgramBatch,
        functions: Tensor<3>,
        question: &Question,
        pass: &Pass,
    ) -> Tensor<3> {
        let ([rows, steps, hidden], device) = (functions.dims(), functions.device());
        let words = arguments.words.forward(batch.argument_input.tensor(&device));
        let words = pass.dropout(words, self.dropout);
        let repeated = functions
            .reshape([rows, steps, 1, hidden])
            .expand([rows, steps, ARGUMENTS, hidden])
            .reshape([rows, steps * ARGUMENTS, hidden]);
        let inputs = Tensor::cat(vec![words, repeated], 2);
        let (states, mask) = (question.states.clone(), batch.argument_mask(&device));
        let (outputs, _) = arguments.decoder.forward(inputs, states, Some(&mask), self.dropout, pass);
        outputs.clone() + dot_contexts(outputs, &question.memory, &question.mask)
    }
}

/// What the output layers read.
struct ProgramVectors {
    /// Of functions; the hidden layer of their classifier comes after it.
    functions: Tensor<3>,
    /// Of all arguments, or of each argument of all functions.
    arguments: Vec<Tensor<3>>,
}

/// The logits `[rows, functions, earlier functions]` of pairs. The first layer of the classifier is applied to each part of a pair once.
pub(super) fn pair_logits(pairs: &Classifier, functions: Tensor<3>, earlier: Tensor<3>) -> Tensor<3> {
    let [rows, n_functions, hidden] = functions.dims();
    let n_earlier = earlier.dims()[1];
    let weight = pairs.hidden.weight.val();
    let size = weight.dims()[1];
    let half = |at: usize| weight.clone().slice([at * hidden..(at + 1) * hidden, 0..size]).unsqueeze::<3>();
    let first = functions.matmul(half(0)).reshape([rows, n_functions, 1, size]);
    let second = earlier.matmul(half(1)).reshape([rows, 1, n_earlier, size]);
    let sum = first + second;
    let sum = match &pairs.hidden.bias {
        Some(bias) => sum + bias.val().reshape([1, 1, 1, size]),
        None => sum,
    };
    pairs.output.forward(relu(sum)).reshape([rows, n_functions, n_earlier])
}

impl Network for SupProgram {
    type Batch = ProgramBatch;

    /// The losses of functions, arguments and dependencies: means over all positions, padding included as in the released code, times the number
    /// of functions with padding.
    fn loss(&self, batch: &ProgramBatch, pass: &Pass, device: &Device) -> Tensor<1> {
        let vectors = self.vectors(batch, pass, device);
        let functions = vectors.functions;
        let classifier = &self.classifier;
        let hidden = classifier.vectors(functions.clone());
        let loss = cross_entropy(hidden, &classifier.output, &batch.output, true);
        let of_arguments = |(slot, vectors): (usize, Tensor<3>)| match &self.arguments {
            ArgumentNetwork::Decoder(arguments) => {
                cross_entropy(vectors, &arguments.classifier.output, &batch.argument_output, true)
            }
            ArgumentNetwork::Classifiers(classifiers) => {
                cross_entropy(vectors, &classifiers[slot].output, &batch.arguments_at(slot), true)
            }
        };
        let arguments = vectors.arguments.into_iter().enumerate().map(of_arguments);
        let loss = arguments.fold(loss, |sum, loss| sum + loss.div_scalar(cast::float(ARGUMENTS)));
        match &self.dependencies {
            Some(pairs) => {
                let logits = pair_logits(pairs, functions.clone(), functions);
                let (wanted, counted) = batch.dependencies(device);
                // Binary cross-entropy of a logit x: ln(1 + e^x) - x for a dependency, ln(1 + e^x) for none.
                let each = softplus(logits.clone(), 1.0) - logits * wanted;
                loss + (each * counted).sum()
            }
            None => loss,
        }
    }

    fn weight(&self, batch: &ProgramBatch) -> f64 {
        cast::float(batch.output.rows() * batch.output.length())
    }
}

/// The memory of some rows, in their order.
pub(super) fn selected(states: &[LayerState], rows: &Tensor<1, Int>) -> Vec<LayerState> {
    states.iter().map(|state| state.select(rows)).collect()
}
