//! The query: is a marking reachable that no serial run explains?

use super::net::{chosen, exported_paper_net};
use super::outcomes::serial;
use super::{Request, Trouble, pretty};
use crate::cli::{NetStage, ShowFormat};
use crate::export::{
    Clause, Condition, ExportedNet, NoQuery, NonSerial, Terms, non_serial, normal_net,
};
use ser_model::NetworkSystem;
use ser_petri::CalledBy;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

pub fn show(request: &Request<'_>, system: &NetworkSystem) -> Result<String, Trouble> {
    let (net, about) = match request.args.about {
        Some(NetStage::PaperNet) => (exported_paper_net(request, system)?, "paper-net"),
        Some(NetStage::Net) | None => {
            let net = chosen(request, system)?;
            (normal_net(request.source, system, &net), "net")
        }
    };
    let serial = serial(request, system)?;
    let query = non_serial(&net, &serial.letters, &serial.outcomes).map_err(nothing)?;
    let shown = Shown { net: &net, query: &query, about };
    match request.format {
        ShowFormat::Json => Ok(pretty(shown.json())),
        ShowFormat::Xml => {
            let query = query.query().map_err(nothing)?;
            Ok(ser_petri::write_properties(&net.net, &[query], CalledBy::Name))
        }
        ShowFormat::Smtlib => Ok(shown.smtlib(&request.source.name)),
        _ => Ok(shown.text()),
    }
}

fn nothing(why: NoQuery) -> Trouble {
    let help = match why {
        NoQuery::Remainder => vec!["use --format smtlib, which can".to_owned()],
        NoQuery::TooLarge => vec!["`ser check` does not need it".to_owned()],
    };
    Trouble::Nothing(why.to_string(), help)
}

struct Shown<'a> {
    net: &'a ExportedNet,
    query: &'a NonSerial,
    about: &'static str,
}

