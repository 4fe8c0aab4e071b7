//! Reads Wikidata's JSON dump: an array of entities, one per line.
//!
//! Without a subset everything is imported. With one, as for KQA Pro: seeds are item ids or Freebase ids
//! (matched by P646); their classes and the superclasses of those become the concepts; relations are
//! kept between selected items; attributes without meaning for readers (identifiers, links, media) are
//! left out; items with the same name as a seed can be added to make names ambiguous.
//! The dump is read up to three times: to select items, to import them, and to find the labels
//! of items that are only mentioned.

use super::ImportRequest;
use super::import_log::{ImportLog, Problem};
use super::input::{self, Block, LineBlocks, in_parallel};
use super::line_json::plain_message;
use super::wikidata_rdf::time_literal;
use crate::build::{KbBuilder, NameKind, RawQualifier, RawValue};
use crate::error::{KbError, Result};
use crate::literal::Literal;
use crate::progress::Progress;
use crate::vocabulary::RdfVocabulary;
use hashbrown::{HashMap, HashSet};
use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Which part of the dump is imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subset {
    /// A file with one id per line, Wikidata's (`Q42`) or Freebase's (`/m/0282x`, `m.0282x`). All items if absent.
    pub seeds: Option<PathBuf>,
    /// Maximum number of further items that share their label with a seed.
    pub same_name: usize,
    /// Whether to keep identifiers, links and media as attributes.
    pub keep_identifiers: bool,
}

#[derive(Deserialize)]
#[serde(expecting = "an entity of Wikidata: an object with `id`, `labels`, `claims`, ...")]
struct EntityJson {
    id: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default, deserialize_with = "map_or_empty_list")]
    labels: BTreeMap<String, TextJson>,
    #[serde(default, deserialize_with = "map_or_empty_list")]
    descriptions: BTreeMap<String, TextJson>,
    #[serde(default, deserialize_with = "map_or_empty_list")]
    aliases: BTreeMap<String, Vec<TextJson>>,
    #[serde(default, deserialize_with = "map_or_empty_list")]
    claims: BTreeMap<String, Vec<ClaimJson>>,
}

/// An empty map is written as `[]` in some dumps.
fn map_or_empty_list<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, V>, D::Error> {
    struct MapOrList<V>(std::marker::PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for MapOrList<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map, or an empty list")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = BTreeMap::new();
            while let Some((key, value)) = map.next_entry()? {
                all.insert(key, value);
            }
            Ok(all)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            match seq.next_element::<IgnoredAny>()? {
                None => Ok(BTreeMap::new()),
                Some(_) => Err(de::Error::invalid_type(de::Unexpected::Seq, &self)),
            }
        }
    }
    deserializer.deserialize_any(MapOrList(std::marker::PhantomData))
}

/// The text in a language: `en` falls back to `en-gb`, then to `mul` (all languages); `any` prefers English.
fn in_language<'t, V>(texts: &'t BTreeMap<String, V>, lang: &str) -> Option<(&'t str, &'t V)> {
    let wanted = if lang == "any" { "en" } else { lang };
    let exact = texts.get_key_value(wanted);
    let regional = || texts.iter().find(|(l, _)| l.split('-').next() == Some(wanted));
    let multilingual = || texts.get_key_value("mul");
    let whatever = || texts.iter().next().filter(|_| lang == "any");
    let found = exact.or_else(regional).or_else(multilingual).or_else(whatever);
    found.map(|(lang, text)| (lang.as_str(), text))
}

#[derive(Deserialize)]
struct TextJson {
    value: String,
}

#[derive(Deserialize)]
struct ClaimJson {
    mainsnak: SnakJson,
    #[serde(default, deserialize_with = "map_or_empty_list")]
    qualifiers: BTreeMap<String, Vec<SnakJson>>,
    #[serde(default)]
    rank: String,
}

#[derive(Deserialize)]
struct SnakJson {
    #[serde(default)]
    snaktype: String,
    #[serde(default)]
    datatype: String,
    datavalue: Option<DataValueJson>,
}

#[derive(Deserialize)]
struct DataValueJson {
    #[serde(rename = "type")]
    kind: String,
    value: serde_json::Value,
}

/// A value in Wikidata's terms; units are item ids until labels are known.
enum Parsed {
    Item(String),
    Text(String),
    Language { text: String, lang: String },
    Quantity { amount: String, unit: Option<String> },
    Time { time: String, precision: u8 },
}

