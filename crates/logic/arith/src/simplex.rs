//! Exact rational simplex over a stack of hypotheses, with a certificate for every answer.
//!
//! The method is the general simplex of Dutertre and de Moura ("A fast linear-arithmetic solver
//! for DPLL(T)", CAV 2006). Every hypothesis gets a slack variable that equals its linear part and
//! is bounded by its constant; a tableau expresses the basic variables by the others; a basic
//! variable out of its bounds is pivoted with one that has room. Adding a hypothesis adds a row,
//! removing it removes a row, and the basis stays warm: exactly what a tree of splits needs.
//! Minimising continues with the primal method from the feasible point.
//!
//! Pivots start with a preference (for feasibility the shortest row and the rarest column, for a
//! minimum the steepest column) and fall back to Bland's rule, the smallest index, when that does
//! not lead anywhere. Bland's rule never cycles, so every call terminates; ties go to the smallest
//! index, so the same calls give the same answers. A limit on pivots per call bounds the time.
//!
//! Why the certificates are right. A row is an identity between linear forms. If the row of `b`
//! shows that `b` cannot reach its bound because every other variable in it is at a bound itself,
//! then the identity, with every variable replaced by its bounding hypothesis, reads "nonnegative
//! combination of hypotheses = negative constant": Farkas' lemma. At a minimum the objective's row
//! reads the same way, with the minimum as the constant.

use crate::echelon::Echelon;
use crate::int::Int;
use crate::linear::{Linear, Point, Var, tidy};
use crate::ratio::Ratio;
use crate::row::Row;
use ser_base::Limits;
use std::collections::BTreeMap;

/// Hypotheses by their number, with the factor each is multiplied by; sorted, without zeros.
pub type Multipliers = Vec<(usize, Ratio)>;

/// The answer to "can all hypotheses hold together?"
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Check {
    /// Yes, for example here.
    Feasible(Point),
    /// No: `-1 - sum(multiplier * form)` has only nonnegative coefficients, on nonnegative
    /// variables, and the constant 0. Multipliers of `>=` hypotheses are nonnegative.
    Infeasible(Multipliers),
    /// Too many pivots, or no time left.
    Limit,
}

/// The answer to "how small can this form be?"
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Minimum {
    /// This small, and here.
    Optimal {
        /// The least value.
        value: Ratio,
        /// Where it is attained.
        point: Point,
        /// Why it is not smaller: `form - sum(multiplier * hypothesis)` has only nonnegative
        /// coefficients, on nonnegative variables, and the constant `value`.
        multipliers: Multipliers,
    },
    /// As small as you like.
    Unbounded,
    /// The hypotheses contradict each other, as in [`Check::Infeasible`].
    Infeasible(Multipliers),
    /// Too many pivots, or no time left.
    Limit,
}

/// The answer to "do the hypotheses imply this?"
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entails {
    /// Yes: `form - sum(multiplier * hypothesis)` has only nonnegative coefficients, on
    /// nonnegative variables, and a constant that is large enough.
    Proved(Multipliers),
    /// No: here all hypotheses hold and the form is too small (no point if it has no minimum).
    Refuted(Option<Point>),
    /// The hypotheses contradict each other, as in [`Check::Infeasible`].
    Infeasible(Multipliers),
    /// Too many pivots, or no time left.
    Limit,
}

impl Entails {
    /// The multipliers of a proof.
    pub fn proof(self) -> Option<Multipliers> {
        match self {
            Entails::Proved(multipliers) => Some(multipliers),
            _ => None,
        }
    }
}

/// One entry of a row takes about as long as so many small steps.
const STEPS_PER_ENTRY: u64 = 8;

