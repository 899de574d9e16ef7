//! What a solution of the formula means.

use super::Encoder;
use crate::ids::TransitionId;
use crate::net::Net;
use crate::term::Node;
use crate::trace::TokenTrace;
use ser_clausal::Lit;

impl Encoder {
    /// Construction 1 of the paper.
    pub fn trace(&self, net: &Net, value: &dyn Fn(Lit) -> bool) -> TokenTrace {
        let mut trace = TokenTrace::default();
        for (index, transition) in net.transitions.iter().enumerate().take(self.occurs.len()) {
            if !value(self.occurs[index]) {
                continue;
            }
            trace.events.insert(TransitionId::from_index(index));
            for variable in &transition.variables {
                if let Some(number) = self.bits.value(*variable, value) {
                    trace.binding.insert(*variable, number);
                }
            }
        }
        for place in &self.places {
            for reader in place.inputs.iter().chain(&place.tests) {
                if trace.events.contains(&net.arc(reader.arc).transition)
                    && let Some((output, _)) = reader.links.iter().find(|(_, link)| value(*link))
                {
                    trace.source.insert(reader.arc, *output);
                }
            }
        }
        self.bind_ignored(net, &mut trace);
        trace
    }

    /// Variables without bits have the values of the tokens that they receive.
    fn bind_ignored(&self, net: &Net, trace: &mut TokenTrace) {
        let mut received = Vec::new();
        for (reader, output) in &trace.source {
            for (read, made) in net.arc(*reader).values.iter().zip(&net.arc(*output).values) {
                if let Node::Variable(variable) = net.terms.node(*read)
                    && self.ignored.contains(&variable)
                {
                    let value = |v| trace.binding.get(&v).copied().unwrap_or(0);
                    received.push((variable, net.terms.evaluate(*made, &value).unwrap_or(0)));
                }
            }
        }
        trace.binding.extend(received);
    }
}
