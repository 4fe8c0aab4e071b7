//! Freebase's ontology files, as GrailQA distributes them, with their defects.
//!
//! - `fb_roles`: "domain relation range"; two lines lack a newline and join two records: fields one to three
//!   count, and of two lines for one relation the last wins;
//! - `fb_types`: "sub meta.subclassOf super", sometimes with a trailing dot; two lines are fused, some reflexive;
//! - `reverse_properties`: "relation TAB inverse";
//! - `domain_info`: a JSON object from schema item to domain.

use super::import_log::{ImportLog, Problem};
use crate::build::KbBuilder;
use crate::error::{KbError, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Ranges that are literals: the property is an attribute.
const LITERAL_RANGES: [&str; 9] = [
    "type.datetime",
    "type.float",
    "type.int",
    "type.text",
    "type.boolean",
    "type.rawstring",
    "type.enumeration",
    "type.uri",
    "type.key",
];

/// Reads whichever of the four files are in the folder.
pub(super) fn read_ontology(dir: &Path, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
    let mut n_found = 0;
    let mut lines = |name: &str| -> Result<Option<(String, String)>> {
        let path = dir.join(name);
        if !path.is_file() {
            return Ok(None);
        }
        n_found += 1;
        let bytes = std::fs::read(&path).map_err(KbError::io("read", &path))?;
        Ok(Some((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())))
    };
    let roles = lines("fb_roles")?;
    let types = lines("fb_types")?;
    let reverse = lines("reverse_properties")?;
    let domains = lines("domain_info")?;
    if n_found == 0 {
        return Err(KbError::Input(Box::new(Problem {
            file: dir.display().to_string(),
            line: 1,
            column: 1,
            snippet: String::new(),
            caret: 0,
            message: "none of fb_roles, fb_types, reverse_properties, domain_info is in this folder"
                .to_owned(),
        })));
    }
    if let Some((file, text)) = roles {
        read_roles(&file, &text, builder, log)?;
    }
    if let Some((file, text)) = types {
        read_types(&file, &text, builder, log)?;
    }
    if let Some((file, text)) = reverse {
        read_reverse(&file, &text, builder, log)?;
    }
    if let Some((file, text)) = domains {
        read_domains(&file, &text, builder, log)?;
    }
    Ok(())
}

fn read_roles(file: &str, text: &str, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
    let mut roles: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let mut fields = line.split_whitespace();
        let (Some(domain), Some(relation), Some(range)) = (fields.next(), fields.next(), fields.next())
        else {
            report(file, number, line, "expected `domain relation range`", log)?;
            continue;
        };
        if fields.next().is_some() {
            log.note("lines of fb_roles with two records fused, of which the first is kept");
        }
        if roles.insert(relation, (domain, range)).is_some() {
            log.note("relations with two lines in fb_roles, of which the last counts");
        }
        log.keep("ontology: relation");
    }
    for (relation, (domain, range)) in roles {
        let property = builder.property(relation);
        let domain = builder.node(domain)?;
        builder.set_domain(property, domain);
        if LITERAL_RANGES.contains(&range) {
            builder.property_info(property).is_attribute = true;
        } else {
            builder.property_info(property).is_relation = true;
            let range = builder.node(range)?;
            builder.set_range(property, range);
        }
    }
    Ok(())
}

fn read_types(file: &str, text: &str, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
    for (number, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let &[class, "meta.subclassOf", parent, ref rest @ ..] = fields.as_slice() else {
            report(file, number, line, "expected `class meta.subclassOf class`", log)?;
            continue;
        };
        if !matches!(rest, [] | ["."]) {
            log.note("lines of fb_types with two records fused, of which the first is kept");
        }
        log.keep("ontology: sub-class");
        let (class, parent) = (builder.node(class)?, builder.node(parent)?);
        if class == parent {
            builder.mark_class(class);
            log.note("classes that fb_types calls sub-classes of themselves");
        } else {
            builder.add_parent(class, parent);
        }
    }
    Ok(())
}

fn read_reverse(file: &str, text: &str, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
    for (number, line) in text.lines().enumerate() {
        let Some((relation, inverse)) = line.split_once('\t') else {
            report(file, number, line, "expected `relation TAB inverse`", log)?;
            continue;
        };
        log.keep("ontology: inverse");
        let (relation, inverse) = (builder.property(relation.trim()), builder.property(inverse.trim()));
        for property in [relation, inverse] {
            let info = builder.property_info(property);
            info.is_relation |= !info.is_attribute;
        }
        if !builder.set_inverse(relation, inverse) {
            log.note("relations with more than one inverse, of which one is kept");
        }
    }
    Ok(())
}

fn read_domains(file: &str, text: &str, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
    let domains: BTreeMap<String, String> = serde_json::from_str(text).map_err(|error| {
        let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or("");
        let message = super::line_json::plain_message(&error);
        let column = error.column().saturating_sub(1);
        KbError::Input(Box::new(Problem::in_line(
            file,
            error.line() as u64,
            line.as_bytes(),
            column,
            message,
        )))
    })?;
    for (item, domain) in &domains {
        log.keep("ontology: domain");
        if builder.properties.find(item).is_some() {
            builder.set_group(item, domain)?;
        } else {
            let class = builder.node(item)?;
            builder.set_class_group(class, domain);
        }
    }
    Ok(())
}

fn report(file: &str, number: usize, line: &str, message: &str, log: &mut ImportLog) -> Result<()> {
    if line.trim().is_empty() {
        return Ok(());
    }
    log.problem(Problem::in_line(file, number as u64 + 1, line.as_bytes(), 0, message))
}
