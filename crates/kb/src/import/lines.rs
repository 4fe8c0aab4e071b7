//! Reads Touchstone's own format, KB lines (`docs/kb-lines.md`).

use super::ImportRequest;
use super::import_log::{ImportLog, Problem};
use super::input::{self, Block, LineBlocks, in_parallel};
use super::line_json::{Header, Line, LiteralJson, check_line, plain_message};
use crate::build::{KbBuilder, NameKind, RawQualifier, RawValue};
use crate::error::{KbError, Result};
use crate::progress::Progress;
use crate::store::ValueKind;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Sources are numbered with 16 bits, and 0 means none.
const MAX_SOURCES: usize = u16::MAX as usize - 1;

/// The version of the format.
pub(crate) const LINES_FORMAT: u64 = 1;

/// Reads all input files.
pub(super) fn read(
    request: &ImportRequest,
    builder: &mut KbBuilder,
    log: &mut ImportLog,
    progress: &dyn Progress,
) -> Result<()> {
    progress.stage("reading", Some(input::total_size(&request.inputs)));
    for path in &request.inputs {
        let reader = input::open(path, progress)?;
        read_from(reader, &input::display_name(path), request.max_record, builder, log)?;
    }
    log.note_times("ids that are used but not described", builder.n_undeclared());
    if !request.license.is_empty() {
        builder.meta.license.clone_from(&request.license);
    }
    if !request.name.is_empty() {
        builder.meta.name.clone_from(&request.name);
    }
    Ok(())
}

/// Reads KB lines that are already in memory, compressed with zstd. Errors use the given name.
pub fn read_packed_lines(compressed: &[u8], name: &str, builder: &mut KbBuilder) -> Result<()> {
    let failed = KbError::io("unpack", Path::new(name));
    let mut decoder = zstd::Decoder::with_buffer(compressed).map_err(failed)?;
    decoder.window_log_max(31).map_err(KbError::io("unpack", Path::new(name)))?;
    let reader = Box::new(std::io::BufReader::with_capacity(1 << 18, decoder));
    read_from(reader, name, super::DEFAULT_MAX_RECORD, builder, &mut ImportLog::new(true))
}

fn read_from(
    mut reader: Box<dyn std::io::BufRead + Send + '_>,
    file: &str,
    longest: usize,
    builder: &mut KbBuilder,
    log: &mut ImportLog,
) -> Result<()> {
    let mut first = Vec::new();
    let mut limited = (&mut reader).take(longest as u64);
    std::io::BufRead::read_until(&mut limited, b'\n', &mut first)
        .map_err(|error| input::read_error(file, 1, &error))?;
    let header: Header = serde_json::from_slice(&first).map_err(|error| {
        let message = format!(
            "this is not the header of a KB in lines ({}); for KQA Pro's kb.json use --from kqapro",
            plain_message(&error)
        );
        KbError::Input(Box::new(Problem::in_line(file, 1, &first, error.column().saturating_sub(1), message)))
    })?;
    if header.touchstone_kb != LINES_FORMAT {
        let message = format!("unknown format {}; this program reads {LINES_FORMAT}", header.touchstone_kb);
        return Err(KbError::Input(Box::new(Problem::in_line(file, 1, &first, 0, message))));
    }
    if builder.meta.sources.len() + header.sources.len() > MAX_SOURCES {
        return Err(KbError::TooMany { what: "sources", limit: MAX_SOURCES as u64 });
    }
    // Fewer than MAX_SOURCES, which fits into 16 bits.
    let small = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    let first_source = small(builder.meta.sources.len());
    let n_sources = small(header.sources.len());
    let meta = &mut builder.meta;
    meta.lang = header.lang.unwrap_or_else(|| "en".to_owned());
    meta.vocabulary = header.vocabulary;
    meta.sources.extend(header.sources);
    for (place, text) in [
        (&mut meta.name, header.name),
        (&mut meta.source, header.source),
        (&mut meta.license, header.license),
        (&mut meta.base, header.base),
    ] {
        if !text.is_empty() {
            *place = text;
        }
    }
    let lang = meta.lang.clone();
    let blocks = LineBlocks::new(reader, file.to_owned(), longest);
    let parse = |block: Block| parse_block(file, &block, n_sources);
    in_parallel(blocks, parse, |lines| {
        for line in lines {
            match line {
                Ok(line) => add_line(line, &lang, first_source, builder, log)?,
                Err(problem) => log.problem(*problem)?,
            }
        }
        Ok(())
    })
}

fn parse_block(file: &str, block: &Block, n_sources: u16) -> Vec<Result<Line, Box<Problem>>> {
    let mut parsed = Vec::new();
    for (number, text) in block.bytes.split(|&b| b == b'\n').enumerate() {
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        // The header was line 1.
        let at = block.first_line + number as u64 + 1;
        let problem =
            |offset: usize, message: String| Box::new(Problem::in_line(file, at, text, offset, message));
        parsed.push(match serde_json::from_slice::<Line>(text) {
            Ok(line) => check_line(&line, n_sources).map(|()| line).map_err(|message| problem(0, message)),
            Err(error) => Err(problem(error.column().saturating_sub(1), plain_message(&error))),
        });
    }
    parsed
}

