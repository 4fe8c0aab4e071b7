//! Systems from sequence to sequence: the same data, training and decoding for every network that implements [`Seq2Seq`].

use crate::forms::FormCodec;
use crate::networks::{NetworkDecoder, Seq2Seq};
use crate::seq2seq_settings::{DataSettings, DecodingSettings, Seq2SeqSettings, with_vectors, word_vectors};
use crate::side::{Side, check_vocabularies};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;
use toml::Table;
use touchstone_benchmark::Prediction;
use touchstone_kb::counts::grouped;
use touchstone_run::SystemInput;
use touchstone_train::decode::{Decoded, beam, greedy};
use touchstone_train::settings::{ModelScale, table, typed};
use touchstone_train::{
    ModelFiles, PairBatch, Predictor, Preparation, Rows, START, SequencePair, SystemAbout, TrainError,
    TrainSession, Trainable, TrainingCost, TrainingData, TrainingSet, WordVectors, device,
    network_from_bytes,
};

/// A kind of network with its sizes.
pub(crate) trait Architecture: Send + Sync + 'static {
    /// Sizes and dropout.
    type Sizes: Serialize + DeserializeOwned + Clone + Send + Sync;
    /// The network.
    type Network: Seq2Seq + 'static;

    /// The names of the tables of vectors of both vocabularies in a file of parameters.
    const TABLES: [&str; 2];

    /// A network with random parameters.
    fn network(sizes: &Self::Sizes, words: Words, seed: u64) -> Self::Network;

    /// Number of parameters.
    fn parameters(sizes: &Self::Sizes, words: Words) -> usize;

    /// Its dropout.
    fn dropout(sizes: &Self::Sizes) -> f64;

    /// Checks sizes; `max_length` is the maximum length of training sequences.
    fn check(system: &str, sizes: &Self::Sizes, max_length: usize) -> Result<(), TrainError>;
}

/// Numbers of words or pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) source: usize,
    pub(crate) target: usize,
}

/// A system with a network from sequence to sequence.
pub(crate) struct Seq2SeqSystem<A: Architecture> {
    pub(crate) about: SystemAbout,
    pub(crate) codec: FormCodec,
    /// The settings of each scale.
    pub(crate) settings: fn(ModelScale) -> Seq2SeqSettings<A::Sizes>,
    /// Expected duration and assumed number of words of each scale.
    pub(crate) time: fn(ModelScale) -> (&'static str, usize),
}

impl<A: Architecture> Seq2SeqSystem<A> {
    fn typed(&self, settings: &Table) -> Result<Seq2SeqSettings<A::Sizes>, TrainError> {
        let name = self.about.name;
        let settings: Seq2SeqSettings<A::Sizes> = typed(name, settings)?;
        settings.check(name, A::dropout(&settings.network))?;
        A::check(name, &settings.network, settings.data.max_length)?;
        Ok(settings)
    }
}

impl<A: Architecture> Trainable for Seq2SeqSystem<A> {
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
        let network = (self.settings)(scale).network;
        let parameters = A::parameters(&network, Words { source: words, target: words });
        TrainingCost { parameters: parameters as u64, words: words as u64, time }
    }

    fn prepare<'d>(
        &self,
        settings: &Table,
        data: &TrainingData<'d>,
        files: Option<&ModelFiles>,
    ) -> Result<Box<dyn Preparation + 'd>, TrainError> {
        let settings = self.typed(settings)?;
        let sides = match files {
            Some(files) => Sides::load(&settings.data, files, Path::new("state"))?,
            None => Sides::learn(&settings.data, self.codec, data)?,
        };
        let (pairs, mut notes) = sides.pairs(&settings.data, self.codec, data);
        // A training that continues has its vectors already.
        let vectors = match (&sides.source, files) {
            (Side::Words(words), None) => word_vectors(&settings.data, words, &mut notes)?,
            _ => None,
        };
        let mut files = ModelFiles::default();
        sides.source.save("source", &mut files)?;
        sides.target.save("target", &mut files)?;
        Ok(Box::new(Prepared::<A> {
            system: self.about.name,
            codec: self.codec,
            settings,
            sides,
            vectors,
            pairs,
            notes,
            files,
        }))
    }

    fn open(
        &self,
        settings: &Table,
        files: &ModelFiles,
        network: &[u8],
        folder: &Path,
    ) -> Result<Box<dyn Predictor>, TrainError> {
        let settings = self.typed(settings)?;
        let sides = Sides::load(&settings.data, files, folder)?;
        check_vocabularies(A::TABLES, [sides.source.len(), sides.target.len()], network, folder)?;
        let mut empty = A::network(&settings.network, sides.words(), 0);
        empty.set_blind(settings.data.blind);
        let path = folder.join("model.safetensors");
        let network = network_from_bytes(empty, network, &path)?;
        let (data, decoding) = (settings.data, settings.decoding);
        Ok(Box::new(Trained::<A> { codec: self.codec, data, decoding, sides, network }))
    }
}

