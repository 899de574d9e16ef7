//! One program through everything: its rules, its parts, its network system, checkers and oracle.

use crate::trial::{Finding, Trial, agrees, try_system_with};
use crate::{Oracle, brute_force};
use ser_cert::Scope;
use ser_engine::{
    LargeAnswer, LargeOptions, Options, RefuteOptions, RuleOptions, certify_part, certify_rules,
    decide_large,
};
use ser_lang::ast::Program;
use ser_model::{ExploreError, Limits, ProgramModel, RuleSystem, RunBound, program_rules};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What came out of one program.
#[derive(Clone, Debug)]
pub struct ProgramTrial {
    /// Without listing global states: `rules`, `refuted` or `unknown`; nothing if the program has no
    /// rules that could be listed.
    pub large: Option<Trial>,
    /// With all global states; nothing if they cannot be listed.
    pub whole: Option<Trial>,
}

impl ProgramTrial {
    /// The answer that comes first.
    pub fn first(&self) -> Option<&Trial> {
        let large = self.large.as_ref().filter(|t| t.decided_by != "unknown");
        large.or(self.whole.as_ref()).or(self.large.as_ref())
    }
}

/// The most states that brute force looks at.
const ORACLE_STATES: usize = 50_000;

/// Decides a program in two ways, by its rules and parts and, with these options, by its network
/// system; checks all certificates, and compares with brute force up to `requests`.
///
/// ```
/// let text = "request r { while (L == 1) { yield }; L := 1; X := 1 - X; yield; L := 0; X }";
/// let trial = ser_fuzz::try_program(text, &Default::default(), 3, std::time::Duration::from_secs(10)).unwrap();
/// assert_eq!(trial.large.unwrap().decided_by, "rules");
/// ```
pub fn try_program(
    text: &str,
    options: &Options,
    requests: usize,
    timeout: Duration,
) -> Result<ProgramTrial, Finding> {
    let program = ser_lang::parse(text).program;
    let limits = Limits { max_states: 20_000, ..Limits::default() };
    let model = ProgramModel::new(&program, text, &limits).ok();
    let whole = match &model {
        Some(model) => Some(try_system_with(model.system(), options, requests, timeout)?),
        None => None,
    };
    let Ok(rules) = program_rules(&program, text, &Limits::default().with_timeout(timeout)) else {
        return Ok(ProgramTrial { large: None, whole });
    };
    let source = Text { text, program: &program };
    let oracle = match &model {
        Some(model) => brute_force(model.system(), requests, ORACLE_STATES),
        None => source.oracle(&rules, requests),
    };
    let large = source.try_rules(&rules, oracle, timeout)?;
    let whole_says = whole.as_ref().map_or("unknown", |t| t.decided_by);
    let broken = |name: &str| match name {
        "unknown" => None,
        name => Some(name == "refuted"),
    };
    match (broken(large.decided_by), broken(whole_says)) {
        (Some(a), Some(b)) if a != b => {
            Err(Finding::Contradiction { large: large.decided_by, whole: whole_says })
        }
        _ => Ok(ProgramTrial { large: Some(large), whole }),
    }
}

struct Text<'a> {
    text: &'a str,
    program: &'a Program,
}

impl Text<'_> {
    fn part(
        &self,
        labels: &BTreeSet<String>,
        bound: RunBound,
        limits: &Limits,
    ) -> Result<ProgramModel, ExploreError> {
        ProgramModel::part(self.program, self.text, labels, bound, limits)
    }

    /// What brute force says about a program whose global states cannot be listed.
    fn oracle(&self, rules: &RuleSystem, requests: usize) -> Oracle {
        let labels: BTreeSet<String> = rules.frame().requests().iter().cloned().collect();
        for requests in (1..=requests).rev() {
            let bound = RunBound { requests: requests as u32, preemptions: None };
            if let Ok(part) = self.part(&labels, bound, &Limits::default()) {
                return brute_force(part.system(), requests, ORACLE_STATES);
            }
        }
        Oracle::Unbroken { requests: 1 }
    }

    fn try_rules(
        &self,
        rules: &RuleSystem,
        oracle: Oracle,
        timeout: Duration,
    ) -> Result<Trial, Finding> {
        let limits = Limits::default().with_timeout(timeout);
        let refute = RefuteOptions { max_states: 50_000, max_requests: 4, ..Default::default() };
        let options = LargeOptions { prove: Some(RuleOptions::default()), refute: Some(refute) };
        let part =
            |labels: &BTreeSet<String>, bound, limits: &Limits| self.part(labels, bound, limits);
        let started = Instant::now();
        let answer = decide_large(rules, &part, options, &limits, &|_| {});
        let engine = started.elapsed();
        let started = Instant::now();
        let rejected = |r: ser_cert::Rejection| Finding::Rejected(r.to_string());
        let wrong = |engine: String| Finding::Wrong { engine, oracle: oracle.clone() };
        let (decided_by, tried, certificate) = match answer {
            LargeAnswer::Serializable(proof) => {
                let cert = certify_rules(&proof, rules.frame(), "random", b"random");
                ser_cert::check_rules(&cert, b"random", rules, &Limits::default())
                    .map_err(rejected)?;
                if let Oracle::Broken { .. } = oracle {
                    return Err(wrong("serializable, by rules".into()));
                }
                ("rules", String::new(), cert.to_text().len())
            }
            LargeAnswer::NotSerializable(found) => {
                let cert = certify_part(&found, "random", b"random");
                // The checker sees what the certificate says it is about, not what the engine saw.
                let Scope::Part(labels, bound) = cert.scope() else {
                    return Err(Finding::Rejected("the certificate is not about a part".into()));
                };
                let model = self
                    .part(&labels, bound, &Limits::default())
                    .map_err(|e| Finding::Rejected(e.to_string()))?;
                ser_cert::check(&cert, b"random", model.system(), &Limits::default())
                    .map_err(rejected)?;
                let refutation = &found.refutation;
                if !agrees(&oracle, refutation) {
                    let words = format!("a part breaks with {} requests", refutation.requests);
                    return Err(wrong(words));
                }
                ("refuted", String::new(), cert.to_text().len())
            }
            LargeAnswer::Unknown(unknown) => {
                // All runs with so many requests have been looked at: brute force must agree.
                if let Oracle::Broken { requests, .. } = oracle
                    && requests <= unknown.requests
                {
                    return Err(wrong(format!("unbroken up to {} requests", unknown.requests)));
                }
                ("unknown", format!("{unknown:?}"), 0)
            }
        };
        Ok(Trial { decided_by, engine, checker: started.elapsed(), certificate, tried })
    }
}
