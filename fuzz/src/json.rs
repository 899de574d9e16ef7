//! Mutations of JSON: values are exchanged, repeated, left out, and numbers are changed.

use ser_fuzz::Random;
use serde_json::{Number, Value};

/// Changes a few values of a JSON text; nothing if it is none.
pub fn json(text: &str, random: &mut Random) -> Option<String> {
    let mut root: Value = serde_json::from_str(text).ok()?;
    for _ in 0..random.between(1, 3) {
        let count = count(&root);
        let other = nth(&root, random.below(count))?.clone();
        let target = nth_mut(&mut root, random.below(count))?;
        change(target, other, random);
    }
    Some(root.to_string())
}

fn change(target: &mut Value, other: Value, random: &mut Random) {
    match target {
        Value::Array(list) if !list.is_empty() && random.chance(80) => {
            let at = random.below(list.len());
            match random.below(5) {
                0 => drop(list.remove(at)),
                1 => list.insert(at, list[at].clone()),
                2 => list.insert(at, other),
                3 => list.truncate(at),
                _ => {
                    let with = random.below(list.len());
                    list.swap(at, with);
                }
            }
        }
        Value::Array(list) if random.chance(80) => list.push(other),
        Value::Object(fields) if !fields.is_empty() && random.chance(80) => {
            let at = random.below(fields.len());
            let key = fields.keys().nth(at).cloned().unwrap_or_default();
            if random.chance(50) {
                fields.remove(&key);
            } else {
                fields.insert(key, other);
            }
        }
        Value::Number(number) if random.chance(80) => {
            let old = number.as_i64().unwrap_or(1);
            let new = [
                old.wrapping_add(1),
                old.wrapping_sub(1),
                0,
                old.wrapping_neg(),
                i64::MAX,
                i64::MIN,
            ];
            *number = Number::from(new[random.below(new.len())]);
        }
        Value::Bool(flag) => *flag = !*flag,
        target => *target = other,
    }
}

fn count(value: &Value) -> usize {
    1 + children(value).map(count).sum::<usize>()
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(list) => Box::new(list.iter()),
        Value::Object(fields) => Box::new(fields.values()),
        _ => Box::new(std::iter::empty()),
    }
}

fn nth(value: &Value, index: usize) -> Option<&Value> {
    let mut left = index.checked_sub(1);
    for child in children(value) {
        let Some(at) = left else { break };
        let count = count(child);
        if at < count {
            return nth(child, at);
        }
        left = Some(at - count);
    }
    left.is_none().then_some(value)
}

fn nth_mut(value: &mut Value, index: usize) -> Option<&mut Value> {
    let Some(mut left) = index.checked_sub(1) else { return Some(value) };
    let children: Box<dyn Iterator<Item = &mut Value> + '_> = match value {
        Value::Array(list) => Box::new(list.iter_mut()),
        Value::Object(fields) => Box::new(fields.values_mut()),
        _ => return None,
    };
    for child in children {
        let count = count(child);
        if left < count {
            return nth_mut(child, left);
        }
        left -= count;
    }
    None
}
