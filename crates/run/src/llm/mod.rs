//! A language model behind an OpenAI-compatible chat endpoint, prompted to write a logical form.

mod chat;
mod extract;
pub(crate) mod schema;
mod tools;

use crate::link::{Linked, Thing};
use crate::nearest::Nearest;
use crate::system::{System, SystemInput, Worker};
use crate::system_error::SystemError;
use crate::web::{Request, Web, WebSettings};
pub use chat::ChatError;
use chat::{Message, Tokens};
use serde_json::{Value as Json, json};
use touchstone_benchmark::{Gives, Prediction};
use touchstone_engine::Session;
use touchstone_engine::exact::ExactPrinter;
use touchstone_engine::plan::Plan;
use touchstone_logic::{Language, Query, kopl, sexpr};

/// The default prompt.
pub const DEFAULT_PROMPT: &str = include_str!("../../prompts/default.txt");

/// Which model to use, and how. It does not implement `Debug`, because it holds the key.
#[derive(Clone)]
pub struct LlmSettings {
    /// The address up to `/chat/completions`, like `http://127.0.0.1:8000/v1`.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// The key; it is never written anywhere.
    pub key: Option<String>,
    /// The prompt, with `{question}` and any of `{language}`, `{guide}`, `{schema}`, `{entities}`, `{examples}`, `{choices}`.
    pub prompt: String,
    /// The language of its logical forms.
    pub language: Language,
    /// Number of training questions in the prompt.
    pub shots: usize,
    /// Approximate number of tokens for the schema.
    pub schema_tokens: usize,
    /// The temperature.
    pub temperature: f64,
    /// Maximum number of tokens of a reply.
    pub max_tokens: u32,
    /// Whether replies are streamed.
    pub stream: bool,
    /// Maximum number of rounds of tool calls; 0: no tools.
    pub tool_rounds: usize,
    /// Whether to ask for the log-probabilities of the tokens.
    pub log_probs: bool,
    /// How requests are sent.
    pub web: WebSettings,
}

impl LlmSettings {
    /// Default settings for a model at an address.
    pub fn new(url: &str, model: &str) -> LlmSettings {
        LlmSettings {
            url: url.trim_end_matches('/').to_owned(),
            model: model.to_owned(),
            key: None,
            prompt: DEFAULT_PROMPT.to_owned(),
            language: Language::Kopl,
            shots: 5,
            schema_tokens: 1000,
            temperature: 0.0,
            max_tokens: 1024,
            stream: false,
            tool_rounds: 0,
            log_probs: false,
            web: WebSettings::default(),
        }
    }
}

/// See the module documentation.
pub struct LlmSystem<'k> {
    settings: LlmSettings,
    nearest: Nearest<'k>,
    session: Session<'k>,
    printer: ExactPrinter<'k>,
    web: Web,
}

