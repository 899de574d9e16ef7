//! Arguments by arithmetic, as data.
//!
//! ```json
//!   "proof": { "method": "arithmetic",
//!     "reductions": [ "slice" ],
//!     "transitions": [ {"before": "X=0", "after": "X=1", "gives": ["main", "l1"]},
//!                      {"before": "X=1", "takes": ["main", "l1"], "after": "X=0", "responds": ["main", "0"]} ],
//!     "components": [ {"word": [[["main", "0"], "X=0"]], "cycles": [{"at": 0, "word": [[["main", "0"], "X=0"]]}]},
//!                     {"merge": [0, 1], "period": 2} ],
//!     "cases": [ {"final": "X=0", "tree": NODE} ] }
//! ```
//!
//! where a case without `final` is about runs that end anywhere, and NODE is one of
//!
//! ```json
//!   {"split": FORM, "at": 0, "name": "a", "le": NODE, "gt": NODE}
//!   {"sign": FORM, "name": "s", "negative": NODE, "zero": NODE, "positive": NODE}
//!   {"mod": FORM, "q": 2, "name": "b", "variable": "y0", "cases": [NODE, NODE]}
//!   {"cut": [{"global": "X=1"}, {"request": "main", "local": "l1"}], "side": "start", "name": "c", "none": NODE, "some": NODE}
//!   {"cut": [...], "side": "end", "phase": "p", "part": "second", "name": "d", "none": NODE, "some": NODE}
//!   {"last": 4, "name": "p", "never": NODE, "some": NODE}
//!   {"farkas": MULTIPLIERS}
//!   {"lattice": MULTIPLIERS}
//!   {"member": {"component": 0, "lambda": [FORM, ...], "nonneg": [MULTIPLIERS, ...], "equal": [MULTIPLIERS, ...]}}
//! ```
//!
//! A FORM `{"1": "-3", "t4": "1", "y0": "2"}` is a linear form in the variables that are declared
//! where it stands, its constant under `"1"`. MULTIPLIERS `{"a": "1", "global X=0": "-2/3"}` are
//! by the names of hypotheses; see [`hypothesis`](crate::hypothesis) for the ones that are there
//! from the start. Numbers are texts, `"-3"` or `"3/2"`.

use super::{LetterName, PlaceName, Reduction};
use ser_model::object_of;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// Reductions of the net, a description of the serial outcomes, and for every global state that a
/// run may end in a tree of cases whose leaves are impossible or within that description.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arithmetic {
    /// Reductions, in the order in which they are applied.
    pub reductions: Vec<Reduction>,
    /// The transitions of the reduced net, each once: `t0`, `t1`, ...
    pub transitions: Vec<TransitionName>,
    /// Sets of serial outcomes.
    pub components: Vec<Component>,
    /// One case for every global state that a run may end in, or one for all.
    pub cases: Vec<FinalCase>,
}

/// A transition of the reduced net.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransitionName {
    /// The global state before.
    pub before: String,
    /// The place that the request was in; none if it arrives.
    pub takes: Option<PlaceName>,
    /// The global state after.
    pub after: String,
    /// What becomes of the request.
    pub effect: EffectName,
}

/// What a transition does with its request.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EffectName {
    /// It is in flight.
    Gives(PlaceName),
    Responds(LetterName),
}

/// A transition as it stands in the text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TransitionFields {
    before: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    takes: Option<PlaceName>,
    after: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gives: Option<PlaceName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    responds: Option<LetterName>,
}

impl TryFrom<TransitionFields> for TransitionName {
    type Error = &'static str;

    fn try_from(fields: TransitionFields) -> Result<TransitionName, &'static str> {
        let effect = match (fields.gives, fields.responds) {
            (Some(place), None) => EffectName::Gives(place),
            (None, Some(letter)) => EffectName::Responds(letter),
            _ => return Err("a transition has either `gives` or `responds`"),
        };
        let TransitionFields { before, takes, after, .. } = fields;
        Ok(TransitionName { before, takes, after, effect })
    }
}

by_fields!(TransitionName, TransitionFields, "a transition");

impl Serialize for TransitionName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (gives, responds) = match self.effect.clone() {
            EffectName::Gives(place) => (Some(place), None),
            EffectName::Responds(letter) => (None, Some(letter)),
        };
        let (before, takes, after) = (self.before.clone(), self.takes.clone(), self.after.clone());
        TransitionFields { before, takes, after, gives, responds }.serialize(serializer)
    }
}

/// A letter, and the global state that the request alone leads to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reading(
    pub LetterName,
    /// The global state after.
    pub String,
);

/// A serial run that can be inserted any number of times.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// Where: after so many letters of the base word.
    pub at: usize,
    /// The run, which ends in the global state where it starts.
    pub word: Vec<Reading>,
}

/// A set of serial outcomes: a base, and any number of each of the periods.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Component {
    /// The base is a serial run, the periods are cycles on its way.
    Words { word: Vec<Reading>, cycles: Vec<Cycle> },
    /// From (b, P) and (b + q, P and q), the component (b, P and q). Its periods are those of the
    /// second, in their order.
    Merge {
        /// The two components, both earlier in the list.
        merge: (usize, usize),
        /// The number of q among the periods of the second.
        period: usize,
    },
}

