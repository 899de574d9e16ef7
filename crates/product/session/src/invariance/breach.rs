//! A condition that fails: who moves where, what changes, what does not hold any more, and what
//! would help.

use super::Checked;
use super::cast::{Cast, threads_in};
use super::counting::counters;
use super::draft::Draft;
use super::heap::chains;
use super::parts::{Part, failing};
use super::words::{Place, Words, possible_fault};
use ser_invariance_checker::run::Value;
use ser_invariance_search::counter::CounterModel;
use ser_invariance_search::explore::{Changed, State, changes};
use ser_invariance_search::paths::Control;
use ser_invariance_search::prove::Premise;
use ser_report::text::and;
use ser_syntax::Diagnostic;
use ser_syntax::inv::ast::{Expr, ExprKind, Means, Scalar, Stmt, StmtKind, Thread, Type};
use std::collections::BTreeSet;

/// A condition that fails, for people.
#[derive(Clone, Debug)]
pub struct Breach {
    /// The threads, with their names.
    pub threads: Vec<Standing>,
    /// Who moves, by place among the threads.
    pub mover: Option<u32>,
    /// From where the step goes, and which way if there are several.
    pub step: Option<(Place, Option<String>)>,
    /// What changes or matters: name, value before, value after if it is another one.
    pub values: Vec<(String, String, Option<String>)>,
    /// The heap before the step, if it matters.
    pub heap: Vec<String>,
    /// The heap after the step, if it is another one.
    pub heap_after: Vec<String>,
    /// Threads that stand nowhere, but in some value that is shown.
    pub others: Vec<String>,
    /// The conjuncts that do not hold in the end.
    pub broken: Vec<Broken>,
    /// Invariants of the file that would exclude the state.
    pub excluded_by: Vec<String>,
    /// A draft of one that does, if no invariant of the file does.
    pub draft: Option<Draft>,
    /// What to say on source lines.
    pub remark: Diagnostic,
}

/// A conjunct that does not hold.
#[derive(Clone, Debug)]
pub struct Broken {
    /// How it is called.
    pub name: String,
    /// What it says.
    pub text: String,
    /// The parts of it because of which it does not hold.
    pub parts: Vec<Part>,
}

/// A thread of a counter-model.
#[derive(Clone, Debug)]
pub struct Standing {
    /// How it is called.
    pub name: String,
    /// Other names of it.
    pub also: Vec<String>,
    /// Who it is, if its name does not say: `another thread`.
    pub role: Option<String>,
    pub at: Place,
    /// Where it goes, if it does.
    pub to: Option<Place>,
}

