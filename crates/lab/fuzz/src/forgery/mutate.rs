//! Mutants of a certificate, on its JSON: what an attacker can do with an editor.
//!
//! Some changes are blind (any list, number or name anywhere), some know the format and add what a
//! careless checker might wave through: a loop, a debt that is forgotten, the sharp form of a move,
//! a place after the commit point. Parts may come from another certificate, the *donor*.

use crate::Random;
use serde_json::{Map, Value, json};

/// One step on the way to a value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Key {
    Field(String),
    Index(usize),
}

type Path = Vec<Key>;

/// What was changed: the kind of change and the field, without indices.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Change {
    /// In words.
    pub what: &'static str,
    /// `proof.invariant[].serial[].debts`.
    pub field: String,
}

/// Changes a certificate in one place; nothing if this change is not possible there.
pub fn mutate(cert: &mut Value, donor: &Value, random: &mut Random) -> Option<Change> {
    let mut paths = Vec::new();
    collect(cert, &mut Vec::new(), &mut paths);
    // The reader sees to these; nobody needs many of them.
    if !random.chance(3) {
        let dull = ["source", "format", "version", "verdict", "method"];
        let is_dull = |key: &Key| matches!(key, Key::Field(name) if dull.contains(&name.as_str()));
        paths.retain(|path| !path.iter().any(is_dull) && path.len() > 1);
    }
    if random.chance(20) {
        return add(cert, &paths, random);
    }
    if paths.is_empty() {
        return None;
    }
    let path = random.pick(&paths).clone();
    let field = show(&path);
    let other = relative(cert, donor, &path, random);
    let names = strings(cert);
    let value = at_mut(cert, &path)?;
    let what = if let Some(other) = other.filter(|_| random.chance(25)) {
        if *value == other {
            return None;
        }
        *value = other;
        "another subtree"
    } else {
        match value {
            Value::Array(list) => change_list(list, random)?,
            Value::Object(fields) => change_fields(fields, random)?,
            Value::Number(_) => {
                *value = number(value, random);
                "another number"
            }
            Value::String(text) => {
                *text = another_text(text, &names, random)?;
                "another text"
            }
            Value::Bool(bit) => {
                *bit = !*bit;
                "yes for no"
            }
            Value::Null => return None,
        }
    };
    Some(Change { what, field })
}

