//! Which lane of the figure each request has.
//!
//! Few requests have a lane each, and the lanes may become columns. Of more requests, one that arrives
//! takes the first lane whose request has responded, so that there are never more lanes than requests in
//! flight at the same time. Should these be too many for lanes to be told apart, there are none.

use std::collections::BTreeMap;

/// So many requests have a lane each.
const FEW: usize = 3;
/// The most lanes beside each other.
const MAX_LANES: usize = 8;
/// Where there is little room, so many.
const MAX_NARROW: usize = 4;

/// The lanes of a run.
#[derive(Debug)]
pub struct Lanes {
    lives: BTreeMap<u32, Life>,
    count: usize,
    columns: bool,
}

/// The steps with which a request arrives and responds, and its lane.
#[derive(Clone, Copy, Debug)]
struct Life {
    arrives: usize,
    responds: usize,
    lane: usize,
}

/// A piece of a lane beside one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rail {
    /// The number of the request.
    pub number: u32,
    /// Its lane; the first one is 1.
    pub lane: usize,
    /// Whether it arrives with this step.
    pub arrives: bool,
    /// Whether it responds with this step.
    pub responds: bool,
}

impl Lanes {
    /// The lanes for the requests that take the steps of a run.
    pub fn of(steps: impl Iterator<Item = u32>) -> Lanes {
        let mut lives: BTreeMap<u32, Life> = BTreeMap::new();
        let mut arrivals = Vec::new();
        for (at, number) in steps.enumerate() {
            let life = lives.entry(number).or_insert_with(|| {
                arrivals.push(number);
                Life { arrives: at, responds: at, lane: 0 }
            });
            life.responds = at;
        }
        let columns = lives.len() <= FEW;
        // For each lane the last step of the request that has it.
        let mut ends: Vec<usize> = Vec::new();
        if columns {
            for (at, life) in lives.values_mut().enumerate() {
                life.lane = at + 1;
                ends.push(life.responds);
            }
        } else {
            for number in arrivals {
                let Some(life) = lives.get_mut(&number) else { continue };
                let free = ends.iter().position(|end| *end < life.arrives);
                match free.and_then(|lane| ends.get_mut(lane)) {
                    Some(end) => *end = life.responds,
                    None => ends.push(life.responds),
                }
                life.lane = free.unwrap_or(ends.len() - 1) + 1;
            }
        }
        let count = if ends.len() > MAX_LANES { 0 } else { ends.len() };
        Lanes { lives, count, columns }
    }

    /// How many lanes there are; none if there would be too many.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether each request has a lane that may become a column.
    pub fn are_columns(&self) -> bool {
        self.columns
    }

    /// The name of the layout, for the style.
    pub fn layout(&self) -> String {
        match self.count {
            0 => "none".to_owned(),
            count if self.columns => count.to_string(),
            count if count > MAX_NARROW => "many".to_owned(),
            _ => "some".to_owned(),
        }
    }

    /// The lane of a request; the first one is 1.
    pub fn lane(&self, number: u32) -> usize {
        self.lives.get(&number).map_or(1, |life| life.lane)
    }

    /// The requests that are in flight beside a step.
    pub fn rails(&self, step: usize) -> impl Iterator<Item = Rail> {
        let shown = self.lives.iter().filter(|_| self.count > 0);
        let here = shown.filter(move |(_, life)| (life.arrives..=life.responds).contains(&step));
        here.map(move |(number, life)| Rail {
            number: *number,
            lane: life.lane,
            arrives: life.arrives == step,
            responds: life.responds == step,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_used_again_once_its_request_has_responded() {
        let lanes = Lanes::of([1, 2, 1, 3, 2, 4, 3, 4].into_iter());
        assert_eq!([1, 2, 3, 4].map(|number| lanes.lane(number)), [1, 2, 1, 2]);
        assert_eq!((lanes.count(), lanes.layout().as_str()), (2, "some"));
        for step in 0..8 {
            let mut at: Vec<usize> = lanes.rails(step).map(|rail| rail.lane).collect();
            at.sort_unstable();
            at.dedup();
            assert_eq!(
                at.len(),
                lanes.rails(step).count(),
                "step {step}: one request in each lane"
            );
        }
    }

    #[test]
    fn few_requests_have_a_lane_each() {
        let lanes = Lanes::of([1, 2, 3].into_iter());
        assert_eq!([1, 2, 3].map(|number| lanes.lane(number)), [1, 2, 3]);
        assert!(lanes.are_columns());
    }

    #[test]
    fn too_many_requests_at_once_have_no_lanes() {
        let both = |n: u32| (1..=n).chain(1..=n);
        assert_eq!(Lanes::of(both(8)).layout(), "many");
        let lanes = Lanes::of(both(9));
        assert_eq!((lanes.layout().as_str(), lanes.rails(3).count()), ("none", 0));
    }
}
