//! What one place adds to the formula: links, and that tokens are consumed once.

use super::{EncodeError, Encoder};
use crate::bits::positions;
use crate::formula::{FALSE, Part, TRUE};
use crate::ids::{ArcId, PlaceId, TransitionId};
use crate::net::{ArcKind, Net};
use crate::order::StaticOrder;
use crate::term::{Interval, Node};
use ser_base::Pace;
use ser_clausal::Lit;

/// A reading arc with its links.
pub(super) struct Reader {
    pub arc: ArcId,
    /// To which output arcs it can be linked, and the literals that it is.
    pub links: Vec<(ArcId, Lit)>,
    /// "Linked to a token of a copy that is not there yet".
    more: Lit,
    /// For "at most one of the links".
    once: AtMostOne,
}

/// What was encoded of a place.
#[derive(Default)]
pub(super) struct PlaceState {
    /// The outputs, each with "at most one consumer".
    pub outputs: Vec<(ArcId, AtMostOne)>,
    pub inputs: Vec<Reader>,
    pub tests: Vec<Reader>,
}

/// At most one of literals that come one by one, in linear size: `some` is implied by those before.
#[derive(Clone, Copy, Default)]
pub(super) struct AtMostOne {
    some: Option<Lit>,
    last: Option<Lit>,
}

impl Encoder {
    fn add_once(&mut self, mut once: AtMostOne, lit: Lit) -> AtMostOne {
        if lit == FALSE {
            return once;
        }
        if let Some(last) = once.last {
            let some = match once.some {
                None => last,
                Some(earlier) => {
                    let some = self.formula.new_lit();
                    self.formula.implies(earlier, some);
                    self.formula.implies(last, some);
                    some
                }
            };
            self.formula.clause(&[!some, !lit]);
            once.some = Some(some);
        }
        once.last = Some(lit);
        once
    }

    /// beta, psi and delta or delta-hat of a place, as far as they are new.
    pub(super) fn add_place(
        &mut self,
        net: &Net,
        id: PlaceId,
        pace: &mut Pace<'_>,
    ) -> Result<(), EncodeError> {
        let place = net.place(id);
        if self.places.len() <= id.index() {
            self.places.push(PlaceState::default());
        }
        let mut state = std::mem::take(&mut self.places[id.index()]);
        let is_safe = place.is_safe && self.options.safe_places;
        let old_outputs = state.outputs.len();
        let (old_inputs, old_tests) = (state.inputs.len(), state.tests.len());
        if place.outputs.len() == old_outputs
            && place.inputs.len() == old_inputs
            && place.tests.len() == old_tests
            && !self.filled.contains(&id)
            && state.inputs.iter().chain(&state.tests).all(|reader| reader.more == FALSE)
        {
            self.places[id.index()] = state;
            return Ok(());
        }
        let outputs = place.outputs.iter().skip(old_outputs);
        state.outputs.extend(outputs.map(|arc| (*arc, AtMostOne::default())));
        let readers = |arcs: &[ArcId], old: usize| -> Vec<Reader> {
            let new = arcs.iter().skip(old);
            new.map(|arc| Reader {
                arc: *arc,
                links: Vec::new(),
                more: TRUE,
                once: AtMostOne::default(),
            })
            .collect()
        };
        state.inputs.extend(readers(&place.inputs, old_inputs));
        state.tests.extend(readers(&place.tests, old_tests));
        // Where each reader's new links begin.
        let mut begins = (Vec::new(), Vec::new());
        for (readers, old, begin) in [
            (&mut state.inputs, old_inputs, &mut begins.0),
            (&mut state.tests, old_tests, &mut begins.1),
        ] {
            for (index, reader) in readers.iter_mut().enumerate() {
                begin.push(reader.links.len());
                let from = if index < old { old_outputs } else { 0 };
                pace.steps(64 * (state.outputs.len() - from + 1)).map_err(EncodeError::from)?;
                let outputs: Vec<ArcId> = state.outputs[from..].iter().map(|(o, _)| *o).collect();
                self.link(net, id, is_safe, reader, &outputs, index >= old);
            }
        }
        self.formula.set_part(Part::Consumption);
        if is_safe {
            self.add_safe(net, &state, &begins, old_inputs, pace)?;
        } else {
            self.add_unsafe(net, &mut state, &begins, pace)?;
        }
        self.places[id.index()] = state;
        Ok(())
    }