fn collect(value: &Value, path: &mut Path, found: &mut Vec<Path>) {
    if !path.is_empty() {
        found.push(path.clone());
    }
    match value {
        Value::Array(list) => {
            for (i, item) in list.iter().enumerate() {
                path.push(Key::Index(i));
                collect(item, path, found);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                path.push(Key::Field(name.clone()));
                collect(item, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

fn at<'a>(value: &'a Value, path: &[Key]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| match key {
        Key::Field(name) => value.get(name),
        Key::Index(i) => value.get(i),
    })
}

fn at_mut<'a>(value: &'a mut Value, path: &[Key]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, key| match key {
        Key::Field(name) => value.get_mut(name),
        Key::Index(i) => value.get_mut(i),
    })
}

/// The path without its indices. Names of variables and hypotheses are not fields.
pub(super) fn show_path(keys: &[&str]) -> String {
    keys.join(".").replace(".[]", "[]")
}

fn show(path: &[Key]) -> String {
    let terms = ["farkas", "lattice", "split", "sign", "mod", "lambda", "nonneg", "equal"];
    let mut shown: Vec<&str> = Vec::new();
    for key in path {
        match key {
            Key::Index(_) => shown.push("[]"),
            Key::Field(name) => {
                let inside = shown.iter().rev().find(|k| **k != "[]");
                let is_term = inside.is_some_and(|k| terms.contains(k));
                shown.push(if is_term { "TERM" } else { name });
            }
        }
    }
    // A tree may be deep; what counts is the node.
    let tree = shown.iter().position(|k| *k == "tree");
    let nodes = [
        "le", "gt", "negative", "zero", "positive", "none", "some", "never", "cases", "[]", "tree",
    ];
    if let Some(tree) = tree {
        let last = shown.iter().skip(tree).position(|k| !nodes.contains(k));
        let rest = last.map_or(shown.len(), |n| tree + n);
        let mut short: Vec<&str> = shown[..=tree].to_vec();
        short.extend(&shown[rest..]);
        return show_path(&short);
    }
    show_path(&shown)
}

/// The field that a path ends in, or the list that it is an element of.
fn role(path: &[Key]) -> (Option<&str>, bool) {
    let name = path.iter().rev().find_map(|key| match key {
        Key::Field(name) => Some(name.as_str()),
        Key::Index(_) => None,
    });
    (name, matches!(path.last(), Some(Key::Index(_))))
}

/// A value with the same role, of this certificate or of the donor.
fn relative(cert: &Value, donor: &Value, path: &[Key], random: &mut Random) -> Option<Value> {
    let from = if random.chance(50) { cert } else { donor };
    let mut paths = Vec::new();
    collect(from, &mut Vec::new(), &mut paths);
    paths.retain(|other| role(other) == role(path) && other != path);
    if paths.is_empty() {
        return None;
    }
    let chosen: &Path = random.pick(&paths);
    at(from, chosen).cloned()
}

fn strings(cert: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    collect(cert, &mut Vec::new(), &mut paths);
    let texts = paths.iter().filter_map(|path| at(cert, path)?.as_str());
    texts.map(str::to_owned).collect()
}

fn change_list(list: &mut Vec<Value>, random: &mut Random) -> Option<&'static str> {
    if list.is_empty() {
        return None;
    }
    let (i, j) = (random.below(list.len()), random.below(list.len()));
    match random.below(7) {
        0 | 1 => {
            list.remove(i);
            Some("an element less")
        }
        2 => {
            list.insert(j, list[i].clone());
            Some("an element twice")
        }
        3 if i != j => {
            list.swap(i, j);
            Some("two elements swapped")
        }
        4 if list.len() > 1 => {
            list.reverse();
            Some("backwards")
        }
        5 => {
            list.clear();
            Some("an empty list")
        }
        6 => {
            list.truncate(i);
            Some("only the first elements")
        }
        _ => None,
    }
}

fn change_fields(fields: &mut Map<String, Value>, random: &mut Random) -> Option<&'static str> {
    let names: Vec<String> = fields.keys().cloned().collect();
    if names.is_empty() {
        return None;
    }
    let (a, b) = (random.pick(&names), random.pick(&names));
    if random.chance(60) {
        fields.remove(a);
        return Some("a field less");
    }
    let (first, second) = (fields.get(a)?.clone(), fields.get(b)?.clone());
    if first == second {
        return None;
    }
    fields.insert(a.clone(), second);
    fields.insert(b.clone(), first);
    Some("two fields swapped")
}

fn number(value: &Value, random: &mut Random) -> Value {
    let old = value.as_i64().unwrap_or(0);
    match random.below(9) {
        0 | 1 => json!(old.wrapping_add(1)),
        2 | 3 => json!(old.wrapping_sub(1)),
        4 => json!(0),
        5 => json!(old.wrapping_neg()),
        6 => json!(old.wrapping_mul(2)),
        7 => json!(*random.pick(&[i64::MAX as u64, u64::MAX, 1 << 32, u64::MAX - 1])),
        _ => json!(*random.pick(&[1, 2, 3, i64::MAX, i64::MIN, -2])),
    }
}

fn another_text(text: &str, names: &[String], random: &mut Random) -> Option<String> {
    if let Ok(old) = text.parse::<i64>()
        && random.chance(70)
    {
        return Some(match random.below(8) {
            0 | 1 => old.wrapping_add(1).to_string(),
            2 | 3 => old.wrapping_sub(1).to_string(),
            4 => old.wrapping_neg().to_string(),
            5 => "0".into(),
            6 => format!("{old}/2"),
            _ => format!("{old}99999999999999999999999999"),
        });
    }
    let other = if names.is_empty() { String::new() } else { random.pick(names).clone() };
    (other != text).then_some(other)
}