/// A counter-model for people.
pub fn breach(checked: &Checked, model: &CounterModel) -> Breach {
    let words = Words::of(checked);
    let control = Control::new(&checked.system);
    let after = model.after.as_ref().unwrap_or(&model.before);
    let statement = model.step.map(|(location, _)| control.at(location).statement);
    let (wanted, heap_matters) = relevant(checked, model, statement);
    let changed = changes(&model.before, after);
    let heap_changes = changed.iter().any(|it| matches!(it.what, Changed::Field(..)));
    let all: BTreeSet<Changed> =
        wanted.into_iter().chain(changed.iter().map(|it| it.what)).collect();
    let mut shown: Vec<(Changed, Value, Value)> = Vec::new();
    for what in all {
        // Which thread an anchor is stands among the threads.
        let is_anchor = matches!(what, Changed::Global(id) if checked.anchors.contains(&id));
        let (old, new) = (words.value_in(&model.before, what), words.value_in(after, what));
        if let (Some(old), Some(new), false) = (old, new, is_anchor) {
            shown.push((what, old, new));
        }
    }
    let mut mentioned = BTreeSet::new();
    for (_, old, new) in &shown {
        threads_in(old, &mut mentioned);
        threads_in(new, &mut mentioned);
    }
    if heap_matters || heap_changes {
        let cells = model.before.cells.values().chain(after.cells.values());
        mentioned.extend(cells.filter_map(|it| it.lockid));
    }
    let Cast { members, names: called, others } = Cast::new(checked, model, &mentioned);
    let threads = model.before.threads.iter().zip(&after.threads).zip(members);
    let threads = threads.map(|((old, new), it)| Standing {
        name: it.name,
        also: it.also,
        role: it.role,
        at: words.place(old.location),
        to: (old.location != new.location).then(|| words.place(new.location)),
    });
    let threads: Vec<Standing> = threads.collect();
    let values = shown.into_iter().map(|(what, old, new)| {
        let new = (old != new).then(|| words.value(what, &new, &called));
        (words.changed(what, &called), words.value(what, &old, &called), new)
    });
    let values = values.collect();
    let broken = model.broken.iter().filter_map(|conjunct| {
        let invariant = model.invariant?;
        let formula = &words.conjunct(invariant, *conjunct)?.formula;
        Some(Broken {
            name: words.conjunct_name(invariant, *conjunct),
            text: words.formula(invariant, formula),
            parts: failing(&words, after, formula, &model.tuple),
        })
    });
    let broken: Vec<Broken> = broken.collect();
    let mut excluded_by: Vec<String> = Vec::new();
    for it in &model.excluded_by {
        let name = words.invariant(it.invariant).to_owned();
        if !excluded_by.contains(&name) {
            excluded_by.push(name);
        }
    }
    let place = checked.counter_models.iter().position(|it| it == model);
    let draft = place.and_then(|it| checked.drafts.get(&it)).cloned();
    Breach {
        mover: model.mover,
        step: model.step.map(|(location, path)| {
            (words.place(location), words.branch(&control, location, path))
        }),
        values,
        heap: match heap_matters || heap_changes {
            true => chains(&words, &model.before, &called),
            false => Vec::new(),
        },
        heap_after: match heap_changes {
            true => chains(&words, after, &called),
            false => Vec::new(),
        },
        others,
        draft: draft.filter(|_| excluded_by.is_empty()),
        remark: remark(checked, model, &threads, &broken, &excluded_by),
        broken,
        excluded_by,
        threads,
    }
}

/// The variables that the broken conjuncts and the statement mention, and whether the heap matters
/// to them.
pub(super) fn relevant(
    checked: &Checked,
    model: &CounterModel,
    statement: Option<&Stmt>,
) -> (BTreeSet<Changed>, bool) {
    let (mut found, mut heap) = (BTreeSet::new(), false);
    if let Some(invariant) =
        model.invariant.and_then(|it| checked.system.invariants.get(it.0 as usize))
    {
        for conjunct in model.broken.iter().filter_map(|it| invariant.conjuncts.get(*it as usize)) {
            mentioned(&conjunct.formula, &model.before, &model.tuple, None, &mut found, &mut heap);
        }
    }
    let mut visit = |expr: &Expr| {
        mentioned(expr, &model.before, &[], model.mover, &mut found, &mut heap);
    };
    match statement.map(|it| (it, &it.kind)) {
        None | Some((_, StmtKind::Choice(_))) => {}
        Some((_, StmtKind::If { condition, .. } | StmtKind::While { condition, .. })) => {
            condition.walk(&mut visit);
        }
        Some((_, StmtKind::Match(cases))) => {
            cases.iter().for_each(|(condition, _)| condition.walk(&mut visit));
        }
        Some((it, _)) => it.walk(&mut visit),
    }
    (found, heap)
}

