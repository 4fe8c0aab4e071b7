//! What each step of a program finds: the intermediate results that people need to understand or correct a program.

use crate::budget::Cancel;
use crate::reply::Reply;
use crate::session::{Session, Settings};
use touchstone_logic::kopl::KoplFunction;
use touchstone_logic::{Language, Program};

/// Maximum number of steps that are run. Real programs have at most thirty.
const MAX_STEPS: usize = 60;

/// What each step of a program finds. A step is run as a program of its own, with the steps that it needs, within the limits of the
/// settings; `None` for steps that have no meaning alone, and for those after the first sixty.
///
/// ```
/// use touchstone_engine::budget::Cancel;
/// use touchstone_engine::{Outcome, Session, Settings, program_steps};
/// use touchstone_kb::NoProgress;
/// use touchstone_logic::Program;
///
/// let kb = touchstone_world::open(&NoProgress)?;
/// let program = Program::parse("Find(Paris) > Relate(country, forward) > What()")?;
/// let steps = program_steps(&Session::new(&kb), &program, &Settings::default(), &Cancel::default());
/// assert_eq!(steps.len(), 3);
/// assert!(matches!(steps[0].as_ref().map(|reply| &reply.outcome), Some(Outcome::Answered(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn program_steps(
    session: &Session<'_>,
    program: &Program,
    settings: &Settings,
    cancel: &Cancel,
) -> Vec<Option<Reply>> {
    let reply = |at: usize| {
        // What a qualifier or a verification needs from the step before it is the fact, not the thing: alone, the step has no meaning.
        let is_alone = at < MAX_STEPS && !cancel.is_cancelled();
        let text = up_to(program, at).filter(|_| is_alone)?.to_readable().ok()?;
        Some(session.run(Language::Kopl, &text, settings, cancel))
    };
    (0..program.steps.len()).map(reply).collect()
}

/// The program that ends with a step; `What` is added to a step that gives entities.
fn up_to(program: &Program, last: usize) -> Option<Program> {
    let mut needed = vec![false; last + 1];
    *needed.get_mut(last)? = true;
    for at in (0..=last).rev() {
        if needed[at] {
            for &dependency in &program.steps.get(at)?.dependencies {
                *needed.get_mut(dependency).filter(|_| dependency < at)? = true;
            }
        }
    }
    let mut numbers = vec![0; last + 1];
    let mut steps = Vec::new();
    for at in (0..=last).filter(|&at| needed[at]) {
        numbers[at] = steps.len();
        let mut step = program.steps[at].clone();
        step.dependencies.iter_mut().for_each(|dependency| *dependency = numbers[*dependency]);
        steps.push(step);
    }
    let gives_entities =
        program.steps[last].function.gives().serves_as(touchstone_logic::kopl::Type::Entities);
    if gives_entities {
        let dependencies = vec![steps.len() - 1];
        steps.push(touchstone_logic::kopl::ProgramStep {
            function: KoplFunction::What,
            inputs: Vec::new(),
            dependencies,
        });
    }
    Some(Program { steps })
}

#[cfg(test)]
mod tests {
    use super::up_to;
    use touchstone_logic::Program;

    #[test]
    fn each_step_is_a_program() {
        let text = "Find(A) > Relate(r, forward) > Find(B) > Relate(r, forward) > And() > Count()";
        let program = Program::parse(text).expect("a program");
        let ends: Vec<String> = (0..program.steps.len())
            .map(|at| up_to(&program, at).and_then(|part| part.to_readable().ok()).expect("a part"))
            .collect();
        assert_eq!(ends[0], "Find(A) > What()");
        assert_eq!(ends[3], "Find(B) > Relate(r, forward) > What()");
        assert!(ends[4].ends_with("And() > What()"), "{}", ends[4]);
        assert_eq!(Program::parse(&ends[5]).expect("the whole"), program);
    }
}
