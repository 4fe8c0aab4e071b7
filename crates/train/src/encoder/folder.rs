//! Reading an encoder from a folder.

use super::bert::Bert;
use super::config::BertConfig;
use super::error::EncoderError;
use super::pieces::Pieces;
use burn::module::Param;
use burn::nn::{Embedding, LayerNorm, Linear};
use burn::tensor::{DType, Device, Tensor, TensorData};
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use std::path::{Path, PathBuf};

const CONFIG: &str = "config.json";
const WEIGHTS: &str = "model.safetensors";
const TOKENISER: &str = "tokenizer.json";
const VOCABULARY: &str = "vocab.txt";
const TOKENISER_CONFIG: &str = "tokenizer_config.json";

/// A pretrained network with its tokeniser.
#[derive(Debug, Clone)]
pub struct Encoder {
    /// Sizes and settings.
    pub config: BertConfig,
    /// The network.
    pub network: Bert,
    /// The tokeniser.
    pub pieces: Pieces,
}

impl Encoder {
    /// Reads a folder in the format of Hugging Face: `config.json`, `model.safetensors`, and `tokenizer.json` or `vocab.txt`.
    pub fn load(folder: &Path, device: &Device) -> Result<Encoder, EncoderError> {
        let config = BertConfig::parse(&text(folder, CONFIG)?, &folder.join(CONFIG))?;
        let pieces = read_pieces(folder, config.positions)?;
        if pieces.len() > config.words {
            let (pieces, words) = (pieces.len(), config.words);
            return Err(EncoderError::Vocabulary { folder: folder.to_owned(), pieces, words });
        }
        let path = folder.join(WEIGHTS);
        let bytes = bytes(folder, WEIGHTS)?;
        let damaged = |error: safetensors::SafeTensorError| EncoderError::Damaged {
            path: path.clone(),
            detail: error.to_string(),
        };
        let file = WeightFile {
            tensors: SafeTensors::deserialize(&bytes).map_err(damaged)?,
            path: path.clone(),
            device,
        };
        let network = file.network(&config)?;
        Ok(Encoder { config, network, pieces })
    }
}

fn bytes(folder: &Path, file: &'static str) -> Result<Vec<u8>, EncoderError> {
    let path = folder.join(file);
    std::fs::read(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => EncoderError::Missing { folder: folder.to_owned(), file },
        _ => EncoderError::Unreadable { path, error },
    })
}

fn text(folder: &Path, file: &'static str) -> Result<String, EncoderError> {
    String::from_utf8(bytes(folder, file)?)
        .map_err(|error| EncoderError::Damaged { path: folder.join(file), detail: error.to_string() })
}

/// `None` if the file is not there.
fn present<T>(read: Result<T, EncoderError>) -> Result<Option<T>, EncoderError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(EncoderError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The setting of `tokenizer_config.json` that `vocab.txt` needs.
#[derive(Deserialize)]
struct TokeniserConfig {
    #[serde(default = "yes")]
    do_lower_case: bool,
}

fn yes() -> bool {
    true
}

fn read_pieces(folder: &Path, most: usize) -> Result<Pieces, EncoderError> {
    if let Some(json) = present(bytes(folder, TOKENISER))? {
        return Pieces::from_json(&json, &folder.join(TOKENISER), most);
    }
    let Some(words) = present(text(folder, VOCABULARY))? else {
        return Err(EncoderError::Missing { folder: folder.to_owned(), file: TOKENISER });
    };
    let is_lower_case = match present(bytes(folder, TOKENISER_CONFIG))? {
        Some(json) => {
            let config: TokeniserConfig = serde_json::from_slice(&json).map_err(|error| {
                EncoderError::Damaged { path: folder.join(TOKENISER_CONFIG), detail: error.to_string() }
            })?;
            config.do_lower_case
        }
        None => true,
    };
    Pieces::from_vocabulary(&words, is_lower_case, &folder.join(VOCABULARY), most)
}

/// `model.safetensors`. Parameters that the network does not need, such as those of a classifier, are left alone.
struct WeightFile<'b> {
    tensors: SafeTensors<'b>,
    path: PathBuf,
    device: &'b Device,
}

