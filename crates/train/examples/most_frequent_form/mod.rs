// The smallest trainable system: it learns which query is the most frequent, and predicts it for every question. The doc tests of the
// library include this file, so it has no inner documentation.

use burn::module::{Module, Param};
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};
use std::error::Error;
use std::path::Path;
use toml::Table;
use touchstone_benchmark::{
    Benchmark, BenchmarkManifest, Gives, KbSource, OpenBenchmark, Prediction, QuestionSource, Selection,
};
use touchstone_run::SystemInput;
use touchstone_train::optimise::OptimiserSettings;
use touchstone_train::settings::ModelScale;
use touchstone_train::{
    FormKind, LoopSettings, ModelFiles, Needs, Network, PairBatch, Pass, Predictor, Preparation,
    SequencePair, SystemAbout, TokenVocabulary, TrainError, TrainSession, Trainable, TrainingCost,
    TrainingData, TrainingSet, device, network_from_bytes,
};

/// A score for each form.
#[derive(Module, Debug)]
struct Scores {
    scores: Param<Tensor<1>>,
}

impl Scores {
    fn new(forms: usize, device: &Device) -> Scores {
        Scores { scores: Param::from_tensor(Tensor::zeros([forms], device)) }
    }
}

impl Network for Scores {
    type Batch = PairBatch;

    fn loss(&self, batch: &PairBatch, _: &Pass, device: &Device) -> Tensor<1> {
        let (rows, forms) = (batch.output.rows(), self.scores.dims()[0]);
        let wanted = batch.output.tensor(device).slice([0..rows, 0..1]);
        let scores = self.scores.val().reshape([1, forms]).repeat_dim(0, rows);
        -log_softmax(scores, 1).gather(1, wanted).sum()
    }

    fn weight(&self, batch: &PairBatch) -> f64 {
        batch.output.rows() as f64
    }
}

/// The system.
pub struct MostFrequentForm(SystemAbout);

impl MostFrequentForm {
    /// The system.
    pub fn new() -> MostFrequentForm {
        MostFrequentForm(SystemAbout {
            name: "most-frequent",
            description: "the most frequent query of the training questions",
            paper: "",
            needs: Needs { form: Some(FormKind::Sexpr), choices: false, gold_entities: false, kb: false },
            gives: Gives::Forms,
        })
    }
}

impl Trainable for MostFrequentForm {
    fn about(&self) -> &SystemAbout {
        &self.0
    }

    fn settings(&self, _: ModelScale) -> Table {
        Table::new()
    }

    fn check(&self, _: &Table) -> Result<(), TrainError> {
        Ok(())
    }

    fn cost(&self, _: ModelScale) -> TrainingCost {
        TrainingCost { parameters: 1, words: 1, time: "a second" }
    }

    fn prepare<'d>(
        &self,
        _: &Table,
        data: &TrainingData<'d>,
        _: Option<&ModelFiles>,
    ) -> Result<Box<dyn Preparation + 'd>, TrainError> {
        let form = |question| Some(vec![FormKind::Sexpr.of(question)?.to_owned()]);
        let forms: Vec<Vec<String>> = data.train.iter().copied().filter_map(form).collect();
        let vocabulary = TokenVocabulary::of(forms.iter().map(Vec::as_slice), 1);
        let pair = |form: &Vec<String>| SequencePair { source: Vec::new(), target: vocabulary.numbers(form) };
        let mut files = ModelFiles::default();
        files.add_json("forms.json", &vocabulary);
        Ok(Box::new(Prepared { pairs: forms.iter().map(pair).collect(), vocabulary, files }))
    }

    fn open(
        &self,
        _: &Table,
        files: &ModelFiles,
        network: &[u8],
        folder: &Path,
    ) -> Result<Box<dyn Predictor>, TrainError> {
        let vocabulary: TokenVocabulary = files.json("forms.json", folder)?;
        let empty = Scores::new(vocabulary.len(), &device());
        let network = network_from_bytes(empty, network, &folder.join("model.safetensors"))?;
        let best = network.scores.val().argmax(0).into_data().iter::<u32>().next().unwrap_or_default();
        Ok(Box::new(Always(vocabulary.word(best).to_owned())))
    }
}

struct Prepared {
    pairs: Vec<SequencePair>,
    vocabulary: TokenVocabulary,
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
        &[]
    }

    fn train(&self, session: &mut TrainSession<'_>) -> Result<(), TrainError> {
        let training = LoopSettings {
            batch: 8,
            accumulate: 1,
            max_steps: 20,
            max_epochs: 20,
            evaluate_every: 20,
            patience: 0,
            save_every: 20,
            parts: 1,
        };
        let optimiser = OptimiserSettings { clip: 1.0, ..OptimiserSettings::adam(0.1) };
        let lengths = vec![1; self.pairs.len()];
        let batch =
            |at: &[usize]| PairBatch::new(&at.iter().map(|&at| &self.pairs[at]).collect::<Vec<_>>(), 2);
        let data = TrainingSet { lengths: &lengths, batch: &batch };
        let network = Scores::new(self.vocabulary.len(), &session.device());
        // There are no development questions to predict here.
        session.fit(network, (&training, &optimiser), &data, &self.files, &|_| Vec::new())
    }
}

struct Always(String);

impl Predictor for Always {
    fn predict(&self, input: &SystemInput) -> Prediction {
        let logical_form = Some(self.0.clone());
        Prediction { id: input.id.clone(), logical_form, ..Prediction::default() }
    }
}

/// A benchmark with three training questions, two of which have the same query.
pub fn small_benchmark(folder: &Path) -> Result<OpenBenchmark, Box<dyn Error>> {
    let texts = [
        ("Who directed M?", "(JOIN (R director) m)"),
        ("M was directed by whom?", "(JOIN (R director) m)"),
        ("Which films did Fritz Lang direct?", "(JOIN director lang)"),
    ];
    let line = |(number, (question, form)): (usize, &(&str, &str))| {
        serde_json::from_value(serde_json::json!({
            "id": format!("q{number}"), "split": "train", "level": "", "question": question,
            "forms": {"sexpr": form}, "graph": {"root": 0, "vertices": [], "edges": []}, "shape": "T1:(())",
            "alias": null, "function": "none", "type": "QueryName", "categories": [], "answers": [], "choices": [],
            "template": "", "schema_items": [], "entities": [], "proof": [], "source": "example",
        }))
    };
    let questions = texts.iter().enumerate().map(line).collect::<Result<Vec<_>, _>>()?;
    Benchmark::new(BenchmarkManifest::named("films"), questions).write(folder)?;
    let questions = Some(QuestionSource::Folder(folder.to_owned()));
    Ok(Selection { questions, kb: KbSource::None, ..Selection::default() }.open()?)
}