const INSTANCE_OF: &str = "P31";
const SUBCLASS_OF: &str = "P279";
const FREEBASE_ID: &str = "P646";
/// Datatypes without meaning for readers.
const IDENTIFIER_TYPES: [&str; 7] =
    ["external-id", "url", "commonsMedia", "geo-shape", "tabular-data", "musical-notation", "math"];

/// The result of the first pass.
#[derive(Default)]
struct Selection {
    /// Items to import; `None` for all.
    items: Option<HashSet<String>>,
    /// Items that are used as classes, directly or through sub-classes.
    classes: HashSet<String>,
    property_labels: HashMap<String, String>,
    /// Labels of items that are used as units.
    unit_labels: HashMap<String, String>,
}

/// The contribution of one line to the selection.
struct Overview {
    id: String,
    is_property: bool,
    label: Option<String>,
    freebase: Vec<String>,
    classes: Vec<String>,
    parents: Vec<String>,
    units: Vec<String>,
}

/// Reads all input files.
pub(super) fn read(
    request: &ImportRequest,
    subset: &Subset,
    builder: &mut KbBuilder,
    log: &mut ImportLog,
    progress: &dyn Progress,
) -> Result<()> {
    builder.meta.vocabulary = RdfVocabulary::Wikidata;
    builder.meta.base = crate::iri::WIKIDATA_ENTITY.to_owned();
    progress.stage("selecting", Some(input::total_size(&request.inputs)));
    let selection = select(request, subset, log, progress)?;
    let mut reader = Reader { request, subset, selection, mentioned: HashSet::new(), builder, log };
    progress.stage("reading", Some(input::total_size(&request.inputs)));
    for_each_entity(request, progress, |result| match result {
        Ok(entity) => reader.entity(&entity),
        Err(problem) => reader.log.problem(*problem),
    })?;
    if reader.selection.items.is_some() && !reader.mentioned.is_empty() {
        progress.stage("labels", Some(input::total_size(&request.inputs)));
        for_each_entity(request, progress, |result| {
            // The previous pass reported the problems.
            result.map_or(Ok(()), |entity| reader.label_of_mentioned(&entity))
        })?;
    }
    let Selection { property_labels, .. } = reader.selection;
    for (id, label) in &property_labels {
        let label = Literal::language_text(label, &request.lang);
        if builder.properties.find(id).is_some() {
            let property = builder.property(id);
            builder.set_property_label(property, &label);
        }
        if builder.qualifiers.find(id).is_some() {
            let qualifier = builder.qualifier(id);
            builder.describe_qualifier(qualifier, Some(&label), None);
        }
    }
    Ok(())
}

fn for_each_entity(
    request: &ImportRequest,
    progress: &dyn Progress,
    mut visit: impl FnMut(Result<EntityJson, Box<Problem>>) -> Result<()>,
) -> Result<()> {
    for path in &request.inputs {
        let file = input::display_name(path);
        let blocks = LineBlocks::new(input::open(path, progress)?, file.clone(), request.max_record);
        in_parallel(
            blocks,
            |block| parse_block(&file, &block),
            |entities| entities.into_iter().try_for_each(&mut visit),
        )?;
    }
    Ok(())
}

fn parse_block(file: &str, block: &Block) -> Vec<Result<EntityJson, Box<Problem>>> {
    let mut entities = Vec::new();
    for (number, line) in block.bytes.split(|&b| b == b'\n').enumerate() {
        let text = line.trim_ascii();
        let text = text.strip_suffix(b",").unwrap_or(text);
        if matches!(text, b"" | b"[" | b"]") {
            continue;
        }
        entities.push(serde_json::from_slice(text).map_err(|error| {
            let at = block.first_line + number as u64;
            Box::new(Problem::in_line(
                file,
                at,
                line,
                error.column().saturating_sub(1),
                plain_message(&error),
            ))
        }));
    }
    entities
}

