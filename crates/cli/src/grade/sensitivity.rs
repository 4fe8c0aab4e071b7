//! `touchstone sensitivity`.

use super::degrade::{check_share, check_text, degradation};
use super::{GoldArgs, three};
use crate::progress::Bar;
use crate::table::KEEP;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use touchstone_grade::degrade::Degradation;
use touchstone_grade::sensitivity::{Reaction, Row, sensitivity};

/// Arguments of `touchstone sensitivity`.
#[derive(Args)]
pub(crate) struct SensitivityArgs {
    #[command(flatten)]
    gold: GoldArgs,
    /// Which degradations, separated by commas; without it those of the paper
    #[arg(long, value_delimiter = ',', default_value = "T1,T2,T3")]
    transform: Vec<String>,
    /// Which shares
    #[arg(long, value_delimiter = ',', default_value = "0.1,0.2")]
    share: Vec<f64>,
    /// The same seed degrades the same questions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SensitivityArgs) -> Result<Outcome> {
    let transforms: Vec<Degradation> =
        args.transform.iter().map(|name| degradation(name)).collect::<Result<_>>()?;
    args.share.iter().try_for_each(|&share| check_share(share))?;
    let gold = args.gold.open()?;
    let words = gold.words();
    let grader = gold.grader(words.as_ref());
    let questions = gold.questions()?;
    if transforms.iter().any(|transform| transform.is_of_text()) {
        check_text(&questions)?;
    }
    let bar = Bar::new();
    let rows = sensitivity(&grader, &questions, &gold.pool(), &transforms, &args.share, args.seed, &bar);
    drop(bar);
    if args.json {
        output::json(&rows)?;
        return Ok(Outcome::Done);
    }
    show(&rows)?;
    output::prose(
        "† at most 1 - 0.1 x, ‡ at most 1 - 0.5 x, where x is the share; `changed` is the share that could be degraded",
    )?;
    Ok(Outcome::Done)
}

fn show(rows: &[Row]) -> Result<()> {
    let headings: Vec<String> =
        rows.iter().map(|row| format!("{} {:.0}{KEEP}%", row.degradation, row.share * 100.0)).collect();
    let mut all = vec!["measure"];
    all.extend(headings.iter().map(String::as_str));
    let mut table = output::table(&all);
    let mut changed = vec!["changed".to_owned()];
    changed.extend(rows.iter().map(|row| three(row.changed)));
    table.add_row(changed);
    let names: Vec<&str> =
        rows.first().map_or(Vec::new(), |row| row.scores.iter().map(|(n, _)| n.as_str()).collect());
    for (at, name) in names.iter().enumerate() {
        let mut cells = vec![(*name).to_owned()];
        for row in rows {
            let score = row.scores[at].1;
            cells.push(format!("{}{}", three(score), Reaction::of(score, row.share).sign()));
        }
        table.add_row(cells);
    }
    output::text(&table.to_string())
}
