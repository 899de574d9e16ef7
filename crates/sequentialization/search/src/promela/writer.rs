//! The text of a model, process by process and statement by statement.

use super::expression::Context;
use super::layout::{Layout, owner};
use super::{PromelaError, PromelaOptions};
use crate::explore::{Domain, MAX_MEMBERS};
use ser_syntax::icet::ast::{
    Arm, Expr, MessageId, Pattern, Process, ProcessId, Protocol, SetId, SetKind, Source, Stmt,
    StmtKind, Type, VarId,
};
use std::fmt::Write as _;

/// What Spin runs at most, without the process that starts the others.
const MOST: u32 = 254;

/// The whole model.
pub(super) fn write(
    protocol: &Protocol,
    sizes: &[u32],
    options: &PromelaOptions,
) -> Result<String, PromelaError> {
    let domain = Domain::new(protocol, sizes);
    let layout = Layout::new(protocol, &domain);
    let processes = layout.all.count();
    let large = layout.all.0.iter().any(|it| it.count > MAX_MEMBERS.max(1));
    if processes > MOST || large {
        return Err(PromelaError::TooManyProcesses { processes: processes as usize });
    }
    let mut text = String::new();
    let sets: Vec<String> = protocol
        .sets
        .iter()
        .zip(&domain.instance.sizes)
        .map(|(set, size)| format!("{} = {size}", set.name.text))
        .collect();
    let _ = writeln!(text, "/* Sizes: {}. */", sets.join(", "));
    for (number, (ty, channels)) in protocol.messages.iter().zip(&layout.channels).enumerate() {
        if channels.senders.0.is_empty() {
            continue;
        }
        let Some(process) = protocol.processes.first() else { break };
        let context = Context { protocol, layout: &layout, process };
        let types = context.message_types(MessageId(number as u32)).join(", ");
        let (count, capacity) = (channels.count(), options.capacity.max(1));
        let _ = writeln!(text, "chan c_{}[{count}] = [{capacity}] of {{ {types} }};", ty.name.text);
    }
    for (id, process) in protocol.each_process() {
        let context = Context { protocol, layout: &layout, process };
        let mut writer = Writer {
            context,
            domain: &domain,
            options,
            id,
            names: 0,
            declared: Vec::new(),
            text: String::new(),
            depth: 1,
        };
        writer.block(&process.body)?;
        let _ = writeln!(text, "\nproctype p_{}(byte me) {{", process.name.text);
        for (number, variable) in process.variables.iter().enumerate() {
            let names = context.variable(VarId(number as u32));
            for (name, ty) in names.iter().zip(context.types(variable.ty)) {
                let _ = writeln!(text, "    {ty} {name};");
            }
        }
        for line in &writer.declared {
            let _ = writeln!(text, "    {line};");
        }
        text.push_str(&writer.text);
        text.push_str("}\n");
    }
    text.push_str("\ninit {\n    atomic {\n        skip;\n");
    for range in &layout.all.0 {
        let name = &protocol.process(range.process).name.text;
        for address in range.base..range.base + range.count {
            let _ = writeln!(text, "        run p_{name}({address});");
        }
    }
    text.push_str("    }\n}\n");
    Ok(text)
}

struct Writer<'p> {
    context: Context<'p>,
    domain: &'p Domain<'p>,
    options: &'p PromelaOptions,
    id: ProcessId,
    names: u32,
    /// Variables besides those of the protocol.
    declared: Vec<String>,
    text: String,
    depth: usize,
}