/// A component as it stands in the text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ComponentFields {
    word: Option<Vec<Reading>>,
    cycles: Option<Vec<Cycle>>,
    merge: Option<(usize, usize)>,
    period: Option<usize>,
}

impl TryFrom<ComponentFields> for Component {
    type Error = &'static str;

    fn try_from(fields: ComponentFields) -> Result<Component, &'static str> {
        match (fields.word, fields.cycles, fields.merge, fields.period) {
            (Some(word), cycles, None, None) => {
                Ok(Component::Words { word, cycles: cycles.unwrap_or_default() })
            }
            (None, None, Some(merge), Some(period)) => Ok(Component::Merge { merge, period }),
            _ => Err("a component has either `word` and `cycles`, or `merge` and `period`"),
        }
    }
}

by_fields!(Component, ComponentFields, "a component");

/// The runs that end in one global state, or all runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalCase {
    /// The global state; none for runs that end anywhere.
    #[serde(rename = "final", default, skip_serializing_if = "Option::is_none")]
    pub global: Option<String>,
    /// What is known about these runs.
    pub tree: Node,
}

/// Names with numbers: a linear form by its variables, or multipliers by their hypotheses.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Terms(
    /// Numbers as text, `"-3"` or `"3/2"`.
    pub BTreeMap<String, String>,
);

impl<'de> Deserialize<'de> for Terms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Terms, D::Error> {
        let what = "names with numbers as text";
        object_of(deserializer, what, |name| format!("`{name}` is listed twice")).map(Terms)
    }
}

/// A tree of cases.
///
/// No deeper than [`MAX_TREE_DEPTH`](crate::MAX_TREE_DEPTH): deeper trees can neither be checked
/// nor read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Node {
    /// A form is at most a number, or larger.
    Split {
        /// The form; its coefficients are integers.
        #[serde(rename = "split")]
        form: Terms,
        /// The number.
        at: i64,
        /// The name of the hypothesis: `at - form >= 0`, or `form - at - 1 >= 0`.
        name: String,
        /// If the form is at most the number.
        le: Box<Node>,
        /// If it is larger.
        gt: Box<Node>,
    },
    /// A form is negative, zero or positive.
    Sign {
        /// The form; its coefficients are integers.
        #[serde(rename = "sign")]
        form: Terms,
        /// The name of the hypothesis: `-form - 1 >= 0`, `form = 0`, or `form - 1 >= 0`.
        name: String,
        negative: Box<Node>,
        zero: Box<Node>,
        positive: Box<Node>,
    },
    /// The remainder of a form by a number.
    Modulo {
        /// The form; its coefficients are integers.
        #[serde(rename = "mod")]
        form: Terms,
        /// The number, at least 1.
        q: u64,
        /// The name of the hypothesis: `form - q * variable - remainder = 0`.
        name: String,
        /// A new variable: the quotient, any integer.
        variable: String,
        /// For every remainder from 0 to q - 1.
        cases: Vec<Node>,
    },
    /// Places that are empty at the start, or at the end.
    Cut {
        #[serde(rename = "cut")]
        places: Vec<CutPlace>,
        /// When they are empty.
        side: End,
        /// A part of the run instead of all of it: a phase, by its name. With `start` the first
        /// part, with `end` the second.
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<String>,
        /// Which part of the run, if there is a phase.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<Part>,
        /// The name of the hypothesis.
        name: String,
        /// At the start: nothing takes from the places (`takers = 0`). At the end: nothing puts
        /// into them.
        none: Box<Node>,
        /// At the start: something puts into them that does not take from them
        /// (`bringers - 1 >= 0`). At the end: something takes from them that does not put into
        /// them.
        some: Box<Node>,
    },
    /// The last time that a transition fires.
    Last {
        /// The number of the transition.
        #[serde(rename = "last")]
        transition: usize,
        /// The name of the phase, and of the hypothesis `t = 0` if it never fires.
        name: String,
        /// It never fires.
        never: Box<Node>,
        /// It fires: a first part of the run, then this transition, then a second part without it.
        some: Box<Node>,
    },
    /// This case is impossible: the hypotheses give -1 >= 0.
    Farkas {
        #[serde(rename = "farkas")]
        multipliers: Terms,
    },
    /// This case is impossible: the equalities have no integer solution.
    Lattice {
        #[serde(rename = "lattice")]
        multipliers: Terms,
    },
    /// In this case the outcome is in a component.
    Member { member: Member },
}

/// Which component an outcome is in, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The number of the component.
    pub component: usize,
    /// How often each period: forms with integer coefficients.
    pub lambda: Vec<Terms>,
    /// For each of them multipliers that prove it is not negative.
    pub nonneg: Vec<Terms>,
    /// Multipliers of equalities for each letter of the net or of the component, in the order of
    /// their names: so often it is in the outcome as in the base and the periods together.
    pub equal: Vec<Terms>,
}

/// When the places of a cut are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// At the start of the run.
    Start,
    End,
}