/// Both vocabularies.
#[derive(Clone)]
struct Sides {
    source: Side,
    target: Side,
}

impl Sides {
    fn learn(
        settings: &DataSettings,
        codec: FormCodec,
        data: &TrainingData<'_>,
    ) -> Result<Sides, TrainError> {
        let question = |text: &str| settings.question_words.of(text, settings.lower_case);
        let sources: Vec<Vec<String>> = data.train.iter().map(|one| question(&one.question)).collect();
        let targets: Vec<Vec<String>> = data.train.iter().filter_map(|one| codec.words(one)).collect();
        let side =
            |texts: &[Vec<String>]| Side::learn(settings.units, texts, settings.min_count, settings.pieces);
        Ok(Sides { source: side(&sources)?, target: side(&targets)? })
    }

    fn load(settings: &DataSettings, files: &ModelFiles, folder: &Path) -> Result<Sides, TrainError> {
        let side = |name| Side::load(settings.units, name, files, folder);
        Ok(Sides { source: side("source")?, target: side("target")? })
    }

    fn words(&self) -> Words {
        Words { source: self.source.len(), target: self.target.len() }
    }

    /// The numbers of a question.
    fn question(&self, settings: &DataSettings, text: &str) -> Vec<u32> {
        self.source.numbers(&settings.question_words.of(text, settings.lower_case))
    }

    /// The examples, and what is wrong with them.
    fn pairs(
        &self,
        settings: &DataSettings,
        codec: FormCodec,
        data: &TrainingData<'_>,
    ) -> (Vec<SequencePair>, Vec<String>) {
        let pair = |question: &&touchstone_benchmark::Question| {
            let target = self.target.numbers(&codec.words(question)?);
            Some(SequencePair { source: self.question(settings, &question.question), target })
        };
        let pairs: Vec<SequencePair> = data.train.iter().filter_map(pair).collect();
        let mut notes = Vec::new();
        let mut note = |what: &str, [one, many]: [&str; 2], applies: &dyn Fn(&SequencePair) -> bool| {
            let n = pairs.iter().filter(|pair| applies(pair)).count();
            if n > 0 {
                let problem = if n == 1 { one } else { many };
                notes.push(format!("{} of {} training {what} {problem}.", grouped(n), grouped(pairs.len())));
            }
        };
        let most = settings.max_length;
        let cut =
            ["is longer than data.max_length and was cut", "are longer than data.max_length and were cut"];
        note("questions", cut, &|pair| pair.source.len() > most);
        note("queries", cut, &|pair| pair.target.len() > most);
        let unknown = ["has an unknown word", "have an unknown word"];
        note("queries", unknown, &|pair| Side::has_unknown(&pair.target));
        (pairs, notes)
    }
}

/// Prepared data.
struct Prepared<A: Architecture> {
    system: &'static str,
    codec: FormCodec,
    settings: Seq2SeqSettings<A::Sizes>,
    sides: Sides,
    vectors: Option<WordVectors>,
    pairs: Vec<SequencePair>,
    notes: Vec<String>,
    files: ModelFiles,
}

impl<A: Architecture> Preparation for Prepared<A> {
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
        let Seq2SeqSettings { data, network, optimiser, training, decoding, .. } = &self.settings;
        let mut network = A::network(network, self.sides.words(), session.seed());
        network.set_blind(data.blind);
        if let (Some(vectors), Some(table)) = (&self.vectors, network.source_vectors()) {
            *table = with_vectors(table.clone(), vectors, self.system)?;
        }
        let length = |pair: &SequencePair| (pair.source.len() + pair.target.len()).min(2 * data.max_length);
        let lengths: Vec<usize> = self.pairs.iter().map(length).collect();
        let batch = |examples: &[usize]| {
            let pairs: Vec<&SequencePair> = examples.iter().map(|&at| &self.pairs[at]).collect();
            PairBatch::new(&pairs, data.max_length)
        };
        let inputs: Vec<SystemInput> =
            session.dev().iter().map(|question| SystemInput::of(question, false, false)).collect();
        // Early stopping compares networks, for which the most likely words are enough.
        let decoding = DecodingSettings { beam: 1, ..decoding.clone() };
        let predict =
            |network: &A::Network| predictions(network, self.codec, data, &decoding, &self.sides, &inputs);
        let set = TrainingSet { lengths: &lengths, batch: &batch };
        session.fit(network, (training, optimiser), &set, &self.files, &predict)
    }
}

