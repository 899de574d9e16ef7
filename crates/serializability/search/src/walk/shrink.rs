//! A counterexample that people can read: fewer requests, fewer steps, fewer context switches.
//!
//! Delta debugging on schedules: leave something out, or put a turn elsewhere, let the rest go on
//! as well as it can, and keep the result if its outcome is still not serial and it is smaller.
//! What comes out is a local optimum; nobody claims more.

use super::ground::{Moves, Next};
use super::serial::{MOST_PAIRS, Serial};
use super::{Schedule, Turn};
use ser_base::{Limits, Stop};

/// The most attempts.
const ATTEMPTS: usize = 3_000;

/// The most moves by which a request in flight is brought to its end.
const LAST_MOVES: usize = 50;

/// How large a schedule is: requests, turns, context switches.
type Size = (usize, usize, usize);

fn size(schedule: &Schedule) -> Size {
    let Schedule { entries, turns, .. } = schedule;
    let switches = turns.windows(2).filter(|pair| pair[0].who != pair[1].who).count();
    (entries.len(), turns.len(), switches)
}

/// A schedule that is as good a counterexample and no larger.
pub(crate) fn shrink(
    found: Schedule,
    moves: &mut Moves<'_>,
    serial: &mut Serial,
    limits: &Limits,
) -> Result<Schedule, Stop> {
    let mut shrinking = Shrinking { best: found, moves, serial, limits, left: ATTEMPTS };
    loop {
        let before = size(&shrinking.best);
        shrinking.drop_requests()?;
        shrinking.drop_turns()?;
        shrinking.join_turns()?;
        if size(&shrinking.best) == before || shrinking.left == 0 {
            return Ok(shrinking.best);
        }
    }
}

struct Shrinking<'a, 'b> {
    best: Schedule,
    moves: &'a mut Moves<'b>,
    serial: &'a mut Serial,
    limits: &'a Limits,
    left: usize,
}

impl Shrinking<'_, '_> {
    /// Leaves out one request after the other.
    fn drop_requests(&mut self) -> Result<(), Stop> {
        let mut who = self.best.entries.len();
        while who > 0 {
            who -= 1;
            let turns = self.best.turns.iter().filter(|turn| turn.who != who);
            let turns: Vec<Turn> = turns.copied().collect();
            if self.attempt(&turns)? {
                who = who.min(self.best.entries.len());
            }
        }
        Ok(())
    }

    /// Leaves out one turn after the other.
    fn drop_turns(&mut self) -> Result<(), Stop> {
        let mut at = self.best.turns.len();
        while at > 0 {
            at -= 1;
            let mut turns = self.best.turns.clone();
            if at < turns.len() {
                turns.remove(at);
                self.attempt(&turns)?;
            }
        }
        Ok(())
    }

    /// Brings turns of one request together.
    fn join_turns(&mut self) -> Result<(), Stop> {
        let mut at = 1;
        while at < self.best.turns.len() {
            let turns = &self.best.turns;
            let who = turns[at].who;
            let before = turns[..at].iter().rposition(|turn| turn.who == who);
            if let Some(before) = before.filter(|before| before + 1 < at) {
                let mut sooner = turns.clone();
                let turn = sooner.remove(at);
                sooner.insert(before + 1, turn);
                let mut later = turns.clone();
                let turn = later.remove(before);
                later.insert(at - 1, turn);
                if !self.attempt(&sooner)? {
                    self.attempt(&later)?;
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// Whether these turns make a smaller counterexample, which is the best one from now on.
    fn attempt(&mut self, turns: &[Turn]) -> Result<bool, Stop> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        self.limits.check_clock()?;
        let Some(schedule) = self.replay(turns)? else { return Ok(false) };
        let better = size(&schedule) < size(&self.best)
            && self.serial.has_none(&schedule.letters, MOST_PAIRS, self.moves)?;
        if better {
            self.best = schedule;
        }
        Ok(better)
    }

    /// Takes the turns that are possible, then lets everybody come to an end. Requests are numbered
    /// anew.
    fn replay(&mut self, turns: &[Turn]) -> Result<Option<Schedule>, Stop> {
        let count = self.best.entries.len();
        let mut going = Going {
            schedule: Schedule::default(),
            global: self.moves.initial(),
            requests: vec![Stands::Outside; count],
        };
        for Turn { who, choice } in turns {
            self.turn(&mut going, *who, *choice)?;
        }
        let mut left = LAST_MOVES * (1 + count);
        loop {
            let flying = |stands: &Stands| matches!(stands, Stands::InFlight(..));
            let waiting: Vec<usize> =
                (0..count).filter(|who| flying(&going.requests[*who])).collect();
            if waiting.is_empty() {
                break;
            }
            let mut moved = false;
            for who in waiting {
                while left > 0 && self.turn(&mut going, who, 0)? {
                    (left, moved) = (left - 1, true);
                }
            }
            if !moved {
                return Ok(None);
            }
        }
        Ok((!going.schedule.turns.is_empty()).then_some(going.schedule))
    }

    /// Lets a request move, if it can.
    fn turn(&mut self, going: &mut Going, who: usize, choice: usize) -> Result<bool, Stop> {
        let entry = self.best.entries[who];
        let there = match going.requests[who] {
            Stands::Outside => self.moves.arriving(going.global, entry)?,
            Stands::InFlight(_, local) => self.moves.of(going.global, local)?,
            Stands::Gone => return Ok(false),
        };
        let choice = if choice < there.len() { choice } else { 0 };
        let Some(next) = there.get(choice) else { return Ok(false) };
        let Going { schedule, global, requests } = going;
        let number = match requests[who] {
            Stands::InFlight(number, _) => number,
            _ => {
                schedule.entries.push(entry);
                schedule.entries.len() - 1
            }
        };
        schedule.turns.push(Turn { who: number, choice });
        *global = next.after;
        requests[who] = match next.to {
            Next::InFlight(local) => Stands::InFlight(number, local),
            Next::Responds(response) => {
                schedule.letters.push((number, (self.moves.entries()[entry].0, response)));
                Stands::Gone
            }
        };
        Ok(true)
    }
}

/// How far a replay has got.
struct Going {
    schedule: Schedule,
    global: u32,
    requests: Vec<Stands>,
}

/// Where a request stands: its new number, and its local state.
#[derive(Clone, Copy)]
enum Stands {
    Outside,
    InFlight(usize, u32),
    Gone,
}
