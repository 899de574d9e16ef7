//! The names of hypotheses that a certificate by arithmetic does not choose itself.
//!
//! In a case of runs that end in the global state f, there is for every global state g that
//! occurs in the transitions, or is the initial one, the hypothesis [`global`]: the control comes
//! to g as often as it leaves it, except for where it starts and ends, `[g is initial] - [g = f] +
//! (transitions to g) - (transitions from g) = 0`; and for every place [`place`]: as many requests
//! come as leave, `(transitions that give) - (transitions that take) = 0`. In a case of runs that
//! end anywhere, the control leaves g no more often than it is there: `[g is initial] +
//! (transitions to g) - (transitions from g) >= 0`.
//!
//! Where the transition `tk` fires for a last time, with the phase name p, p.ti counts how often
//! ti fires after that, and `xi = ti - p.ti - [i = k]` how often before. The hypotheses are
//! [`phase_first`]: `xi >= 0`; [`phase_global`]: `[g is initial] - [g = before of tk] + (x of
//! transitions to g) - (x of transitions from g) = 0`; and [`phase_place`]: `(x of transitions
//! that give) - (x of transitions that take) - [tk takes it] >= 0`.

/// The control state `global`: `global X=0`.
///
/// ```
/// assert_eq!(ser_serializability_checker::hypothesis::global("X=0, Y=1"), "global X=0, Y=1");
/// ```
pub fn global(global: &str) -> String {
    format!("global {global}")
}

/// The place of requests in flight: `place main l1`. Spaces in the names are written `\ `, and
/// backslashes `\\`, so that different places have different names.
///
/// ```
/// use ser_serializability_checker::hypothesis::place;
/// assert_eq!(place("main", "l1"), "place main l1");
/// assert_eq!(place("a b", r"c\d"), r"place a\ b c\\d");
/// ```
pub fn place(request: &str, local: &str) -> String {
    let escaped = |name: &str| name.replace('\\', "\\\\").replace(' ', "\\ ");
    format!("place {} {}", escaped(request), escaped(local))
}

/// In phase `p`, transition number 4 fires in the first part, or never: `p first 4`.
pub fn phase_first(phase: &str, transition: usize) -> String {
    format!("{phase} first {transition}")
}

/// In phase `p`, the control at the end of the first part: `p global X=0`.
pub fn phase_global(phase: &str, global: &str) -> String {
    format!("{phase} {}", self::global(global))
}

/// In phase `p`, the requests in flight at the end of the first part: `p place main l1`.
pub fn phase_place(phase: &str, request: &str, local: &str) -> String {
    format!("{phase} {}", place(request, local))
}

/// The count of transition number 4: `t4`.
pub fn count(transition: usize) -> String {
    format!("t{transition}")
}

/// The count of transition number 4 in the second part of phase `p`: `p.t4`.
pub fn phase_count(phase: &str, transition: usize) -> String {
    format!("{phase}.t{transition}")
}
