//! A tree in a form that a person can compare with the text.

use crate::ast::*;
use std::fmt::Write;

pub(super) fn program(program: &Program) -> String {
    let mut show = Show { program, names: Vec::new(), variables: &[], text: String::new() };
    for table in &program.tables {
        show.table(table);
    }
    for sql in &program.seed {
        let it = show.sql(sql);
        show.line(0, &format!("seed {it}"));
    }
    for transaction in &program.transactions {
        show.transaction(transaction);
    }
    show.text
}

struct Show<'p> {
    program: &'p Program,
    /// The sources of the queries around, from the outside.
    names: Vec<Vec<(String, TableId)>>,
    variables: &'p [Variable],
    text: String,
}

impl<'p> Show<'p> {
    fn line(&mut self, depth: usize, text: &str) {
        writeln!(self.text, "{}{text}", "  ".repeat(depth)).expect("a string");
    }

    fn columns(&self, table: TableId, columns: &[ColumnId]) -> String {
        let table = &self.program.tables[table.0 as usize];
        let names: Vec<&str> =
            columns.iter().map(|it| table.columns[it.0 as usize].name.text.as_str()).collect();
        names.join(", ")
    }

    fn table(&mut self, table: &'p Table) {
        let at = self.program.tables.iter().position(|it| it == table).expect("there");
        let id = TableId(at as u32);
        self.line(0, &format!("table {}", table.name.text));
        self.names.push(vec![(table.name.text.clone(), id)]);
        for column in &table.columns {
            let mut line = format!("{} {}", column.name.text, column.ty);
            if let Some(it) = column.length {
                write!(line, "({it})").expect("a string");
            }
            if let Some(it) = column.scale {
                write!(line, "(.{it})").expect("a string");
            }
            if column.not_null {
                line += " not null";
            }
            match &column.default {
                Some(Default_::Sequence) => line += " counts",
                Some(Default_::Expr(it)) => line += &format!(" default {}", self.expr(it)),
                None => {}
            }
            self.line(1, &line);
        }
        for key in &table.keys {
            let kind = if key.primary { "primary key" } else { "unique" };
            self.line(1, &format!("{kind} {} ({})", key.name, self.columns(id, &key.columns)));
        }
        for check in &table.checks {
            let line = format!("check {} {}", check.name, self.expr(&check.condition));
            self.line(1, &line);
        }
        for it in &table.foreign_keys {
            let parent = &self.program.tables[it.parent.0 as usize].name.text;
            let columns = self.columns(id, &it.columns);
            let referenced = self.columns(it.parent, &it.referenced);
            let line = format!("foreign key {} ({columns}) to {parent} ({referenced})", it.name);
            self.line(1, &format!("{line} {:?}", it.on_delete));
        }
        self.names.pop();
    }

    fn transaction(&mut self, it: &'p Transaction) {
        self.variables = &it.variables;
        let variable = |it: &Variable| match it.scale {
            Some(scale) => format!("{} {}(.{scale})", it.name, it.ty),
            None => format!("{} {}", it.name, it.ty),
        };
        let parameters: Vec<String> = it.variables[..it.parameters].iter().map(variable).collect();
        let level = it.level.map_or(String::new(), |it| format!(" {it:?}"));
        let stable = if it.stable { " stable" } else { "" };
        let name = &it.name.text;
        self.line(0, &format!("transaction {name}({}){level}{stable}", parameters.join(", ")));
        for other in &it.variables[it.parameters..] {
            let first = other.first.as_ref().map(|it| format!(" = {}", self.expr(it)));
            self.line(1, &format!("var {}{}", variable(other), first.unwrap_or_default()));
        }
        self.block(1, &it.body);
        self.variables = &[];
    }

    fn block(&mut self, depth: usize, block: &'p Block) {
        for statement in block {
            self.statement(depth, statement);
        }
    }

    fn label(label: &Option<String>) -> String {
        label.as_ref().map_or(String::new(), |it| format!(" {it}"))
    }