    fn occurs_of(&self, net: &Net, arc: ArcId) -> Lit {
        self.occurs(net.arc(arc).transition)
    }

    /// beta and psi of a reading arc, for new outputs.
    fn link(
        &mut self,
        net: &Net,
        place: PlaceId,
        is_safe: bool,
        reader: &mut Reader,
        outputs: &[ArcId],
        is_new: bool,
    ) {
        let occurs = self.occurs_of(net, reader.arc);
        if occurs == FALSE {
            reader.more = FALSE;
            return;
        }
        if !is_new && reader.more == FALSE {
            return;
        }
        let can_grow = self.filled.contains(&place);
        let possible: Vec<ArcId> = outputs
            .iter()
            .copied()
            .filter(|output| self.can_link(net, is_safe, *output, reader.arc))
            .collect();
        self.formula.set_part(Part::Links);
        let mut choices = vec![if is_new { !occurs } else { !reader.more }];
        // With one maker and no more to come, there is no choice.
        let forced = is_new && !can_grow && possible.len() == 1;
        for output in possible {
            let link = if forced { occurs } else { self.formula.new_lit() };
            self.add_link(net, output, reader.arc, link);
            self.formula.set_part(Part::Links);
            choices.push(link);
            reader.links.push((output, link));
            if self.options.single_links {
                reader.once = self.add_once(reader.once, link);
            }
        }
        if can_grow {
            self.formula.set_part(Part::Growth);
            let more = self.formula.new_lit();
            let begun = (0..net.growths.len()).filter(|g| net.growths[*g].fills.contains(&place));
            let clause: Vec<Lit> =
                std::iter::once(!more).chain(begun.map(|g| self.begun[g])).collect();
            self.formula.clause(&clause);
            choices.push(more);
            reader.more = more;
            self.formula.set_part(Part::Links);
        } else {
            reader.more = FALSE;
        }
        self.formula.clause(&choices);
    }

    /// Whether a reading arc could ever be linked to an output arc.
    fn can_link(&self, net: &Net, is_safe: bool, output: ArcId, reader: ArcId) -> bool {
        let arc = net.arc(reader);
        let intervals: Vec<Interval> =
            arc.values.iter().map(|term| net.terms.interval(*term)).collect();
        self.occurs_of(net, output) != FALSE
            && could_link(net, &self.known, is_safe, output, reader)
            && self.values.can_read(output, arc.transition, &intervals)
    }

    /// psi: who is linked to, occurs, before, with the same value.
    fn add_link(&mut self, net: &Net, output: ArcId, reader: ArcId, link: Lit) {
        let (made, read) = (net.arc(output), net.arc(reader));
        let (maker, taker) = (self.occurs(made.transition), self.occurs(read.transition));
        self.formula.implies(link, maker);
        self.formula.implies(link, taker);
        let before =
            self.order.before(&mut self.formula, &self.known, made.transition, read.transition);
        self.formula.implies(link, before);
        self.formula.set_part(Part::Data);
        for (made, read) in made.values.iter().zip(&read.values) {
            if let Node::Variable(variable) = net.terms.node(*read)
                && self.ignored.contains(&variable)
            {
                continue;
            }
            let made = self.bits.number(&mut self.formula, &net.terms, *made);
            let read = self.bits.number(&mut self.formula, &net.terms, *read);
            for i in positions(&made, &read) {
                self.formula.clause(&[!link, !made.bit(i), read.bit(i)]);
                self.formula.clause(&[!link, made.bit(i), !read.bit(i)]);
            }
        }
    }

