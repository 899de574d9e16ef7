//! The interleaving nets: the paper's, and ours before, between and after its reductions.

use super::{Request, Trouble, picture, pretty, title};
use crate::cli::ShowFormat;
use crate::export::{ExportedNet, PlaceKind, normal_net, paper_net};
use ser_model::NetworkSystem;
use ser_net::{Applied, Net, PaperNet, Reduced, Reduction, normal_form, reduce_and_watch};
use ser_report::text::count;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The net of appendix E of the SER paper.
pub fn paper(request: &Request<'_>, system: &NetworkSystem) -> Result<String, Trouble> {
    let exported = exported_paper_net(request, system)?;
    match request.format {
        ShowFormat::Text => Ok(text(&exported)),
        ShowFormat::Json => Ok(pretty(to_json(&exported))),
        _ => other_formats(request, &exported, "interleaving net of the SER paper"),
    }
}

/// The net of appendix E, with names.
pub fn exported_paper_net(
    request: &Request<'_>,
    system: &NetworkSystem,
) -> Result<ExportedNet, Trouble> {
    let net = PaperNet::new(system, request.limits)?;
    Ok(paper_net(request.source, system, &net))
}

/// The net in normal form.
pub fn normal(request: &Request<'_>, system: &NetworkSystem) -> Result<String, Trouble> {
    if request.args.steps {
        return steps(request, system);
    }
    let net = chosen(request, system)?;
    match request.format {
        ShowFormat::Text => Ok(ser_net::net_text(system, &net)),
        ShowFormat::Json => Ok(pretty(ser_net::net_json(system, &net))),
        _ => {
            let exported = normal_net(request.source, system, &net);
            other_formats(request, &exported, "interleaving net in normal form")
        }
    }
}

fn other_formats(
    request: &Request<'_>,
    exported: &ExportedNet,
    words: &str,
) -> Result<String, Trouble> {
    match request.format {
        ShowFormat::Net => Ok(ser_petri::write_net(&exported.net)),
        ShowFormat::Pnml => Ok(ser_petri::write_pnml(&exported.net)),
        format => {
            let title = title(request.source);
            picture(&crate::picture::net(&title, words, exported), format)
        }
    }
}

/// The net in normal form that the arguments ask for.
pub fn chosen(request: &Request<'_>, system: &NetworkSystem) -> Result<Net, Trouble> {
    let mut steps = reductions(request, system)?;
    let found = match &request.args.after {
        None => steps.len().checked_sub(1),
        Some(after) => match after.parse::<usize>() {
            Ok(number) => (number < steps.len()).then_some(number),
            Err(_) => steps.iter().rposition(|(name, _)| name.split(' ').next() == Some(after)),
        },
    };
    match found {
        Some(at) => Ok(steps.swap_remove(at).1),
        None => {
            let after = request.args.after.as_deref().unwrap_or_default();
            let message = format!("no reduction `{after}` changes this net");
            let name = &request.source.name;
            let help = format!("`ser show --stage net --steps {name}` lists those that do");
            Err(Trouble::Nothing(message, vec![help]))
        }
    }
}

/// The nets on the way: the normal form, then what each reduction left.
fn reductions(
    request: &Request<'_>,
    system: &NetworkSystem,
) -> Result<Vec<(String, Net)>, Trouble> {
    let raw = normal_form(system, request.limits)?;
    let mut steps = vec![("normal form".to_owned(), raw.clone())];
    if !request.args.raw {
        let which = request.args.engine.without.reductions();
        let reduced = Reduced { net: raw, applied: Vec::new() };
        reduce_and_watch(reduced, which, request.limits, &mut |applied, net| {
            steps.push((describe(applied, system), net.clone()));
        });
    }
    Ok(steps)
}

