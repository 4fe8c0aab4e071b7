//! What a prediction cost: time, tokens, money.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What one prediction cost, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Seconds from the question to the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Tokens that a language model read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_in: Option<f64>,
    /// Tokens that it wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_out: Option<f64>,
    /// Money, in the currency of the given prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Prices of tokens, for a million of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prices {
    /// Of tokens that are read.
    pub tokens_in: f64,
    /// Of tokens that are written.
    pub tokens_out: f64,
}

impl Prices {
    /// The prices, if at least one is known; the other is 0.
    pub fn of(tokens_in: Option<f64>, tokens_out: Option<f64>) -> Option<Prices> {
        let is_known = tokens_in.is_some() || tokens_out.is_some();
        is_known
            .then(|| Prices { tokens_in: tokens_in.unwrap_or(0.0), tokens_out: tokens_out.unwrap_or(0.0) })
    }
}

impl Usage {
    /// The `usage` of a prediction; OpenAI's names of tokens are understood as well. What is not a number from 0 is not known.
    pub fn of_json(usage: &Json) -> Usage {
        let number = |names: [&str; 2]| {
            let found = names.iter().find_map(|name| usage[name].as_f64());
            found.filter(|number| number.is_finite() && *number >= 0.0)
        };
        Usage {
            seconds: number(["seconds", "seconds"]),
            tokens_in: number(["tokens_in", "prompt_tokens"]),
            tokens_out: number(["tokens_out", "completion_tokens"]),
            cost: number(["cost", "cost"]),
        }
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Usage::default()
    }

    /// With the cost of the tokens, unless the system reported a cost.
    #[must_use]
    pub fn priced(self, prices: Prices) -> Usage {
        let of_tokens = || {
            let known = self.tokens_in.is_some() || self.tokens_out.is_some();
            let sum = self.tokens_in.unwrap_or(0.0) * prices.tokens_in
                + self.tokens_out.unwrap_or(0.0) * prices.tokens_out;
            known.then_some(sum / 1e6)
        };
        Usage { cost: self.cost.or_else(of_tokens), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn read_from_predictions() {
        let usage = Usage::of_json(&json!({ "seconds": 0.5, "prompt_tokens": 100, "tokens_out": 10 }));
        assert_eq!((usage.seconds, usage.tokens_in, usage.tokens_out), (Some(0.5), Some(100.0), Some(10.0)));
        assert_eq!(usage.cost, None);
        let priced = usage.priced(Prices { tokens_in: 2.0, tokens_out: 30.0 });
        assert!((priced.cost.expect("a cost") - 0.0005).abs() < 1e-12);
        let reported = Usage::of_json(&json!({ "cost": 7, "tokens_in": 1 }));
        assert_eq!(reported.priced(Prices { tokens_in: 1e6, tokens_out: 0.0 }).cost, Some(7.0));
        for odd in [json!({}), json!(3), json!({ "seconds": -1, "cost": "much" })] {
            assert!(Usage::of_json(&odd).is_unknown(), "{odd}");
            assert_eq!(Usage::of_json(&odd).priced(Prices::default()).cost, None);
        }
    }
}
