//! What a reply cost: measured here, or reported by the system.

use crate::system::{Asked, System, Worker};
use serde_json::{Value as Json, json};
use std::time::Instant;
use touchstone_benchmark::{Prices, Usage};

/// Asks, and notes the seconds that it took, unless the system reports them.
pub(crate) fn timed(worker: &mut dyn Worker, asked: &Asked) -> Option<Json> {
    let start = Instant::now();
    let mut reply = worker.answer(asked)?;
    let seconds = start.elapsed().as_secs_f64();
    if reply.is_object() {
        let usage = &mut reply["usage"];
        if usage.is_null() {
            *usage = json!({});
        }
        if let Some(usage) = usage.as_object_mut()
            && !usage.contains_key("seconds")
        {
            // Microseconds will do.
            usage.insert("seconds".to_owned(), json!((seconds * 1e6).round() / 1e6));
        }
    }
    Some(reply)
}

/// A system whose tokens have a price.
pub struct Priced<'s> {
    system: Box<dyn System + 's>,
    prices: Prices,
}

impl<'s> Priced<'s> {
    /// A system with the prices of its tokens. Replies that report a cost keep it.
    pub fn new(system: Box<dyn System + 's>, prices: Prices) -> Priced<'s> {
        Priced { system, prices }
    }
}

impl System for Priced<'_> {
    fn name(&self) -> String {
        self.system.name()
    }

    fn is_timed(&self) -> bool {
        self.system.is_timed()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Accountant { inner: self.system.worker(), prices: self.prices })
    }
}

struct Accountant<'s> {
    inner: Box<dyn Worker + 's>,
    prices: Prices,
}

impl Worker for Accountant<'_> {
    fn answer(&mut self, asked: &Asked) -> Option<Json> {
        let mut reply = self.inner.answer(asked)?;
        if let Some(cost) = Usage::of_json(&reply).priced(self.prices).cost
            && let Some(usage) = reply["usage"].as_object_mut()
        {
            usage.insert("cost".to_owned(), json!(cost));
        }
        Some(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(Json);

    impl Worker for Fixed {
        fn answer(&mut self, _: &Asked) -> Option<Json> {
            Some(self.0.clone())
        }
    }

    impl System for Fixed {
        fn name(&self) -> String {
            "fixed".to_owned()
        }

        fn worker(&self) -> Box<dyn Worker + '_> {
            Box::new(Fixed(self.0.clone()))
        }
    }

    #[test]
    fn seconds_and_costs_are_added_where_there_are_none() {
        let asked = Asked {
            id: "1".to_owned(),
            question: "Who?".to_owned(),
            entities: None,
            choices: None,
            schema: None,
        };
        let reply = timed(&mut Fixed(json!({ "answers": [] })), &asked).expect("a reply");
        assert!(Usage::of_json(&reply).seconds.is_some(), "{reply}");
        let own = json!({ "usage": { "seconds": 7.5 } });
        assert_eq!(timed(&mut Fixed(own.clone()), &asked), Some(own));
        // Nothing is known of a reply that was kept without its time: it stays so.
        let kept = json!({ "usage": { "seconds": null } });
        assert_eq!(timed(&mut Fixed(kept.clone()), &asked), Some(kept));
        assert_eq!(timed(&mut Fixed(json!([1])), &asked), Some(json!([1])));

        let prices = Prices { tokens_in: 1.0, tokens_out: 10.0 };
        let priced = |reply: Json| {
            Priced::new(Box::new(Fixed(reply)), prices).worker().answer(&asked).expect("a reply")
        };
        let paid = priced(json!({ "usage": { "tokens_in": 1000, "tokens_out": 100 } }));
        assert_eq!(paid["usage"]["cost"], json!(0.002));
        assert_eq!(
            priced(json!({ "usage": { "cost": 3, "tokens_in": 1 } }))["usage"]["cost"].as_f64(),
            Some(3.0)
        );
        assert_eq!(priced(json!({ "answers": [] })), json!({ "answers": [] }));
    }
}
