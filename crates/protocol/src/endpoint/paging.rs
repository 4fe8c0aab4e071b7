//! Completes results that the server truncates, page by page. A result is complete, or it is an error.

use super::Endpoint;
use super::anatomy::Anatomy;
use super::error::EndpointError;
use super::meter::Meter;
use super::tables::{EndpointRows, Page};
use super::virtuoso;
use oxrdf::vocab::xsd;
use oxrdf::{Term, Variable};
use std::collections::HashSet;

/// The number of rows of a page if the server's maximum is unknown. If the server returns fewer, the next page begins after them.
const PAGE: u64 = 10_000;

impl Endpoint {
    /// All rows of a `SELECT`.
    pub(super) fn complete_table(
        &self,
        anatomy: &Anatomy<'_>,
        meter: &Meter<'_>,
    ) -> Result<EndpointRows, EndpointError> {
        let own_limit = anatomy.limit.unwrap_or(u64::MAX);
        let page_size =
            self.settings.page_size.map(|size| (size as u64).max(1)).filter(|size| *size < own_limit);
        let first = match page_size {
            Some(size) => self.fetch(&anatomy.sliced(size), meter),
            None => self.fetch(anatomy.text, meter),
        };
        let (page, refused) = match first {
            Err(EndpointError::Status { message, .. }) if virtuoso::cannot_cut(&message) => {
                (self.fetch(&anatomy.columns(), meter)?, true)
            }
            page => (page?, false),
        };
        if page.boolean.is_some() {
            return Err(EndpointError::Malformed {
                url: self.shown(),
                message: "a boolean instead of a table".to_owned(),
            });
        }
        let count = page.table.rows.len() as u64;
        let cut_by_us = page_size.is_some_and(|size| count >= size);
        let cut_by_server = page.cap.is_some_and(|cap| count >= cap);
        let doubtful = self.settings.detect_caps && is_suspicious(count);
        if !refused && (count >= own_limit || !(cut_by_us || cut_by_server || doubtful)) {
            return Ok(page.table);
        }
        // Servers count all rows, even if they do not return all of them.
        let total = self.count(anatomy, false, meter)?.saturating_sub(anatomy.offset).min(own_limit);
        if total == count {
            return Ok(page.table);
        }
        tracing::debug!(
            received = count,
            total,
            cap = page.cap,
            "the result was truncated; getting it in pages"
        );
        meter.start_over();
        let Page { table: EndpointRows { variables, .. }, cap, is_virtuoso, .. } = page;
        if variables.is_empty() {
            return Err(self.capped(count, total, cap, "it has no columns to sort by"));
        }
        let size = page_size.unwrap_or(if refused { PAGE } else { count }).max(1);
        let table = self.all_pages(anatomy, variables, size, total, cap, is_virtuoso, meter)?;
        self.check(anatomy, &table, total, cap, meter)?;
        Ok(table)
    }

    #[expect(clippy::too_many_arguments, reason = "the findings of the first request")]
    fn all_pages(
        &self,
        anatomy: &Anatomy<'_>,
        variables: Vec<Variable>,
        size: u64,
        total: u64,
        cap: Option<u64>,
        nested: bool,
        meter: &Meter<'_>,
    ) -> Result<EndpointRows, EndpointError> {
        let mut table = EndpointRows { variables, rows: Vec::new(), bytes: 0 };
        while (table.rows.len() as u64) < total {
            let received = table.rows.len() as u64;
            let text =
                anatomy.page(&table.variables, size.min(total - received), anatomy.offset + received, nested);
            let page = self.fetch(&text, meter)?;
            if page.table.rows.is_empty() {
                return Err(self.capped(received, total, cap, "the server returns no further page"));
            }
            if page.table.variables != table.variables {
                return Err(self.capped(received, total, cap, "the columns of a page are different"));
            }
            table.rows.extend(page.table.rows);
        }
        Ok(table)
    }

    /// Pages that overlap also miss rows: then there are fewer distinct rows than the server counted.
    fn check(
        &self,
        anatomy: &Anatomy<'_>,
        table: &EndpointRows,
        total: u64,
        cap: Option<u64>,
        meter: &Meter<'_>,
    ) -> Result<(), EndpointError> {
        let received = table.rows.len() as u64;
        if received != total {
            return Err(self.capped(received, total, cap, "there are more rows than the server counted"));
        }
        let different = table.rows.iter().collect::<HashSet<_>>().len() as u64;
        // Virtuoso rounds numbers, so different ones can look the same; with a limit, only part of the rows was requested.
        let is_known = !table.rows.iter().flatten().flatten().any(is_rounded)
            && anatomy.limit.is_none()
            && anatomy.offset == 0;
        if different == received || !is_known {
            return Ok(());
        }
        let expected = if anatomy.is_distinct() { total } else { self.count(anatomy, true, meter)? };
        if different == expected {
            return Ok(());
        }
        let reason = format!("its pages overlap: {different} distinct rows of {expected}");
        Err(self.capped(received, total, cap, &reason))
    }

    /// The number of rows of a query without its limits, or of its distinct rows.
    fn count(&self, anatomy: &Anatomy<'_>, distinct: bool, meter: &Meter<'_>) -> Result<u64, EndpointError> {
        let aside = Meter::aside(meter.budget());
        let page = self.fetch(&anatomy.counted(distinct), &aside)?;
        page.number().ok_or_else(|| EndpointError::Malformed {
            url: self.shown(),
            message: "the count of rows is not a number".to_owned(),
        })
    }

    fn capped(&self, received: u64, expected: u64, cap: Option<u64>, reason: &str) -> EndpointError {
        EndpointError::Capped {
            url: self.shown(),
            received,
            expected: Some(expected),
            cap,
            reason: reason.to_owned(),
        }
    }
}

fn is_rounded(term: &Term) -> bool {
    matches!(term, Term::Literal(literal) if [xsd::DOUBLE, xsd::FLOAT].contains(&literal.datatype()))
}

/// Whether such a number is likely to be a configured limit: round ones from 100, and powers of two from 256.
fn is_suspicious(count: u64) -> bool {
    let mut leading = count;
    while leading >= 100 && leading.is_multiple_of(10) {
        leading /= 10;
    }
    let is_round = count >= 100
        && leading < 100
        && (leading.is_multiple_of(10) || leading < 10 || leading == 15 || leading == 25)
        || count >= 1000 && count.is_multiple_of(1000);
    is_round || count >= 256 && (count.is_power_of_two() || (count + 1).is_power_of_two())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_look_like_limits() {
        for count in [
            100,
            200,
            250,
            500,
            1000,
            1024,
            1500,
            2000,
            4096,
            5000,
            10_000,
            50_000,
            65_535,
            65_536,
            100_000,
            1_000_000,
            1 << 20,
        ] {
            assert!(is_suspicious(count), "{count}");
        }
        for count in
            [0, 1, 2, 10, 20, 50, 64, 99, 101, 110, 123, 330, 999, 1001, 1234, 9999, 10_001, 42_235, 123_450]
        {
            assert!(!is_suspicious(count), "{count}");
        }
    }
}
