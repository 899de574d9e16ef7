//! The serial automaton.

use super::{Request, Trouble, picture, pretty, title};
use crate::cli::ShowFormat;
use ser_model::NetworkSystem;
use ser_net::SerialAutomaton;

pub fn show(request: &Request<'_>, system: &NetworkSystem) -> Result<String, Trouble> {
    let automaton = SerialAutomaton::new(system, request.limits)?;
    match request.format {
        ShowFormat::Json => Ok(pretty(ser_net::automaton_json(system, &automaton))),
        ShowFormat::Dot | ShowFormat::Svg => {
            let title = title(request.source);
            picture(&crate::picture::automaton(&title, system, &automaton), request.format)
        }
        _ => Ok(ser_net::automaton_text(system, &automaton)),
    }
}
