//! A proof as an SMT-LIB 2 script: a second opinion from z3 or cvc5.
//!
//! Every `(check-sat)` of a script asks for something that the proof says cannot be, so every
//! answer must be `unsat`; an `(echo ...)` before it says what the answer establishes. Scripts are
//! in QF_LIA: integers, linear, no quantifiers.
//!
//! A script is about the numbers of a proof: how often transitions fire (`arithmetic`), or how
//! many requests are in flight (`inclusion`). What is finite is not in it, but is said in
//! comments: the reductions of the net, serial runs, which explanation follows from which. That is
//! what `ser verify` checks, together with the rest.

mod arithmetic;
mod inclusion;

use crate::{Decision, Verdict};
use ser_model::NetworkSystem;
use ser_serializability_checker::{Certificate, PlaceName, Reduction, Side};
use ser_serializability_search::{Argument, Proof};

/// The proof of a report as a script, if there is a proof; of slices, their scripts one after the
/// other.
pub fn of_report(report: &Decision) -> Option<String> {
    if let (Verdict::Serializable { .. }, false) = (&report.verdict, report.slices.is_empty()) {
        let scripts = report.slices.iter().map(|(_, slice)| of_report(slice));
        let scripts: Vec<String> = scripts.collect::<Option<_>>()?;
        return Some(scripts.join("\n(reset)\n"));
    }
    let (Some(model), Verdict::Serializable { proof, certificate, .. }) =
        (&report.model, &report.verdict)
    else {
        return None;
    };
    script(model.system(), proof.as_deref(), certificate)
}

/// The script of a proof and of its certificate; none if the certificate is not one of
/// serializability.
///
/// ```
/// use ser_serializability_search::{Answer, Options, certify, decide};
/// use ser_base::Limits;
/// use ser_model::ProgramModel;
///
/// let text = "request main { X := 1; yield; X := 0 }";
/// let model = ProgramModel::new(&ser_syntax::parse(text).program, text, &Limits::default()).unwrap();
/// let system = model.system();
/// let (answer, _) = decide(system, &Options::default(), &Limits::default(), &|_| {});
/// let certificate = certify(&answer, system, "main.ser", text.as_bytes()).unwrap();
/// let Answer::Serializable(proof) = answer else { panic!("{answer:?}") };
/// let script = ser_session::serializability::smtlib::script(system, Some(&proof), &certificate).unwrap();
/// assert!(script.contains("(set-logic QF_LIA)"));
/// ```
pub fn script(
    system: &NetworkSystem,
    proof: Option<&Proof>,
    certificate: &Certificate,
) -> Option<String> {
    let ser_serializability_checker::Verdict::Serializable(argument) = &certificate.verdict else {
        return None;
    };
    if let ser_serializability_checker::Proof::Slices(_) = argument {
        return None;
    }
    let reductions = argument.reductions();
    let mut script = Script::default();
    script.comment(&format!(
        "Why {} is serializable, for a second opinion.",
        certificate.source.file
    ));
    script.comment(&format!("The sha256 of the source is {}.", certificate.source.sha256));
    script.comment("");
    script.comment("Every answer must be unsat:  z3 FILE,  or  cvc5 --incremental FILE.");
    script.comment(
        "This is about the numbers of the proof. What is finite is checked by `ser verify`.",
    );
    script.command("(set-info :smt-lib-version 2.6)");
    script.command("(set-info :status unsat)");
    script.command("(set-logic QF_LIA)");
    script.blank();
    script.reductions(reductions);
    script.blank();
    match (argument, proof.map(|proof| (&proof.net, &proof.argument))) {
        (ser_serializability_checker::Proof::Arithmetic(counting), _) => {
            let initial = system.global_name(system.initial_global());
            arithmetic::write(&mut script, counting, &initial);
        }
        (_, Some((net, Argument::Inclusion(invariant)))) => {
            inclusion::write(&mut script, system, net, invariant);
        }
        (ser_serializability_checker::Proof::Rules(_), _) => {
            script.comment(
                "Every yield point is harmless: steps of different requests commute where needed.",
            );
            script.comment("That is checked rule by rule, and there are no numbers to ask about.");
            script.echo("every yield point is harmless: there is nothing arithmetical to check");
        }
        (ser_serializability_checker::Proof::Symbolic(_), _) => {
            script.comment("Every yield point is harmless, whatever the values are.");
            script.echo("every yield point is harmless: `ser verify` derives that by itself");
        }
        (ser_serializability_checker::Proof::NoYield, _) => {
            script.comment("No request can yield: every run is serial, whatever the numbers are.");
            script.echo("no request can yield: there is nothing arithmetical to check");
        }
        (_, _) => {
            script.comment("In the reduced net every request runs from its arrival to its response in one step.");
            script.comment("Every run is serial, and there are no numbers to ask about.");
            script.echo(
                "nothing interleaves in the reduced net: there is nothing arithmetical to check",
            );
        }
    }
    Some(script.text)
}