    fn statement(&mut self, depth: usize, statement: &'p Statement) {
        let when = |it: &mut Self, when: &Option<Expr>| {
            when.as_ref().map_or(String::new(), |e| format!(" when {}", it.expr(e)))
        };
        match &statement.kind {
            StatementKind::Sql(it) => {
                let it = self.sql(it);
                self.line(depth, &it);
            }
            StatementKind::Assign(variable, value) => {
                let line = format!("{} := {}", self.variable(*variable), self.expr(value));
                self.line(depth, &line);
            }
            StatementKind::If(cases, otherwise) => {
                for (at, (condition, block)) in cases.iter().enumerate() {
                    let word = if at == 0 { "if" } else { "else if" };
                    let line = format!("{word} {}", self.expr(condition));
                    self.line(depth, &line);
                    self.block(depth + 1, block);
                }
                if !otherwise.is_empty() {
                    self.line(depth, "else");
                    self.block(depth + 1, otherwise);
                }
            }
            StatementKind::Loop { label, condition, body } => {
                let condition = condition
                    .as_ref()
                    .map_or(String::new(), |it| format!(" while {}", self.expr(it)));
                self.line(depth, &format!("loop{}{condition}", Self::label(label)));
                self.block(depth + 1, body);
            }
            StatementKind::ForRange { label, variable, from, to, step, reverse, body } => {
                let step = step.as_ref().map_or(String::new(), |e| format!(" by {}", self.expr(e)));
                let (from, to) = (self.expr(from), self.expr(to));
                let reverse = if *reverse { "reverse " } else { "" };
                let name = self.variable(*variable);
                let label = Self::label(label);
                self.line(depth, &format!("for{label} {name} in {reverse}{from}..{to}{step}"));
                self.block(depth + 1, body);
            }
            StatementKind::ForRows { label, sql, body } => {
                let sql = self.sql(sql);
                self.line(depth, &format!("for{} {sql}", Self::label(label)));
                self.block(depth + 1, body);
            }
            StatementKind::Exit { label, when: it } => {
                let line = format!("exit{}{}", Self::label(label), when(self, it));
                self.line(depth, &line);
            }
            StatementKind::Continue { label, when: it } => {
                let line = format!("continue{}{}", Self::label(label), when(self, it));
                self.line(depth, &line);
            }
            StatementKind::Return(value) => {
                let value =
                    value.as_ref().map_or(String::new(), |it| format!(" {}", self.expr(it)));
                self.line(depth, &format!("return{value}"));
            }
            StatementKind::Fail { unless, message } => {
                let unless = unless
                    .as_ref()
                    .map_or(String::new(), |it| format!(" unless {}", self.expr(it)));
                self.line(depth, &format!("fail{unless}: {message}"));
            }
            StatementKind::RowCount(variable) => {
                let line = format!("{} := rows", self.variable(*variable));
                self.line(depth, &line);
            }
            StatementKind::Nothing => self.line(depth, "nothing"),
        }
    }

    fn variable(&self, it: VariableId) -> String {
        self.variables.get(it.0 as usize).map_or("?".into(), |it| it.name.clone())
    }

    fn sql(&mut self, sql: &Sql) -> String {
        let what = match &sql.kind {
            SqlKind::Select(it) => self.query(it),
            SqlKind::Insert(it) => self.insert(it),
            SqlKind::Update(it) => {
                self.enter(&it.sources);
                let sources = self.sources(&it.sources);
                let sets = self.sets(it.sources[0].table, &it.sets);
                let filter = self.optional(" where ", it.filter.as_ref());
                let returning = self.returning(&it.returning);
                self.names.pop();
                format!("update {sources} set {sets}{filter}{returning}")
            }
            SqlKind::Delete(it) => {
                self.enter(&it.sources);
                let sources = self.sources(&it.sources);
                let filter = self.optional(" where ", it.filter.as_ref());
                let returning = self.returning(&it.returning);
                self.names.pop();
                format!("delete {sources}{filter}{returning}")
            }
        };
        let rows = match &sql.rows {
            Rows::Nowhere => String::new(),
            Rows::Client => " -> client".into(),
            Rows::Into { variables, strict } => {
                let names: Vec<String> = variables.iter().map(|it| self.variable(*it)).collect();
                let strict = if *strict { "strict " } else { "" };
                format!(" -> {strict}{}", names.join(", "))
            }
        };
        let quiet = if sql.quiet { "quietly " } else { "" };
        format!("{quiet}{what}{rows}")
    }