fn select(
    request: &ImportRequest,
    subset: &Subset,
    log: &mut ImportLog,
    progress: &dyn Progress,
) -> Result<Selection> {
    let seeds = match &subset.seeds {
        None => None,
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(KbError::io("read", path))?;
            let lines = text.lines().enumerate().map(|(number, line)| (line.trim(), number as u64 + 1));
            let ids = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
            Some(ids.map(|(line, number)| (normal_seed(line), number)).collect::<BTreeMap<String, u64>>())
        }
    };
    let mut selection = Selection::default();
    let mut overviews: Vec<Overview> = Vec::new();
    let mut units: HashSet<String> = HashSet::new();
    for_each_entity(request, progress, |result| {
        let Ok(entity) = result else { return Ok(()) };
        let overview = overview_of(&entity, &request.lang);
        units.extend(overview.units.iter().cloned());
        if overview.is_property {
            if let Some(label) = overview.label {
                selection.property_labels.insert(overview.id, label);
            }
        } else {
            overviews.push(overview);
        }
        Ok(())
    })?;
    for overview in &overviews {
        if let (true, Some(label)) = (units.contains(&overview.id), &overview.label) {
            selection.unit_labels.insert(overview.id.clone(), label.clone());
        }
    }
    let is_seed = |overview: &Overview| {
        seeds.as_ref().is_none_or(|seeds| {
            seeds.contains_key(&overview.id) || overview.freebase.iter().any(|id| seeds.contains_key(id))
        })
    };
    if let (Some(seeds), Some(path)) = (&seeds, &subset.seeds) {
        report_missing(seeds, &input::display_name(path), &overviews, log)?;
    }
    let mut chosen: HashSet<&str> = overviews.iter().filter(|o| is_seed(o)).map(|o| o.id.as_str()).collect();
    if seeds.is_some() && subset.same_name > 0 {
        let names: HashSet<&str> =
            overviews.iter().filter(|o| is_seed(o)).filter_map(|o| o.label.as_deref()).collect();
        let homonyms = overviews
            .iter()
            .filter(|o| !is_seed(o) && o.label.as_deref().is_some_and(|label| names.contains(label)))
            .take(subset.same_name);
        chosen.extend(homonyms.map(|o| o.id.as_str()));
    }
    let by_id: HashMap<&str, &Overview> = overviews.iter().map(|o| (o.id.as_str(), o)).collect();
    let mut open: Vec<&str> = chosen
        .iter()
        .filter_map(|id| by_id.get(id))
        .flat_map(|o| {
            o.classes.iter().chain(&o.parents).map(String::as_str).chain(
                // An item with superclasses is a class itself.
                (!o.parents.is_empty()).then_some(o.id.as_str()),
            )
        })
        .collect();
    while let Some(class) = open.pop() {
        if selection.classes.insert(class.to_owned())
            && let Some(overview) = by_id.get(class)
        {
            open.extend(overview.parents.iter().map(String::as_str));
        }
    }
    if seeds.is_some() {
        let items = chosen.into_iter().map(str::to_owned).chain(selection.classes.iter().cloned());
        selection.items = Some(items.collect());
    }
    Ok(selection)
}

/// Reports seeds that are not in the dump; it is an error if none of them is.
fn report_missing(
    seeds: &BTreeMap<String, u64>,
    file: &str,
    overviews: &[Overview],
    log: &mut ImportLog,
) -> Result<()> {
    let ids = overviews.iter().flat_map(|o| o.freebase.iter().chain([&o.id]));
    let known: HashSet<&String> = ids.filter(|id| seeds.contains_key(*id)).collect();
    for (seed, &line) in seeds.iter().filter(|(seed, _)| !known.contains(seed)) {
        let hint = "expected ids such as Q42, /m/0282x or m.0282x";
        let what = if known.is_empty() {
            "none of the seeds is in the dump"
        } else {
            "this seed is not in the dump"
        };
        let problem = Problem::in_line(file, line, seed.as_bytes(), 0, format!("{what}; {hint}"));
        if known.is_empty() {
            return Err(KbError::Input(Box::new(problem)));
        }
        log.problem(problem)?;
    }
    Ok(())
}

/// `m.0282x` and `/m/0282x` are the same id, and so are `Q42` and its IRI.
fn normal_seed(seed: &str) -> String {
    let seed = seed.trim_matches(['<', '>']);
    let seed = seed.strip_prefix("http://rdf.freebase.com/ns/").unwrap_or(seed);
    let seed = seed.strip_prefix(crate::iri::WIKIDATA_ENTITY).unwrap_or(seed);
    match seed.split_once('.') {
        Some((kind @ ("m" | "g"), id)) => format!("/{kind}/{id}"),
        _ => seed.to_owned(),
    }
}

