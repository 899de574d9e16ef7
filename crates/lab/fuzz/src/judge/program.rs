//! One program through everything: its rules, its parts, its network system, checkers and oracle.

use super::trial::{
    Finding, ORACLE_STATES, Trial, judge_proof, judge_refutation, judge_system, recheck,
};
use ser_base::Limits;
use ser_model::{ProgramModel, RuleSystem, program_rules};
use ser_oracle::{Findings, ProgramNetwork, TooMuch, compare};
use ser_serializability_checker::Scope;
use ser_serializability_search::{
    LargeAnswer, LargeOptions, Options, RefuteOptions, RuleOptions, certify_part, certify_rules,
    decide_large,
};
use ser_syntax::core::Program;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What came out of one program.
#[derive(Clone, Debug)]
pub struct ProgramTrial {
    /// Without listing global states: `rules`, `refuted` or `unknown`; nothing if the program has
    /// no rules that could be listed.
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

/// What the paper's rules say about so many requests. The error is a value that leaves 64 bits.
///
/// # Panics
///
/// If the program has errors: then it means nothing, and should not have been made.
pub fn program_findings(program: &Program, requests: usize) -> Result<Findings, TooMuch> {
    let mut network = ProgramNetwork::new(program).expect("a program without errors");
    compare(&mut network, requests, ORACLE_STATES)
}

/// Decides a program in two ways, by its rules and parts and, with these options, by its network
/// system; checks all certificates, and compares with the oracle up to `requests`.
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
    let findings = program_findings(&ser_syntax::parse(text).program, requests);
    judge_program(text, options, findings.as_ref().ok(), timeout)
}

/// As [`try_program`], where it is already known what the oracle says.
pub fn judge_program(
    text: &str,
    options: &Options,
    findings: Option<&Findings>,
    timeout: Duration,
) -> Result<ProgramTrial, Finding> {
    let program = ser_syntax::parse(text).program;
    let limits = Limits { max_states: 20_000, ..Limits::default() }.with_timeout(timeout);
    let model = ProgramModel::new(&program, text, &limits).ok();
    let rules = program_rules(&program, text, &Limits::default().with_timeout(timeout)).ok();
    // Nothing is known only if a value leaves 64 bits, and then there is nothing to decide.
    let Some(findings) = findings else {
        if model.is_some() || rules.is_some() {
            let oracle = "a value leaves 64 bits".into();
            return Err(Finding::Wrong { engine: "there is a system".into(), oracle });
        }
        return Ok(ProgramTrial { large: None, whole: None });
    };
    let whole = match &model {
        Some(model) => Some(judge_system(model.system(), options, findings, timeout)?),
        None => None,
    };
    let Some(rules) = rules else { return Ok(ProgramTrial { large: None, whole }) };
    let large = Text { text, program: &program }.try_rules(&rules, options, findings, timeout)?;
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
    fn try_rules(
        &self,
        rules: &RuleSystem,
        options: &Options,
        findings: &Findings,
        timeout: Duration,
    ) -> Result<Trial, Finding> {
        let limits = Limits::default().with_timeout(timeout);
        let refute = RefuteOptions { max_states: 50_000, max_requests: 4, ..Default::default() };
        let prove = RuleOptions { prove: true, ..options.rules };
        let options = LargeOptions { prove: Some(prove), refute: Some(refute) };
        let part = |labels: &BTreeSet<String>, bound, limits: &Limits| {
            ProgramModel::part(self.program, self.text, labels, bound, limits)
        };
        let started = Instant::now();
        let answer = decide_large(rules, &part, options, &limits, &|_| {});
        let engine = started.elapsed();
        let (decided_by, (checker, certificate), confirmed) = match answer {
            LargeAnswer::Serializable(proof) => {
                let certificate = certify_rules(&proof, rules, "random", b"random");
                let checked = recheck(&certificate, |c, limits| {
                    ser_serializability_checker::check_rules(c, b"random", rules, limits)
                })?;
                ("rules", checked, judge_proof(findings, "rules")?)
            }
            LargeAnswer::NotSerializable(found) => {
                let certificate = certify_part(&found, "random", b"random");
                // The checker sees what the certificate says it is about, not what the engine saw.
                let Scope::Part(labels, bound) = certificate.scope() else {
                    return Err(Finding::Rejected("the certificate is not about a part".into()));
                };
                let model = part(&labels, bound, &Limits::default())
                    .map_err(|e| Finding::Rejected(e.to_string()))?;
                let checked = recheck(&certificate, |c, limits| {
                    ser_serializability_checker::check(c, b"random", model.system(), limits)
                })?;
                let system = found.model.system();
                ("refuted", checked, judge_refutation(findings, &found.refutation, system)?)
            }
            LargeAnswer::Unknown(unknown) => {
                // All runs with so many requests have been looked at: brute force must agree.
                if let Findings::Broken { requests, .. } = findings
                    && *requests <= unknown.requests
                {
                    let engine = format!("unbroken up to {} requests", unknown.requests);
                    return Err(Finding::Wrong { engine, oracle: format!("{findings:?}") });
                }
                let tried = format!("{unknown:?}");
                return Ok(Trial { decided_by: "unknown", engine, tried, ..Trial::default() });
            }
        };
        Ok(Trial { decided_by, engine, checker, certificate, confirmed, ..Trial::default() })
    }
}