impl Shown<'_> {
    fn name(&self, place: ser_petri::PlaceId) -> &str {
        self.net.net.places.get(place.index()).map_or("?", |p| &p.name)
    }

    fn text(&self) -> String {
        let mut out = format!(
            "The program is not serializable iff the net (--stage {}) reaches a marking with\n",
            self.about
        );
        let _ = writeln!(out, "\n  no request in flight:");
        let in_flight: Vec<&str> = self.query.in_flight.iter().map(|p| self.name(*p)).collect();
        let _ = match in_flight.len() {
            0 => writeln!(out, "    (none ever is)"),
            _ => writeln!(out, "    {} = 0", in_flight.join(" + ")),
        };
        let _ = writeln!(out, "\n  and responses that are in no component of the serial outcomes:");
        for clause in &self.query.clauses {
            let conditions: Vec<String> = clause.0.iter().map(|c| self.condition(c)).collect();
            let _ = match conditions.len() {
                0 => writeln!(out, "    false: every combination of responses is serial"),
                _ => writeln!(out, "    {}", conditions.join("  or  ")),
            };
        }
        out
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            // The way around that has fewer minus signs.
            Condition::AtMost(terms, most) if terms.iter().all(|(_, a)| *a < 0) => {
                let terms: Terms = terms.iter().map(|(p, a)| (*p, -a)).collect();
                format!("{} >= {}", self.sum(&terms), -most)
            }
            Condition::AtMost(terms, most) => format!("{} <= {most}", self.sum(terms)),
            Condition::Different(terms, number) => format!("{} != {number}", self.sum(terms)),
            Condition::NotDivisible(terms, 0, modulus) => {
                format!("({}) mod {modulus} != 0", self.sum(terms))
            }
            Condition::NotDivisible(terms, rest, modulus) => {
                format!("({} + {rest}) mod {modulus} != 0", self.sum(terms))
            }
        }
    }

    /// `2 a + b - c`.
    fn sum(&self, terms: &Terms) -> String {
        let mut out = String::new();
        for (at, (place, factor)) in terms.iter().enumerate() {
            out.push_str(match (at, factor.signum()) {
                (0, -1) => "-",
                (0, _) => "",
                (_, -1) => " - ",
                _ => " + ",
            });
            if factor.abs() != 1 {
                let _ = write!(out, "{} ", factor.abs());
            }
            out.push_str(self.name(*place));
        }
        if out.is_empty() { "0".to_owned() } else { out }
    }

    fn json(&self) -> Value {
        let sum = |terms: &Terms| -> Value {
            let terms = terms.iter().map(|(p, a)| (self.name(*p).to_owned(), json!(a)));
            Value::Object(terms.collect::<Map<_, _>>())
        };
        let condition = |c: &Condition| match c {
            Condition::AtMost(terms, most) => json!({"sum": sum(terms), "at_most": most}),
            Condition::Different(terms, number) => {
                json!({"sum": sum(terms), "different_from": number})
            }
            Condition::NotDivisible(terms, constant, modulus) => {
                json!({"sum": sum(terms), "plus": constant, "not_divisible_by": modulus})
            }
        };
        let clause = |c: &Clause| -> Value { c.0.iter().map(condition).collect() };
        let in_flight: Vec<&str> = self.query.in_flight.iter().map(|p| self.name(*p)).collect();
        let clauses: Vec<Value> = self.query.clauses.iter().map(clause).collect();
        json!({"net": self.about, "empty": in_flight, "all_of_one_of": clauses})
    }

    /// A formula over token counts, one constant for each place that matters.
    fn smtlib(&self, source: &str) -> String {
        let mut out = format!(
            "; When a marking of the interleaving net of {}\n\
             ; (ser show --stage {}) is the end of a run that no serial run explains.\n\
             ; The program is serializable iff no such marking is reachable; that there is such a\n\
             ; marking at all (sat) does not make it reachable.\n\
             (set-info :smt-lib-version 2.6)\n(set-logic QF_LIA)\n",
            source.replace(['\n', '\r'], " "),
            self.about
        );
        let mut places: Vec<ser_petri::PlaceId> = self.query.in_flight.clone();
        for condition in self.query.clauses.iter().flat_map(|c| &c.0) {
            let (Condition::AtMost(terms, _)
            | Condition::Different(terms, _)
            | Condition::NotDivisible(terms, ..)) = condition;
            places.extend(terms.iter().map(|(p, _)| *p));
        }
        places.sort_unstable();
        places.dedup();
        for place in &places {
            let name = self.name(*place);
            let label = self.net.net.places.get(place.index()).map_or("", |p| &p.label);
            let label = label.replace(['\n', '\r'], " ");
            let _ = writeln!(out, "(declare-const {name} Int) ; {label}");
            let _ = writeln!(out, "(assert (>= {name} 0))");
        }
        out.push_str("; No request is in flight.\n");
        for place in &self.query.in_flight {
            let _ = writeln!(out, "(assert (= {} 0))", self.name(*place));
        }
        out.push_str("; The responses are in no component of the serial outcomes.\n");
        for clause in &self.query.clauses {
            let conditions: Vec<String> = clause.0.iter().map(|c| self.smt_condition(c)).collect();
            let _ = match conditions.as_slice() {
                [] => writeln!(out, "(assert false)"),
                [one] => writeln!(out, "(assert {one})"),
                more => writeln!(out, "(assert (or {}))", more.join(" ")),
            };
        }
        out.push_str("(check-sat)\n");
        out
    }

    fn smt_condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::AtMost(terms, most) if terms.iter().all(|(_, a)| *a < 0) => {
                let terms: Terms = terms.iter().map(|(p, a)| (*p, -a)).collect();
                format!("(>= {} {})", self.smt_sum(&terms, 0), smt_number(-most))
            }
            Condition::AtMost(terms, most) => {
                format!("(<= {} {})", self.smt_sum(terms, 0), smt_number(*most))
            }
            Condition::Different(terms, number) => {
                format!("(distinct {} {})", self.smt_sum(terms, 0), smt_number(*number))
            }
            Condition::NotDivisible(terms, constant, modulus) => {
                format!("(distinct (mod {} {modulus}) 0)", self.smt_sum(terms, *constant))
            }
        }
    }

    fn smt_sum(&self, terms: &Terms, constant: i64) -> String {
        let mut parts: Vec<String> = terms
            .iter()
            .map(|(place, factor)| match factor {
                1 => self.name(*place).to_owned(),
                factor => format!("(* {} {})", smt_number(*factor), self.name(*place)),
            })
            .collect();
        if constant != 0 || parts.is_empty() {
            parts.push(smt_number(constant));
        }
        if parts.len() == 1 { parts.remove(0) } else { format!("(+ {})", parts.join(" ")) }
    }
}

fn smt_number(n: i64) -> String {
    if n < 0 { format!("(- {})", n.unsigned_abs()) } else { n.to_string() }
}