    /// delta: each token has at most one consumer, and is not tested after that.
    fn add_unsafe(
        &mut self,
        net: &Net,
        state: &mut PlaceState,
        begins: &(Vec<usize>, Vec<usize>),
        pace: &mut Pace<'_>,
    ) -> Result<(), EncodeError> {
        for (reader, begin) in state.inputs.iter().zip(&begins.0) {
            for (output, link) in &reader.links[*begin..] {
                if let Some((_, once)) = state.outputs.iter_mut().find(|(o, _)| o == output) {
                    *once = self.add_once(*once, *link);
                }
            }
        }
        for (input, new_input) in state.inputs.iter().zip(&begins.0) {
            for (test, new_test) in state.tests.iter().zip(&begins.1) {
                let (taker, tester) = (net.arc(input.arc).transition, net.arc(test.arc).transition);
                pace.steps(16 * input.links.len() + 1).map_err(EncodeError::from)?;
                for (i, (output, taken)) in input.links.iter().enumerate() {
                    for (j, (other, tested)) in test.links.iter().enumerate() {
                        if output == other && (i >= *new_input || j >= *new_test) {
                            self.add_order(&[!*taken, !*tested], &[(tester, taker)]);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// delta-hat: nobody takes a token between the one who makes the token and the one who reads
    /// it.
    fn add_safe(
        &mut self,
        net: &Net,
        state: &PlaceState,
        begins: &(Vec<usize>, Vec<usize>),
        old_inputs: usize,
        pace: &mut Pace<'_>,
    ) -> Result<(), EncodeError> {
        let readers = state.inputs.iter().zip(&begins.0).chain(state.tests.iter().zip(&begins.1));
        for (reader, begin) in readers {
            let to = net.arc(reader.arc).transition;
            for (l, (output, link)) in reader.links.iter().enumerate() {
                let from = net.arc(*output).transition;
                pace.steps(16 * state.inputs.len() + 1).map_err(EncodeError::from)?;
                for (c, input) in state.inputs.iter().enumerate() {
                    let taker = net.arc(input.arc).transition;
                    let is_new = l >= *begin || c >= old_inputs;
                    if is_new && taker != from && taker != to && self.occurs(taker) != FALSE {
                        self.add_order(&[!*link], &[(taker, from), (to, taker)]);
                    }
                }
            }
        }
        Ok(())
    }

    /// A clause with some inequalities.
    fn add_order(&mut self, others: &[Lit], inequalities: &[(TransitionId, TransitionId)]) {
        let holds = inequalities.iter().any(|(t, u)| self.known.is_before(*t, *u));
        if holds {
            return;
        }
        let mut clause = others.to_vec();
        for (t, u) in inequalities {
            clause.push(self.order.before(&mut self.formula, &self.known, *t, *u));
        }
        self.formula.clause(&clause);
    }
}

/// Whether a reading arc could ever be linked to an output arc, as far as order and intervals tell.
pub(super) fn could_link(
    net: &Net,
    known: &StaticOrder,
    is_safe: bool,
    output: ArcId,
    reader: ArcId,
) -> bool {
    let (output, reader) = (net.arc(output), net.arc(reader));
    let (from, to) = (output.transition, reader.transition);
    if from == to || known.is_dead(from) || known.is_before(to, from) {
        return false;
    }
    let place = net.place(reader.place);
    let mut values = output.values.iter().zip(&reader.values).zip(&place.colours);
    if values.any(|((made, read), colour)| {
        let made = net.terms.interval(*made).meet(*colour);
        made.and_then(|made| made.meet(net.terms.interval(*read))).is_none()
    }) {
        return false;
    }
    if !is_safe {
        return true;
    }
    // A transition that takes a token from a safe place has no other arc that reads there.
    let reads = net.transition(to).arcs.iter().map(|arc| net.arc(*arc));
    let reads = reads.filter(|arc| arc.place == reader.place && arc.kind != ArcKind::Output);
    let (mut count, mut takes) = (0, false);
    for arc in reads {
        count += 1;
        takes |= arc.kind == ArcKind::Input;
    }
    if count > 1 && takes {
        return false;
    }
    // Whoever always takes a token between: it would have been this one.
    !place
        .inputs
        .iter()
        .map(|arc| net.arc(*arc).transition)
        .any(|taker| taker != to && known.is_before(from, taker) && known.is_before(taker, to))
}
