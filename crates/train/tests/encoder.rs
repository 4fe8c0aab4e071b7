//! The pretrained encoder: equal to `transformers`, trainable, and clear about folders that it cannot use.
//! `tools/models/encoder_reference.py` writes the fixtures.
#![allow(clippy::unwrap_used)]

use burn::module::{Module, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Gradients, Int, Tensor};
use safetensors::{Dtype, SafeTensors};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use touchstone_train::Pass;
use touchstone_train::encoder::{Bert, Encoder, EncoderBatch, EncoderError, TextPieces};
use touchstone_train::optimise::OptimiserSettings;

/// The environment variable with the folder of all-MiniLM-L6-v2.
const MINILM: &str = "TOUCHSTONE_MINILM";
const MAX_LENGTH: usize = 24;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The float numbers of a file, and its whole numbers by rows.
struct Expected {
    numbers: BTreeMap<String, Vec<f32>>,
    rows: BTreeMap<String, Vec<Vec<u32>>>,
}

impl Expected {
    fn open(name: &str) -> Expected {
        let bytes = std::fs::read(fixtures().join(name)).unwrap();
        let (mut numbers, mut rows) = (BTreeMap::new(), BTreeMap::new());
        for (name, view) in SafeTensors::deserialize(&bytes).unwrap().tensors() {
            let words = view.data().chunks_exact(4).map(|word| word.try_into().unwrap());
            if view.dtype() == Dtype::F32 {
                numbers.insert(name, words.map(f32::from_le_bytes).collect());
            } else {
                let all: Vec<u32> = words.map(u32::from_le_bytes).collect();
                rows.insert(name, all.chunks(*view.shape().last().unwrap()).map(<[u32]>::to_vec).collect());
            }
        }
        Expected { numbers, rows }
    }

    fn check<const D: usize>(&self, name: &str, found: Tensor<D>, tolerance: f32) {
        let found: Vec<f32> = found.into_data().try_to_vec().unwrap();
        let expected = &self.numbers[name];
        assert_eq!(found.len(), expected.len(), "{name}");
        for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
            let is_close = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
            assert!(is_close, "{name}, number {at}: {found} instead of {expected}");
        }
    }
}

fn tiny(device: &Device) -> Encoder {
    Encoder::load(&fixtures().join("tiny_bert"), device).unwrap()
}

fn texts<T: serde::de::DeserializeOwned>(name: &str) -> Vec<T> {
    serde_json::from_slice(&std::fs::read(fixtures().join(name)).unwrap()).unwrap()
}

fn questions(encoder: &Encoder) -> Vec<TextPieces> {
    let questions: Vec<(String, Option<String>)> = texts("tiny_bert_questions.json");
    let questions: Vec<_> =
        questions.iter().map(|(first, second)| (first.as_str(), second.as_deref())).collect();
    encoder.pieces.encode(&questions, MAX_LENGTH).unwrap()
}

fn check_pieces(expected: &Expected, texts: &[TextPieces]) {
    let (ids, types) = (&expected.rows["output.ids"], &expected.rows["output.types"]);
    for (row, mask) in expected.rows["output.mask"].iter().enumerate() {
        let n = mask.iter().sum::<u32>() as usize;
        assert_eq!(texts[row].numbers(), ids[row][..n]);
        assert_eq!(texts[row].pieces.iter().map(|piece| piece.kind).collect::<Vec<_>>(), types[row][..n]);
    }
}

#[test]
fn a_tiny_bert_equals_transformers() {
    let device = Device::flex().autodiff();
    let encoder = tiny(&device);
    let expected = Expected::open("tiny_bert.safetensors");
    let texts = questions(&encoder);
    check_pieces(&expected, &texts);
    let batch = EncoderBatch::new(&texts);
    let vectors = encoder.network.forward(&batch, &Pass::inference(), &device);
    let real = vectors.clone() * batch.mask(&device).unsqueeze_dim(2);
    let pooled = encoder.network.pooled(&vectors).unwrap();
    let mean = batch.mean(vectors);
    expected.check("output.hidden", real.clone(), 1e-4);
    expected.check("output.pooled", pooled.clone(), 1e-4);
    expected.check("output.mean", mean.clone(), 1e-4);
    let loss = real.powi_scalar(2).sum() + pooled.sum() + mean.sum();
    expected.check("output.loss", loss.clone(), 1e-4);
    check_gradients(&expected, &encoder.network, &loss.backward());
}