/// Leaves more out of a slice, or divides a program otherwise; nothing if there are no slices.
fn another_slice(cert: &mut Value, random: &mut Random) -> Option<Change> {
    let texts = strings(cert);
    let words =
        texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let words: Vec<String> = words.map(str::to_owned).collect();
    let change = |what, field: &str| Some(Change { what, field: field.to_owned() });
    let mut word = random.pick(&words).clone();
    if random.chance(20) {
        word = format!("{}.{word}", random.pick(&words));
    }
    let leave_out = |slice: &mut Value, word: String| {
        let dropped = slice.as_object_mut()?.entry("dropped").or_insert(json!([]));
        dropped.as_array_mut()?.push(json!(word));
        Some(())
    };
    if let Some(slice) = cert.get_mut("counterexample").and_then(|run| run.get_mut("slice")) {
        leave_out(slice, word)?;
        return change("another variable left out", "counterexample.slice.dropped");
    }
    let slices = cert.get_mut("proof")?.get_mut("slices")?.as_array_mut()?;
    let (from, to) = (random.below(slices.len().max(1)), random.below(slices.len().max(1)));
    if random.chance(60) {
        leave_out(slices.get_mut(from)?, word)?;
        return change("another variable left out", "proof.slices[].dropped");
    }
    // A handler moves, perhaps into a slice of its own with the same proof.
    let handlers = slices.get_mut(from)?.get_mut("requests")?.as_array_mut()?;
    if handlers.is_empty() {
        return None;
    }
    let handler = handlers.remove(random.below(handlers.len()));
    if from == to || random.chance(30) {
        let mut own = slices.get(from)?.clone();
        own["requests"] = json!([handler]);
        slices.push(own);
    } else {
        slices.get_mut(to)?.get_mut("requests")?.as_array_mut()?.push(handler);
    }
    change("a handler in another slice", "proof.slices[].requests")
}

/// Says that other requests are readers, or that a variable falls; nothing if it is no proof by
/// rules.
fn another_reader(cert: &mut Value, random: &mut Random) -> Option<Change> {
    let texts = strings(cert);
    let words =
        texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let words: Vec<String> = words.map(str::to_owned).collect();
    let proof = cert.get_mut("proof").filter(|proof| proof["method"] == "rules")?;
    let proof = proof.as_object_mut()?;
    let readers = proof.entry("readers").or_insert(json!([])).as_array_mut()?;
    let line: Vec<String> = (0..random.between(2, 5)).map(|n| n.to_string()).collect();
    let what = match (random.below(4), readers.is_empty()) {
        (0, false) => {
            let falling = proof.entry("falling").or_insert(json!([]));
            falling.as_array_mut()?.push(json!(random.pick(&words)));
            "a variable that falls"
        }
        (1, false) => {
            let at = random.below(readers.len());
            readers[at]["responses"] = json!(line);
            "other responses of a reader"
        }
        _ => {
            readers.push(json!({"request": random.pick(&words), "responses": line}));
            "another reader"
        }
    };
    Some(Change { what, field: "proof.readers".to_owned() })
}