/// A script that is being written. Names may have any characters: whatever goes into comments,
/// strings and symbols is made [`plain`] here.
#[derive(Default)]
struct Script {
    text: String,
    /// How many scopes are open.
    depth: usize,
}

impl Script {
    fn line(&mut self, line: &str) {
        self.text.push_str(&"  ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn blank(&mut self) {
        self.text.push('\n');
    }

    fn comment(&mut self, words: &str) {
        self.line(format!("; {}", plain(words)).trim_end());
    }

    /// A command as it stands: its names are [`symbol`]s.
    fn command(&mut self, command: &str) {
        self.line(command);
    }

    fn declare(&mut self, symbol: &str) {
        self.command(&format!("(declare-fun {symbol} () Int)"));
    }

    fn assert(&mut self, term: &str) {
        self.command(&format!("(assert {term})"));
    }

    fn echo(&mut self, words: &str) {
        self.command(&format!("(echo \"{}\")", plain(words)));
    }

    /// Opens a scope: what is declared and supposed from here on is forgotten when it closes.
    fn open(&mut self) {
        self.command("(push 1)");
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.command("(pop 1)");
    }

    /// A scope of its own.
    fn scope(&mut self, body: impl FnOnce(&mut Script)) {
        self.open();
        body(self);
        self.close();
    }

    /// Asks whether what is supposed here can be. The claim is what `unsat` establishes.
    fn expect_unsat(&mut self, claim: &str) {
        self.echo(claim);
        self.command("(check-sat)");
    }

    /// What was done to the net, in words.
    fn reductions(&mut self, reductions: &[Reduction]) {
        if reductions.is_empty() {
            self.comment("The net is not reduced.");
            return;
        }
        self.comment("The net is reduced, which keeps its outcomes (checked by `ser verify`):");
        for reduction in reductions {
            let words = match reduction {
                Reduction::Slice => "drop what no complete run uses".to_owned(),
                Reduction::Stuttering => {
                    "drop waiting that is the same as being scheduled later".to_owned()
                }
                Reduction::Alike(_) => {
                    "do not tell apart states and requests that nobody sees a difference between".to_owned()
                }
                Reduction::Defer(entry) => {
                    let words = "let requests come later that only look around";
                    format!("{words}: {} in {}", entry.request, entry.places.join(", "))
                }
                Reduction::Exclude => "drop what mutual exclusion rules out".to_owned(),
                Reduction::Prophecy => "tell apart requests that will respond differently, and those that have committed (`=>`) from those that have not (`->`)".to_owned(),
                Reduction::Merge(groups) => {
                    let group = |g: &Vec<PlaceName>| {
                        let names: Vec<String> = g.iter().map(place_words).collect();
                        names.join(" = ")
                    };
                    let groups: Vec<String> = groups.iter().map(group).collect();
                    format!("merge places that behave alike: {}", groups.join(", "))
                }
                Reduction::Move(entry) => {
                    let (steps, way) = match entry.side {
                        Side::Right => ("into", "later"),
                        Side::Left => ("out of", "earlier"),
                    };
                    let place = place_words(&entry.place);
                    let sharp = if entry.sharp {
                        ", given which requests can be in flight at the same time"
                    } else {
                        ""
                    };
                    format!(
                        "drop the yield point {place}: steps {steps} it may as well happen {way}{sharp}"
                    )
                }
            };
            self.comment(&format!("- {words}"));
        }
    }
}

/// Text that can stand in a comment, a string or a quoted symbol.
fn plain(text: &str) -> String {
    let replace = |c: char| match c {
        '|' => '!',
        '\\' => '/',
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(replace).collect()
}

/// A name as a symbol. Different names may give the same symbol, so callers put a number in front
/// of names that are not their own.
fn symbol(name: &str) -> String {
    format!("|{}|", plain(name))
}

/// An integer in decimal as a term.
fn number(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(positive) => format!("(- {positive})"),
        None => text.to_owned(),
    }
}

/// A product.
fn times(factor: &str, term: &str) -> String {
    if factor == "1" { term.to_owned() } else { format!("(* {factor} {term})") }
}

/// Terms with an operator that has this value for no terms at all.
fn joined(operator: &str, terms: &[String], none: &str) -> String {
    match terms {
        [] => none.to_owned(),
        [one] => one.clone(),
        more => format!("({operator} {})", more.join(" ")),
    }
}

fn sum(terms: &[String]) -> String {
    joined("+", terms, "0")
}

fn all(terms: &[String]) -> String {
    joined("and", terms, "true")
}

fn any(terms: &[String]) -> String {
    joined("or", terms, "false")
}

fn place_words(PlaceName(request, local): &PlaceName) -> String {
    format!("{request}@{local}")
}

/// `before + taken -> after + given`.
fn transition_words(before: &str, taken: Option<&str>, after: &str, given: &str) -> String {
    let taken = taken.map(|place| format!(" + {place}")).unwrap_or_default();
    format!("{before}{taken} -> {after} + {given}")
}