fn add_line(
    line: Line,
    lang: &str,
    first_source: u16,
    builder: &mut KbBuilder,
    log: &mut ImportLog,
) -> Result<()> {
    if let Some(id) = line.entity.as_ref().or(line.class.as_ref()) {
        let node = builder.node(id)?;
        builder.declare(node);
        if line.class.is_some() {
            builder.mark_class(node);
            log.keep("class");
        } else {
            log.keep("entity");
        }
        if let Some(label) = &line.label {
            builder.add_name(node, NameKind::Label, &label.literal(lang));
        }
        for alias in &line.aliases {
            builder.add_name(node, NameKind::Alias, &alias.literal(lang));
        }
        if let Some(text) = &line.description {
            builder.add_name(node, NameKind::Description, &text.literal(lang));
        }
        for parent in &line.parents {
            let parent = builder.node(parent)?;
            builder.add_parent(node, parent);
        }
        for class in &line.classes {
            let class = builder.node(class)?;
            builder.add_class(node, class);
        }
        if let Some(group) = &line.group {
            builder.set_class_group(node, group);
        }
        if let Some(coverage) = line.completeness() {
            builder.meta.coverage.classes.insert(id.clone(), coverage);
        }
        for fact in &line.relations {
            let property = builder.property(&fact.property);
            let value = builder.node(&fact.value)?.into();
            let mut qualifiers = raw_qualifiers(&fact.qualifiers, builder)?;
            builder.fact(node, property, value, &mut qualifiers, fact.source.map(|s| s + first_source))?;
        }
        for fact in &line.attributes {
            let property = builder.property(&fact.property);
            let value = fact.value.value(builder)?;
            let mut qualifiers = raw_qualifiers(&fact.qualifiers, builder)?;
            builder.fact(node, property, value, &mut qualifiers, fact.source.map(|s| s + first_source))?;
        }
        return Ok(());
    }
    if let Some(id) = &line.qualifier {
        log.keep("qualifier");
        let qualifier = builder.qualifier(id);
        let label = line.label.as_ref().map(|label| label.literal(lang));
        builder.describe_qualifier(qualifier, label.as_ref(), line.group.as_deref());
        builder.qualifier_info(qualifier).kind = line.kind.as_deref().and_then(ValueKind::from_name);
        return Ok(());
    }
    add_property(&line, lang, builder, log)
}

fn add_property(line: &Line, lang: &str, builder: &mut KbBuilder, log: &mut ImportLog) -> Result<()> {
    let Some(id) = line.relation.as_ref().or(line.attribute.as_ref()) else { return Ok(()) };
    let property = builder.property(id);
    if let Some(label) = &line.label {
        builder.set_property_label(property, &label.literal(lang));
    }
    if let Some(text) = &line.description {
        builder.set_property_description(property, &text.literal(lang));
    }
    if let Some(domain) = &line.domain {
        let class = builder.node(domain)?;
        builder.set_domain(property, class);
    }
    if let Some(range) = &line.range {
        let class = builder.node(range)?;
        builder.set_range(property, class);
    }
    if let Some(inverse) = &line.inverse {
        let inverse = builder.property(inverse);
        builder.property_info(inverse).is_relation = true;
        builder.set_inverse(property, inverse);
    }
    if let Some(label) = &line.inverse_label {
        builder.set_inverse_label(property, &label.literal(lang));
    }
    let is_relation = line.relation.is_some();
    let info = builder.property_info(property);
    info.is_relation |= is_relation;
    info.is_attribute |= !is_relation;
    info.symmetric |= line.symmetric;
    info.kind = line.kind.as_deref().and_then(ValueKind::from_name).or(info.kind);
    info.unit = line.unit.clone().or(info.unit.take());
    info.group = line.group.clone().or(info.group.take());
    if let Some(coverage) = line.completeness() {
        let table = &mut builder.meta.coverage;
        let items = if is_relation { &mut table.relations } else { &mut table.attributes };
        items.insert(id.clone(), coverage);
    }
    log.keep(if is_relation { "relation" } else { "attribute" });
    Ok(())
}

fn raw_qualifiers(
    qualifiers: &BTreeMap<String, Vec<LiteralJson>>,
    builder: &mut KbBuilder,
) -> Result<Vec<(RawQualifier, RawValue)>> {
    let mut raw = Vec::new();
    for (key, values) in qualifiers {
        let key = builder.qualifier(key);
        for value in values {
            raw.push((key, value.value(builder)?));
        }
    }
    Ok(raw)
}
