//! Sup. Program as a system: questions to functions and arguments of KoPL programs.

use crate::networks::{
    ARGUMENTS, DecodedProgram, ProgramBatch, ProgramPair, ProgramWords, SupProgram, SupProgramSizes,
};
use crate::seq2seq_settings::{DataSettings, Seq2SeqSettings, with_vectors, word_vectors, wrong};
use crate::seq2seq_system::by_length;
use crate::side::{SequenceUnits, check_vocabularies};
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Table;
use touchstone_benchmark::{Prediction, Question};
use touchstone_logic::kopl::{KoplFunction, ProgramStep};
use touchstone_logic::{Language, Program};
use touchstone_run::SystemInput;
use touchstone_train::settings::{ModelScale, table, typed};
use touchstone_train::{
    FormKind, ModelFiles, PAD, Predictor, Preparation, Rows, SystemAbout, TokenVocabulary, TrainError,
    TrainSession, Trainable, TrainingCost, TrainingData, TrainingSet, WordVectors, device,
    network_from_bytes,
};

/// How programs are searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramDecoding {
    /// Maximum number of functions.
    pub max_functions: usize,
}

pub(crate) type ProgramSettings = Seq2SeqSettings<SupProgramSizes, ProgramDecoding>;

/// Sup. Program.
pub(crate) struct ProgramSystem {
    pub(crate) about: SystemAbout,
    pub(crate) settings: fn(ModelScale) -> ProgramSettings,
    pub(crate) time: fn(ModelScale) -> (&'static str, usize),
}

impl ProgramSystem {
    fn typed(&self, settings: &Table) -> Result<ProgramSettings, TrainError> {
        let name = self.about.name;
        let settings: ProgramSettings = typed(name, settings)?;
        settings.check(name, settings.network.dropout)?;
        if settings.data.units != SequenceUnits::Words {
            let problem = "arguments of programs are whole texts, so this system has `words` only";
            return Err(wrong(name, "data.units", problem));
        }
        if settings.decoding.max_functions == 0 {
            return Err(wrong(name, "decoding.max_functions", "it must be at least 1"));
        }
        Ok(settings)
    }
}

impl Trainable for ProgramSystem {
    fn about(&self) -> &SystemAbout {
        &self.about
    }

    fn settings(&self, scale: ModelScale) -> Table {
        table(&(self.settings)(scale))
    }

    fn check(&self, settings: &Table) -> Result<(), TrainError> {
        self.typed(settings).map(drop)
    }

    fn cost(&self, scale: ModelScale) -> TrainingCost {
        let (time, words) = (self.time)(scale);
        // Questions and arguments share a vocabulary.
        let all = ProgramWords { words: 2 * words, functions: N_FUNCTIONS };
        let parameters = parameters(&(self.settings)(scale).network, all);
        TrainingCost { parameters: parameters as u64, words: words as u64, time }
    }

    fn prepare<'d>(
        &self,
        settings: &Table,
        data: &TrainingData<'d>,
        files: Option<&ModelFiles>,
    ) -> Result<Box<dyn Preparation + 'd>, TrainError> {
        let settings = self.typed(settings)?;
        let vocabularies = match files {
            Some(files) => Vocabularies::load(files, Path::new("state"))?,
            None => Vocabularies::learn(&settings.data, data),
        };
        let pairs: Vec<ProgramPair> =
            data.train.iter().filter_map(|one| vocabularies.pair(&settings.data, one)).collect();
        let mut notes = Vec::new();
        let left_out = data.train.len() - pairs.len();
        if left_out > 0 {
            notes.push(format!(
                "{left_out} of {} training questions have a program that is invalid or has more than {ARGUMENTS} arguments; they are \
                 left out.",
                data.train.len()
            ));
        }
        // A training that continues has its vectors already.
        let vectors = match files {
            None => word_vectors(&settings.data, &vocabularies.words, &mut notes)?,
            Some(_) => None,
        };
        let (system, files) = (self.about.name, vocabularies.files());
        Ok(Box::new(Prepared { system, settings, vocabularies, vectors, pairs, notes, files }))
    }

    fn open(
        &self,
        settings: &Table,
        files: &ModelFiles,
        network: &[u8],
        folder: &Path,
    ) -> Result<Box<dyn Predictor>, TrainError> {
        let settings = self.typed(settings)?;
        let vocabularies = Vocabularies::load(files, folder)?;
        let ProgramWords { words, functions } = vocabularies.numbers();
        check_vocabularies(["source.weight", "functions.weight"], [words, functions], network, folder)?;
        let mut empty = SupProgram::new(&settings.network, vocabularies.numbers(), 0, &device());
        empty.set_blind(settings.data.blind);
        let network = network_from_bytes(empty, network, &folder.join("model.safetensors"))?;
        Ok(Box::new(Trained { settings, vocabularies, network }))
    }
}