impl<'k> LlmSystem<'k> {
    /// A system with the training questions of `nearest` and the KB of `session`.
    pub fn new(settings: LlmSettings, nearest: Nearest<'k>, session: Session<'k>) -> LlmSystem<'k> {
        let printer = ExactPrinter::new(session.kb(), touchstone_engine::View::Direct);
        let web = Web::new(settings.web.clone());
        LlmSystem { settings, nearest, session, printer, web }
    }

    /// The prompt for a question.
    pub fn prompt(&self, input: &SystemInput) -> String {
        let links = self.nearest.link(&input.question, input.entities.as_deref());
        let kb = self.session.kb();
        let (name, guide) = match self.settings.language {
            Language::Kopl => ("KoPL", include_str!("../../prompts/kopl.txt")),
            Language::Sexpr => ("S-expression", include_str!("../../prompts/sexpr.txt")),
            Language::Sparql => ("SPARQL", include_str!("../../prompts/sparql.txt")),
        };
        let guide = guide.trim_end().replace("{base}", &kb.manifest().base);
        let by_label = self.settings.language == Language::Kopl;
        let schema =
            schema::packed_schema(kb, &input.question, &links, self.settings.schema_tokens, by_label);
        // In a single pass, so that nothing in a question is mistaken for a placeholder.
        let mut out = String::new();
        let mut rest = self.settings.prompt.as_str();
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let place = rest.find('}').map_or(rest, |end| &rest[..=end]);
            match place {
                "{language}" => out.push_str(name),
                "{guide}" => out.push_str(&guide),
                "{schema}" => out.push_str(&schema),
                "{entities}" => out.push_str(&self.entities(&links, by_label)),
                "{examples}" => out.push_str(&self.examples(input, &links)),
                "{question}" => out.push_str(&input.question),
                "{choices}" => out.push_str(&choices(input)),
                _ => {
                    out.push('{');
                    rest = &rest[1..];
                    continue;
                }
            }
            rest = &rest[place.len()..];
        }
        out + rest
    }

    /// What the question seems to name.
    fn entities(&self, links: &[Linked], by_label: bool) -> String {
        let kb = self.session.kb();
        let mut lines = Vec::new();
        for linked in links {
            let Thing::Entities(nodes) = &linked.thing else { continue };
            for &node in nodes.iter().take(2) {
                let id = if by_label { String::new() } else { format!(" [{}]", kb.node_id(node)) };
                let about = kb.description(node).map(|text| format!(": {text}")).unwrap_or_default();
                lines.push(format!("- {}{id}{about}", kb.label(node)));
            }
        }
        if lines.is_empty() { String::new() } else { format!("The question may name:\n{}", lines.join("\n")) }
    }

    /// Similar training questions with their queries.
    fn examples(&self, input: &SystemInput, links: &[Linked]) -> String {
        let mut blocks = Vec::new();
        for (question, query) in self.nearest.neighbours(input, links, self.settings.shots.saturating_mul(4))
        {
            if blocks.len() == self.settings.shots {
                break;
            }
            if let Some(text) = self.printed(query) {
                blocks.push(format!("Question: {question}\n```\n{text}\n```"));
            }
        }
        if blocks.is_empty() { String::new() } else { format!("Examples:\n{}", blocks.join("\n")) }
    }

    fn printed(&self, query: &Query) -> Option<String> {
        let printed = match self.settings.language {
            Language::Sexpr => sexpr::print(query).ok(),
            Language::Kopl => kopl::print(query, self.session.words()).ok(),
            Language::Sparql => {
                let plan = Plan::of(query, self.session.words()).ok()?;
                return self.printer.print(&plan).ok().map(|printed| printed.text);
            }
        }?;
        printed.lost.is_empty().then_some(printed.text)
    }

    fn ask(&self, input: &SystemInput) -> Result<Prediction, SystemError> {
        let mut messages = vec![json!({ "role": "user", "content": self.prompt(input) })];
        let mut used = Vec::new();
        let mut tokens = Tokens::default();
        for round in 0..=self.settings.tool_rounds {
            let last = round == self.settings.tool_rounds;
            let message = self.chat(&messages, round, last)?;
            tokens.add(message.tokens);
            if message.calls.is_empty() || last {
                return Ok(Prediction { usage: tokens.usage(), ..self.prediction(input, message, used) });
            }
            messages.push(message.to_json());
            for call in &message.calls {
                let result =
                    tools::use_tool(&self.session, self.settings.language, &call.name, &call.arguments);
                messages.push(json!({ "role": "tool", "tool_call_id": call.id, "content": result }));
                used.push(json!({ "tool": call.name, "arguments": call.arguments, "result": result }));
            }
        }
        Ok(Prediction { id: input.id.clone(), ..Prediction::default() })
    }

    fn chat(&self, messages: &[Json], round: usize, last: bool) -> Result<Message, SystemError> {
        let settings = &self.settings;
        let mut body = json!({
            "model": settings.model, "messages": messages, "temperature": settings.temperature,
            "max_tokens": settings.max_tokens, "stream": settings.stream,
        });
        if settings.stream {
            body["stream_options"] = json!({ "include_usage": true });
        }
        if settings.tool_rounds > 0 {
            body["tools"] = tools::described(settings.language);
            if last {
                body["tool_choice"] = json!("none");
            }
        }
        if settings.log_probs {
            body["logprobs"] = json!(true);
        }
        let reply = self.web.post(&Request {
            url: &format!("{}/chat/completions", settings.url),
            content_type: "application/json",
            key: settings.key.as_deref(),
            body: &body.to_string(),
            continues: round > 0,
        })?;
        // The key is never written anywhere.
        let text = match &settings.key {
            Some(key) => reply.text.replace(key.as_str(), "***"),
            None => reply.text,
        };
        Ok(chat::read(&reply.content_type, &text)?)
    }

    fn prediction(&self, input: &SystemInput, message: Message, used: Vec<Json>) -> Prediction {
        let mut trace = json!({ "reply": message.text });
        if message.is_cut_off {
            let error =
                format!("the reply is longer than --max-tokens {} and was cut off", self.settings.max_tokens);
            return Prediction { trace: Some(trace), ..Prediction::failed(&input.id, error) };
        }
        if !used.is_empty() {
            trace["tools"] = Json::Array(used);
        }
        let form = extract::logical_form(&message.text, self.settings.language);
        Prediction {
            id: input.id.clone(),
            language: form.as_ref().map(|_| self.settings.language),
            logical_form: form,
            log_probs: message.log_probs,
            trace: Some(trace),
            ..Prediction::default()
        }
    }
}

impl System for LlmSystem<'_> {
    fn name(&self) -> String {
        let s = &self.settings;
        let prompt = &blake3::hash(s.prompt.as_bytes()).to_hex()[..12];
        format!(
            "llm:{} at {}; {}, prompt {prompt}, {} examples of {}, schema {}, temperature {}, up to {} tokens, {} rounds of tools{}",
            s.model,
            s.url,
            s.language.word(),
            s.shots,
            self.nearest.fingerprint(),
            s.schema_tokens,
            s.temperature,
            s.max_tokens,
            s.tool_rounds,
            if s.log_probs { ", log-probabilities" } else { "" }
        )
    }

    fn gives(&self) -> Option<Gives> {
        Some(Gives::Forms)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(LlmWorker(self))
    }
}

/// The choices, if the run gives them.
fn choices(input: &SystemInput) -> String {
    match &input.choices {
        Some(choices) => format!("The answer is one of: {}", choices.join("; ")),
        None => String::new(),
    }
}

struct LlmWorker<'s, 'k>(&'s LlmSystem<'k>);

impl Worker for LlmWorker<'_, '_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        self.0.ask(input)
    }
}
