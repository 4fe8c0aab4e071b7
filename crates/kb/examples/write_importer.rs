//! An importer for your own format: a table of films, one per line, with columns separated by semicolons.
//!
//!     cargo run -p touchstone-kb --example write_importer
//!
//! An importer passes what it reads to a `KbBuilder`, in any order. The builder numbers, sorts and indexes everything.
#![allow(clippy::print_stdout)]

use std::error::Error;
use touchstone_kb::{Kb, KbBuilder, Literal, NameKind, NoProgress, Property, Workspace};

const FILMS: &str = "\
Metropolis;Fritz Lang;1927;153
M;Fritz Lang;1931;117
Nosferatu;F. W. Murnau;1922;94
";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;

    // 1. A builder. It sorts facts on disk beyond this many bytes of memory.
    let mut builder = KbBuilder::new(Workspace { dir: folder.path().into(), memory: 1 << 20 });
    builder.meta.name = "Silent films".to_owned();
    builder.meta.license = "CC0".to_owned();
    builder.meta.lang = "en".to_owned();

    // 2. The schema: classes and properties. Whether a property is a relation or an attribute follows from its values.
    let (film, person) = (builder.node("film")?, builder.node("person")?);
    for (class, label) in [(film, "film"), (person, "person")] {
        builder.mark_class(class);
        builder.add_name(class, NameKind::Label, &Literal::language_text(label, "en"));
    }
    let director = builder.property("director");
    builder.set_property_label(director, &Literal::language_text("director", "en"));
    builder.set_domain(director, film);
    builder.set_range(director, person);
    let (released, duration) = (builder.property("released"), builder.property("duration"));

    // 3. The records. Bad ones are reported with their line, never dropped silently.
    for (number, line) in FILMS.lines().enumerate() {
        let columns: Vec<&str> = line.split(';').collect();
        let &[title, by, year, minutes] = columns.as_slice() else {
            return Err(format!("line {}: four columns expected, {} found", number + 1, columns.len()).into());
        };
        let film_node = builder.node(&format!("film/{title}"))?;
        builder.add_name(film_node, NameKind::Label, &Literal::language_text(title, "en"));
        builder.add_class(film_node, film);
        let person_node = builder.node(&format!("person/{by}"))?;
        builder.add_name(person_node, NameKind::Label, &Literal::language_text(by, "en"));
        builder.add_class(person_node, person);
        builder.fact(film_node, director, person_node.into(), &mut [], None)?;
        let year =
            Literal::year(year).ok_or_else(|| format!("line {}: `{year}` is not a year", number + 1))?;
        let year = builder.literal(&year)?;
        builder.fact(film_node, released, year, &mut [], None)?;
        let minutes = Literal::quantity(minutes, "minute")
            .ok_or_else(|| format!("line {}: `{minutes}` is not a number", number + 1))?;
        let minutes = builder.literal(&minutes)?;
        builder.fact(film_node, duration, minutes, &mut [], None)?;
    }

    // 4. Compile, open, look up.
    let store = folder.path().join("kb");
    let report = builder.compile(&store, &NoProgress)?;
    println!("fingerprint {}", report.manifest.fingerprint);
    let kb = Kb::open(&store)?;
    let relation = kb.relation("director").ok_or("there is no relation `director`")?;
    for fact in kb.facts_with(Property::Relation(relation)) {
        if let touchstone_kb::Value::Node(by) = fact.value {
            println!("{} was directed by {}", kb.label(fact.subject), kb.label(by));
        }
    }
    Ok(())
}