/// Number of functions with the special ones.
const N_FUNCTIONS: usize = KoplFunction::ALL.len() + 4;

/// Number of parameters.
pub(crate) fn parameters(sizes: &SupProgramSizes, words: ProgramWords) -> usize {
    use crate::networks::ProgramArguments;
    let SupProgramSizes { embedding: size, hidden, layers, .. } = *sizes;
    let gru = |input: usize| {
        let layer = |input: usize| 3 * hidden * (input + hidden + 2);
        layer(input) + (layers - 1) * layer(hidden)
    };
    let classifier = |input: usize, classes: usize| hidden * (input + 1) + classes * (hidden + 1);
    let vectors = size * (words.words + words.functions);
    let arguments = match sizes.arguments {
        ProgramArguments::Decoder => {
            size * words.words + gru(size + hidden) + classifier(hidden, words.words)
        }
        ProgramArguments::Classifiers => ARGUMENTS * classifier(hidden, words.words),
    };
    let dependencies = if sizes.predicts_dependencies { classifier(2 * hidden, 1) } else { 0 };
    vectors + 2 * gru(size) + classifier(hidden, words.functions) + arguments + dependencies
}

/// The words of questions together with the arguments, and the functions.
struct Vocabularies {
    words: TokenVocabulary,
    functions: TokenVocabulary,
}

impl Vocabularies {
    fn learn(settings: &DataSettings, data: &TrainingData<'_>) -> Vocabularies {
        let (mut words, mut functions) = (Vec::new(), Vec::new());
        for question in &data.train {
            words.push(settings.question_words.of(&question.question, settings.lower_case));
            if let Some(program) = program(question) {
                functions.push(program.steps.iter().map(|step| step.function.name().to_owned()).collect());
                words.push(program.steps.into_iter().flat_map(|step| step.inputs).collect());
            }
        }
        Vocabularies {
            words: TokenVocabulary::of(words.iter().map(Vec::as_slice), settings.min_count),
            functions: TokenVocabulary::of(functions.iter().map(Vec::as_slice), 1),
        }
    }

    fn load(files: &ModelFiles, folder: &Path) -> Result<Vocabularies, TrainError> {
        let words = files.json("words.json", folder)?;
        Ok(Vocabularies { words, functions: files.json("functions.json", folder)? })
    }

    fn files(&self) -> ModelFiles {
        let mut files = ModelFiles::default();
        files.add_json("words.json", &self.words);
        files.add_json("functions.json", &self.functions);
        files
    }

    fn numbers(&self) -> ProgramWords {
        ProgramWords { words: self.words.len(), functions: self.functions.len() }
    }

    /// The numbers of a question.
    fn question(&self, settings: &DataSettings, text: &str) -> Vec<u32> {
        self.words.numbers(&settings.question_words.of(text, settings.lower_case))
    }