fn overview_of(entity: &EntityJson, lang: &str) -> Overview {
    let items = |property: &str| -> Vec<String> {
        claims(entity, property)
            .filter_map(|claim| match parse_snak(&claim.mainsnak) {
                Some(Parsed::Item(id)) => Some(id),
                _ => None,
            })
            .collect()
    };
    let freebase = claims(entity, FREEBASE_ID).filter_map(|claim| match parse_snak(&claim.mainsnak) {
        Some(Parsed::Text(id)) => Some(id),
        _ => None,
    });
    let snaks = entity
        .claims
        .values()
        .flatten()
        .flat_map(|claim| std::iter::once(&claim.mainsnak).chain(claim.qualifiers.values().flatten()));
    let units = snaks.filter(|snak| snak.datatype == "quantity").filter_map(|snak| match parse_snak(snak) {
        Some(Parsed::Quantity { unit, .. }) => unit,
        _ => None,
    });
    Overview {
        id: entity.id.clone(),
        is_property: entity.kind == "property",
        label: in_language(&entity.labels, lang).map(|(_, label)| label.value.clone()),
        freebase: freebase.collect(),
        classes: items(INSTANCE_OF),
        parents: items(SUBCLASS_OF),
        units: units.collect(),
    }
}

/// The claims of a property that are not deprecated.
fn claims<'e>(entity: &'e EntityJson, property: &str) -> impl Iterator<Item = &'e ClaimJson> {
    entity.claims.get(property).into_iter().flatten().filter(|claim| claim.rank != "deprecated")
}

fn parse_snak(snak: &SnakJson) -> Option<Parsed> {
    let data = snak.datavalue.as_ref().filter(|_| snak.snaktype == "value" || snak.snaktype.is_empty())?;
    let text = |key: &str| data.value.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    match data.kind.as_str() {
        "wikibase-entityid" => text("id")
            .or_else(|| {
                let number = data.value.get("numeric-id")?.as_u64()?;
                Some(format!("Q{number}"))
            })
            .map(Parsed::Item),
        "string" => data.value.as_str().map(|s| Parsed::Text(s.to_owned())),
        "monolingualtext" => Some(Parsed::Language { text: text("text")?, lang: text("language")? }),
        "quantity" => {
            let amount = text("amount")?;
            let unit = text("unit")?.rsplit('/').next().map(str::to_owned).filter(|unit| unit != "1");
            Some(Parsed::Quantity { amount: amount.trim_start_matches('+').to_owned(), unit })
        }
        "time" => {
            let precision = data.value.get("precision").and_then(|p| p.as_u64()).unwrap_or(11);
            // Wikidata's precisions end at 14.
            let precision = u8::try_from(precision).unwrap_or(u8::MAX);
            Some(Parsed::Time { time: text("time")?, precision })
        }
        _ => None,
    }
}

struct Reader<'a> {
    request: &'a ImportRequest,
    subset: &'a Subset,
    selection: Selection,
    /// Items that are values but not selected.
    mentioned: HashSet<String>,
    builder: &'a mut KbBuilder,
    log: &'a mut ImportLog,
}

