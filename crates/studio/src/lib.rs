#![doc = include_str!("../README.md")]

mod drawing;
mod page;
mod report;
mod report_data;
mod report_page;
mod stats_page;
mod sunburst;

pub use drawing::{DrawingError, DrawingFolder, svg};
pub use report::{ReportConfig, ReportError, WrittenReport, report};
pub use report_data::{
    Interval, MeasureScore, RegressionRow, RegressionTable, Report, ReportRun, ReportSensitivity,
    ReportSummary,
};
pub use report_page::report_page;
pub use stats_page::stats_page;
