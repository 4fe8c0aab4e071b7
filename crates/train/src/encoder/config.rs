//! `config.json` of a BERT-type network.

use super::error::EncoderError;
use serde::Deserialize;
use std::path::Path;

/// The function between the two layers of a feed-forward network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// GELU with the error function.
    Gelu,
    /// GELU approximated with the hyperbolic tangent.
    GeluApproximate,
    /// ReLU.
    Relu,
}

/// Sizes and settings.
#[derive(Debug, Clone, PartialEq)]
pub struct BertConfig {
    /// Number of pieces.
    pub words: usize,
    /// Size of all vectors.
    pub size: usize,
    /// Number of layers.
    pub layers: usize,
    /// Number of heads.
    pub heads: usize,
    /// Size of the hidden layer of feed-forward networks.
    pub feed_forward: usize,
    /// Maximum number of positions.
    pub positions: usize,
    /// Number of token types: first and second text.
    pub types: usize,
    /// Activation of feed-forward networks.
    pub activation: Activation,
    /// Dropout of vectors in training.
    pub dropout: f64,
    /// Dropout of attention weights in training.
    pub attention_dropout: f64,
    /// The small constant of layer norms.
    pub epsilon: f64,
}

/// The file, with the defaults of Hugging Face.
#[derive(Deserialize)]
struct File {
    model_type: Option<String>,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    #[serde(default = "positions")]
    max_position_embeddings: usize,
    #[serde(default = "types")]
    type_vocab_size: usize,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "dropout")]
    hidden_dropout_prob: f64,
    #[serde(default = "dropout")]
    attention_probs_dropout_prob: f64,
    #[serde(default = "epsilon")]
    layer_norm_eps: f64,
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
}

fn positions() -> usize {
    512
}

fn types() -> usize {
    2
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn dropout() -> f64 {
    0.1
}

fn epsilon() -> f64 {
    1e-12
}

impl BertConfig {
    /// Reads the text of a `config.json`; `path` is named in messages.
    pub fn parse(text: &str, path: &Path) -> Result<BertConfig, EncoderError> {
        let damaged = |error: serde_json::Error| EncoderError::Damaged {
            path: path.to_owned(),
            detail: error.to_string(),
        };
        // Other architectures name their settings differently: the architecture is looked at first.
        let value: serde_json::Value = serde_json::from_str(text).map_err(damaged)?;
        let found = value.get("model_type").and_then(serde_json::Value::as_str).unwrap_or("not named");
        if found != "bert" {
            return Err(EncoderError::Architecture { path: path.to_owned(), found: found.to_owned() });
        }
        let file: File = serde_json::from_value(value).map_err(damaged)?;
        debug_assert_eq!(file.model_type.as_deref(), Some("bert"));
        file.config(path)
    }
}

impl File {
    fn config(self, path: &Path) -> Result<BertConfig, EncoderError> {
        let unsupported = |setting, found: String, supported| EncoderError::Setting {
            path: path.to_owned(),
            setting,
            found,
            supported,
        };
        let activation = match self.hidden_act.as_str() {
            "gelu" => Activation::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" => Activation::GeluApproximate,
            "relu" => Activation::Relu,
            other => {
                let supported = "gelu, gelu_new, gelu_pytorch_tanh, relu";
                return Err(unsupported("hidden_act", format!("`{other}`"), supported));
            }
        };
        if let Some(other) = self.position_embedding_type.filter(|kind| kind != "absolute") {
            return Err(unsupported("position_embedding_type", format!("`{other}`"), "absolute"));
        }
        if self.is_decoder {
            return Err(unsupported("is_decoder", "true".to_owned(), "false"));
        }
        let sizes = [self.vocab_size, self.hidden_size, self.max_position_embeddings, self.type_vocab_size];
        if sizes.contains(&0) {
            return Err(unsupported("a size", "0".to_owned(), "sizes from 1"));
        }
        if self.num_attention_heads == 0 || !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let found = format!("{} for vectors of {}", self.num_attention_heads, self.hidden_size);
            return Err(unsupported("num_attention_heads", found, "divisors of `hidden_size`"));
        }
        Ok(BertConfig {
            words: self.vocab_size,
            size: self.hidden_size,
            layers: self.num_hidden_layers,
            heads: self.num_attention_heads,
            feed_forward: self.intermediate_size,
            positions: self.max_position_embeddings,
            types: self.type_vocab_size,
            activation,
            dropout: self.hidden_dropout_prob,
            attention_dropout: self.attention_probs_dropout_prob,
            epsilon: self.layer_norm_eps,
        })
    }
}