impl Reader<'_> {
    fn entity(&mut self, entity: &EntityJson) -> Result<()> {
        if entity.kind == "property" {
            self.log.keep("property");
            return Ok(());
        }
        if self.selection.items.as_ref().is_some_and(|items| !items.contains(&entity.id)) {
            self.log.skip("item outside the subset");
            return Ok(());
        }
        self.log.keep("item");
        let node = self.builder.node(&entity.id)?;
        let is_class = self.selection.classes.contains(&entity.id);
        if is_class {
            self.builder.mark_class(node);
        }
        let lang = self.request.lang.as_str();
        self.builder.declare(node);
        if let Some((lang, label)) = in_language(&entity.labels, lang) {
            self.builder.add_name(node, NameKind::Label, &Literal::language_text(&label.value, lang));
        }
        if let Some((lang, aliases)) = in_language(&entity.aliases, lang) {
            for alias in aliases {
                self.builder.add_name(node, NameKind::Alias, &Literal::language_text(&alias.value, lang));
            }
        }
        if let Some((lang, text)) = in_language(&entity.descriptions, lang) {
            self.builder.add_name(node, NameKind::Description, &Literal::language_text(&text.value, lang));
        }
        for (property, list) in &entity.claims {
            for claim in list {
                self.claim(node, property, claim)?;
            }
        }
        Ok(())
    }

    fn claim(&mut self, subject: crate::build::RawNode, property: &str, claim: &ClaimJson) -> Result<()> {
        if claim.rank == "deprecated" {
            self.log.skip("deprecated statement");
            return Ok(());
        }
        if !self.subset.keep_identifiers && IDENTIFIER_TYPES.contains(&claim.mainsnak.datatype.as_str()) {
            self.log.skip("identifier, link or media (see --keep-identifiers)");
            return Ok(());
        }
        if claim.mainsnak.datatype == "globe-coordinate" {
            self.log.skip("coordinates, which are not imported");
            return Ok(());
        }
        let Some(value) = parse_snak(&claim.mainsnak) else {
            self.log.skip("statement without a value, or of an unknown kind");
            return Ok(());
        };
        if let (Parsed::Item(class), INSTANCE_OF | SUBCLASS_OF) = (&value, property) {
            self.log.keep("class statement");
            self.log.note_times(
                "qualifiers of instance-of or subclass-of statements",
                claim.qualifiers.values().map(|snaks| snaks.len() as u64).sum(),
            );
            if self.selection.items.as_ref().is_some_and(|items| !items.contains(class)) {
                self.mentioned.insert(class.clone());
            }
            let class = self.builder.node(class)?;
            if property == INSTANCE_OF {
                self.builder.add_class(subject, class);
            } else {
                self.builder.add_parent(subject, class);
            }
            return Ok(());
        }
        if let (Parsed::Item(id), Some(items)) = (&value, &self.selection.items)
            && !items.contains(id)
        {
            self.log.skip("relation to an item outside the subset");
            return Ok(());
        }
        let Some(value) = self.value(&value)? else {
            self.log.skip("time coarser than a year, or not a valid number or time");
            return Ok(());
        };
        let mut qualifiers: Vec<(RawQualifier, RawValue)> = Vec::new();
        for (key, snaks) in &claim.qualifiers {
            for snak in snaks {
                if !self.subset.keep_identifiers && IDENTIFIER_TYPES.contains(&snak.datatype.as_str()) {
                    self.log.note("qualifiers that are identifiers, links or media");
                    continue;
                }
                let Some(parsed) = parse_snak(snak) else {
                    self.log.note("qualifiers without a value, or of an unknown kind");
                    continue;
                };
                if let (Parsed::Item(id), Some(items)) = (&parsed, &self.selection.items)
                    && !items.contains(id)
                {
                    self.mentioned.insert(id.clone());
                }
                match self.value(&parsed)? {
                    Some(value) => qualifiers.push((self.builder.qualifier(key), value)),
                    None => self
                        .log
                        .note("qualifiers that are times coarser than a year, or not a valid number or time"),
                }
            }
        }
        self.log.keep("statement");
        let property = self.builder.property(property);
        self.builder.fact(subject, property, value, &mut qualifiers, None)
    }

    fn value(&mut self, value: &Parsed) -> Result<Option<RawValue>> {
        let time;
        let literal = match value {
            Parsed::Item(id) => return self.builder.node(id).map(|node| Some(node.into())),
            Parsed::Text(text) => Some(Literal::text_value(text)),
            Parsed::Language { text, lang } => Some(Literal::language_text(text, lang)),
            Parsed::Quantity { amount, unit } => {
                let label = unit.as_ref().map(|id| self.selection.unit_labels.get(id).unwrap_or(id));
                Literal::quantity(amount, label.map_or("", String::as_str))
            }
            Parsed::Time { time: text, precision } => {
                time = time_literal(text, *precision);
                time.as_ref().and_then(|time| time.literal())
            }
        };
        literal.map(|literal| self.builder.literal(&literal)).transpose()
    }

    fn label_of_mentioned(&mut self, entity: &EntityJson) -> Result<()> {
        let lang = self.request.lang.as_str();
        if self.mentioned.contains(&entity.id)
            && let Some((lang, label)) = in_language(&entity.labels, lang)
        {
            let node = self.builder.node(&entity.id)?;
            self.builder.add_name(node, NameKind::Label, &Literal::language_text(&label.value, lang));
        }
        Ok(())
    }
}
