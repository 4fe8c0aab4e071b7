//! One way to write conditions on texts: a regular expression without special characters is a plain search.

use spargebra::algebra::{Expression, Function};
use spargebra::term::Literal;

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// Characters that mean something in a regular expression.
const SPECIAL: &str = "\\^$.|?*+()[]{}";

/// `REGEX(e, "^x", "i")` is `STRSTARTS(LCASE(e), "x")`, and likewise for other ends and without `i`; a search in upper case is one in lower
/// case. Other expressions stay as they are.
pub(super) fn plain_search(expression: &mut Expression) {
    let Expression::FunctionCall(function, arguments) = expression else { return };
    let searched = match function {
        Function::Regex => of_regex(arguments),
        Function::Contains | Function::StrStarts | Function::StrEnds => {
            of_upper_case(arguments).map(|(text, part)| (function.clone(), text, part))
        }
        _ => None,
    };
    if let Some((function, text, part)) = searched {
        let part = Expression::Literal(Literal::new_simple_literal(part));
        *expression = Expression::FunctionCall(function, vec![text, part]);
    }
}

fn of_regex(arguments: &[Expression]) -> Option<(Function, Expression, String)> {
    let (text, pattern, ignores_case) = match arguments {
        [text, pattern] => (text, plain_text(pattern)?, false),
        [text, pattern, flags] => match plain_text(flags)? {
            "" => (text, plain_text(pattern)?, false),
            "i" => (text, plain_text(pattern)?, true),
            _ => return None,
        },
        _ => return None,
    };
    let (function, part) = match (pattern.strip_prefix('^'), pattern.strip_suffix('$')) {
        (Some(_), Some(_)) => return None,
        (Some(start), None) => (Function::StrStarts, start),
        (None, Some(end)) => (Function::StrEnds, end),
        (None, None) => (Function::Contains, pattern),
    };
    if part.is_empty() || part.contains(|c| SPECIAL.contains(c)) {
        return None;
    }
    if !ignores_case {
        return Some((function, text.clone(), part.to_owned()));
    }
    // Other alphabets have letters that are equal without case and different in lower case.
    if !part.is_ascii() {
        return None;
    }
    let text = match text {
        // The case of what is searched makes no difference.
        Expression::FunctionCall(Function::LCase | Function::UCase, inner) => inner.first()?.clone(),
        other => other.clone(),
    };
    Some((function, lower_case(text), part.to_ascii_lowercase()))
}

fn of_upper_case(arguments: &[Expression]) -> Option<(Expression, String)> {
    let [Expression::FunctionCall(Function::UCase, inner), part] = arguments else { return None };
    let part = plain_text(part)?;
    let is_upper = part.is_ascii() && !part.bytes().any(|byte| byte.is_ascii_lowercase());
    is_upper.then(|| Some((lower_case(inner.first()?.clone()), part.to_ascii_lowercase())))?
}

fn lower_case(text: Expression) -> Expression {
    Expression::FunctionCall(Function::LCase, vec![text])
}

fn plain_text(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Literal(literal) if literal.datatype().as_str() == XSD_STRING => Some(literal.value()),
        _ => None,
    }
}