fn check_gradients(expected: &Expected, network: &Bert, gradients: &Gradients) {
    let table = |name: String, param: &Param<Tensor<2>>, is_transposed: bool| {
        let found = param.val().grad(gradients).unwrap();
        let found = if is_transposed { found.transpose() } else { found };
        expected.check(&format!("grad.{name}.weight"), found, 1e-4);
    };
    let vector = |name: String, param: &Option<Param<Tensor<1>>>| {
        let found = param.as_ref().unwrap().val().grad(gradients).unwrap();
        expected.check(&format!("grad.{name}"), found, 1e-4);
    };
    let embeddings = &network.embeddings;
    table("embeddings.word_embeddings".into(), &embeddings.words.weight, false);
    table("embeddings.position_embeddings".into(), &embeddings.positions.weight, false);
    table("embeddings.token_type_embeddings".into(), &embeddings.types.weight, false);
    vector("embeddings.LayerNorm.bias".into(), &embeddings.norm.beta);
    for (at, layer) in network.layers.iter().enumerate() {
        let linears = [
            ("attention.self.query", &layer.own.query),
            ("attention.self.key", &layer.own.key),
            ("attention.self.value", &layer.own.value),
            ("attention.output.dense", &layer.own.output),
            ("intermediate.dense", &layer.first),
            ("output.dense", &layer.second),
        ];
        for (part, linear) in linears {
            table(format!("encoder.layer.{at}.{part}"), &linear.weight, true);
            vector(format!("encoder.layer.{at}.{part}.bias"), &linear.bias);
        }
        for (part, norm) in
            [("attention.output.LayerNorm", &layer.own_norm), ("output.LayerNorm", &layer.feed_norm)]
        {
            vector(format!("encoder.layer.{at}.{part}.weight"), &Some(norm.gamma.clone()));
            vector(format!("encoder.layer.{at}.{part}.bias"), &norm.beta);
        }
    }
    table("pooler.dense".into(), &network.pooler.as_ref().unwrap().weight, true);
}

#[test]
fn pieces_have_places_in_the_text() {
    let encoder = tiny(&Device::flex());
    let texts = encoder.pieces.encode(&[("Zoë directed", Some("films"))], MAX_LENGTH).unwrap();
    let place = |at: usize| texts[0].pieces[at].place.clone();
    let text = |at: usize, text: &'static str| place(at).map(|(_, bytes)| &text[bytes]);
    assert_eq!(place(0), None);
    assert_eq!(text(3, "Zoë directed"), Some("ë"));
    assert_eq!(text(4, "Zoë directed"), Some("direct"));
    assert_eq!(place(7).map(|(text, _)| text), Some(1));
    assert_eq!(text(7, "films"), Some("film"));
    let too_long = encoder.pieces.encode(&[("a", None)], 33).unwrap_err();
    assert_eq!(too_long.to_string(), "cannot read texts of 33 pieces; this encoder reads 3 to 32");
}

#[test]
fn a_vocabulary_alone_makes_the_same_tokeniser() {
    let folder = copy();
    std::fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    let encoder = Encoder::load(folder.path(), &Device::flex()).unwrap();
    check_pieces(&Expected::open("tiny_bert.safetensors"), &questions(&encoder));
    std::fs::write(folder.path().join("tokenizer_config.json"), r#"{"do_lower_case": false}"#).unwrap();
    let cased = Encoder::load(folder.path(), &Device::flex()).unwrap();
    assert_eq!(cased.pieces.encode(&[("Who", None)], 8).unwrap()[0].numbers(), [2, 1, 3]);
}

/// A linear layer above the encoder learns which of two questions it sees, and the encoder changes.
#[test]
fn an_encoder_is_trained_further() {
    #[derive(Module, Debug)]
    struct Tuned {
        encoder: Bert,
        classes: burn::nn::Linear,
    }
    let device = Device::flex().autodiff();
    let encoder = tiny(&device);
    let batch = EncoderBatch::new(&questions(&encoder)[..2]);
    let mut uniform = touchstone_train::layers::Uniform::new(touchstone_train::layers::Scale::FanIn, 1);
    let classes = touchstone_train::layers::linear(8, 2, true, &mut uniform, &device);
    let before: Vec<f32> = weights(&encoder.network);
    let mut network = Tuned { encoder: encoder.network, classes };
    let mut optimizer = OptimiserSettings::adam(0.01).optimizer();
    let mut losses = Vec::new();
    for step in 0..30 {
        let pass = Pass::training(step);
        let vectors = batch.mean(network.encoder.forward(&batch, &pass, &device));
        let logits = burn::tensor::activation::log_softmax(network.classes.forward(vectors), 1);
        let right = Tensor::<1, Int>::from_ints([0, 1], &device).reshape([2, 1]);
        let loss = -logits.gather(1, right).mean();
        losses.push(loss.clone().into_scalar::<f32>());
        let gradients = GradientsParams::from_grads(loss.backward(), &network);
        network = optimizer.step(0.01, network, gradients);
    }
    assert!(losses[29] < 0.3 * losses[0], "{losses:?}");
    assert_ne!(weights(&network.encoder), before);
}

fn weights(network: &Bert) -> Vec<f32> {
    network.layers[0].own.query.weight.val().into_data().try_to_vec().unwrap()
}

/// A folder with the files of the tiny BERT.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "tokenizer.json", "vocab.txt", "model.safetensors"] {
        std::fs::copy(fixtures().join("tiny_bert").join(file), folder.path().join(file)).unwrap();
    }
    folder
}

