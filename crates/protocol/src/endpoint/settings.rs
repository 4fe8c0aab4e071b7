//! How to speak with an endpoint.

use std::time::Duration;

/// How queries are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// As a form, whatever their length.
    #[default]
    Post,
    /// In the address when they are short, which caches understand; as a form otherwise.
    GetIfShort,
}

/// How to speak with an endpoint. The default is patient and sceptical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointSettings {
    /// For one request, from connecting to the last byte. The time left in the budget is also respected.
    pub timeout: Duration,
    /// How often to try again after a failure that may pass.
    pub retries: u32,
    /// The wait before trying again; doubled every time, and shortened at random by up to a half.
    pub back_off: Duration,
    /// The longest wait, also if the server asks for a longer one: then there is no other try.
    pub longest_wait: Duration,
    /// Get results of more rows than this in pages of this size. Without it, only results that the server cuts are got in pages.
    pub page_size: Option<usize>,
    /// How queries are sent.
    pub method: Method,
    /// The graph to query, if the server holds several.
    pub default_graph: Option<String>,
    /// Doubt results with a suspicious number of rows, like 10,000: ask the server how many there are. Costs a query
    /// for each of them. Results which the server itself says are cut are always completed.
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
