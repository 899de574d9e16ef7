//! Which keys of a few requests are the same, and which are smaller.
//!
//! Steps of a request mention elements of arrays for its own keys alone, and its keys are compared
//! with each other alone. So a condition on a few requests speaks of finitely many elements, and
//! all that matters of the keys is which are the same; their order is kept besides, because
//! handlers ask for it. There are finitely many cases, each of which numbers the keys of all
//! requests, the smallest first. In each case an element is a variable like any other: those of
//! different keys are different, and those of other keys stay as they are.
//!
//! So a condition that holds in all cases holds whatever the keys are, and however many there are.

use ser_model::SymbolicNet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How many requests are looked at together.
const REQUESTS: usize = 3;

/// For two requests: the number of each of their keys among those of both.
pub type Shared = [Vec<u8>; 2];

/// For each global variable of a request, or of a fact, the variable that is meant; nothing if that
/// is an element of a key that is not there.
pub type Meant = Rc<[Option<u32>]>;

/// The keys of up to three requests, by type: the number of each among those of all.
pub type Keys = Vec<Vec<usize>>;

/// One of the cases.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    /// What variables of the requests mean.
    own: [Meant; REQUESTS],
    /// What those mean that are no elements.
    plain: Meant,
    /// What those of facts on one key mean, for each key of each type.
    each: Vec<(usize, Meant)>,
    /// What is known of two requests, and what variables of facts about both mean.
    pairs: [[Option<(Shared, Meant)>; REQUESTS]; REQUESTS],
}

impl Joint {
    /// The only case for one request.
    pub fn alone(net: &SymbolicNet, number: usize, handler: usize) -> Rc<Joint> {
        let mut keys: [Keys; REQUESTS] = Default::default();
        keys[number] = net.handlers[handler].keys.iter().map(|n| (0..*n).collect()).collect();
        Rc::new(Joint::new(net, &keys))
    }

    /// All cases for requests of these handlers.
    pub fn all(net: &SymbolicNet, handlers: [Option<usize>; REQUESTS]) -> Vec<Rc<Joint>> {
        let mut all: Vec<[Keys; REQUESTS]> = vec![Default::default()];
        for of in 0..net.types {
            let counts = handlers.map(|it| it.map_or(0, |it| net.handlers[it].keys[of]));
            let mut next = Vec::new();
            for keys in &all {
                for merged in merges(counts) {
                    let mut keys = keys.clone();
                    for (own, merged) in keys.iter_mut().zip(merged) {
                        own.push(merged);
                    }
                    next.push(keys);
                }
            }
            all = next;
        }
        all.iter().map(|keys| Rc::new(Joint::new(net, keys))).collect()
    }

    fn new(net: &SymbolicNet, keys: &[Keys; REQUESTS]) -> Joint {
        let plain = own_keys(net, &Keys::new());
        if net.types == 0 {
            let own = [0, 1, 2].map(|_| plain.clone());
            let pair = |_| Some((Shared::default(), plain.clone()));
            return Joint {
                own,
                each: Vec::new(),
                pairs: [0, 1, 2].map(|_| [0, 1, 2].map(pair)),
                plain,
            };
        }
        let mut each = Vec::new();
        for of in 0..net.types {
            let here = keys.iter().filter_map(|it| it.get(of)).flatten();
            for key in here.copied().collect::<BTreeSet<usize>>() {
                each.push((of, one_key(net, of, key)));
            }
        }
        let mut pairs: [[Option<(Shared, Meant)>; REQUESTS]; REQUESTS] = Default::default();
        for (a, row) in pairs.iter_mut().enumerate() {
            for (b, pair) in row.iter_mut().enumerate() {
                if a != b {
                    *pair = Some(shared(net, &keys[a], &keys[b]));
                }
            }
        }
        Joint { own: [0, 1, 2].map(|n| own_keys(net, &keys[n])), each, pairs, plain }
    }