/// A stack of linear hypotheses, and questions about them.
///
/// ```
/// use ser_arith::{Check, Entails, Linear, Minimum, Ratio, Simplex, Var};
///
/// let (x, y) = (Var(0), Var(1));
/// let mut simplex = Simplex::new();
/// simplex.declare(x, true);
/// simplex.declare(y, true);
/// // Hypothesis 7: x + y = 4. Hypothesis 8: x - 3y >= 0.
/// simplex.assert_eq(7, &(Linear::var(x) + Linear::var(y) - Linear::constant(4)));
/// simplex.assert_ge(8, &(Linear::var(x) - Linear::term(3, y)));
/// let Minimum::Optimal { value, .. } = simplex.minimize(&Linear::var(x)) else { panic!() };
/// assert_eq!(value, Ratio::from(3));
/// // 1 - y = 1/4 * (x - 3y) - 1/4 * (x + y - 4), so y <= 1.
/// let quarter: Ratio = "1/4".parse().unwrap();
/// assert_eq!(
///     simplex.entails_integral(&(Linear::constant(1) - Linear::var(y))),
///     Entails::Proved(vec![(7, -&quarter), (8, quarter)]),
/// );
/// simplex.push();
/// simplex.assert_ge(9, &(Linear::var(y) - Linear::constant(2)));
/// assert!(matches!(simplex.check(), Check::Infeasible(_)));
/// simplex.pop();
/// assert!(matches!(simplex.check(), Check::Feasible(_)));
/// ```
#[derive(Clone, Debug)]
pub struct Simplex {
    columns: Vec<Column>,
    rows: Vec<Definition>,
    /// Columns of removed hypotheses, to be used again.
    unused: Vec<usize>,
    by_var: BTreeMap<Var, usize>,
    hypotheses: Vec<Hypothesis>,
    echelon: Echelon,
    frames: Vec<Frame>,
    limit: usize,
    clock: Limits,
}

#[derive(Clone, Debug)]
struct Hypothesis {
    id: usize,
    form: Linear,
    equality: bool,
    column: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Variable(Var),
    Slack(usize),
}

/// A variable of the tableau: one of the user's, or the slack of a hypothesis.
#[derive(Clone, Debug)]
struct Column {
    kind: Kind,
    lower: Option<Ratio>,
    upper: Option<Ratio>,
    value: Ratio,
    /// The row that defines it, if it is basic.
    row: Option<usize>,
}

impl Column {
    fn has_room_up(&self) -> bool {
        self.upper.as_ref().is_none_or(|upper| self.value < *upper)
    }

    fn has_room_down(&self) -> bool {
        self.lower.as_ref().is_none_or(|lower| self.value > *lower)
    }

