//! Invariants, and what supports them.

use super::{Context, Resolver, circle};
use crate::ast::{
    self, Case as CaseItem, Claim, Entry as EntryItem, Name, Proof as ProofItem,
    Support as SupportName,
};
use crate::inv::ast::{
    Case, Conjunct, Expr, ExprKind, InvId, Invariant, Means, Proof, ProofEntry, Support, Type,
};
use crate::inv::symbols::Symbol;
use crate::report::{Messages as _, error};
use ser_base::Span;
use std::collections::HashMap;

impl<'f> Resolver<'f, '_> {
    /// All invariants that are asked, in their order.
    pub(super) fn formulas(&mut self) {
        for (claim, name) in self.asked() {
            self.invariant(claim, name);
        }
    }

    fn invariant(&mut self, claim: &'f Claim, name: &'f Name) {
        let id = InvId(self.system.invariants.len() as u32);
        claim.parameters.iter().for_each(|parameter| self.not_reserved(parameter));
        self.context = Context::Invariant(id);
        let parameters = claim.parameters.iter().collect();
        let fits = self.declare_parameters(parameters, &|place| Symbol::Parameter(id, place));
        let mut conjuncts = Vec::new();
        for ast::Conjunct { name: tag, condition } in &claim.conjuncts {
            if let Some(tag) = tag {
                let place = conjuncts.len() as u32;
                self.occurs(tag.span, Symbol::Conjunct(id, place), true);
                match self.tags.get(&(id, tag.text.as_str())) {
                    Some(&(_, first)) => self.name_clash(tag, first),
                    None => {
                        self.tags.insert((id, &tag.text), (place, tag.span));
                    }
                }
            }
            // One that is wrong keeps its place, for the names of those behind it.
            let span = condition.span;
            let wrong = || Expr { span, ty: Type::Bool, kind: ExprKind::Bool(true) };
            let understood = if fits { self.formula(condition) } else { None };
            let formula = understood.unwrap_or_else(wrong);
            conjuncts.push(Conjunct { tag: tag.clone(), formula });
        }
        self.parameters.clear();
        let (name, parameters, span) = (name.clone(), claim.parameters.clone(), claim.span);
        self.system.invariants.push(Invariant { name, parameters, conjuncts, span });
    }

    /// `proof { ... }`.
    pub(super) fn proof(&mut self) {
        let Some(item) = self.tree.proofs.first() else { return };
        for second in self.tree.proofs.iter().skip(1) {
            let message = "`proof` stands in this file twice";
            error("declared-twice", message, second.span, "the second time")
                .with_secondary(item.span, "the first time")
                .with_help("put all entries into one `proof { ... }`")
                .report(self);
        }
        let mut entries: Vec<ProofEntry> = Vec::new();
        let mut seen: HashMap<InvId, Span> = HashMap::new();
        for entry in &item.entries {
            let invariant = self.invariant_named(&entry.invariant);
            let means = self.means(entry);
            let (Some(invariant), Some(means)) = (invariant, means) else { continue };
            if let Some(&first) = seen.get(&invariant) {
                let text = &entry.invariant.text;
                let message = format!("the proof of `{text}` stands here twice");
                error("proved-twice", message, entry.invariant.span, "the second time")
                    .with_secondary(first, "the first time")
                    .with_help(format!(
                        "put all of its cases together: `{text} {{ at a use p; at b use q; }}`"
                    ))
                    .report(self);
                continue;
            }
            seen.insert(invariant, entry.invariant.span);
            entries.push(ProofEntry { invariant, span: entry.span, means });
        }
        self.no_circles(item, &entries);
        self.system.proof = Some(Proof { span: item.span, acyclic: item.acyclic, entries });
    }

    fn means(&mut self, entry: &'f EntryItem) -> Option<Means> {
        let everywhere = self.supports(&entry.from);
        let cases: Vec<Option<Case>> = entry.cases.iter().map(|case| self.case(case)).collect();
        let cases = cases.into_iter().collect::<Option<Vec<Case>>>();
        let (everywhere, cases) = (everywhere?, cases?);
        match entry.follows {
            None => Some(Means::Induction { everywhere, cases }),
            Some(_) if cases.is_empty() => Some(Means::Follows(everywhere)),
            Some(follows) => {
                let message = "what follows from others has no cases";
                let case = cases.first().map_or(entry.span, |case| case.span);
                error("cases-of-follows", message, case, "unexpected case here")
                    .with_secondary(follows, "it follows, whatever happens")
                    .with_help("leave the cases out, or leave `follows` out")
                    .none(self)
            }
        }
    }

    fn case(&mut self, item: &'f CaseItem) -> Option<Case> {
        let locations = self.locations(&item.places);
        let uses = self.supports(&item.uses);
        let (locations, uses) = (locations?, uses?);
        self.write_out(locations.len(), item.span)?;
        Some(Case { locations, premise: item.premise, uses, span: item.span })
    }

    fn supports(&mut self, names: &'f [SupportName]) -> Option<Vec<Support>> {
        let all: Vec<Option<Support>> = names.iter().map(|name| self.support(name)).collect();
        all.into_iter().collect()
    }

    /// `order`, `order.bounded`.
    fn support(&mut self, written: &'f SupportName) -> Option<Support> {
        let invariant = self.invariant_named(&written.invariant)?;
        let Some(tag) = &written.conjunct else {
            return Some(Support { invariant, conjunct: None, span: written.invariant.span });
        };
        let Some(&(conjunct, _)) = self.tags.get(&(invariant, tag.text.as_str())) else {
            let tags = self.tags.keys().filter(|(id, _)| *id == invariant).map(|(_, tag)| *tag);
            let what = format!("conjunct {tag} in {}", written.invariant);
            let help = format!(
                "a conjunct is named in its invariant: `invariant {}(i) {{ {}: ...; }}`",
                written.invariant.text, tag.text
            );
            return self.unknown("unknown-conjunct", what, tag, tags, &help).none(self);
        };
        self.occurs(tag.span, Symbol::Conjunct(invariant, conjunct), false);
        let span = written.invariant.span.to(tag.span);
        Some(Support { invariant, conjunct: Some(conjunct), span })
    }

    fn invariant_named(&mut self, name: &'f Name) -> Option<InvId> {
        if let Some(&(id, _)) = self.invariants.get(name.text.as_str()) {
            self.occurs(name.span, Symbol::Invariant(id), false);
            return Some(id);
        }
        let (what, known) = (format!("invariant {name}"), self.invariants.keys().copied());
        let help = format!("declare it at top level: `invariant {}(i): ...`", name.text);
        self.unknown("unknown-invariant", what, name, known, &help).none(self)
    }

    /// Nothing follows from itself; under `acyclic`, nothing is supported by itself either.
    fn no_circles(&mut self, item: &ProofItem, entries: &[ProofEntry]) {
        let mut follows = vec![Vec::new(); self.system.invariants.len()];
        let mut all = vec![Vec::new(); self.system.invariants.len()];
        for entry in entries {
            let (from, is_following) = match &entry.means {
                Means::Follows(from) => (from.iter().collect(), true),
                Means::Induction { everywhere, cases } => {
                    let cases = cases.iter().flat_map(|case| &case.uses);
                    (everywhere.iter().chain(cases).collect::<Vec<&Support>>(), false)
                }
            };
            let node = entry.invariant.0 as usize;
            for support in from {
                let edge = (support.invariant.0 as usize, support.span);
                if is_following && let Some(edges) = follows.get_mut(node) {
                    edges.push(edge);
                }
                // An invariant is assumed before every step in its own proof by induction.
                let own = !is_following && support.invariant == entry.invariant;
                if !own && let Some(edges) = all.get_mut(node) {
                    edges.push(edge);
                }
            }
        }
        if let Some(circle) = circle::find(&follows) {
            self.circle(&circle, "cyclic-follows", "follows from itself", &[
                "what follows from others holds because they do: one of them must be proved by induction",
            ]);
        } else if item.acyclic
            && let Some(circle) = circle::find(&all)
        {
            self.circle(&circle, "cyclic-support", "is supported by itself", &[
                "`proof acyclic` proves one after the other, each from those that are proved already",
                "without `acyclic`, circles are fine: all invariants are proved together",
            ]);
        }
    }

    fn circle(&mut self, circle: &[(usize, Span)], code: &'static str, what: &str, help: &[&str]) {
        let Some(&(first, span)) = circle.first() else { return };
        let invariants = &self.system.invariants;
        let name =
            |place: usize| invariants.get(place).map_or(String::new(), |it| it.name.to_string());
        let message = match circle.len() {
            1 => format!("{} {what}", name(first)),
            _ => format!("{} {what}, in a circle: {}", name(first), circle::show(circle, &name)),
        };
        let used = |place: usize| format!("used for {}", name(place));
        let diagnostic = error(code, message, span, used(first));
        circle::tell(diagnostic, circle, &used).with_helps(help).report(self);
    }
}
