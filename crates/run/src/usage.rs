//! The cost of a reply: measured here, or reported by the system.

use crate::system::{SystemInput, Worker};
use std::time::Instant;
use touchstone_benchmark::Prediction;

/// Asks a question, and adds the elapsed seconds if they are to be measured and the system does not report them. A failure becomes the
/// error of the prediction. `None`: the run was stopped.
pub(crate) fn answer_or_error(
    worker: &mut dyn Worker,
    input: &SystemInput,
    is_timed: bool,
) -> Option<Prediction> {
    let start = Instant::now();
    let reply = worker.answer(input);
    let seconds = start.elapsed().as_secs_f64();
    let mut prediction = match reply {
        Ok(prediction) => prediction,
        Err(error) => error.into_prediction(&input.id)?,
    };
    if prediction.id != input.id {
        prediction.id.clone_from(&input.id);
    }
    if is_timed && prediction.usage.seconds.is_none() {
        // Microsecond precision is sufficient.
        prediction.usage.seconds = Some((seconds * 1e6).round() / 1e6);
    }
    Some(prediction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system_error::SystemError;
    use serde_json::json;

    struct Fixed(fn() -> Result<Prediction, SystemError>);

    impl Worker for Fixed {
        fn answer(&mut self, _: &SystemInput) -> Result<Prediction, SystemError> {
            (self.0)()
        }
    }

    #[test]
    fn seconds_are_added_where_there_are_none() {
        let input = SystemInput::new("1", "Who?");
        let ask = |reply, is_timed| answer_or_error(&mut Fixed(reply), &input, is_timed);
        let plain = || Ok(Prediction::default());
        let prediction = ask(plain, true).expect("a prediction");
        assert!(prediction.usage.seconds.is_some() && prediction.id == "1");
        assert_eq!(ask(plain, false).expect("a prediction").usage.seconds, None);
        let own = || Ok(Prediction::from_reply("1", json!({ "usage": { "seconds": 7.5 } }))?);
        assert_eq!(ask(own, true).expect("a prediction").usage.seconds, Some(7.5));
        let failed = ask(|| Err(SystemError::ReplyTooLong), true).expect("an error");
        assert!(failed.usage.seconds.is_some());
        assert_eq!(failed.error.as_deref(), Some("the reply is longer than 16 MB"));
        assert_eq!(ask(|| Err(SystemError::Stopped), true), None);
    }
}