    /// The bound that the value violates.
    fn violated(&self) -> Option<(Side, &Ratio)> {
        match (&self.lower, &self.upper) {
            (Some(lower), _) if self.value < *lower => Some((Side::Below, lower)),
            (_, Some(upper)) if self.value > *upper => Some((Side::Above, upper)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Below,
    Above,
}

/// `basic = row`, over columns that are not basic.
#[derive(Clone, Debug)]
struct Definition {
    basic: usize,
    row: Row,
}

#[derive(Clone, Debug)]
struct Frame {
    hypotheses: usize,
    echelon: usize,
    /// Declarations of this frame: the bound that the variable had before.
    declared: Vec<(usize, Option<Ratio>)>,
}

/// Steps without progress before Bland's rule takes over, in a minimisation.
const PATIENCE: usize = 200;

/// What stops a search for a feasible point.
enum Stop {
    Infeasible(Multipliers),
    Limit,
}

impl Default for Simplex {
    fn default() -> Simplex {
        Simplex::new()
    }
}

impl Simplex {
    /// Pivots per call, unless told otherwise.
    pub const DEFAULT_LIMIT: usize = 100_000;

    /// No variables, no hypotheses.
    pub fn new() -> Simplex {
        Simplex::with_limit(Simplex::DEFAULT_LIMIT)
    }

    /// With a limit on pivots per call.
    pub fn with_limit(pivots: usize) -> Simplex {
        Simplex {
            columns: Vec::new(),
            rows: Vec::new(),
            unused: Vec::new(),
            by_var: BTreeMap::new(),
            hypotheses: Vec::new(),
            echelon: Echelon::default(),
            frames: Vec::new(),
            limit: pivots,
            clock: Limits::default(),
        }
    }

    /// Sets a clock: when it is up, pivots are used up too.
    pub fn set_clock(&mut self, clock: Limits) {
        self.clock = clock;
    }

    /// Declares a variable to be `>= 0`, or free. Variables that are never declared are free. The
    /// declaration ends with the frame it is made in.
    pub fn declare(&mut self, var: Var, nonneg: bool) {
        let column = self.column_of(var);
        let lower = nonneg.then_some(Ratio::ZERO);
        let before = std::mem::replace(&mut self.columns[column].lower, lower);
        if let Some(frame) = self.frames.last_mut() {
            frame.declared.push((column, before));
        }
        self.move_into_bounds(column);
    }

    /// Opens a frame: what is declared and asserted from here on ends with the matching
    /// [`pop`](Simplex::pop).
    pub fn push(&mut self) {
        self.frames.push(Frame {
            hypotheses: self.hypotheses.len(),
            echelon: self.echelon.len(),
            declared: Vec::new(),
        });
    }

    /// Closes the innermost frame; without an open frame, nothing happens.
    pub fn pop(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        for hypothesis in self.hypotheses.split_off(frame.hypotheses).into_iter().rev() {
            self.remove_slack(hypothesis.column);
        }
        self.echelon.truncate(frame.echelon);
        for (column, lower) in frame.declared.into_iter().rev() {
            self.columns[column].lower = lower;
            self.move_into_bounds(column);
        }
    }

    /// Adds the hypothesis `form >= 0`. Numbers should differ between hypotheses: certificates
    /// name hypotheses by them.
    pub fn assert_ge(&mut self, id: usize, form: &Linear) {
        self.assert(id, form, false);
    }

    /// Adds the hypothesis `form = 0`.
    pub fn assert_eq(&mut self, id: usize, form: &Linear) {
        self.assert(id, form, true);
        self.echelon.push(id, form);
    }

    /// The equalities among the hypotheses, in the order in which they were asserted.
    pub fn equalities(&self) -> impl Iterator<Item = (usize, &Linear)> + '_ {
        self.hypotheses.iter().filter(|h| h.equality).map(|h| (h.id, &h.form))
    }

    /// All hypotheses, in the order in which they were asserted: number, form, and whether it
    /// is an equality.
    pub fn hypotheses(&self) -> impl Iterator<Item = (usize, &Linear, bool)> + '_ {
        self.hypotheses.iter().map(|h| (h.id, &h.form, h.equality))
    }

    /// Can all hypotheses hold together?
    pub fn check(&mut self) -> Check {
        let mut pivots = self.limit;
        match self.make_feasible(&mut pivots) {
            Ok(()) => Check::Feasible(self.point()),
            Err(Stop::Infeasible(multipliers)) => Check::Infeasible(multipliers),
            Err(Stop::Limit) => Check::Limit,
        }
    }

    /// How small can the form be?
    pub fn minimize(&mut self, objective: &Linear) -> Minimum {
        let mut pivots = self.limit;
        match self.make_feasible(&mut pivots) {
            Ok(()) => {}
            Err(Stop::Infeasible(multipliers)) => return Minimum::Infeasible(multipliers),
            Err(Stop::Limit) => return Minimum::Limit,
        }
        let mut reduced = self.by_columns(objective);
        let mut stalled = 0;
        loop {
            let mut candidates = reduced.terms().iter().filter(|(column, slope)| {
                let column = &self.columns[*column];
                if slope.is_negative() { column.has_room_up() } else { column.has_room_down() }
            });
            let entering = if stalled < PATIENCE {
                // The steepest, and the first of these.
                candidates
                    .reduce(|best, next| if next.1.abs() > best.1.abs() { next } else { best })
            } else {
                candidates.next()
            };
            let Some((entering, slope)) = entering.cloned() else {
                return self.optimal(objective, &reduced);
            };
            if pivots == 0 || self.clock.check_clock().is_err() {
                return Minimum::Limit;
            }
            pivots -= 1;
            let before = self.columns[entering].value.clone();
            let step = self.step(entering, slope.is_negative());
            stalled = if self.columns[entering].value == before { stalled + 1 } else { 0 };
            match step {
                Step::Unbounded => return Minimum::Unbounded,
                Step::Moved => {}
                Step::Pivoted(row) => {
                    reduced.substitute(entering, &self.rows[row].row);
                }
            }
        }
    }

    /// Do the hypotheses imply `form > -1`? For a form that takes only integer values that is
    /// `form >= 0`, and more is provable this way.
    pub fn entails_integral(&mut self, form: &Linear) -> Entails {
        match self.minimize(form) {
            Minimum::Optimal { value, multipliers, .. } if value > Ratio::from(-1) => {
                Entails::Proved(multipliers)
            }
            Minimum::Optimal { point, .. } => Entails::Refuted(Some(point)),
            Minimum::Unbounded => Entails::Refuted(None),
            Minimum::Infeasible(multipliers) => Entails::Infeasible(multipliers),
            Minimum::Limit => Entails::Limit,
        }
    }

    /// Do the equalities alone imply `form = 0`? Then `form = sum(multiplier * hypothesis)`, as an
    /// identity, with equalities only.
    ///
    /// ```
    /// use ser_arith::{Linear, Ratio, Simplex, Var};
    /// let (x, y) = (Var(0), Var(1));
    /// let mut simplex = Simplex::new();
    /// simplex.assert_eq(0, &(Linear::var(x) - Linear::constant(2)));
    /// simplex.assert_eq(1, &(Linear::var(x) + Linear::var(y)));
    /// let proof = simplex.entails_eq(&(Linear::var(y) + Linear::constant(2)));
    /// assert_eq!(proof, Some(vec![(0, Ratio::from(-1)), (1, Ratio::ONE)]));
    /// ```
    pub fn entails_eq(&self, form: &Linear) -> Option<Multipliers> {
        let (rest, used) = self.echelon.reduce(form);
        rest.is_zero().then_some(used)
    }

    // ---- the tableau

    fn column_of(&mut self, var: Var) -> usize {
        if let Some(&column) = self.by_var.get(&var) {
            return column;
        }
        let column = self.new_column(Kind::Variable(var));
        self.by_var.insert(var, column);
        column
    }

    fn new_column(&mut self, kind: Kind) -> usize {
        let column = Column { kind, lower: None, upper: None, value: Ratio::ZERO, row: None };
        if let Some(at) = self.unused.pop() {
            self.columns[at] = column;
            at
        } else {
            self.columns.push(column);
            self.columns.len() - 1
        }
    }

    fn assert(&mut self, id: usize, form: &Linear, equality: bool) {
        let definition = self.by_columns(form);
        let slack = self.new_column(Kind::Slack(self.hypotheses.len()));
        let bound = -form.constant_term();
        let mut value = Ratio::ZERO;
        for (var, c) in form.terms() {
            let column = self.column_of(var);
            value += c * &self.columns[column].value;
        }
        let row = self.rows.len();
        let column = &mut self.columns[slack];
        column.value = value;
        column.row = Some(row);
        column.upper = equality.then(|| bound.clone());
        column.lower = Some(bound);
        self.rows.push(Definition { basic: slack, row: definition });
        self.hypotheses.push(Hypothesis { id, form: form.clone(), equality, column: slack });
    }

    /// The linear part of a form over columns that are not basic.
    fn by_columns(&mut self, form: &Linear) -> Row {
        let mut sum: BTreeMap<usize, Ratio> = BTreeMap::new();
        for (var, c) in form.terms() {
            let column = self.column_of(var);
            match self.columns[column].row {
                None => *sum.entry(column).or_default() += c,
                Some(row) => self.rows[row].row.add_to(&mut sum, c),
            }
        }
        Row::new(&sum)
    }

    /// Takes the slack of a removed hypothesis out of the tableau.
    fn remove_slack(&mut self, slack: usize) {
        let row = match self.columns[slack].row {
            Some(row) => row,
            None => {
                // Some row contains it: the slack depends on variables, which its row's basic
                // variable is one of. Prefer one that stays within its bounds.
                let holders = (0..self.rows.len()).filter(|&r| self.rows[r].row.mentions(slack));
                let Some(row) = holders.min_by_key(|&r| {
                    let basic = self.rows[r].basic;
                    (self.columns[basic].violated().is_some(), basic)
                }) else {
                    self.unused.push(slack);
                    return;
                };
                let leaving = self.rows[row].basic;
                self.pivot(row, slack);
                self.move_into_bounds(leaving);
                row
            }
        };
        self.rows.swap_remove(row);
        if let Some(moved) = self.rows.get(row) {
            let basic = moved.basic;
            self.columns[basic].row = Some(row);
        }
        self.unused.push(slack);
    }

    /// Columns that are not basic always keep within their bounds.
    fn move_into_bounds(&mut self, column: usize) {
        let this = &self.columns[column];
        if this.row.is_none()
            && let Some((_, bound)) = this.violated()
        {
            let bound = bound.clone();
            self.set_value(column, bound);
        }
    }

    /// Moves a column that is not basic, and the basic ones that depend on it.
    fn set_value(&mut self, column: usize, value: Ratio) {
        let delta = &value - &self.columns[column].value;
        self.columns[column].value = value;
        if delta.is_zero() {
            return;
        }
        for row in 0..self.rows.len() {
            if let Some(slope) = self.rows[row].row.slope(column) {
                let change = &slope * &delta;
                let basic = self.rows[row].basic;
                self.columns[basic].value += change;
            }
        }
    }

    /// Exchanges the row's basic variable with `entering`, which occurs in the row. Values stay.
    fn pivot(&mut self, row: usize, entering: usize) {
        let leaving = self.rows[row].basic;
        let Some(solved) = self.rows[row].row.solved_for(leaving, entering) else { return };
        let mut entries = self.rows.len();
        for (at, other) in self.rows.iter_mut().enumerate() {
            if at != row {
                entries += other.row.substitute(entering, &solved);
            }
        }
        self.clock.spend(STEPS_PER_ENTRY * entries as u64);
        self.rows[row] = Definition { basic: entering, row: solved };
        self.columns[leaving].row = None;
        self.columns[entering].row = Some(row);
    }

    fn make_feasible(&mut self, pivots: &mut usize) -> Result<(), Stop> {
        // As many pivots by preference as there are rows and columns, then Bland's rule.
        let mut preferences = self.rows.len() + self.columns.len();
        loop {
            let broken = (0..self.rows.len())
                .filter(|&row| self.columns[self.rows[row].basic].violated().is_some())
                .min_by_key(|&row| {
                    let length = if preferences > 0 { self.rows[row].row.terms().len() } else { 0 };
                    (length, self.rows[row].basic)
                });
            let Some(row) = broken else { return Ok(()) };
            let basic = self.rows[row].basic;
            let Some((side, bound)) = self.columns[basic].violated() else { return Ok(()) };
            let bound = bound.clone();
            let mut candidates = self.rows[row].row.terms().iter().filter(|(column, slope)| {
                let column = &self.columns[*column];
                if slope.is_negative() == (side == Side::Above) {
                    column.has_room_up()
                } else {
                    column.has_room_down()
                }
            });
            let entering = if preferences > 0 {
                preferences -= 1;
                // The one in the fewest rows: the tableau stays sparse.
                candidates.min_by_key(|(column, _)| {
                    self.rows.iter().filter(|other| other.row.mentions(*column)).count()
                })
            } else {
                candidates.next()
            };
            let Some(&(entering, _)) = entering else {
                return Err(Stop::Infeasible(self.conflict(row, side)));
            };
            if *pivots == 0 || self.clock.check_clock().is_err() {
                return Err(Stop::Limit);
            }
            *pivots -= 1;
            // Move `entering` so far that `basic` meets its bound, then exchange them.
            let slope = self.rows[row].row.slope(entering).unwrap_or_default();
            if let Some(delta) = (&bound - &self.columns[basic].value).checked_div(&slope) {
                let value = &self.columns[entering].value + &delta;
                self.set_value(entering, value);
            }
            self.pivot(row, entering);
        }
    }

    /// The certificate of a row whose basic variable cannot reach its bound.
    fn conflict(&self, row: usize, side: Side) -> Multipliers {
        let Definition { basic, row } = &self.rows[row];
        let sign = Int::from(if side == Side::Below { 1 } else { -1 });
        let mut multipliers = Multipliers::new();
        let mut constant = Ratio::ZERO;
        // sign * (scale * basic - sum of terms) = 0
        let others = row.terms().iter().map(|(column, c)| (*column, -(c * &sign)));
        for (column, multiplier) in std::iter::once((*basic, row.scale() * &sign)).chain(others) {
            let multiplier = Ratio::from(multiplier);
            if let Kind::Slack(at) = self.columns[column].kind {
                let hypothesis = &self.hypotheses[at];
                constant += &multiplier * hypothesis.form.constant_term();
                multipliers.push((hypothesis.id, multiplier));
            }
        }
        // The constant is negative; scale it to -1.
        if let Some(factor) = (-constant).recip() {
            for (_, multiplier) in &mut multipliers {
                *multiplier *= &factor;
            }
        }
        tidy(multipliers)
    }

    fn optimal(&self, objective: &Linear, reduced: &Row) -> Minimum {
        let point = self.point();
        let mut multipliers = Multipliers::new();
        for (column, _) in reduced.terms() {
            if let Kind::Slack(at) = self.columns[*column].kind
                && let Some(slope) = reduced.slope(*column)
            {
                multipliers.push((self.hypotheses[at].id, slope));
            }
        }
        Minimum::Optimal {
            value: objective.evaluate(&point),
            multipliers: tidy(multipliers),
            point,
        }
    }

    /// Moves `entering` up or down, as far as the bounds allow.
    fn step(&mut self, entering: usize, up: bool) -> Step {
        let this = &self.columns[entering];
        let own = if up { &this.upper } else { &this.lower };
        let mut best: Option<(Ratio, Option<(usize, usize)>)> =
            own.as_ref().map(|bound| ((bound - &this.value).abs(), None));
        for row in 0..self.rows.len() {
            let Some(slope) = self.rows[row].row.slope(entering) else { continue };
            let basic = self.rows[row].basic;
            let column = &self.columns[basic];
            let rises = slope.is_positive() == up;
            let Some(bound) = (if rises { &column.upper } else { &column.lower }) else { continue };
            let Some(room) = (bound - &column.value).abs().checked_div(&slope.abs()) else {
                continue;
            };
            let better = match &best {
                None => true,
                Some((least, holder)) => {
                    room < *least || room == *least && holder.is_some_and(|(b, _)| basic < b)
                }
            };
            if better {
                best = Some((room, Some((basic, row))));
            }
        }
        let Some((room, holder)) = best else { return Step::Unbounded };
        let value = &self.columns[entering].value;
        let value = if up { value + &room } else { value - &room };
        self.set_value(entering, value);
        match holder {
            None => Step::Moved,
            Some((_, row)) => {
                self.pivot(row, entering);
                Step::Pivoted(row)
            }
        }
    }

    fn point(&self) -> Point {
        self.by_var
            .iter()
            .map(|(var, column)| (*var, self.columns[*column].value.clone()))
            .collect()
    }
}

enum Step {
    Unbounded,
    /// To its own other bound; the basis is the same.
    Moved,
    /// It became basic in this row.
    Pivoted(usize),
}