    fn enter(&mut self, sources: &[Source]) {
        self.names.push(sources.iter().map(|it| (it.name.clone(), it.table)).collect());
    }

    fn optional(&mut self, word: &str, it: Option<&Expr>) -> String {
        it.map_or(String::new(), |it| format!("{word}{}", self.expr(it)))
    }

    fn returning(&mut self, items: &[Item]) -> String {
        if items.is_empty() {
            return String::new();
        }
        format!(" returning {}", self.items(items))
    }

    fn items(&mut self, items: &[Item]) -> String {
        let items: Vec<String> = items
            .iter()
            .map(|it| {
                let text = self.expr(&it.expr);
                let last = text.rsplit('.').next().unwrap_or_default();
                if last == it.name || it.name == "?column?" {
                    text
                } else {
                    format!("{text} as {}", it.name)
                }
            })
            .collect();
        items.join(", ")
    }

    fn sets(&mut self, table: TableId, sets: &[(ColumnId, Expr)]) -> String {
        let sets: Vec<String> = sets
            .iter()
            .map(|(column, value)| {
                format!("{} = {}", self.columns(table, &[*column]), self.expr(value))
            })
            .collect();
        sets.join(", ")
    }

    fn sources(&mut self, sources: &[Source]) -> String {
        let mut text = String::new();
        for (at, it) in sources.iter().enumerate() {
            let table = &self.program.tables[it.table.0 as usize].name.text;
            let name =
                if *table == it.name { table.clone() } else { format!("{table} {}", it.name) };
            let joined = match &it.join {
                Join::Cross if at == 0 => name,
                Join::Cross => format!(", {name}"),
                Join::Inner(on) => format!(" join {name} on {}", self.expr(on)),
                Join::Left(on) => format!(" left join {name} on {}", self.expr(on)),
            };
            text += &joined;
        }
        text
    }

    fn insert(&mut self, it: &Insert) -> String {
        let table = &self.program.tables[it.table.0 as usize].name.text;
        let mut text = format!("insert {table}({})", self.columns(it.table, &it.columns));
        match &it.rows {
            InsertRows::Values(rows) => {
                for row in rows {
                    let row: Vec<String> = row
                        .iter()
                        .map(|it| it.as_ref().map_or("default".into(), |it| self.expr(it)))
                        .collect();
                    write!(text, " ({})", row.join(", ")).expect("a string");
                }
            }
            InsertRows::Query(query) => text += &format!(" {}", self.query(query)),
        }
        let own = (table.clone(), it.table);
        if let Some(conflict) = &it.conflict {
            let key = conflict.key.map_or("any".into(), |at| {
                self.program.tables[it.table.0 as usize].keys[at].name.clone()
            });
            text += &format!(" on conflict {key}");
            match &conflict.action {
                ConflictAction::Nothing => text += " nothing",
                ConflictAction::Update { sets, filter } => {
                    self.names.push(vec![own.clone(), ("excluded".into(), it.table)]);
                    text += &format!(" set {}", self.sets(it.table, sets));
                    text += &self.optional(" where ", filter.as_ref());
                    self.names.pop();
                }
            }
        }
        self.names.push(vec![own]);
        text += &self.returning(&it.returning);
        self.names.pop();
        text
    }

