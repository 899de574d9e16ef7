//! Tina's textual format for nets, `.net`.
//!
//! ```text
//! net toy
//! pl P1 (2)
//! tr t1 : {what it stands for} P1*2 P2 -> P3
//! ```
//!
//! What is read here is all of the format that untimed nets need: `net`, `pl`, `tr`, `lb`, notes
//! (`nt`, skipped), arcs on `tr` and on `pl` lines (they add up), weights and markings with
//! suffixes K, M, G, ..., names and labels in braces with `\` before `{`, `}` and `\`. A
//! test arc `p?2` is read as taking and giving back two tokens, which is the same
//! without time. Inhibitor arcs, stopwatch arcs, priorities, and time intervals other than `[0,w[`
//! change which markings can be reached, and are refused.

use crate::build::{NetBuilder, Overflow};
use crate::error::{ReadError, check_length};
use crate::show::in_braces;
use crate::{PetriNet, PlaceId, TransitionId};
use std::fmt::Write as _;

/// Reads a net.
///
/// ```
/// let net = ser_petri::read_net("net toy\npl P1 (2K)\ntr t1 P1*2 -> {odd name}\n")?;
/// assert_eq!(net.places[0].initial, 2000);
/// assert_eq!(net.places[1].name, "odd name");
/// # Ok::<(), ser_petri::ReadError>(())
/// ```
pub fn read_net(text: &str) -> Result<PetriNet, ReadError> {
    check_length(text)?;
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, net: NetBuilder::default() };
    loop {
        reader.blanks();
        match reader.peek() {
            None => return Ok(reader.net.finish()),
            Some('\n') => reader.at += 1,
            Some('#') => reader.skip_line(),
            Some(_) => reader.line()?,
        }
    }
}

/// Writes a net; [`read_net`] gives it back.
pub fn write_net(net: &PetriNet) -> String {
    let mut out = String::new();
    if !net.name.is_empty() {
        let _ = writeln!(out, "net {}", quoted(&net.name));
    }
    for place in &net.places {
        let _ = write!(out, "pl {}", quoted(&place.name));
        label(&mut out, &place.label);
        let _ = writeln!(out, " ({})", place.initial);
    }
    let arcs = |out: &mut String, arcs: &[(crate::PlaceId, u64)]| {
        for (place, weight) in arcs {
            let name = net.places.get(place.index()).map_or("", |p| &p.name);
            let _ = write!(out, " {}", quoted(name));
            if *weight != 1 {
                let _ = write!(out, "*{weight}");
            }
        }
    };
    for t in &net.transitions {
        let _ = write!(out, "tr {}", quoted(&t.name));
        label(&mut out, &t.label);
        arcs(&mut out, &t.takes);
        out.push_str(" ->");
        arcs(&mut out, &t.gives);
        out.push('\n');
    }
    out
}

fn label(out: &mut String, label: &str) {
    if !label.is_empty() {
        let _ = write!(out, " : {}", quoted(label));
    }
}

/// A name as it is, or in braces if it has odd characters.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
    if !name.is_empty() && name.chars().all(plain) {
        return name.to_owned();
    }
    in_braces(name)
}

struct Reader<'a> {
    text: &'a str,
    /// A byte offset on a character boundary.
    at: usize,
    net: NetBuilder,
}

