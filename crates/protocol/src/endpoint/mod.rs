//! A client for SPARQL endpoints: queries only, bounded, and with complete answers only.
//!
//! ```no_run
//! use touchstone_engine::budget::{Budget, Limits};
//! use touchstone_protocol::{Endpoint, EndpointSettings};
//! let endpoint = Endpoint::new("http://127.0.0.1:8890/sparql", EndpointSettings::default())?;
//! let budget = Budget::new(Limits::default());
//! let table = endpoint.select("SELECT ?s { ?s a <urn:city> }", &budget)?;
//! assert_eq!(table.variables.len(), 1);
//! # Ok::<(), touchstone_protocol::EndpointError>(())
//! ```
//!
//! Servers truncate results without reporting it. Where a result may be truncated, the client asks the server for the number of rows and gets the rest
//! in pages; see [`EndpointSettings::detect_caps`]. The result is complete, or an error.
//!
//! Credentials are read only from the environment: [`USER_VARIABLE`], [`PASSWORD_VARIABLE`], [`TOKEN_VARIABLE`].
//!
//! Virtuoso writes doubles with six digits: 14756087 comes back as 1.47561e+07. `STR(?v)` gives all digits.

mod address;
mod anatomy;
mod credentials;
mod engine;
mod error;
mod graphs;
mod meter;
mod paging;
mod retry;
mod settings;
mod tables;
mod transport;
mod virtuoso;

pub use credentials::{Credentials, PASSWORD_VARIABLE, TOKEN_VARIABLE, USER_VARIABLE};
pub use error::EndpointError;
pub use graphs::GraphResult;
pub use settings::{EndpointSettings, Method};
pub use tables::EndpointRows;

use address::Address;
use anatomy::{Anatomy, Form};
use meter::Meter;
use std::fmt;
use std::sync::atomic::AtomicU64;
use touchstone_engine::budget::Budget;
use touchstone_engine::sparql::Results;

/// A SPARQL endpoint. Threads can share one; its connections are reused.
pub struct Endpoint {
    address: Address,
    settings: EndpointSettings,
    credentials: Credentials,
    agent: ureq::Agent,
    random: AtomicU64,
}

impl Endpoint {
    /// An endpoint, with the credentials in the environment. Nothing is sent yet.
    pub fn new(url: &str, settings: EndpointSettings) -> Result<Endpoint, EndpointError> {
        Endpoint::with_credentials(url, settings, Credentials::from_environment()?)
    }

    /// An endpoint, with these credentials. Nothing is sent yet.
    pub fn with_credentials(
        url: &str,
        settings: EndpointSettings,
        credentials: Credentials,
    ) -> Result<Endpoint, EndpointError> {
        let address = Address::parse(url)?;
        if credentials.header().is_some() && !address.is_encrypted() {
            tracing::warn!(url = address.shown(), "credentials are sent without encryption");
        }
        Ok(Endpoint {
            address,
            settings,
            credentials,
            agent: transport::agent(),
            random: AtomicU64::new(retry::SEED),
        })
    }

    /// The address, without parameters, as it is in messages.
    pub fn url(&self) -> &str {
        self.address.shown()
    }

    /// The settings.
    pub fn settings(&self) -> &EndpointSettings {
        &self.settings
    }

    /// All rows of a `SELECT`.
    ///
    /// Rows and bytes are charged to the budget, and its time bounds the requests. A cancellation is noticed before requests, while waiting
    /// to try again, and whenever something arrives; not while the server is silent, which [`EndpointSettings::timeout`] ends.
    pub fn select(&self, text: &str, budget: &Budget<'_>) -> Result<EndpointRows, EndpointError> {
        let anatomy = expect(text, "a SELECT", &[Form::Select])?;
        let meter = Meter::new(budget);
        let mut table = self.complete_table(&anatomy, &meter)?;
        table.bytes = meter.keep();
        Ok(table)
    }

    /// The answer to an `ASK`.
    pub fn ask(&self, text: &str, budget: &Budget<'_>) -> Result<bool, EndpointError> {
        let anatomy = expect(text, "an ASK", &[Form::Ask])?;
        let page = self.fetch(anatomy.text, &Meter::aside(budget))?;
        page.truth().ok_or_else(|| EndpointError::Malformed {
            url: self.shown(),
            message: "a table where a boolean was asked for".to_owned(),
        })
    }

    /// The triples of a `CONSTRUCT` or a `DESCRIBE`.
    ///
    /// With [`EndpointSettings::detect_caps`], a `CONSTRUCT` is sent as a `SELECT`, and its triples are made here: Virtuoso cuts graphs and does not
    /// even report it. A `DESCRIBE` is taken as it comes; Virtuoso does not cut these.
    pub fn graph(&self, text: &str, budget: &Budget<'_>) -> Result<GraphResult, EndpointError> {
        let anatomy = expect(text, "a CONSTRUCT or DESCRIBE", &[Form::Construct, Form::Describe])?;
        let meter = Meter::new(budget);
        let triples = if anatomy.form == Form::Construct && self.settings.detect_caps {
            self.construct(&anatomy, &meter)?
        } else {
            self.fetch_graph(anatomy.text, &meter)?
        };
        Ok(GraphResult { triples, bytes: meter.keep() })
    }

    /// The answer to a query of any form.
    pub fn query(&self, text: &str, budget: &Budget<'_>) -> Result<Results, EndpointError> {
        Ok(match Anatomy::of(text)?.form {
            Form::Select => {
                let EndpointRows { variables, rows, .. } = self.select(text, budget)?;
                Results::Solutions { variables, rows }
            }
            Form::Ask => Results::Boolean(self.ask(text, budget)?),
            Form::Construct | Form::Describe => Results::Graph(self.graph(text, budget)?.triples),
        })
    }

    fn shown(&self) -> String {
        self.address.shown().to_owned()
    }
}

/// Addresses may have keys in their parameters.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.url())
            .field("settings", &self.settings)
            .field("credentials", &self.credentials)
            .finish()
    }
}

fn expect<'a>(text: &'a str, expected: &'static str, forms: &[Form]) -> Result<Anatomy<'a>, EndpointError> {
    let anatomy = Anatomy::of(text)?;
    if forms.contains(&anatomy.form) {
        return Ok(anatomy);
    }
    Err(EndpointError::Query { expected, found: format!("{:?}", anatomy.form).to_ascii_uppercase() })
}