    fn query(&mut self, it: &Query) -> String {
        self.enter(&it.sources);
        let mut text = format!("select {}", if it.distinct { "distinct " } else { "" });
        text += &self.items(&it.items);
        if !it.sources.is_empty() {
            text += &format!(" from {}", self.sources(&it.sources));
        }
        text += &self.optional(" where ", it.filter.as_ref());
        if !it.group_by.is_empty() {
            let by: Vec<String> = it.group_by.iter().map(|it| self.expr(it)).collect();
            text += &format!(" group by {}", by.join(", "));
        }
        text += &self.optional(" having ", it.having.as_ref());
        if !it.order_by.is_empty() {
            let by: Vec<String> = (it.order_by.iter())
                .map(|it| {
                    let down = if it.descending { " desc" } else { "" };
                    let nulls = if it.nulls_first != it.descending { " (nulls moved)" } else { "" };
                    format!("{}{down}{nulls}", self.expr(&it.expr))
                })
                .collect();
            text += &format!(" order by {}", by.join(", "));
        }
        text += &self.optional(" limit ", it.limit.as_ref());
        text += &self.optional(" offset ", it.offset.as_ref());
        for lock in &it.locks {
            text += &format!(" for {:?}", lock.strength);
            if !lock.of.is_empty() {
                let of: Vec<&str> =
                    lock.of.iter().map(|at| it.sources[*at].name.as_str()).collect();
                text += &format!(" of {}", of.join(", "));
            }
            if lock.wait != Wait::Wait {
                text += &format!(" {:?}", lock.wait);
            }
        }
        self.names.pop();
        text
    }

    fn list(&mut self, list: &[Expr]) -> String {
        let list: Vec<String> = list.iter().map(|it| self.expr(it)).collect();
        list.join(", ")
    }

    fn expr(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Value(it) => it.to_string(),
            ExprKind::Column { up, source, column } => {
                let scope = &self.names[self.names.len() - 1 - *up as usize];
                let (name, table) = &scope[*source as usize];
                let column = self.columns(*table, &[*column]);
                format!("{}{name}.{column}", "^".repeat(*up as usize))
            }
            ExprKind::Variable(it) => format!("{{{}}}", self.variable(*it)),
            ExprKind::Found => "{found}".into(),
            ExprKind::Unary(op, it) => format!("{op:?}({})", self.expr(it)),
            ExprKind::Binary(op, left, right) => {
                let op = match op {
                    BinaryOp::Or => "or",
                    BinaryOp::And => "and",
                    BinaryOp::Equal => "=",
                    BinaryOp::NotEqual => "<>",
                    BinaryOp::Less => "<",
                    BinaryOp::LessEqual => "<=",
                    BinaryOp::Greater => ">",
                    BinaryOp::GreaterEqual => ">=",
                    BinaryOp::Same => "is",
                    BinaryOp::Add => "+",
                    BinaryOp::Subtract => "-",
                    BinaryOp::Multiply => "*",
                    BinaryOp::Divide => "/",
                    BinaryOp::Modulo => "%",
                    BinaryOp::Concat => "||",
                };
                format!("({} {op} {})", self.expr(left), self.expr(right))
            }
            ExprKind::IsNull(it) => format!("null?({})", self.expr(it)),
            ExprKind::InList(it, list) => format!("{} in ({})", self.expr(it), self.list(list)),
            ExprKind::InQuery(it, query) => format!("{} in ({})", self.expr(it), self.query(query)),
            ExprKind::Exists(query) => format!("exists ({})", self.query(query)),
            ExprKind::Scalar(query) => format!("({})", self.query(query)),
            ExprKind::Case(cases, otherwise) => {
                let mut text = "case".to_owned();
                for (condition, value) in cases {
                    text += &format!(" when {} then {}", self.expr(condition), self.expr(value));
                }
                text += &self.optional(" else ", otherwise.as_deref());
                text + " end"
            }
            ExprKind::Call(function, arguments) => {
                format!("{function:?}({})", self.list(arguments))
            }
            ExprKind::Aggregate { function, distinct, argument } => {
                let distinct = if *distinct { "distinct " } else { "" };
                let argument = argument.as_ref().map_or("*".into(), |it| self.expr(it));
                format!("{function:?}({distinct}{argument})")
            }
            ExprKind::Cast(it, ty) => format!("{}::{ty}", self.expr(it)),
        }
    }
}