/// What loading says after a file was changed.
fn refused(change: impl FnOnce(&Path)) -> EncoderError {
    let folder = copy();
    change(folder.path());
    let error = Encoder::load(folder.path(), &Device::flex()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains(&*folder.path().to_string_lossy()), "{message}");
    error
}

fn replace(folder: &Path, file: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    assert!(text.contains(from));
    std::fs::write(folder.join(file), text.replace(from, to)).unwrap();
}

#[test]
fn folders_that_cannot_be_used_are_refused() {
    for file in ["config.json", "model.safetensors"] {
        let error = refused(|folder| std::fs::remove_file(folder.join(file)).unwrap());
        assert!(matches!(error, EncoderError::Missing { file: missing, .. } if missing == file), "{error}");
    }
    let error = refused(|folder| {
        std::fs::remove_file(folder.join("tokenizer.json")).unwrap();
        std::fs::remove_file(folder.join("vocab.txt")).unwrap();
    });
    assert!(matches!(error, EncoderError::Missing { .. }), "{error}");
    let error = refused(|folder| replace(folder, "config.json", r#""bert""#, r#""roberta""#));
    assert!(error.to_string().ends_with(
        "config.json: the architecture is `roberta`; only `bert` is supported, which BERT and MiniLM have"
    ));
    let error = refused(|folder| replace(folder, "config.json", r#""gelu""#, r#""swish""#));
    assert!(matches!(error, EncoderError::Setting { setting: "hidden_act", .. }), "{error}");
    let error = refused(|folder| replace(folder, "config.json", "{", "["));
    assert!(matches!(error, EncoderError::Damaged { .. }), "{error}");
    let error = refused(|folder| replace(folder, "tokenizer.json", "WordPiece", "Word"));
    assert!(matches!(error, EncoderError::Damaged { .. }), "{error}");
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    for kept in [0, 7, 100, 12_000] {
        let error = refused(|folder| {
            let path = folder.join("model.safetensors");
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..kept]).unwrap();
        });
        assert!(matches!(error, EncoderError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("model.safetensors"), "{error}");
    }
    let error = refused(|folder| {
        replace(folder, "config.json", r#""intermediate_size": 12"#, r#""intermediate_size": 16"#)
    });
    assert!(
        error.to_string().ends_with(
            "`encoder.layer.0.intermediate.dense.weight` has the shape [12, 8]; `config.json` requires [16, 8]"
        ),
        "{error}"
    );
    let error = refused(|folder| {
        replace(folder, "config.json", r#""num_hidden_layers": 2"#, r#""num_hidden_layers": 3"#)
    });
    assert!(matches!(error, EncoderError::NoParameters { .. }), "{error}");
    let error =
        refused(|folder| replace(folder, "config.json", r#""vocab_size": 101"#, r#""vocab_size": 99"#));
    assert!(
        error.to_string().ends_with(
            "the tokeniser has 101 pieces, but the network only 99; the files are of different models"
        ),
        "{error}"
    );
}

#[test]
fn all_minilm_l6_v2_equals_sentence_transformers() {
    let Some(folder) = touchstone_testing::variable(MINILM) else { return };
    let device = Device::flex();
    let encoder = Encoder::load(Path::new(&folder), &device).unwrap();
    let expected = Expected::open("minilm.safetensors");
    let sentences: Vec<String> = texts("minilm_sentences.json");
    let sentences: Vec<_> = sentences.iter().map(|sentence| (sentence.as_str(), None)).collect();
    let batch = EncoderBatch::new(&encoder.pieces.encode(&sentences, 256).unwrap());
    let means = batch.mean(encoder.network.forward(&batch, &Pass::inference(), &device));
    let norms = means.clone().powi_scalar(2).sum_dim(1).sqrt();
    expected.check("embeddings", means / norms, 1e-5);
}