/// Adds something that the format knows.
fn add(cert: &mut Value, paths: &[Path], random: &mut Random) -> Option<Change> {
    let of = |field: &'static str| {
        let paths: Vec<Path> =
            paths.iter().filter(|p| role(p) == (Some(field), true)).cloned().collect();
        (field, paths)
    };
    if random.chance(70)
        && let Some(change) = another_slice(cert, random)
    {
        return Some(change);
    }
    if random.chance(40)
        && let Some(change) = another_reader(cert, random)
    {
        return Some(change);
    }
    let lists = [of("serial"), of("invariant"), of("in_flight"), of("reductions"), of("facts")];
    let (field, here) = random.pick(&lists).clone();
    let whole = |name: &str, path: &[Key]| {
        path.len() >= 2 && path[path.len() - 2] == Key::Field(name.to_owned())
    };
    let letters = pairs(cert, &["loops", "debts", "responds"], paths);
    let places = pairs(cert, &["gives", "takes", "after", "merge", "place"], paths);
    let states: Vec<Value> = paths
        .iter()
        .filter(|p| role(p).0 == Some("global"))
        .filter_map(|path| at(cert, path))
        .cloned()
        .collect();
    let names = strings(cert);
    let word = |random: &mut Random| {
        if names.is_empty() { String::new() } else { random.pick(&names).clone() }
    };
    let any = |list: &[Value], random: &mut Random| {
        if list.is_empty() {
            json!([word(random), word(random)])
        } else {
            random.pick(list).clone()
        }
    };
    let (letter, place) = (any(&letters, random), any(&places, random));
    if here.is_empty() || random.chance(30) {
        // At the proof itself.
        let proof = cert.get_mut("proof")?.as_object_mut()?;
        let method = proof.get("method")?.as_str()?.to_owned();
        let (what, list, entry) = match (method.as_str(), random.below(6)) {
            ("rules", 0 | 1) => ("a place after", "after", place),
            ("rules", 2) => ("a reduction", "reductions", json!("idle")),
            ("rules", _) => ("facts", "reductions", json!({"facts": []})),
            (_, 0) => ("a reduction", "reductions", json!("idle")),
            (_, 1) => {
                let side = *random.pick(&["left", "right"]);
                let entry = json!({"move": {"place": place, "side": side, "sharp": true}});
                ("a move", "reductions", entry)
            }
            (_, 2) => ("a merge", "reductions", json!({"merge": [[place, any(&places, random)]]})),
            ("inclusion", 3) => {
                let entry = json!({"request": place.get(0)?, "local": place.get(1)?,
                    "loops": [letter, any(&letters, random)]});
                ("a promise", "promises", entry)
            }
            ("inclusion", 4) => {
                let mut loops = vec![letter.clone(), any(&letters, random)];
                loops.truncate(random.below(3));
                let entry = json!({"global": any(&states, random),
                    "instead_of": any(&states, random), "loops": loops});
                ("a stand-in", "stand_ins", entry)
            }
            ("inclusion", _) => {
                let entry = json!({"request": place.get(0)?, "local": place.get(1)?,
                    "response": letter.get(1)?});
                ("a label", "labels", entry)
            }
            _ => ("exclude", "reductions", json!("exclude")),
        };
        let list_value = proof.entry(list).or_insert(json!([])).as_array_mut()?;
        let at = random.below(list_value.len() + 1);
        list_value.insert(at, entry);
        return Some(Change { what, field: format!("proof.{list}") });
    }
    let path = random.pick(&here).clone();
    let change = |what| Some(Change { what, field: show(&path) });
    let target = at_mut(cert, &path)?;
    match field {
        "serial" if whole("serial", &path) => {
            let element = target.as_object_mut()?;
            let name = *random.pick(&["loops", "debts", "debts"]);
            match random.below(5) {
                0 => drop(element.insert("waiting".into(), letter)),
                1 => drop(element.remove("waiting")),
                2 => drop(element.remove("debts")),
                _ => {
                    let list = element.entry(name).or_insert(json!([]));
                    list.as_array_mut()?.push(letter);
                }
            }
            change("another explanation")
        }
        "invariant" if whole("invariant", &path) => {
            let triple = target.as_object_mut()?;
            if random.chance(30) {
                triple.insert("serial".into(), json!([]));
                return change("nothing to explain");
            }
            let entry = json!({"request": place.get(0)?, "local": place.get(1)?,
                "count": random.below(3), "period": random.below(3)});
            triple.entry("in_flight").or_insert(json!([])).as_array_mut()?.push(entry);
            change("somebody in flight")
        }
        "in_flight" if whole("in_flight", &path) => {
            let counter = target.as_object_mut()?;
            let name = *random.pick(&["count", "period"]);
            counter.insert(name.into(), json!(random.below(4)));
            change("another number in flight")
        }
        "reductions" => {
            let entry = target.get_mut("move")?.as_object_mut()?;
            if random.chance(50) {
                entry.insert("sharp".into(), json!(random.chance(70)));
            } else {
                entry.insert("side".into(), json!(random.pick(&["left", "right"])));
            }
            change("another way to move")
        }
        _ => None,
    }
}

/// Pairs of texts below these fields.
fn pairs(cert: &Value, fields: &[&str], paths: &[Path]) -> Vec<Value> {
    let is_pair = |value: &&Value| {
        let texts = value.as_array().filter(|list| list.len() == 2);
        texts.is_some_and(|list| list.iter().all(Value::is_string))
    };
    let wanted = paths.iter().filter(|p| role(p).0.is_some_and(|name| fields.contains(&name)));
    wanted.filter_map(|path| at(cert, path)).filter(is_pair).cloned().collect()
}