/// A part of a run that a phase divides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Before the transition fires for the last time.
    First,
    /// After it.
    Second,
}

/// A place of the net: a global state, or requests in flight.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum CutPlace {
    /// A global state.
    Global { global: String },
    /// Requests in flight.
    InFlight { request: String, local: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CutPlaceFields {
    global: Option<String>,
    request: Option<String>,
    local: Option<String>,
}

impl TryFrom<CutPlaceFields> for CutPlace {
    type Error = &'static str;

    fn try_from(fields: CutPlaceFields) -> Result<CutPlace, &'static str> {
        match (fields.global, fields.request, fields.local) {
            (Some(global), None, None) => Ok(CutPlace::Global { global }),
            (None, Some(request), Some(local)) => Ok(CutPlace::InFlight { request, local }),
            _ => Err("a place has either `global`, or `request` and `local`"),
        }
    }
}

by_fields!(CutPlace, CutPlaceFields, "a place");

/// A node as it stands in the text, and the names of the fields that are there.
macro_rules! node_fields {
    ($($field:ident $name:literal: $type:ty,)*) => {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct NodeFields {
            $(#[serde(rename = $name)] $field: Option<$type>,)*
        }

        impl NodeFields {
            fn present(&self) -> Vec<&'static str> {
                let all = [$(($name, self.$field.is_some())),*];
                all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
            }
        }
    };
}

node_fields! {
    split "split": Terms,
    at "at": i64,
    sign "sign": Terms,
    negative "negative": Box<Node>,
    zero "zero": Box<Node>,
    positive "positive": Box<Node>,
    modulo "mod": Terms,
    q "q": u64,
    variable "variable": String,
    cases "cases": Vec<Node>,
    cut "cut": Vec<CutPlace>,
    side "side": End,
    phase "phase": String,
    part "part": Part,
    last "last": usize,
    name "name": String,
    le "le": Box<Node>,
    gt "gt": Box<Node>,
    none "none": Box<Node>,
    some "some": Box<Node>,
    never "never": Box<Node>,
    farkas "farkas": Terms,
    lattice "lattice": Terms,
    member "member": Member,
}

impl TryFrom<NodeFields> for Node {
    type Error = String;

    fn try_from(fields: NodeFields) -> Result<Node, String> {
        const KINDS: [&str; 8] =
            ["split", "sign", "mod", "cut", "last", "farkas", "lattice", "member"];
        let present = fields.present();
        let kinds: Vec<&str> = present.iter().filter(|f| KINDS.contains(f)).copied().collect();
        let [kind] = kinds[..] else {
            let list = KINDS.join("`, `");
            return Err(format!("a node has exactly one of `{list}`"));
        };
        let (needed, allowed): (&[&str], &[&str]) = match kind {
            "split" => (&["at", "name", "le", "gt"], &[]),
            "sign" => (&["name", "negative", "zero", "positive"], &[]),
            "mod" => (&["q", "name", "variable", "cases"], &[]),
            "cut" => (&["side", "name", "none", "some"], &["phase", "part"]),
            "last" => (&["name", "never", "some"], &[]),
            _ => (&[], &[]),
        };
        if let Some(missing) = needed.iter().find(|name| !present.contains(*name)) {
            return Err(format!("a `{kind}` node needs `{missing}`"));
        }
        let known = |f: &&&str| **f == kind || needed.contains(*f) || allowed.contains(*f);
        if let Some(extra) = present.iter().find(|f| !known(f)) {
            return Err(format!("a `{kind}` node has no `{extra}`"));
        }
        let name = fields.name.unwrap_or_default();
        let node = match kind {
            "split" => fields
                .split
                .zip(fields.at)
                .zip(fields.le.zip(fields.gt))
                .map(|((form, at), (le, gt))| Node::Split { form, at, name, le, gt }),
            "sign" => fields.sign.zip(fields.zero).zip(fields.negative.zip(fields.positive)).map(
                |((form, zero), (negative, positive))| Node::Sign {
                    form,
                    name,
                    negative,
                    zero,
                    positive,
                },
            ),
            "mod" => fields.modulo.zip(fields.q).zip(fields.variable.zip(fields.cases)).map(
                |((form, q), (variable, cases))| Node::Modulo { form, q, name, variable, cases },
            ),
            "cut" => fields.cut.zip(fields.side).zip(fields.none.zip(fields.some)).map(
                |((places, side), (none, some))| {
                    let (phase, part) = (fields.phase, fields.part);
                    Node::Cut { places, side, phase, part, name, none, some }
                },
            ),
            "last" => fields
                .last
                .zip(fields.never.zip(fields.some))
                .map(|(transition, (never, some))| Node::Last { transition, name, never, some }),
            "farkas" => fields.farkas.map(|multipliers| Node::Farkas { multipliers }),
            "lattice" => fields.lattice.map(|multipliers| Node::Lattice { multipliers }),
            _ => fields.member.map(|member| Node::Member { member }),
        };
        node.ok_or_else(|| format!("a `{kind}` node is not complete"))
    }
}

by_fields!(Node, NodeFields, "a node");
