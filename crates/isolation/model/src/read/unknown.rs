//! What is not understood, and what to write instead.

/// A word in the middle of a statement.
pub(super) fn part(word: &str) -> Option<(String, &'static str)> {
    let (what, help) = match word {
        "union" | "intersect" | "except" => (
            format!("`{}` is not understood", word.to_ascii_uppercase()),
            "ask with two statements, or with `OR` in one",
        ),
        "window" | "over" => (
            "window functions are not understood".into(),
            "leave the window out, or compute it in the application",
        ),
        "filter" => {
            ("`FILTER` is not understood".into(), "write `sum(CASE WHEN condition THEN x END)`")
        }
        "into" => (
            "`INTO` only has a meaning in PL/pgSQL, where it stores what is read".into(),
            "leave it out: a section returns its rows to the client",
        ),
        "fetch" => ("`FETCH FIRST` is not understood".into(), "write `LIMIT 1`"),
        "top" => ("`TOP` is SQL Server's".into(), "write `LIMIT` at the end"),
        "collate" => ("`COLLATE` is not understood".into(), "leave it out"),
        "using" => {
            ("`USING` is not understood here".into(), "write the condition, as in `ON a.id = b.id`")
        }
        "with" => ("`WITH` is not understood here".into(), "leave it out, or write two statements"),
        "at" => (
            "`AT TIME ZONE` is not understood".into(),
            "pass the time that is meant as a parameter",
        ),
        "engine" | "charset" => {
            (format!("`{}` is MySQL's", word.to_ascii_uppercase()), "leave it out")
        }
        "auto_increment" | "unsigned" => (
            format!("`{}` is MySQL's", word.to_ascii_uppercase()),
            "in PostgreSQL, a column that counts is `bigint GENERATED ALWAYS AS IDENTITY`",
        ),
        _ => return None,
    };
    Some((what, help))
}

/// The first word of a statement.
pub(super) fn statement(word: &str) -> Option<(String, &'static str)> {
    let upper = word.to_ascii_uppercase();
    let (what, help) = match word {
        "with" => (
            "`WITH` before a statement is not understood".into(),
            "write a statement for each of its parts, or put a subquery where it is used",
        ),
        "values" | "table" => (format!("`{upper}` as a query is not understood"), "write `SELECT`"),
        "merge" => ("`MERGE` is not understood".into(), "use `INSERT ... ON CONFLICT`"),
        "truncate" => ("`TRUNCATE` is not understood".into(), "use `DELETE FROM`"),
        "lock" => {
            ("`LOCK TABLE` is not understood".into(), "lock the rows with `SELECT ... FOR UPDATE`")
        }
        "savepoint" | "release" => (
            "savepoints are not understood".into(),
            "a transaction is either done or has not happened; split it if parts may fail",
        ),
        "rollback" | "abort" => (
            "a transaction that undoes itself is not understood".into(),
            "in PL/pgSQL, `RAISE EXCEPTION` undoes a transaction",
        ),
        "commit" => (
            "a transaction cannot end within itself".into(),
            "split it: what follows `COMMIT` is a transaction of its own",
        ),
        "call" | "do" => (
            format!("`{upper}` is not understood"),
            "write what is called where it is called, or make it a transaction of its own",
        ),
        "execute" | "prepare" | "deallocate" => (
            format!("`{upper}` is not understood: its text is only known when it runs"),
            "write the statement itself",
        ),
        "declare" | "open" | "fetch" | "close" | "move" => {
            ("cursors are not understood".into(), "use `FOR row IN SELECT ... LOOP`")
        }
        "copy" => ("`COPY` is not understood".into(), "write the rows with `INSERT INTO`"),
        "replace" => ("`REPLACE` is MySQL's".into(), "use `INSERT ... ON CONFLICT DO UPDATE`"),
        "use" | "go" | "exec" | "print" | "delimiter" | "show" => {
            (format!("`{upper}` is no statement of PostgreSQL"), "leave it out")
        }
        "listen" | "notify" | "unlisten" => (
            format!("`{upper}` is not understood"),
            "leave it out: it changes nothing in the tables",
        ),
        "explain" | "analyze" | "vacuum" => {
            (format!("`{upper}` is not part of a transaction"), "leave it out")
        }
        _ => return None,
    };
    Some((what, help))
}

/// A function of the server.
pub(super) fn function(name: &str) -> Option<(String, &'static str)> {
    let (what, help) = match name {
        "nextval" | "currval" | "lastval" | "setval" => (
            format!("`{name}` is not understood here"),
            "declare the column `GENERATED ALWAYS AS IDENTITY`, and leave it out of the `INSERT`",
        ),
        "random" | "gen_random_uuid" | "uuid_generate_v4" | "clock_timestamp" => {
            (format!("what `{name}` gives is different each time"), "pass the value as a parameter")
        }
        "pg_advisory_lock"
        | "pg_advisory_xact_lock"
        | "pg_try_advisory_xact_lock"
        | "pg_try_advisory_lock" => {
            ("advisory locks are not understood".into(), "lock a row with `SELECT ... FOR UPDATE`")
        }
        "pg_sleep" => ("`pg_sleep` changes nothing but time".into(), "leave it out"),
        "string_agg" | "array_agg" | "json_agg" | "jsonb_agg" => (
            format!("`{name}` is not understood"),
            "return the rows, and put them together in the application",
        ),
        "bool_or" | "bool_and" | "every" => (
            format!("`{name}` is not understood"),
            "count the rows that matter: `count(CASE WHEN condition THEN 1 END) > 0`",
        ),
        "row_number" | "rank" | "lag" | "lead" => {
            ("window functions are not understood".into(), "number the rows in the application")
        }
        "isnull" | "ifnull" | "nvl" => {
            (format!("`{name}` is no function of PostgreSQL"), "use `coalesce`")
        }
        "getdate" | "sysdate" => (format!("`{name}` is no function of PostgreSQL"), "use `now()`"),
        "if" | "iif" => {
            (format!("`{name}` is no function of PostgreSQL"), "use `CASE WHEN ... THEN ... END`")
        }
        "round" | "floor" | "ceil" | "ceiling" | "trunc" => (
            format!("`{name}` is not understood"),
            "what is stored in a `numeric(12, 2)` is rounded there",
        ),
        "date_trunc" | "extract" | "date_part" | "age" | "to_char" | "to_timestamp" => (
            format!("`{name}` is not understood: times are only stored and compared"),
            "pass the time that is meant as a parameter",
        ),
        _ => return None,
    };
    Some((what, help))
}