/// The variables in a formula: its parameters are these threads, and `me` is the mover.
pub(super) fn mentioned(
    formula: &Expr,
    state: &State,
    tuple: &[u32],
    mover: Option<u32>,
    found: &mut BTreeSet<Changed>,
    heap: &mut bool,
) {
    formula.walk(&mut |expr: &Expr| {
        let is_address =
            |ty: Type| matches!(ty, Type::Scalar(Scalar::Addr) | Type::Set(Scalar::Addr));
        match &expr.kind {
            ExprKind::Global(id) => {
                found.insert(Changed::Global(*id));
                *heap |= is_address(expr.ty);
            }
            ExprKind::Local(id, thread) => {
                let thread = match thread {
                    Thread::Me => mover,
                    Thread::Index(place) => tuple.get(*place as usize).copied(),
                    Thread::Global(id) => match state.globals.get(id.0 as usize) {
                        Some(Value::Tid(thread)) => *thread,
                        _ => None,
                    },
                };
                if let Some(thread) = thread {
                    found.insert(Changed::Local(thread, *id));
                }
                *heap |= is_address(expr.ty);
            }
            ExprKind::Field(..)
            | ExprKind::Cells(_)
            | ExprKind::Elems(_)
            | ExprKind::Reach(..)
            | ExprKind::Ordered(..) => *heap = true,
            _ => {}
        }
    });
}

/// What to say about a counter-model on source lines.
pub fn remark(
    checked: &Checked,
    model: &CounterModel,
    threads: &[Standing],
    broken: &[Broken],
    excluded_by: &[String],
) -> Diagnostic {
    let words = Words::of(checked);
    let name = |thread: Option<u32>| {
        let thread = thread.and_then(|it| threads.get(it as usize));
        thread.map_or("a thread".to_owned(), |it| match &it.role {
            Some(role) => role.clone(),
            None => format!("thread `{}`", it.name),
        })
    };
    let location = model.step.and_then(|(it, _)| checked.system.locations.get(it.0 as usize));
    let parts: Vec<&Part> = broken.iter().flat_map(|it| &it.parts).collect();
    let first = parts.first().map(|it| it.span).unwrap_or_default();
    let same: Vec<String> = threads
        .iter()
        .filter(|it| !it.also.is_empty())
        .map(|it| {
            let names = [&it.name].into_iter().chain(&it.also).map(|it| format!("`{it}`"));
            format!("{} are the same thread", and(&names.collect::<Vec<_>>()))
        })
        .collect();
    let same = if same.is_empty() { String::new() } else { format!(", if {}", and(&same)) };
    let mut remark = match (model.invariant, model.premise, location) {
        (Some(invariant), Premise::Initiation, _) => {
            let message = format!("`{}` may be false at the start", words.invariant(invariant));
            Diagnostic::error("not-initial", message, first)
                .with_label("this does not follow from the initial values")
        }
        (Some(invariant), Premise::Follows, _) => {
            let message =
                format!("`{}` does not follow from its support", words.invariant(invariant));
            Diagnostic::error("does-not-follow", message, first)
                .with_label("there is a state in which this does not hold, but all of its support")
        }
        (Some(invariant), _, Some(location)) => {
            let message = format!(
                "a step of {} may break `{}`{same}",
                name(model.mover),
                words.invariant(invariant)
            );
            Diagnostic::error("not-inductive", message, location.span)
                .with_label(format!("{} takes this step", name(model.mover)))
        }
        (_, _, location) => {
            let place = location.map(|it| it.span).unwrap_or_default();
            let (what, span) = match &model.error {
                Some(fault) => (possible_fault(fault.kind), fault.span),
                None => ("this step may be an error", place),
            };
            Diagnostic::error("unsafe-step", what, span)
        }
    };
    if remark.code == "not-inductive" {
        for part in parts {
            let words = match part.is_conditional {
                true => "this does not hold after the step",
                false => "this holds before the step and not after it",
            };
            remark = remark.with_secondary(part.span, words);
        }
    }
    if let Some(help) = help(checked, model, excluded_by) {
        remark = remark.with_help(help);
    }
    match counted(checked, model) {
        Some(name) => remark.with_help(format!(
            "`{name}` goes up and down by one, as if it counted threads, and formulas cannot count them: keep a `set of Threads` instead \
             (`{name} := {name} + {{self}};`, and `at(i, ...) -> i in {name}`)"
        )),
        None => remark,
    }
}