/// The name of a reduction, and what it was about.
fn describe(applied: &Applied, system: &NetworkSystem) -> String {
    match &applied.reduction {
        Reduction::Alike(_) => "alike".into(),
        Reduction::Slice => "slice".into(),
        Reduction::Stuttering => "idle".into(),
        Reduction::Merge(groups) => format!("merge ({})", count(groups.len(), "group")),
        Reduction::Exclude => "exclude".into(),
        Reduction::Prophecy => "prophecy".into(),
        Reduction::Defer { request, places, .. } => {
            let places = count(places.len(), "local state");
            format!("deferral ({}, {places})", system.request_name(*request))
        }
        Reduction::Move { place: (_, local), sharp, .. } => {
            let how = if *sharp { ", by mutual exclusion" } else { "" };
            format!("movers ({}{how})", system.local_name(*local))
        }
    }
}

/// What each reduction did.
fn steps(request: &Request<'_>, system: &NetworkSystem) -> Result<String, Trouble> {
    let steps = reductions(request, system)?;
    if request.format == ShowFormat::Json {
        let list: Vec<Value> = steps
            .iter()
            .map(|(name, net)| {
                let (places, transitions) = (net.places.len(), net.transitions.len());
                json!({"after": name, "places": places, "transitions": transitions})
            })
            .collect();
        return Ok(pretty(json!({ "steps": list })));
    }
    let mut out = String::new();
    for (at, (name, net)) in steps.iter().enumerate() {
        let _ = match at.checked_sub(1).and_then(|before| steps.get(before)) {
            None => writeln!(
                out,
                "0. {name}: {}, {}",
                count(net.places.len(), "in-flight place"),
                count(net.transitions.len(), "transition")
            ),
            Some((_, before)) => writeln!(
                out,
                "{at}. after {name}: {} -> {}, {} -> {}",
                before.places.len(),
                count(net.places.len(), "in-flight place"),
                before.transitions.len(),
                count(net.transitions.len(), "transition")
            ),
        };
    }
    Ok(out)
}

/// A net, with a label for everything.
fn text(exported: &ExportedNet) -> String {
    let net = &exported.net;
    let mut out = String::new();
    let width = net.places.iter().map(|p| p.name.len()).max().unwrap_or(0).min(32);
    let _ = writeln!(out, "places: {}", net.places.len());
    for (place, kind) in net.places.iter().zip(&exported.kinds) {
        let kind = match kind {
            PlaceKind::Global => "global",
            PlaceKind::InFlight => "in flight",
            PlaceKind::Sink(_) => "sink",
        };
        let token = if place.initial > 0 { ", one token" } else { "" };
        let _ = writeln!(out, "  {:width$}  {kind:9}  {}{token}", place.name, place.label);
    }
    let _ = writeln!(out, "transitions: {}", net.transitions.len());
    let side = |arcs: &[(ser_petri::PlaceId, u64)]| {
        let names: Vec<&str> = arcs
            .iter()
            .map(|(p, _)| net.places.get(p.index()).map_or("?", |place| place.name.as_str()))
            .collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(" + ") }
    };
    for t in &net.transitions {
        let _ = writeln!(out, "  {}: {} -> {}", t.name, side(&t.takes), side(&t.gives));
        let _ = writeln!(out, "      {}", t.label);
    }
    out
}

fn to_json(exported: &ExportedNet) -> Value {
    let net = &exported.net;
    let arcs = |arcs: &[(ser_petri::PlaceId, u64)]| -> Vec<&str> {
        arcs.iter().filter_map(|(p, _)| Some(net.places.get(p.index())?.name.as_str())).collect()
    };
    let places: Vec<Value> = net
        .places
        .iter()
        .zip(&exported.kinds)
        .map(|(place, kind)| {
            let kind = match kind {
                PlaceKind::Global => "global",
                PlaceKind::InFlight => "in_flight",
                PlaceKind::Sink(_) => "sink",
            };
            json!({"name": place.name, "kind": kind, "label": place.label, "initial": place.initial})
        })
        .collect();
    let transitions: Vec<Value> = net
        .transitions
        .iter()
        .map(|t| {
            json!({
                "name": t.name, "label": t.label, "takes": arcs(&t.takes), "gives": arcs(&t.gives)
            })
        })
        .collect();
    json!({"name": net.name, "places": places, "transitions": transitions})
}