    fn pair(&self, settings: &DataSettings, question: &Question) -> Option<ProgramPair> {
        let program = program(question)?;
        let mut arguments = Vec::with_capacity(program.steps.len());
        for step in &program.steps {
            let mut row = [PAD; ARGUMENTS];
            if step.inputs.len() > ARGUMENTS {
                return None;
            }
            row.iter_mut().zip(&step.inputs).for_each(|(slot, input)| *slot = self.words.number(input));
            arguments.push(row);
        }
        Some(ProgramPair {
            source: self.question(settings, &question.question),
            functions: program.steps.iter().map(|step| self.functions.number(step.function.name())).collect(),
            arguments,
            dependencies: program.steps.into_iter().map(|step| step.dependencies).collect(),
        })
    }

    /// The text of a decoded program. If its dependencies do not fit its functions, the text says what was predicted, but cannot be read.
    fn text(&self, decoded: &DecodedProgram) -> String {
        let mut steps = Vec::with_capacity(decoded.functions.len());
        for (&number, arguments) in decoded.functions.iter().zip(&decoded.arguments) {
            let name = self.functions.word(number);
            let given = arguments.iter().take_while(|&&argument| argument != PAD);
            let most = KoplFunction::from_name(name).map_or(ARGUMENTS, |function| function.inputs().len());
            let inputs: Vec<String> =
                given.take(most).map(|&argument| self.words.word(argument).to_owned()).collect();
            steps.push((name, inputs));
        }
        readable(&steps, decoded.dependencies.as_deref()).unwrap_or_else(|| linear(&steps))
    }
}

fn readable(steps: &[(&str, Vec<String>)], dependencies: Option<&[Vec<usize>]>) -> Option<String> {
    let mut typed = Vec::with_capacity(steps.len());
    for (name, inputs) in steps {
        typed.push((KoplFunction::from_name(name)?, inputs.clone()));
    }
    let program = match dependencies {
        None => Program::from_sequence(typed).ok()?,
        Some(dependencies) => {
            let each = typed.into_iter().zip(dependencies);
            let step = |((function, inputs), dependencies): ((KoplFunction, Vec<String>), &Vec<usize>)| {
                let dependencies = dependencies.clone();
                (dependencies.len() == function.takes().len()).then_some(ProgramStep {
                    function,
                    inputs,
                    dependencies,
                })
            };
            Program { steps: each.map(step).collect::<Option<_>>()? }
        }
    };
    program.to_readable().ok()
}

fn linear(steps: &[(&str, Vec<String>)]) -> String {
    let step = |(name, inputs): &(&str, Vec<String>)| {
        [*name].into_iter().chain(inputs.iter().map(String::as_str)).collect::<Vec<_>>().join(" <arg> ")
    };
    steps.iter().map(step).collect::<Vec<_>>().join(" <func> ")
}

/// The program of a question in the order that implies its dependencies.
fn program(question: &Question) -> Option<Program> {
    let text = FormKind::Program.of(question)?;
    Some(Program::parse(text).ok()?.in_order().ok()?.into_owned())
}

/// Prepared data.
struct Prepared {
    system: &'static str,
    settings: ProgramSettings,
    vocabularies: Vocabularies,
    vectors: Option<WordVectors>,
    pairs: Vec<ProgramPair>,
    notes: Vec<String>,
    files: ModelFiles,
}

impl Preparation for Prepared {
    fn files(&self) -> &ModelFiles {
        &self.files
    }