    pub fn own(&self, number: usize) -> &Meant {
        &self.own[number]
    }

    pub fn plain(&self) -> &Meant {
        &self.plain
    }

    pub fn each(&self) -> &[(usize, Meant)] {
        &self.each
    }

    pub fn pair(&self, [a, b]: [usize; 2]) -> Option<&(Shared, Meant)> {
        self.pairs[a][b].as_ref()
    }
}

/// What variables of a request with these keys mean.
pub fn own_keys(net: &SymbolicNet, keys: &Keys) -> Meant {
    meant(net, &|of, key| keys.get(of)?.get(key).copied())
}

/// What variables of a fact on one key of a type mean, for this key.
pub fn one_key(net: &SymbolicNet, of: usize, number: usize) -> Meant {
    meant(net, &|other, key| (other == of && key == 0).then_some(number))
}

/// Which keys two requests share, and what variables of a fact about both mean.
pub fn shared(net: &SymbolicNet, a: &Keys, b: &Keys) -> (Shared, Meant) {
    let mut both: Vec<Vec<usize>> = Vec::new();
    let mut ranks: Shared = Default::default();
    for of in 0..net.types {
        let [a, b] = [a, b].map(|it| it.get(of).map_or(&[][..], Vec::as_slice));
        let all: BTreeSet<usize> = a.iter().chain(b).copied().collect();
        let all: Vec<usize> = all.into_iter().collect();
        for (ranks, own) in ranks.iter_mut().zip([a, b]) {
            let rank = |key| all.iter().position(|it| it == key).unwrap_or(0) as u8;
            ranks.extend(own.iter().map(rank));
        }
        both.push(all);
    }
    (ranks, meant(net, &|of, key| both.get(of)?.get(key).copied()))
}

/// All that can be said of which keys requests of two handlers share.
pub fn all_shared(net: &SymbolicNet, handlers: [usize; 2]) -> BTreeSet<Shared> {
    let joints = Joint::all(net, [Some(handlers[0]), Some(handlers[1]), None]);
    joints.iter().filter_map(|it| it.pair([0, 1])).map(|(shared, _)| shared.clone()).collect()
}

fn meant(net: &SymbolicNet, number: &dyn Fn(usize, usize) -> Option<usize>) -> Meant {
    let all = 0..net.all_globals() as u32;
    all.map(|n| match net.array_of(n) {
        None => Some(n),
        Some((array, key)) => Some(net.element(array, number(net.arrays[array].of, key)?)),
    })
    .collect()
}

/// All ways to number so many keys of each request, ascending, without gaps.
fn merges(counts: [usize; REQUESTS]) -> Vec<[Vec<usize>; REQUESTS]> {
    let mut done = Vec::new();
    let mut open: Vec<[Vec<usize>; REQUESTS]> = vec![Default::default()];
    while let Some(keys) = open.pop() {
        let more: Vec<usize> = (0..REQUESTS).filter(|n| keys[*n].len() < counts[*n]).collect();
        if more.is_empty() {
            done.push(keys);
            continue;
        }
        let last = keys.iter().filter_map(|it| it.last()).max();
        let next = last.map_or(0, |it| it + 1);
        // The smallest key that is not numbered yet belongs to some of them.
        for some in 1..1usize << more.len() {
            let mut keys = keys.clone();
            for (n, request) in more.iter().enumerate() {
                if some >> n & 1 == 1 {
                    keys[*request].push(next);
                }
            }
            open.push(keys);
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::merges;

    #[test]
    fn keys_are_the_same_or_smaller_or_larger() {
        assert_eq!(merges([0, 0, 0]).len(), 1);
        assert_eq!(merges([1, 1, 0]).len(), 3);
        // Delannoy numbers.
        assert_eq!(merges([2, 2, 0]).len(), 13);
        assert_eq!(merges([2, 2, 2]).len(), 409);
    }
}
