//! Random schemas, transactions and interleavings.

use std::fmt::Write as _;

/// A file of SQL, and which sections run at which levels in which order.
pub struct Case {
    pub text: String,
    pub levels: Vec<u8>,
    pub turns: Vec<usize>,
}

/// Which statements there may be.
#[derive(Clone, Copy)]
pub struct Shape {
    pub joins: bool,
}

pub fn case(seed: u64, shape: Shape) -> Case {
    let mut it = Generator { random: fastrand::Rng::with_seed(seed), text: String::new(), shape };
    it.schema();
    let count = it.random.usize(2..=3);
    let mut turns = Vec::new();
    for at in 0..count {
        let statements = it.random.usize(1..=4);
        let _ = write!(it.text, "\n-- name: t{at} :many\nBEGIN;\n");
        for _ in 0..statements {
            let statement = it.statement();
            let _ = writeln!(it.text, "{statement};");
        }
        it.text.push_str("COMMIT;\n");
        turns.extend(std::iter::repeat_n(at, statements + 1));
    }
    it.random.shuffle(&mut turns);
    // Who waited has turns left to take at the end.
    turns.extend((0..6).flat_map(|_| 0..count));
    let fixed = it.random.u8(..6);
    let level = |random: &mut fastrand::Rng| match fixed {
        level @ 0..3 => level,
        _ => random.u8(..3),
    };
    let levels = (0..count).map(|_| level(&mut it.random)).collect();
    Case { text: it.text, levels, turns }
}

struct Generator {
    random: fastrand::Rng,
    text: String,
    shape: Shape,
}

impl Generator {
    fn chance(&mut self, percent: u32) -> bool {
        self.random.u32(..100) < percent
    }

    fn one<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.random.usize(..all.len())]
    }

    fn schema(&mut self) {
        let check = if self.chance(20) { " CHECK (v >= 0)" } else { "" };
        let unique = if self.chance(25) { " UNIQUE" } else { "" };
        let _ = writeln!(
            self.text,
            "CREATE TABLE a (k int PRIMARY KEY, v int NOT NULL DEFAULT 0{check}, w int{unique});"
        );
        let reference = match self.random.u8(..4) {
            0 => " REFERENCES a (k)",
            1 => " REFERENCES a (k) ON DELETE CASCADE",
            2 => " REFERENCES a (k) ON DELETE SET NULL",
            _ => "",
        };
        let key = if self.chance(70) { " PRIMARY KEY" } else { "" };
        let _ = writeln!(self.text, "CREATE TABLE b (k int{key}, a int{reference}, v int);");
        for k in 1..=3 {
            if self.chance(80) {
                let v = self.random.i64(0..=3);
                let _ = writeln!(self.text, "INSERT INTO a (k, v, w) VALUES ({k}, {v}, {k});");
                if self.chance(60) {
                    let _ = writeln!(self.text, "INSERT INTO b VALUES ({k}, {k}, {v});");
                }
            }
        }
    }

    fn number(&mut self) -> i64 {
        self.random.i64(1..=4)
    }

    fn table(&mut self) -> &'static str {
        self.one(&["a", "a", "b"])
    }

    fn condition(&mut self, table: &str) -> String {
        let (n, m) = (self.number(), self.number());
        match self.random.u8(..14) {
            0..5 => format!(" WHERE {table}.k = {n}"),
            5 => format!(" WHERE {table}.k IN ({n}, {m})"),
            6 => format!(" WHERE {table}.v = {n}"),
            7 => format!(" WHERE {table}.v > {}", n - 2),
            8 => format!(" WHERE {table}.k = {n} AND {table}.v < {m}"),
            9 => format!(" WHERE {table}.k = {n} OR {table}.v = {m}"),
            10 => format!(" WHERE {table}.v <> {n}"),
            11 => {
                let other = self.table();
                format!(
                    " WHERE {table}.k = {n} AND EXISTS (SELECT 1 FROM {other} x WHERE x.v = {m})"
                )
            }
            12 => {
                let other = self.table();
                format!(
                    " WHERE {table}.v <= (SELECT count(*) FROM {other} x WHERE x.k > {})",
                    m - 2
                )
            }
            _ => String::new(),
        }
    }

    fn value(&mut self, table: &str) -> String {
        let n = self.number();
        match self.random.u8(..6) {
            0 => n.to_string(),
            1 => format!("{table}.v - {n}"),
            2 => format!("(SELECT coalesce(max(x.v), 0) FROM {} x)", self.table()),
            _ => format!("{table}.v + {n}"),
        }
    }

    fn lock(&mut self) -> String {
        let strength =
            self.one(&["UPDATE", "UPDATE", "NO KEY UPDATE", "SHARE", "SHARE", "KEY SHARE"]);
        let wait = self.one(&["", "", "", "", " NOWAIT", " SKIP LOCKED"]);
        format!(" FOR {strength}{wait}")
    }

    fn statement(&mut self) -> String {
        let t = self.table();
        let w = self.condition(t);
        match self.random.u8(..22) {
            0..3 => format!("SELECT k, v FROM {t}{w}"),
            3 => format!("SELECT count(*), sum(v) FROM {t}{w}"),
            4 => format!("SELECT v, count(*) FROM {t}{w} GROUP BY v ORDER BY v"),
            5..8 => {
                let lock = self.lock();
                format!("SELECT k, v FROM {t}{w}{lock}")
            }
            8 => {
                let lock = self.lock();
                format!("SELECT k, v FROM {t}{w} ORDER BY k, v LIMIT 1{lock}")
            }
            9..14 => {
                let value = self.value(t);
                let returning = self.one(&["", "", " RETURNING k, v"]);
                format!("UPDATE {t} SET v = {value}{w}{returning}")
            }
            14 => {
                let (n, m) = (self.number(), self.number());
                let column = self.one(&["k", if t == "a" { "w" } else { "a" }]);
                format!("UPDATE {t} SET {column} = {n} WHERE k = {m}")
            }
            15 | 16 => {
                let returning = self.one(&["", " RETURNING k"]);
                format!("DELETE FROM {t}{w}{returning}")
            }
            17 | 18 => {
                let (k, v, n) = (self.number(), self.number(), self.number());
                let third = if self.chance(30) { "NULL".to_owned() } else { n.to_string() };
                match t {
                    "a" => format!("INSERT INTO a VALUES ({k}, {v}, {third})"),
                    _ => format!("INSERT INTO b VALUES ({k}, {third}, {v})"),
                }
            }
            19 => {
                let (k, v) = (self.number(), self.number());
                let action = match self.random.u8(..3) {
                    0 => "DO UPDATE SET v = a.v + excluded.v".to_owned(),
                    1 => format!("DO UPDATE SET v = excluded.v WHERE a.v < {v}"),
                    _ => "DO NOTHING".to_owned(),
                };
                format!("INSERT INTO a (k, v) VALUES ({k}, {v}) ON CONFLICT (k) {action}")
            }
            20 => {
                let n = self.number();
                format!("INSERT INTO b SELECT k + {n}, NULL, v FROM a{}", self.condition("a"))
            }
            _ if self.shape.joins => match self.random.u8(..3) {
                0 => format!("SELECT a.k, b.v FROM a JOIN b ON b.a = a.k{}", self.condition("a")),
                1 => "UPDATE a SET v = a.v + b.v FROM b WHERE b.a = a.k".to_owned(),
                _ => "DELETE FROM b USING a WHERE b.a = a.k AND a.v > 1".to_owned(),
            },
            _ => format!("SELECT a.k, b.v FROM a LEFT JOIN b ON b.a = a.k{}", self.condition("a")),
        }
    }
}
