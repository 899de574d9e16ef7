//! Actors and values of a run, as people write them.

use ser_sequentialization_checker::run::{Actor, Value};
use ser_syntax::icet::ast::{Protocol, Type};

/// `queue`, `worker[0]`.
pub fn actor_name(protocol: &Protocol, actor: Actor) -> String {
    let name =
        protocol.processes.get(actor.process as usize).map_or("?", |it| it.name.text.as_str());
    match actor.member {
        Some(member) => format!("{name}[{member}]"),
        None => name.to_owned(),
    }
}

/// A value of this type.
pub fn value_text(protocol: &Protocol, ty: Type, value: &Value) -> String {
    match (value, ty) {
        (Value::Int(number), _) => number.to_string(),
        (Value::Bool(value), _) => value.to_string(),
        (Value::Pid(actor), _) => actor_name(protocol, *actor),
        (Value::Enum(value), Type::Enum(id)) => {
            let values = protocol.enums.get(id.0 as usize).map(|it| it.values.as_slice());
            let name = values.unwrap_or_default().get(*value as usize);
            name.map_or_else(|| value.to_string(), |it| it.text.clone())
        }
        (Value::Message(constructor, fields), Type::Message(message)) => {
            let constructors = protocol.messages.get(message.0 as usize).map(|it| &it.constructors);
            let Some(it) = constructors.and_then(|it| it.get(*constructor as usize)) else {
                return "?".to_owned();
            };
            if fields.is_empty() {
                return it.name.text.clone();
            }
            let fields = it.fields.iter().zip(fields);
            let fields: Vec<String> =
                fields.map(|(ty, field)| value_text(protocol, *ty, field)).collect();
            format!("{}({})", it.name.text, fields.join(", "))
        }
        (Value::Enum(value), _) => value.to_string(),
        (Value::Message(..), _) => "?".to_owned(),
    }
}
