//! Settings of the client of an endpoint.

use std::time::Duration;

/// How queries are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// As a form, whatever their length.
    #[default]
    Post,
    /// In the address if they are short, so that caches can answer them; otherwise as a form.
    GetIfShort,
}

/// Settings of the client of an endpoint. The defaults retry, and check suspicious results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointSettings {
    /// Maximum time for one request, from connecting to the last byte. The time left in the budget also applies.
    pub timeout: Duration,
    /// Maximum number of retries after a temporary failure.
    pub retries: u32,
    /// The wait before the first retry; doubled every time, and shortened at random by up to a half.
    pub back_off: Duration,
    /// The longest wait. If the server asks for a longer one, there is no retry.
    pub longest_wait: Duration,
    /// Gets results with more rows than this in pages of this size. If `None`, only results that the server truncates are read in pages.
    pub page_size: Option<usize>,
    /// How queries are sent.
    pub method: Method,
    /// The graph to query, if the server holds several.
    pub default_graph: Option<String>,
    /// Checks results with a suspicious number of rows, such as 10,000, by asking the server for the count. Costs one query
    /// for each of them. Results that the server reports as truncated are always completed.
    pub detect_caps: bool,
}

impl Default for EndpointSettings {
    fn default() -> EndpointSettings {
        EndpointSettings {
            timeout: Duration::from_secs(60),
            retries: 4,
            back_off: Duration::from_millis(250),
            longest_wait: Duration::from_secs(60),
            page_size: None,
            method: Method::Post,
            default_graph: None,
            detect_caps: true,
        }
    }
}
