//! Parses the replies of chat endpoints, complete or streamed.

use serde_json::{Value as Json, json};
use touchstone_benchmark::Usage;

/// Why the reply of a language model's server cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// It is not JSON.
    #[error("the reply is not JSON: {start}")]
    NotJson {
        /// Its first characters.
        start: String,
    },
    /// It has no choices.
    #[error("the reply has no `choices`")]
    NoChoices,
    /// Its first choice has no message.
    #[error("the reply has no `message`")]
    NoMessage,
    /// It ends before the message does.
    #[error("the reply is incomplete")]
    Incomplete,
    /// The server reports an error with a success status.
    #[error("the model's server reports: {message}")]
    Server {
        /// Its message.
        message: String,
    },
}

/// A message of the model.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    pub(super) log_probs: Vec<f64>,
    /// Whether it was cut off at the maximum length.
    pub(super) is_cut_off: bool,
    /// The tokens read and written, if the server reports them.
    pub(super) tokens: Tokens,
}

/// Tokens that a model read and wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tokens {
    read: Option<u64>,
    written: Option<u64>,
}

impl Tokens {
    fn of_json(reply: &Json) -> Tokens {
        let number = |name: &str| reply.pointer(&format!("/usage/{name}")).and_then(Json::as_u64);
        Tokens { read: number("prompt_tokens"), written: number("completion_tokens") }
    }

    /// Adds the tokens of another reply.
    pub(super) fn add(&mut self, other: Tokens) {
        let sum = |a: Option<u64>, b: Option<u64>| b.map_or(a, |b| Some(a.unwrap_or(0) + b));
        (self.read, self.written) = (sum(self.read, other.read), sum(self.written, other.written));
    }

    /// The usage of a prediction.
    pub(super) fn usage(self) -> Usage {
        Usage { tokens_in: self.read.map(to_f64), tokens_out: self.written.map(to_f64), ..Usage::default() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no model reads or writes 2^53 tokens")]
fn to_f64(tokens: u64) -> f64 {
    tokens as f64
}

/// A tool that the model wants to use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// A JSON object, as text.
    pub(super) arguments: String,
}

impl Message {
    /// The call, as it is sent back.
    pub(super) fn to_json(&self) -> Json {
        let call = |call: &Call| {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            json!({ "id": call.id, "type": "function", "function": function })
        };
        let calls: Vec<Json> = self.calls.iter().map(call).collect();
        json!({ "role": "assistant", "content": self.text, "tool_calls": calls })
    }

    /// Adds a message, or a piece of one.
    fn add(&mut self, json: &Json) {
        self.text.push_str(json.get("content").and_then(Json::as_str).unwrap_or_default());
        for (place, part) in json.get("tool_calls").and_then(Json::as_array).into_iter().flatten().enumerate()
        {
            // Pieces identify the call that they belong to.
            let index = part.get("index").and_then(Json::as_u64);
            let at = index.map_or(place, |index| usize::try_from(index).unwrap_or(usize::MAX));
            if at >= MAX_CALLS {
                continue;
            }
            if self.calls.len() <= at {
                self.calls.resize_with(at + 1, Call::default);
            }
            let text = |path: &str| part.pointer(path).and_then(Json::as_str).unwrap_or_default();
            let call = &mut self.calls[at];
            call.id.push_str(text("/id"));
            call.name.push_str(text("/function/name"));
            call.arguments.push_str(text("/function/arguments"));
        }
    }

    fn add_end(&mut self, choice: &Json) {
        self.is_cut_off |= choice.get("finish_reason").and_then(Json::as_str) == Some("length");
        let tokens = choice.pointer("/logprobs/content").and_then(Json::as_array);
        self.log_probs
            .extend(tokens.into_iter().flatten().filter_map(|token| token.get("logprob")?.as_f64()));
    }
}

/// Maximum number of simultaneous tool calls.
const MAX_CALLS: usize = 16;

/// The message in a reply.
pub(super) fn read(content_type: &str, text: &str) -> Result<Message, ChatError> {
    let mut message = Message::default();
    if content_type.starts_with("text/event-stream") {
        let mut ended = false;
        for line in text.lines().filter_map(|line| line.strip_prefix("data:")) {
            if line.trim() == "[DONE]" {
                ended = true;
                continue;
            }
            let piece = parsed(line)?;
            check_error(&piece)?;
            // The usage comes with the last piece, whose list of choices is empty.
            message.tokens.add(Tokens::of_json(&piece));
            let Some(choice) = piece.pointer("/choices/0") else { continue };
            message.add(choice.get("delta").unwrap_or(&Json::Null));
            message.add_end(choice);
            ended |= choice.get("finish_reason").is_some_and(|reason| !reason.is_null());
        }
        return if ended { Ok(message) } else { Err(ChatError::Incomplete) };
    }
    let json = parsed(text)?;
    check_error(&json)?;
    let choice = json.pointer("/choices/0").ok_or(ChatError::NoChoices)?;
    message.add(choice.get("message").ok_or(ChatError::NoMessage)?);
    message.add_end(choice);
    message.tokens = Tokens::of_json(&json);
    Ok(message)
}

/// Some servers report errors with a success status.
fn check_error(json: &Json) -> Result<(), ChatError> {
    let Some(error) = json.get("error").filter(|error| !error.is_null()) else { return Ok(()) };
    let message =
        error.get("message").and_then(Json::as_str).map_or_else(|| error.to_string(), str::to_owned);
    Err(ChatError::Server { message })
}

fn parsed(text: &str) -> Result<Json, ChatError> {
    serde_json::from_str(text).map_err(|_| ChatError::NotJson { start: text.chars().take(80).collect() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn whole_and_in_pieces() {
        let whole = r#"{"choices": [{"message": {"content": "Hello", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
            "logprobs": {"content": [{"token": "Hello", "logprob": -0.5}]}}], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}"#;
        let call = Call { id: "1".to_owned(), name: "f".to_owned(), arguments: "{}".to_owned() };
        let expected = Message {
            text: "Hello".to_owned(),
            calls: vec![call],
            log_probs: vec![-0.5],
            is_cut_off: false,
            tokens: Tokens { read: Some(9), written: Some(2) },
        };
        assert_eq!(read("application/json", whole).unwrap(), expected);
        let pieces = [
            r#"data: {"choices": [{"delta": {"content": "Hel"}}]}"#,
            ": a comment",
            r#"data: {"choices": [{"delta": {"content": "lo", "tool_calls": [{"index": 0, "id": "1", "function": {"name": "f", "arguments": "{"}}]}}]}"#,
            r#"data: {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]},
             "logprobs": {"content": [{"logprob": -0.5}]}, "finish_reason": "stop"}]}"#,
        ]
        .map(|piece| piece.replace("\n             ", " "));
        let usage = r#"data: {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}"#;
        let text = pieces.join("\n\n") + "\n\n" + usage + "\n\ndata: [DONE]\n";
        assert_eq!(read("text/event-stream; charset=utf-8", &text).unwrap(), expected);
        assert_eq!(read("text/event-stream", &pieces[0]), Err(ChatError::Incomplete));
    }

    #[test]
    fn what_is_not_a_message() {
        for (text, error) in [
            ("<html>", "the reply is not JSON: <html>"),
            ("{}", "the reply has no `choices`"),
            (r#"{"error": {"message": "no such model"}}"#, "the model's server reports: no such model"),
        ] {
            assert_eq!(read("application/json", text).unwrap_err().to_string(), error);
        }
    }
}