impl<'p> Writer<'p> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    fn process(&self) -> &'p Process {
        self.context.process
    }

    fn fresh(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    fn block(&mut self, stmts: &[Stmt]) -> Result<(), PromelaError> {
        if stmts.is_empty() {
            self.line("skip;");
        }
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn inner(&mut self, stmts: &[Stmt]) -> Result<(), PromelaError> {
        self.depth += 1;
        let result = self.block(stmts);
        self.depth -= 1;
        result
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), PromelaError> {
        let context = self.context;
        match &stmt.kind {
            StmtKind::Send { payload, message, to } => {
                let parts = context.parts(payload)?.join(", ");
                let channel = self.channel_to(*message, to)?;
                self.line(&format!("assert(nfull({channel})); /* the capacity is large enough */"));
                self.line(&format!("{channel}!{parts};"));
            }
            StmtKind::Receive { pattern, message, from } => {
                self.receive(pattern, *message, from)?
            }
            StmtKind::Assign { variable, value } => {
                let parts = context.parts(value)?;
                self.assign(*variable, &parts);
            }
            StmtKind::Any { variable } => {
                let names = context.variable(*variable);
                let ty = self.process().variables.get(variable.0 as usize).map(|it| it.ty);
                let values = self.domain.values(ty.unwrap_or(Type::Bool));
                let mut choices = Vec::new();
                for value in &values {
                    choices.push(context.value(value, names.len())?);
                }
                self.choose(*variable, &choices);
            }
            StmtKind::Pick { variable, set } => {
                let choices: Vec<_> = (0..self.domain.instance.size(*set))
                    .map(|it| vec![self.member(*set, it)])
                    .collect();
                self.choose(*variable, &choices);
            }
            StmtKind::If { condition, then, otherwise } => {
                let (yes, no) = match condition {
                    Some(condition) => (context.one(condition)?, "else"),
                    None => ("true".to_owned(), "true"),
                };
                self.line("if");
                self.line(&format!(":: {yes} ->"));
                self.inner(then)?;
                self.line(&format!(":: {no} ->"));
                self.inner(otherwise)?;
                self.line("fi;");
            }
            StmtKind::Match { variable, arms } => self.matches(*variable, arms)?,
            StmtKind::While { condition, body } => {
                let condition = context.one(condition)?;
                self.line("do");
                self.line(&format!(":: {condition} ->"));
                self.inner(body)?;
                self.line(":: else -> break");
                self.line("od;");
            }
            StmtKind::Loop { body } => {
                self.line("do");
                self.line(":: true ->");
                self.inner(body)?;
                self.line("od;");
            }
            StmtKind::Break { .. } => self.line("break;"),
            StmtKind::For { variable, set, body } => self.repeat(*variable, *set, body)?,
            StmtKind::Assert { condition } => {
                let condition = context.one(condition)?;
                self.line(&format!("assert({condition});"));
            }
            StmtKind::Fail => self.line("assert(false);"),
            StmtKind::Skip => self.line("skip;"),
        }
        Ok(())
    }

    /// Assigns all parts in one step.
    fn assign(&mut self, variable: VarId, parts: &[String]) {
        let names = self.context.variable(variable);
        self.assign_all(&names, parts);
    }

    fn assign_all(&mut self, names: &[String], parts: &[String]) {
        let lines: Vec<String> =
            names.iter().zip(parts).map(|(name, part)| format!("{name} = {part}")).collect();
        match lines.as_slice() {
            [] => self.line("skip;"),
            [only] => self.line(&format!("{only};")),
            // Not `d_step`, which must not follow a loop that ends with a `break`.
            _ => self.line(&format!("atomic {{ {} }};", lines.join("; "))),
        }
    }

    fn choose(&mut self, variable: VarId, choices: &[Vec<String>]) {
        if choices.is_empty() {
            self.wait_forever();
            return;
        }
        self.line("if");
        for choice in choices {
            self.line(":: true ->");
            self.depth += 1;
            self.assign(variable, choice);
            self.depth -= 1;
        }
        self.line("fi;");
    }

    /// A label where a server may wait forever.
    fn waiting_place(&mut self) {
        if self.process().server {
            let number = self.fresh();
            self.line(&format!("end_{number}:"));
        }
    }

    fn wait_forever(&mut self) {
        self.waiting_place();
        self.line("false;");
    }

    fn matches(&mut self, variable: VarId, arms: &[Arm]) -> Result<(), PromelaError> {
        let names = self.context.variable(variable);
        let Some((constructor, fields)) = names.split_first() else { return Ok(()) };
        self.line("if");
        for arm in arms {
            let tests: Vec<String> =
                arm.constructors.iter().map(|it| format!("{constructor} == {}", it.0)).collect();
            self.line(&format!(":: ({}) ->", tests.join(" || ")));
            self.depth += 1;
            self.assign_fields(&arm.fields, fields);
            self.block(&arm.body)?;
            self.depth -= 1;
        }
        self.line("fi;");
        Ok(())
    }

    fn assign_fields(&mut self, variables: &[Option<VarId>], fields: &[String]) {
        let mut names = Vec::new();
        let mut parts = Vec::new();
        for (variable, field) in variables.iter().zip(fields) {
            if let Some(variable) = variable {
                names.extend(self.context.variable(*variable));
                parts.push(field.clone());
            }
        }
        if !names.is_empty() {
            self.assign_all(&names, &parts);
        }
    }

    fn repeat(&mut self, variable: VarId, set: SetId, body: &[Stmt]) -> Result<(), PromelaError> {
        let size = self.domain.instance.size(set);
        let name = self.context.variable(variable).join("");
        let counter = format!("done_{}", self.fresh());
        let any = self.options.any_order
            && self.context.protocol.set(set).kind == SetKind::Processes
            && size > 1;
        self.declared.push(format!("{} {counter}", if any { "int" } else { "byte" }));
        self.line(&format!("{counter} = 0;"));
        self.line("do");
        if any {
            // Which members were visited: one bit for each.
            self.line(&format!(":: {counter} != {} ->", (1_u64 << size) - 1));
            self.depth += 1;
            self.line("if");
            for member in 0..size {
                let (bit, value) = (1_u64 << member, self.member(set, member));
                self.line(&format!(
                    ":: ({counter} & {bit}) == 0 -> d_step {{ {counter} = {counter} | {bit}; {name} = {value} }}"
                ));
            }
            self.line("fi;");
            self.depth -= 1;
            self.inner(body)?;
        } else {
            let first = self.member(set, 0);
            self.line(&format!(":: {counter} < {size} ->"));
            self.depth += 1;
            self.line(&format!(
                "d_step {{ {name} = {counter} + {first}; {counter} = {counter} + 1 }};"
            ));
            self.depth -= 1;
            self.inner(body)?;
        }
        self.line(":: else -> break");
        self.line("od;");
        self.line(&format!("atomic {{ {counter} = 0; {name} = 0 }};"));
        Ok(())
    }

    fn member(&self, set: SetId, member: u32) -> String {
        match self.context.protocol.members_of(set) {
            Some(process) => self.context.address(process, member),
            None => member.to_string(),
        }
    }

    fn name(&self, MessageId(message): MessageId) -> String {
        let ty = self.context.protocol.messages.get(message as usize);
        format!("c_{}", ty.map_or("", |it| it.name.text.as_str()))
    }

    /// The channel from this process to an address.
    fn channel_to(&self, message: MessageId, to: &Expr) -> Result<String, PromelaError> {
        let Some(channels) = self.context.layout.channels.get(message.0 as usize) else {
            return Ok(String::new());
        };
        let row = channels.senders.place_of("me", Some(self.id));
        let column = channels.receivers.place_of(&self.context.one(to)?, self.owner(to));
        Ok(format!("{}[{}]", self.name(message), cell(&row, channels.width(), &column)))
    }

    fn owner(&self, expr: &Expr) -> Option<ProcessId> {
        owner(self.context.protocol, self.process(), self.id, expr)
    }

    fn receive(
        &mut self,
        pattern: &Pattern,
        message: MessageId,
        from: &Source,
    ) -> Result<(), PromelaError> {
        let context = self.context;
        let Some(channels) = context.layout.channels.get(message.0 as usize) else { return Ok(()) };
        // Nobody sends it to this process: no channel.
        if channels.receivers.of(self.id).is_none() {
            self.wait_forever();
            return Ok(());
        }
        let column = channels.receivers.place_of("me", Some(self.id));
        let (name, width) = (self.name(message), channels.width());
        let mut rows: Vec<String> = Vec::new();
        match from {
            Source::Pid(expr) => {
                let place = channels.senders.place_of(&context.one(expr)?, self.owner(expr));
                rows.push(place);
            }
            Source::Set(_) | Source::Anyone => {
                for range in &channels.senders.0 {
                    let fits = match from {
                        Source::Set(set) => {
                            context.protocol.members_of(*set) == Some(range.process)
                        }
                        _ => true,
                    };
                    if fits {
                        rows.extend(
                            (range.place..range.place + range.count).map(|it| it.to_string()),
                        );
                    }
                }
            }
        }
        let (names, constructor) = match pattern {
            Pattern::Variable(variable) => (context.variable(*variable), None),
            Pattern::Ignore => (vec!["_".to_owned(); 1 + context.fields(message)], None),
            Pattern::Constructor { constructor, fields } => {
                let number = self.fresh();
                let types = context.message_types(message);
                let names: Vec<String> =
                    (0..types.len()).map(|it| format!("r_{number}_{it}")).collect();
                for (name, ty) in names.iter().zip(types) {
                    self.declared.push(format!("{ty} {name}"));
                }
                (names, Some((constructor, fields)))
            }
        };
        let into = names.join(", ");
        if rows.is_empty() {
            self.wait_forever();
            return Ok(());
        }
        self.waiting_place();
        if let [row] = rows.as_slice() {
            self.line(&format!("{name}[{}]?{into};", cell(row, width, &column)));
        } else {
            self.line("if");
            for row in &rows {
                self.line(&format!(":: {name}[{}]?{into}", cell(row, width, &column)));
            }
            self.line("fi;");
        }
        if let Some((constructor, fields)) = constructor
            && let Some((tag, values)) = names.split_first()
        {
            self.line(&format!("assert({tag} == {});", constructor.0));
            self.assign_fields(fields, values);
            let zeros = vec!["0".to_owned(); names.len()];
            self.assign_all(&names, &zeros);
        }
        Ok(())
    }
}

/// The place of a channel in its list: row by row.
fn cell(row: &str, width: u32, column: &str) -> String {
    match (row.parse::<u32>(), column.parse::<u32>()) {
        (Ok(row), Ok(column)) => (row * width + column).to_string(),
        (Ok(0), _) => column.to_owned(),
        (Ok(row), _) => format!("{} + {column}", row * width),
        _ => format!("{row} * {width} + {column}"),
    }
}