/// One end of an arc: the other node, and how.
struct Arc {
    node: String,
    weight: u64,
    /// A test arc: taken and given back.
    test: bool,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        let blank = |c: char| c == ' ' || c == '\t' || c == '\r' || c == '\u{b}' || c == '\u{c}';
        self.at += self.rest().find(|c| !blank(c)).unwrap_or(self.rest().len());
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::at(self.text, self.at, message)
    }

    fn found(&self) -> String {
        match self.peek() {
            None => "the end".into(),
            Some('\n') => "the end of the line".into(),
            Some(c) => format!("`{}`", c.escape_default()),
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        let there = self.rest().starts_with(token);
        if there {
            self.at += token.len();
        }
        there
    }

    fn line(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        let word = self.name("`net`, `pl`, `tr` or `lb`")?;
        match word.as_str() {
            "net" => {
                self.blanks();
                self.net.name = self.name("the name of the net")?;
            }
            "pl" => self.place_line()?,
            "tr" => self.transition_line()?,
            "lb" => self.label_line()?,
            "nt" => {
                for what in ["the note", "0 or 1", "the text of the note"] {
                    self.blanks();
                    self.name(what)?;
                }
            }
            "pr" => {
                return Err(ReadError::at(self.text, start, "priorities are not supported")
                    .help("remove the `pr` lines if the order of transitions does not matter"));
            }
            other => {
                let known = ["net", "pl", "tr", "lb", "nt"];
                return Err(ReadError::at(
                    self.text,
                    start,
                    format!("expected `net`, `pl`, `tr` or `lb`, found `{other}`"),
                )
                .maybe_help(ser_base::did_you_mean(other, known.into_iter())));
            }
        }
        self.blanks();
        match self.peek() {
            None | Some('\n') => Ok(()),
            Some('#') => {
                self.skip_line();
                Ok(())
            }
            Some(_) => {
                Err(self.error(format!("expected the end of the line, found {}", self.found())))
            }
        }
    }

    /// `NAME` or `{odd name}`.
    fn name(&mut self, what: &str) -> Result<String, ReadError> {
        if !self.rest().starts_with('{') {
            let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
            let end = self.rest().find(|c| !plain(c)).unwrap_or(self.rest().len());
            if end == 0 {
                return Err(self
                    .error(format!("expected {what}, found {}", self.found()))
                    .help("names with other characters than letters, digits, ' and _ go in braces: `{my name}`"));
            }
            let name = self.rest().get(..end).unwrap_or_default().to_owned();
            self.at += end;
            return Ok(name);
        }
        let open = self.at;
        let mut name = String::new();
        let mut chars = self.text.get(open + 1..).unwrap_or_default().char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '}' => {
                    self.at = open + 1 + i + 1;
                    return Ok(name);
                }
                '\\' => match chars.next() {
                    Some((_, escaped)) => name.push(escaped),
                    None => break,
                },
                '{' => {
                    return Err(ReadError::at(self.text, open + 1 + i, "a `{` inside braces")
                        .help("write `\\{` for a brace in a name"));
                }
                other => name.push(other),
            }
        }
        Err(ReadError::at(self.text, open, "this `{` is never closed").help("add a `}`"))
    }

    /// An unsigned number with an optional suffix.
    fn number(&mut self, what: &str) -> Result<u64, ReadError> {
        let start = self.at;
        let end = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        let digits = self.rest().get(..end).unwrap_or_default();
        if digits.is_empty() {
            return Err(self.error(format!("expected {what}, found {}", self.found())));
        }
        let too_large = || {
            ReadError::at(self.text, start, "this number is too large")
                .help(format!("numbers up to {} are read", u64::MAX))
        };
        let value: u64 = digits.parse().map_err(|_| too_large())?;
        let power = match self.rest().get(end..).and_then(|r| r.chars().next()) {
            Some('K') => 1,
            Some('M') => 2,
            Some('G') => 3,
            Some('T') => 4,
            Some('P') => 5,
            Some('E') => 6,
            _ => 0,
        };
        let value = value.checked_mul(1000u64.pow(power)).ok_or_else(too_large)?;
        self.at += end + usize::from(power > 0);
        Ok(value)
    }

    /// `: LABEL`, if it is there.
    fn label(&mut self) -> Result<Option<String>, ReadError> {
        self.blanks();
        if !self.eat(":") {
            return Ok(None);
        }
        self.blanks();
        self.name("a label").map(Some)
    }

    fn place_line(&mut self) -> Result<(), ReadError> {
        self.blanks();
        let name = self.name("the name of a place")?;
        let place = self.net.place(&name);
        if let Some(label) = self.label()? {
            self.net.place_mut(place).label = label;
        }
        self.blanks();
        if self.eat("(") {
            self.blanks();
            self.net.place_mut(place).initial = self.number("a number of tokens")?;
            self.blanks();
            if !self.eat(")") {
                return Err(self.error(format!("expected `)`, found {}", self.found())));
            }
        }
        let (inputs, outputs) = self.arcs()?;
        for arc in inputs {
            let t = self.net.transition(&arc.node);
            self.give(t, place, &arc)?;
        }
        for arc in outputs {
            let t = self.net.transition(&arc.node);
            self.take(t, place, &arc)?;
        }
        Ok(())
    }

    fn transition_line(&mut self) -> Result<(), ReadError> {
        self.blanks();
        let name = self.name("the name of a transition")?;
        let t = self.net.transition(&name);
        if let Some(label) = self.label()? {
            self.net.label_transition(t, label);
        }
        self.blanks();
        if matches!(self.peek(), Some('[' | ']')) {
            self.interval()?;
        }
        self.transition_arcs(t)
    }

    fn transition_arcs(&mut self, t: TransitionId) -> Result<(), ReadError> {
        let (inputs, outputs) = self.arcs()?;
        for arc in inputs {
            let place = self.net.place(&arc.node);
            self.take(t, place, &arc)?;
        }
        for arc in outputs {
            let place = self.net.place(&arc.node);
            self.give(t, place, &arc)?;
        }
        Ok(())
    }

    /// An arc to a place.
    fn give(&mut self, t: TransitionId, place: PlaceId, arc: &Arc) -> Result<(), ReadError> {
        if arc.test {
            return Err(ReadError::at(self.text, arc.at, "a test arc on this side"));
        }
        let result = self.net.give(t, place, arc.weight);
        self.checked(arc, result)
    }

    /// An arc from a place. One that only tests gives back what it takes.
    fn take(&mut self, t: TransitionId, place: PlaceId, arc: &Arc) -> Result<(), ReadError> {
        let result = self.net.take(t, place, arc.weight);
        self.checked(arc, result)?;
        if arc.test {
            let result = self.net.give(t, place, arc.weight);
            self.checked(arc, result)?;
        }
        Ok(())
    }

    fn checked(&self, arc: &Arc, result: Result<(), Overflow>) -> Result<(), ReadError> {
        result.map_err(|Overflow| {
            ReadError::at(
                self.text,
                arc.at,
                "the weights of these arcs add up to too large a number",
            )
        })
    }

    /// `[0,w[` and nothing else.
    fn interval(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        let end = self.rest().find(['\n', '#']).unwrap_or(self.rest().len());
        let line = self.rest().get(..end).unwrap_or_default();
        let close = line.get(1..).and_then(|l| l.find(['[', ']'])).map_or(end, |i| i + 2);
        let interval: String = line.get(..close).unwrap_or_default().split_whitespace().collect();
        if interval != "[0,w[" {
            let message = format!("time intervals such as `{interval}` are not supported");
            return Err(ReadError::at(self.text, start, message)
                .help("remove the interval, or write `[0,w[`: a transition may fire at any time"));
        }
        self.at += close;
        Ok(())
    }

    fn label_line(&mut self) -> Result<(), ReadError> {
        self.blanks();
        let at = self.at;
        let name = self.name("the name of a place or transition")?;
        self.blanks();
        let label = self.name("a label")?;
        if let Some(place) = self.net.known_place(&name) {
            self.net.place_mut(place).label = label;
        } else if let Some(t) = self.net.known_transition(&name) {
            self.net.label_transition(t, label);
        } else {
            let message = format!("there is no place or transition `{name}` so far");
            return Err(ReadError::at(self.text, at, message)
                .help("move this line after the `pl` or `tr` line"));
        }
        Ok(())
    }

    /// `a*2 b -> c`, or nothing at all.
    fn arcs(&mut self) -> Result<(Vec<Arc>, Vec<Arc>), ReadError> {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let mut arrow = false;
        loop {
            self.blanks();
            match self.peek() {
                None | Some('\n' | '#') if arrow || inputs.is_empty() => {
                    return Ok((inputs, outputs));
                }
                None | Some('\n' | '#') => {
                    return Err(self
                        .error("expected `->`, found the end of the line")
                        .help("an arrow divides what is taken from what is given: `a b -> c`"));
                }
                Some('-') if !arrow && self.eat("->") => arrow = true,
                Some(_) => {
                    let arc = self.arc()?;
                    if arrow { outputs.push(arc) } else { inputs.push(arc) }
                }
            }
        }
    }

    fn arc(&mut self) -> Result<Arc, ReadError> {
        let at = self.at;
        let node = self.name("an arc or `->`")?;
        let sign = self.at;
        let refuse =
            |message: &str, help: &str| Err(ReadError::at(self.text, sign, message).help(help));
        if self.rest().starts_with("?-") || self.rest().starts_with("!-") {
            return refuse(
                "inhibitor arcs are not supported",
                "give the place a complement that holds its free room, and take from that",
            );
        }
        if self.rest().starts_with('!') {
            return refuse("stopwatch arcs are not supported", "use an untimed net");
        }
        let test = self.eat("?");
        let weight = match test || self.eat("*") {
            true => self.number("a weight")?,
            false => 1,
        };
        Ok(Arc { node, weight, test, at })
    }
}
