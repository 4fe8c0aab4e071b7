#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

mod cast;
mod drawing;
mod experiment_page;
mod line_chart;
mod page;
mod report;
mod stats_page;
mod sunburst;
mod web;

pub use drawing::{DrawingError, DrawingFolder, svg};
pub use experiment_page::{ExperimentPage, PageTable, experiment_markdown, experiment_page};
pub use line_chart::{ChartLine, LineChart};
pub use report::{Report, ReportConfig, ReportError, ReportRun, WrittenReport, report, report_page};
pub use stats_page::{StatsWithAttacks, stats_page};
pub use web::{
    AskSystems, AskSystemsError, NamedSystem, OpenSystems, RouteKind, Studio, StudioError, StudioFolder,
    StudioFolderError, StudioOptions, StudioRoute, serve_studio, studio_routes,
};