/// A trained system.
struct Trained<A: Architecture> {
    codec: FormCodec,
    data: DataSettings,
    decoding: DecodingSettings,
    sides: Sides,
    network: A::Network,
}

impl<A: Architecture> Predictor for Trained<A> {
    fn predict(&self, input: &SystemInput) -> Prediction {
        let inputs = std::slice::from_ref(input);
        let found = predictions(&self.network, self.codec, &self.data, &self.decoding, &self.sides, inputs);
        let abstained = || Prediction { id: input.id.clone(), ..Prediction::default() };
        found.into_iter().next().unwrap_or_else(abstained)
    }
}

/// Maximum number of questions that are decoded together.
const TOGETHER: usize = 32;

/// Decodes questions of the same length together. The results are in the order of the questions.
pub(crate) fn by_length<D: Clone + Default>(
    sources: &[Vec<u32>],
    mut decode: impl FnMut(&[&[u32]]) -> Vec<D>,
) -> Vec<D> {
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, source) in sources.iter().enumerate() {
        groups.entry(source.len()).or_default().push(at);
    }
    let mut found = vec![D::default(); sources.len()];
    for group in groups.values().flat_map(|group| group.chunks(TOGETHER)) {
        let rows: Vec<&[u32]> = group.iter().map(|&at| sources[at].as_slice()).collect();
        for (&at, decoded) in group.iter().zip(decode(&rows)) {
            found[at] = decoded;
        }
    }
    found
}

/// Predictions in the order of the questions. Only questions of the same length are decoded together, so that none is padded: padding
/// would change what [`ConvS2s`](crate::networks::ConvS2s) predicts.
fn predictions<N: Seq2Seq>(
    network: &N,
    codec: FormCodec,
    data: &DataSettings,
    decoding: &DecodingSettings,
    sides: &Sides,
    inputs: &[SystemInput],
) -> Vec<Prediction> {
    let sources: Vec<Vec<u32>> = inputs
        .iter()
        .map(|input| {
            let mut numbers = sides.question(data, &input.question);
            numbers.truncate(network.max_length().unwrap_or(usize::MAX));
            numbers
        })
        .collect();
    let found = by_length(&sources, |rows| decoded(network, decoding, rows));
    let each = inputs.iter().zip(found);
    each.map(|(input, decoded)| prediction(&input.id, codec, &sides.target, &decoded)).collect()
}

/// The ranked sequences for sources of the same length.
fn decoded<N: Seq2Seq>(network: &N, decoding: &DecodingSettings, sources: &[&[u32]]) -> Vec<Vec<Decoded>> {
    let device = device();
    let decoder = NetworkDecoder { network, device: &device };
    let length = sources.first().map_or(0, |source| source.len());
    let wanted = if decoding.max_length == 0 { 2 * length } else { decoding.max_length };
    let most = wanted.min(network.max_length().unwrap_or(usize::MAX)).max(1);
    let rows = Rows::padded(sources.iter().copied());
    if decoding.beam <= 1 {
        let state = network.encode(&rows, &device);
        return greedy(&decoder, state, sources.len(), START, most)
            .into_iter()
            .map(|one| vec![one])
            .collect();
    }
    let one = |row: usize| {
        let state = network.encode(&rows.part(row..row + 1), &device);
        beam(&decoder, state, START, decoding.beam, most)
    };
    (0..sources.len()).map(one).collect()
}

/// The prediction that ranked sequences give.
fn prediction(id: &str, codec: FormCodec, target: &Side, ranked: &[Decoded]) -> Prediction {
    let form = |decoded: &Decoded| {
        let text = target.text(&decoded.words);
        codec.form(&text.split(' ').collect::<Vec<_>>())
    };
    let Some((best, others)) = ranked.split_first() else {
        return Prediction { id: id.to_owned(), ..Prediction::default() };
    };
    let language = Some(codec.language());
    Prediction {
        id: id.to_owned(),
        logical_form: Some(form(best)),
        language,
        alternatives: others.iter().map(|other| (form(other), language)).collect(),
        log_probs: best.log_probs.iter().map(|&value| f64::from(value)).collect(),
        confidence: Some(best.score().exp()),
        ..Prediction::default()
    }
}