/// A number that counts threads, if what fails is about one.
fn counted(checked: &Checked, model: &CounterModel) -> Option<String> {
    let all = counters(&checked.system);
    if all.is_empty() || model.premise == Premise::Initiation {
        return None;
    }
    let control = Control::new(&checked.system);
    let statement = model.step.map(|(location, _)| control.at(location).statement);
    let (wanted, _) = relevant(checked, model, statement);
    let found = all.into_iter().find(|it| wanted.contains(&Changed::Global(*it)))?;
    Some(Words::of(checked).global(found).to_owned())
}

/// What would exclude the state.
fn help(checked: &Checked, model: &CounterModel, excluded_by: &[String]) -> Option<String> {
    let words = Words::of(checked);
    let suffices = model.suffices.iter().flatten().map(|it| words.invariant(*it).to_owned());
    let suffices: Vec<String> = suffices.collect();
    let quoted =
        |names: &[String]| and(&names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>());
    // Who has tried it need not be told.
    let infer = match checked.inferred {
        Some(_) => "",
        None => " (`ser prove --infer` looks for some by itself)",
    };
    let words = match (model.invariant, model.premise) {
        (_, Premise::Initiation) => {
            "change initial values or `assume`, or weaken the invariant".to_owned()
        }
        (None, _) => {
            "add an invariant that excludes this state, or test before the step".to_owned()
        }
        (Some(id), premise) if !suffices.is_empty() => {
            let name = words.invariant(id);
            let all = suffices.join(", ");
            match premise {
                Premise::Follows => format!(
                    "it follows with {} as further support: `{name} follows from ..., {all};`",
                    quoted(&suffices)
                ),
                _ => format!(
                    "with {} as support, this step keeps it: write `{}` in the proof",
                    quoted(&suffices),
                    entry(checked, model, name, &all)
                ),
            }
        }
        (Some(_), _) if !excluded_by.is_empty() => format!(
            "{} would exclude this state, but not all others: strengthen the invariant or add another one{infer}",
            quoted(excluded_by)
        ),
        (Some(_), _) => format!(
            "if the state before cannot be reached, say so: strengthen the invariant or add another one{infer}"
        ),
    };
    Some(words)
}

/// What to write in the proof.
fn entry(checked: &Checked, model: &CounterModel, name: &str, support: &str) -> String {
    let written = checked.system.proof.iter().flat_map(|it| &it.entries);
    let written = written.filter(|it| Some(it.invariant) == model.invariant);
    let everywhere = written.into_iter().any(
        |it| matches!(&it.means, Means::Induction { everywhere, .. } if !everywhere.is_empty()),
    );
    if everywhere {
        return format!("{name} from ..., {support};");
    }
    let moves = if model.premise == Premise::Other { "other" } else { "self" };
    let place = model.step.map(|(it, _)| Words::of(checked).place(it));
    let at = place.and_then(|it| it.name).unwrap_or_else(|| "NAME_OF_STATEMENT".to_owned());
    format!("{name} {{ at {at} {moves} use {support}; }}")
}

/// Counter-models that differ only in which thread of the invariant moves: the first of each kind,
/// and the others.
pub fn kinds<'m>(models: &[&'m CounterModel]) -> Vec<(&'m CounterModel, Vec<&'m CounterModel>)> {
    let mut kinds: Vec<(&CounterModel, Vec<&CounterModel>)> = Vec::new();
    let is_own = |it: &CounterModel| matches!(it.premise, Premise::Own(_));
    for model in models {
        let like = |it: &CounterModel| {
            is_own(it)
                && is_own(model)
                && (it.invariant, it.step, &it.broken)
                    == (model.invariant, model.step, &model.broken)
        };
        match kinds.iter_mut().find(|(first, _)| like(first)) {
            Some((_, others)) => others.push(model),
            None => kinds.push((model, Vec::new())),
        }
    }
    kinds
}