impl WeightFile<'_> {
    fn network(&self, config: &BertConfig) -> Result<Bert, EncoderError> {
        let has_pooler = self.view("pooler.dense.weight").is_some();
        let mut network = Bert::new(config, has_pooler, 0, self.device);
        let embeddings = &mut network.embeddings;
        self.embedding("embeddings.word_embeddings", &mut embeddings.words)?;
        self.embedding("embeddings.position_embeddings", &mut embeddings.positions)?;
        self.embedding("embeddings.token_type_embeddings", &mut embeddings.types)?;
        self.norm("embeddings.LayerNorm", &mut embeddings.norm)?;
        for (at, layer) in network.layers.iter_mut().enumerate() {
            let named = |part: &str| format!("encoder.layer.{at}.{part}");
            self.linear(&named("attention.self.query"), &mut layer.own.query)?;
            self.linear(&named("attention.self.key"), &mut layer.own.key)?;
            self.linear(&named("attention.self.value"), &mut layer.own.value)?;
            self.linear(&named("attention.output.dense"), &mut layer.own.output)?;
            self.norm(&named("attention.output.LayerNorm"), &mut layer.own_norm)?;
            self.linear(&named("intermediate.dense"), &mut layer.first)?;
            self.linear(&named("output.dense"), &mut layer.second)?;
            self.norm(&named("output.LayerNorm"), &mut layer.feed_norm)?;
        }
        if let Some(pooler) = &mut network.pooler {
            self.linear("pooler.dense", pooler)?;
        }
        Ok(network)
    }

    /// A tensor by its name. Models with a head for a task write `bert.` before it.
    fn view(&self, name: &str) -> Option<safetensors::tensor::TensorView<'_>> {
        self.tensors.tensor(name).or_else(|_| self.tensors.tensor(&format!("bert.{name}"))).ok()
    }

    fn read<const D: usize>(&self, name: &str, expected: [usize; D]) -> Result<Tensor<D>, EncoderError> {
        let (path, missing) = (self.path.clone(), name.to_owned());
        let view = self.view(name).ok_or(EncoderError::NoParameters { path, name: missing })?;
        let (path, name) = (self.path.clone(), name.to_owned());
        if view.shape() != expected {
            let (found, expected) = (view.shape().to_vec(), expected.to_vec());
            return Err(EncoderError::Shape { path, name, found, expected });
        }
        let format = match view.dtype() {
            Dtype::F32 => DType::F32,
            Dtype::F16 => DType::F16,
            Dtype::BF16 => DType::BF16,
            other => return Err(EncoderError::NumberFormat { path, name, found: format!("{other:?}") }),
        };
        let data = TensorData::from_bytes_vec(view.data().to_vec(), expected, format).convert::<f32>();
        Ok(Tensor::from_data(data, self.device))
    }

    fn embedding(&self, name: &str, place: &mut Embedding) -> Result<(), EncoderError> {
        let shape = place.weight.val().dims();
        place.weight = Param::from_tensor(self.read(&format!("{name}.weight"), shape)?);
        Ok(())
    }

    fn linear(&self, name: &str, place: &mut Linear) -> Result<(), EncoderError> {
        let [inputs, outputs] = place.weight.val().dims();
        let weight: Tensor<2> = self.read(&format!("{name}.weight"), [outputs, inputs])?;
        place.weight = Param::from_tensor(weight.transpose());
        place.bias = Some(Param::from_tensor(self.read(&format!("{name}.bias"), [outputs])?));
        Ok(())
    }

    fn norm(&self, name: &str, place: &mut LayerNorm) -> Result<(), EncoderError> {
        let shape = place.gamma.val().dims();
        // The first published BERT models have the names of TensorFlow.
        let named = |new: &str, old: &str| match self.view(&format!("{name}.{new}")) {
            Some(_) => format!("{name}.{new}"),
            None if self.view(&format!("{name}.{old}")).is_some() => format!("{name}.{old}"),
            None => format!("{name}.{new}"),
        };
        place.gamma = Param::from_tensor(self.read(&named("weight", "gamma"), shape)?);
        place.beta = Some(Param::from_tensor(self.read(&named("bias", "beta"), shape)?));
        Ok(())
    }
}
