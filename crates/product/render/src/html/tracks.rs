//! Which track of the figure each lane of a run has.
//!
//! Few lanes have a track each, and the tracks may become columns. Of more lanes, one that begins
//! takes the first track whose lane has ended, so that there are never more tracks than lanes that
//! are under way at the same time. If these are too many to tell apart, there are none.

use std::collections::BTreeMap;

/// So many lanes have a track each.
const FEW: usize = 3;
/// The most tracks beside each other.
const MAX_TRACKS: usize = 8;
/// Where there is little room, so many.
const MAX_NARROW: usize = 4;

/// The tracks of a run.
#[derive(Debug)]
pub struct Tracks {
    lives: BTreeMap<usize, Life>,
    count: usize,
    columns: bool,
}

/// The first and the last step of a lane, and its track.
#[derive(Clone, Copy, Debug)]
struct Life {
    first: usize,
    last: usize,
    track: usize,
}

/// A piece of a track beside one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rail {
    pub lane: usize,
    /// Its track; the first one is 1.
    pub track: usize,
    /// Whether this is the lane's first step.
    pub begins: bool,
    /// Whether this is the lane's last step.
    pub ends: bool,
}

impl Tracks {
    /// The tracks for the lanes that take the steps of a run.
    pub fn of(steps: impl Iterator<Item = usize>) -> Tracks {
        let mut lives: BTreeMap<usize, Life> = BTreeMap::new();
        let mut arrivals = Vec::new();
        for (at, lane) in steps.enumerate() {
            let life = lives.entry(lane).or_insert_with(|| {
                arrivals.push(lane);
                Life { first: at, last: at, track: 0 }
            });
            life.last = at;
        }
        let columns = lives.len() <= FEW;
        // For each track the last step of the lane that has it.
        let mut ends: Vec<usize> = Vec::new();
        if columns {
            for (at, life) in lives.values_mut().enumerate() {
                life.track = at + 1;
                ends.push(life.last);
            }
        } else {
            for lane in arrivals {
                let Some(life) = lives.get_mut(&lane) else { continue };
                let free = ends.iter().position(|end| *end < life.first);
                match free.and_then(|track| ends.get_mut(track)) {
                    Some(end) => *end = life.last,
                    None => ends.push(life.last),
                }
                life.track = free.unwrap_or(ends.len() - 1) + 1;
            }
        }
        let count = if ends.len() > MAX_TRACKS { 0 } else { ends.len() };
        Tracks { lives, count, columns }
    }

    /// How many tracks there are; none if there would be too many.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether each lane has a track that may become a column.
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

    /// The lanes that take steps, in order.
    pub fn lanes(&self) -> impl Iterator<Item = usize> {
        self.lives.keys().copied()
    }

    /// The track of a lane; the first one is 1.
    pub fn track(&self, lane: usize) -> usize {
        self.lives.get(&lane).map_or(1, |life| life.track)
    }

    /// The lanes that are under way beside a step.
    pub fn rails(&self, step: usize) -> impl Iterator<Item = Rail> {
        let shown = self.lives.iter().filter(|_| self.count > 0);
        let here = shown.filter(move |(_, life)| (life.first..=life.last).contains(&step));
        here.map(move |(lane, life)| Rail {
            lane: *lane,
            track: life.track,
            begins: life.first == step,
            ends: life.last == step,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_is_used_again_once_its_lane_has_ended() {
        let tracks = Tracks::of([1, 2, 1, 3, 2, 4, 3, 4].into_iter());
        assert_eq!([1, 2, 3, 4].map(|number| tracks.track(number)), [1, 2, 1, 2]);
        assert_eq!((tracks.count(), tracks.layout().as_str()), (2, "some"));
        for step in 0..8 {
            let mut at: Vec<usize> = tracks.rails(step).map(|rail| rail.track).collect();
            at.sort_unstable();
            at.dedup();
            assert_eq!(at.len(), tracks.rails(step).count(), "step {step}: one lane in each track");
        }
    }

    #[test]
    fn few_lanes_have_a_track_each() {
        let tracks = Tracks::of([1, 2, 3].into_iter());
        assert_eq!([1, 2, 3].map(|number| tracks.track(number)), [1, 2, 3]);
        assert!(tracks.are_columns());
    }

    #[test]
    fn too_many_lanes_at_once_have_no_tracks() {
        let both = |n: usize| (1..=n).chain(1..=n);
        assert_eq!(Tracks::of(both(8)).layout(), "many");
        let tracks = Tracks::of(both(9));
        assert_eq!((tracks.layout().as_str(), tracks.rails(3).count()), ("none", 0));
    }
}
