//! Logical forms as sequences of words, and back.

use touchstone_benchmark::Question;
use touchstone_logic::Language;
use touchstone_logic::sparql::{decode_neural, encode_neural};
use touchstone_train::FormKind;

/// How the forms of a system become words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormCodec {
    /// SPARQL in the tokens of neural SPARQL machines.
    Neural,
    /// SPARQL for KQA Pro's graph in its tokens.
    KqaPro,
}

impl FormCodec {
    /// The form that it reads.
    pub fn kind(self) -> FormKind {
        match self {
            FormCodec::Neural => FormKind::Sparql,
            FormCodec::KqaPro => FormKind::SparqlKqapro,
        }
    }

    /// The words of a question's form; `None` if it has none.
    pub fn words(self, question: &Question) -> Option<Vec<String>> {
        let form = self.kind().of(question)?;
        Some(match self {
            FormCodec::Neural => encode_neural(form).split_whitespace().map(str::to_owned).collect(),
            FormCodec::KqaPro => kqapro_words(form),
        })
    }

    /// The form that words stand for.
    pub fn form(self, words: &[&str]) -> String {
        match self {
            FormCodec::Neural => {
                let tokens = words.join(" ");
                let decoded = decode_neural(&tokens);
                // The encoding loses how a name was written (`dbo:x`, `<http://...>`), and measures compare texts: then the tokens, which every
                // reader of SPARQL here understands, say what was predicted.
                if encode_neural(&decoded) == tokens { decoded } else { tokens }
            }
            FormCodec::KqaPro => kqapro_form(words),
        }
    }

    /// The language of the forms.
    pub fn language(self) -> Language {
        Language::Sparql
    }
}

/// The words of a query as KQA Pro's baselines cut it: at blanks, with blanks around quotation marks and before `^^`. A quotation mark that is
/// escaped does not end a text, so it stays in its word.
pub fn kqapro_words(sparql: &str) -> Vec<String> {
    let mut apart = String::with_capacity(sparql.len() + 16);
    let mut chars = sparql.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                apart.push(c);
                apart.extend(chars.next());
            }
            '"' => apart.push_str(" \" "),
            '^' if chars.peek() == Some(&'^') => {
                chars.next();
                apart.push_str(" ^^ ");
            }
            c => apart.push(c),
        }
    }
    apart.split_whitespace().map(str::to_owned).collect()
}

/// The query that words stand for: no blanks beside quotation marks inside a text, and none around `^^`.
pub fn kqapro_form(words: &[&str]) -> String {
    let mut form = String::new();
    let (mut is_inside, mut joins) = (false, true);
    for &word in words {
        let is_mark = word == "\"";
        let is_type = word == "^^" && !is_inside;
        let closes = is_mark && is_inside;
        if !(joins || closes || is_type) {
            form.push(' ');
        }
        form.push_str(word);
        is_inside ^= is_mark;
        joins = is_type || (is_mark && is_inside);
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with single blanks, and none beside quotation marks inside texts.
    fn check(sparql: &str) {
        let words = kqapro_words(sparql);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(kqapro_form(&words), sparql.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    #[test]
    fn queries_of_kqa_pro_are_cut_and_joined_again() {
        check(
            "SELECT ?e WHERE { ?e <pred:name> \"Yao Ming\" . ?e <height> ?pv . ?pv <pred:value> \"2.0\"^^xsd:double . }",
        );
        check("ASK { ?e <pred:name> \"He said \\\"no\\\"\" .\n ?x <pred:unit> \"1\" }");
        check(
            "SELECT ?v { ?v <pred:date> ?d . FILTER(?d < \"2000-01-01\"^^<http://www.w3.org/2001/XMLSchema#date>) }",
        );
        let words = kqapro_words("?e <pred:name> \"Yao Ming\"^^xsd:string .");
        assert_eq!(words, ["?e", "<pred:name>", "\"", "Yao", "Ming", "\"", "^^", "xsd:string", "."]);
    }

    #[test]
    fn neural_tokens_are_decoded_if_nothing_is_lost() {
        let sparql = "SELECT DISTINCT ?answer WHERE {\n  ?x1 <urn:touchstone:world:property:p> ?answer .\n}";
        let tokens = encode_neural(sparql);
        let form = FormCodec::Neural.form(&tokens.split(' ').collect::<Vec<_>>());
        assert_eq!(form, "SELECT DISTINCT ?answer WHERE { ?x1 <urn:touchstone:world:property:p> ?answer . }");
        let tokens = ["SELECT", "var_x", "where", "brack_open", "dbr_A", "dbo_b", "var_x", "brack_close"];
        assert_eq!(FormCodec::Neural.form(&tokens), tokens.join(" "));
    }
}