    fn examples(&self) -> usize {
        self.pairs.len()
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn train(&self, session: &mut TrainSession<'_>) -> Result<(), TrainError> {
        let settings = &self.settings;
        let words = self.vocabularies.numbers();
        let mut network = SupProgram::new(&settings.network, words, session.seed(), &session.device());
        network.set_blind(settings.data.blind);
        if let Some(vectors) = &self.vectors {
            network.source = with_vectors(network.source, vectors, self.system)?;
        }
        let length = |pair: &ProgramPair| pair.source.len() + (1 + ARGUMENTS) * pair.functions.len();
        let lengths: Vec<usize> = self.pairs.iter().map(length).collect();
        let batch = |examples: &[usize]| {
            let pairs: Vec<&ProgramPair> = examples.iter().map(|&at| &self.pairs[at]).collect();
            ProgramBatch::new(&pairs, settings.data.max_length)
        };
        let inputs: Vec<SystemInput> =
            session.dev().iter().map(|question| SystemInput::of(question, false, false)).collect();
        let predict = |network: &SupProgram| predictions(network, settings, &self.vocabularies, &inputs);
        let set = TrainingSet { lengths: &lengths, batch: &batch };
        session.fit(network, (&settings.training, &settings.optimiser), &set, &self.files, &predict)
    }
}

/// A trained system.
struct Trained {
    settings: ProgramSettings,
    vocabularies: Vocabularies,
    network: SupProgram,
}

impl Predictor for Trained {
    fn predict(&self, input: &SystemInput) -> Prediction {
        let inputs = std::slice::from_ref(input);
        let found = predictions(&self.network, &self.settings, &self.vocabularies, inputs);
        let abstained = || Prediction { id: input.id.clone(), ..Prediction::default() };
        found.into_iter().next().unwrap_or_else(abstained)
    }
}

/// Predictions in the order of the questions. Questions of the same length are decoded together.
fn predictions(
    network: &SupProgram,
    settings: &ProgramSettings,
    vocabularies: &Vocabularies,
    inputs: &[SystemInput],
) -> Vec<Prediction> {
    let sources: Vec<Vec<u32>> =
        inputs.iter().map(|input| vocabularies.question(&settings.data, &input.question)).collect();
    let found = by_length(&sources, |rows| {
        network.decode(&Rows::padded(rows.iter().copied()), settings.decoding.max_functions, &device())
    });
    let prediction = |(input, decoded): (&SystemInput, DecodedProgram)| Prediction {
        id: input.id.clone(),
        logical_form: Some(vocabularies.text(&decoded)),
        language: Some(Language::Kopl),
        log_probs: decoded.log_probs.iter().map(|&value| f64::from(value)).collect(),
        confidence: Some(decoded.log_probs.iter().map(|&value| f64::from(value)).sum::<f64>().exp()),
        ..Prediction::default()
    };
    inputs.iter().zip(found).map(prediction).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_written_as_decoded() {
        let vocabularies = Vocabularies {
            words: TokenVocabulary::of([["Austria".to_owned(), "a, b".to_owned()].as_slice()], 1),
            functions: TokenVocabulary::of(
                [["Find".to_owned(), "And".to_owned(), "Count".to_owned()].as_slice()],
                1,
            ),
        };
        let number = |name| vocabularies.functions.number(name);
        let (austria, other) = (vocabularies.words.number("Austria"), vocabularies.words.number("a, b"));
        let decoded = |functions: Vec<u32>, dependencies| DecodedProgram {
            arguments: vec![[austria, 0, 0], [other, austria, 0], [0, 0, 0], [0, 0, 0]],
            functions,
            dependencies,
            ..DecodedProgram::default()
        };
        let functions = || vec![number("Find"), number("Find"), number("And"), number("Count")];
        let text = "Find(Austria) > Find(\"a, b\") > And() > Count()";
        assert_eq!(vocabularies.text(&decoded(functions(), None)), text);
        let dependencies = vec![vec![], vec![], vec![0, 1], vec![2]];
        assert_eq!(vocabularies.text(&decoded(functions(), Some(dependencies))), text);
        let wrong = vec![vec![], vec![], vec![0], vec![2]];
        let linear = "Find <arg> Austria <func> Find <arg> a, b <func> And <func> Count";
        assert_eq!(vocabularies.text(&decoded(functions(), Some(wrong))), linear);
        assert_eq!(vocabularies.text(&decoded(vec![number("And")], None)), "And");
    }
}
