//! What is said about texts that are not understood, with its place and its way out.

use super::snapshot;
use super::trees::TABLES;
use crate::read::read;
use std::fmt::Write;

/// Every message about a text that stands behind the tables.
fn messages(text: &str) -> String {
    let whole = format!("{TABLES}{text}");
    let read = read(&whole);
    let mut shown = format!("{}\n", text.trim());
    for it in &read.diagnostics {
        let place = whole[it.primary.span.range()].replace('\n', " ");
        let place: String = place.chars().take(50).collect();
        let severity = if it.is_error() { "" } else { "warning: " };
        writeln!(shown, "    {severity}{} [{place}] ({})", it.message, it.code).expect("a string");
        for label in &it.secondary {
            let place = &whole[label.span.range()];
            writeln!(shown, "        [{place}] {}", label.message).expect("a string");
        }
        for help in &it.help {
            writeln!(shown, "        help: {}", help.message).expect("a string");
        }
        for span in it.secondary.iter().map(|it| it.span).chain([it.primary.span]) {
            assert!(whole.get(span.range()).is_some(), "{text}: {span:?}");
        }
    }
    assert!(!read.diagnostics.is_empty(), "this is understood: {text}");
    shown
}

fn all(texts: &[&str]) -> String {
    texts.iter().map(|it| messages(it)).collect()
}

fn sections(texts: &[&str]) -> String {
    texts.iter().map(|it| messages(&format!("-- name: it :exec\n{it}"))).collect()
}

fn bodies(texts: &[&str]) -> String {
    let head = "CREATE FUNCTION it(p bigint, balance bigint) RETURNS void LANGUAGE plpgsql AS $$";
    texts.iter().map(|it| messages(&format!("{head}\n{it}\n$$;"))).collect()
}

#[test]
fn names() {
    snapshot(
        "names",
        &sections(&[
            "SELECT 1 FROM acount;",
            "SELECT blance FROM account;",
            "SELECT amount FROM account;",
            "SELECT owner FROM account, owner o, owner p WHERE name = 'x';",
            "SELECT account.id FROM account a;",
            "SELECT a.ident FROM account a;",
            "SELECT b.id FROM account a;",
            "SELECT id FROM account a, owner a;",
            "SELECT account FROM account;",
            "UPDATE account SET blance = 1;",
            "INSERT INTO account (id, ownr) VALUES (1, 'x');",
            "SELECT id FROM account FOR UPDATE OF accounts;",
            "SELECT id FROM account WHERE id = p_id;",
            "SELECT sums(balance) FROM account;",
            "SELECT lenght(owner) FROM account;",
            "SELECT id FROM account WHERE id = $2;",
            "SELECT id FROM account WHERE id = $1 AND owner = :name;",
            "SELECT $1;",
            "INSERT INTO account (id, owner) VALUES (1, 'a') ON CONFLICT (owner) DO NOTHING;",
            "INSERT INTO account (id, owner) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET balance = balance + 1;",
            "INSERT INTO account (id, owner) VALUES (1, 'a') ON CONFLICT ON CONSTRAINT acount_pkey DO NOTHING;",
        ]),
    );
}

#[test]
fn types() {
    snapshot(
        "types",
        &sections(&[
            "SELECT id FROM account WHERE owner = 5;",
            "SELECT id FROM account WHERE id = 'five';",
            "SELECT id FROM account WHERE id;",
            "SELECT id + owner FROM account;",
            "SELECT owner + 'x' FROM account;",
            "SELECT opened - since FROM account, owner;",
            "SELECT id FROM account WHERE opened = 'yesterday';",
            "SELECT id FROM account WHERE opened > since;",
            "UPDATE account SET balance = owner;",
            "UPDATE account SET balance = NULL WHERE note = NULL;",
            "INSERT INTO account (id, owner) VALUES (1);",
            "INSERT INTO account (id) VALUES (1, 'x');",
            "INSERT INTO account (id, owner) VALUES (1, 'a'), (2);",
            "SELECT CASE WHEN active THEN 1 ELSE name END FROM owner;",
            "SELECT coalesce(score, name) FROM owner;",
            "SELECT balance::timestamp FROM account;",
            "SELECT balance::numeric(3, 1) FROM account;",
            "SELECT x::strnig FROM account;",
            "SELECT owner, balance FROM account GROUP BY owner;",
            "SELECT id FROM account WHERE sum(balance) > 1;",
            "SELECT count(*) FROM account FOR UPDATE;",
            "SELECT (SELECT id, owner FROM account);",
            "SELECT id FROM account LIMIT id;",
            "SELECT coalesce() FROM account;",
            "SELECT id, (SELECT max(balance) FROM owner) FROM account;",
            "SELECT DISTINCT owner FROM account ORDER BY id;",
            "SELECT owner, note AS owner FROM account ORDER BY owner;",
            "SELECT owner FROM account ORDER BY 'owner';",
            "SELECT id || 1 FROM account;",
            "SELECT -$1 FROM account;",
            "SELECT id FROM account WHERE id = $1 OR owner = $1;",
            "SELECT id FROM account WHERE opened IN (now(), '2024-02-30');",
        ]),
    );
}

#[test]
fn not_understood() {
    snapshot(
        "not_understood",
        &sections(&[
            "WITH x AS (SELECT 1) SELECT * FROM x;",
            "SELECT 1 UNION SELECT 2;",
            "SELECT row_number() OVER (ORDER BY id) FROM account;",
            "SELECT sum(balance) OVER () FROM account;",
            "SELECT * FROM (SELECT 1) AS x;",
            "SELECT * FROM account RIGHT JOIN owner ON name = owner;",
            "SELECT * FROM account JOIN owner USING (name);",
            "SELECT id FROM account WHERE owner LIKE 'a%';",
            "SELECT id FROM account WHERE id = ANY($1);",
            "SELECT id FROM account WHERE (id, owner) = (1, 'a');",
            "SELECT note -> 'x' FROM account;",
            "SELECT DISTINCT ON (owner) id FROM account;",
            "SELECT id FROM account WHERE opened > now() - interval '1 day';",
            "SELECT nextval('x');",
            "SELECT random() FROM account;",
            "SELECT pg_advisory_xact_lock(1);",
            "SELECT * FROM generate_series(1, 5);",
            "MERGE INTO account USING owner ON true;",
            "TRUNCATE account;",
            "LOCK TABLE account;",
            "SAVEPOINT x;",
            "UPDATE account SET (balance, note) = (1, 'x');",
            "UPDATE account SET account.balance = 1;",
            "DELETE FROM account LIMIT 1;",
            "SELECT id INTO x FROM account;",
            "SELECT id FROM account WHERE 1 < id < 3;",
            "SELECT id FROM account FETCH FIRST 1 ROW ONLY;",
            "SELECT id FROM account ORDER BY owner COLLATE \"C\";",
        ]),
    );
}

#[test]
fn other_dialects_and_broken_texts() {
    snapshot(
        "other_dialects_and_broken_texts",
        &sections(&[
            "SELECT `id` FROM `account`;",
            "SELECT TOP 1 id FROM account;",
            "SELECT [id] FROM account;",
            "INSERT INTO account (id, owner) VALUES (1, 'a') ON DUPLICATE KEY UPDATE balance = 1;",
            "INSERT IGNORE INTO account VALUES (1, 'a');",
            "SELECT ifnull(note, '') FROM account;",
            "SELECT id FROM account WHERE id = ?;",
            "SELECT id FROM account WHERE id = {id};",
            "SELECT id FROM account WHERE owner = \"ann\";",
            "SELEC id FROM account;",
            "SELECT id FORM account;",
            "SELECT id, FROM account;",
            "SELECT id FROM account WHERE;",
            "SELECT id FROM account WHERE (id = 1;",
            "SELECT id FROM account WHERE id = 1);",
            "SELECT id FROM account WHERE owner = 'ann;",
            "SELECT id FROM account /* without end;",
            "SELECT 1a FROM account;",
            "UPDATE account balance = 1;",
            "UPDATE account SET balance == 1;",
            "SELECT upper(owner) ||+ 'x' FROM account;",
            "SELECT id FROM account WHERE id = $1FOR UPDATE;",
            "SELECT id over FROM account;",
            "DELETE account WHERE id = 1;",
            "\\c shop",
            "",
        ]),
    );
}

#[test]
fn bodies_of_functions() {
    snapshot(
        "bodies_of_functions",
        &bodies(&[
            "BEGIN UPDATE account SET note = 'x' WHERE balance = 1; END",
            "BEGIN INSERT INTO account (id, owner) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET note = 'x' WHERE account.balance = p; SELECT id FROM account; END",
            "DECLARE v bigint; BEGIN SELECT id, owner INTO v FROM account; END",
            "DECLARE v bigint; BEGIN SELECT owner INTO v FROM account; END",
            "DECLARE v bigint; BEGIN SELECT account.id INTO w FROM account; v := w; END",
            "DECLARE v bigint := 'x'; v text; BEGIN v := 1 END",
            "DECLARE r record; BEGIN p := r.id; SELECT owner INTO r FROM account; p := r.ownr; END",
            "DECLARE r record; BEGIN SELECT owner INTO r FROM account; SELECT id INTO r FROM account; END",
            "DECLARE c CONSTANT int := 1; BEGIN c := 2; END",
            "DECLARE a int[]; BEGIN END",
            "DECLARE a ALIAS FOR $1; BEGIN END",
            "DECLARE c CURSOR FOR SELECT 1; BEGIN END",
            "DECLARE v acount.id%TYPE; BEGIN END",
            "BEGIN IF p = 1 THEN NULL; END",
            "BEGIN IF p = 1 NULL; END IF; END",
            "BEGIN IF p THEN NULL; ELIF p = 2 THEN NULL; END IF; END",
            "BEGIN EXIT; END",
            "BEGIN LOOP EXIT outer; END LOOP; END",
            "BEGIN FOR r IN SELECT id FROM account LOOP NULL; END LOOP; END",
            "BEGIN RETURN p; END",
            "BEGIN RETURN QUERY SELECT 1; END",
            "BEGIN EXECUTE 'SELECT 1'; END",
            "BEGIN NULL; EXCEPTION WHEN unique_violation THEN NULL; END",
            "BEGIN COMMIT; END",
            "BEGIN CALL other(); END",
            "BEGIN PERFORM it(1, 2); END",
            "BEGIN PERFORM other(1); END",
            "BEGIN SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; END",
            "BEGIN RAISE EXCEPTION 'a % b %', p; END",
            "BEGIN RAISE; END",
            "BEGIN p := SELECT 1; END",
            "BEGIN p := id FROM account; END",
            "BEGIN p := 1 + ; END",
            "BEGIN q = 1; END",
            "BEGIN -- isolation: serializable\n NULL; END",
            "BEGIN UPDATE account SET note = 'x' RETURNING id; END",
            "BEGIN GET DIAGNOSTICS p = PG_CONTEXT; END",
            "NULL;",
            "BEGIN NULL; END; END",
        ]),
    );
}

#[test]
fn files() {
    snapshot(
        "files",
        &all(&[
            "CREATE TABLE account (id int);",
            "CREATE TABLE t (id int, id text);",
            "CREATE TABLE t (id int PRIMARY KEY, b int PRIMARY KEY);",
            "CREATE TABLE t (a float, b interval, c datetime, d bigin);",
            "CREATE TABLE t (a int AUTO_INCREMENT);",
            "CREATE TABLE t (a int) ENGINE = InnoDB;",
            "CREATE TABLE t (a int REFERENCES acount (id));",
            "CREATE TABLE t (a int REFERENCES account (owner));",
            "CREATE TABLE t (a text REFERENCES account);",
            "CREATE TABLE t (a int, FOREIGN KEY (b) REFERENCES account (id) ON DELETE SET DEFAULT);",
            "CREATE TABLE t (a int CHECK (b > 0));",
            "CREATE TABLE t (a int CHECK ((SELECT 1) = a));",
            "CREATE TABLE t (a int DEFAULT 'x');",
            "CREATE TABLE t (a int GENERATED ALWAYS AS (1 + 1) STORED);",
            "CREATE TABLE t (a int GENERATED ALWAYS AS IDENTITY); INSERT INTO t VALUES (1);",
            "CREATE TABLE t (a int UNIQUE DEFERRABLE);",
            "CREATE TABLE t (a int, EXCLUDE USING gist (a WITH =));",
            "CREATE TABLE t (a int) PARTITION BY RANGE (a);",
            "CREATE TABLE user (a int);",
            "CREATE TABLE t AS SELECT 1;",
            "CREATE TYPE s AS ENUM ('new', 'paid'); CREATE TABLE t (s s DEFAULT 'payed');",
            "CREATE UNIQUE INDEX ON account (owner) WHERE balance > 0;",
            "CREATE INDEX ON account (lower(owner));",
            "CREATE VIEW v AS SELECT 1;",
            "CREATE TRIGGER t AFTER INSERT ON account EXECUTE FUNCTION f();",
            "CREATE TEMP TABLE t (a int);",
            "ALTER TABLE account DROP COLUMN owner;",
            "DROP TABLE account;",
            "SELECT * FROM account;",
            "UPDATE account SET balance = 1;",
            "DO $$ BEGIN END $$;",
            "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;",
            "CREATE FUNCTION f() RETURNS int LANGUAGE python AS $$ 1 $$;",
            "CREATE FUNCTION f(OUT a int) LANGUAGE sql AS $$ SELECT 1 $$;",
            "CREATE FUNCTION f(a int DEFAULT 1) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;",
            "CREATE FUNCTION f() RETURNS int STRICT LANGUAGE sql AS $$ SELECT 1 $$;",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ DELETE FROM account $$;",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql STABLE AS $$ DELETE FROM account RETURNING 1 $$;",
            "CREATE FUNCTION f() RETURNS TABLE (a int) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT id FROM account; END $$;",
            "CREATE FUNCTION f() RETURNS SETOF owner LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT name FROM owner; END $$;",
            "COMMENT ON TABLE account;",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; END;",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$; CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;",
            "-- isolation: snapshot\nCREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;",
            "-- isolation: serializable\nINSERT INTO account VALUES (1, 'a');",
            "-- name: a :exec\nDELETE FROM account; DELETE FROM owner;",
            "-- name: a :exec\nDELETE FROM account; INSERT INTO owner VALUES ('a');",
            "-- name: a :exec\nBEGIN; DELETE FROM account;\n-- name: b :exec\nDELETE FROM owner;",
            "-- name: a :one\nDELETE FROM account;",
            "-- name: a :copyfrom\nINSERT INTO owner VALUES ($1);",
            "-- name: a :exec\nBEGIN ISOLATION LEVEL SNAPSHOT; COMMIT;",
            "-- name: a :exec\n-- isolation: serializable\nBEGIN ISOLATION LEVEL REPEATABLE READ; COMMIT;",
            "-- name: a :exec\nBEGIN; DELETE FROM owner; ROLLBACK;",
            "-- name: a :exec\nBEGIN READ ONLY; COMMIT;",
            "SET default_transaction_isolation = 'serialisable';",
            "SET lock_timeout = 5;",
            "INSERT INTO account VALUES ($1, 'a');",
            "INSERT INTO accounts VALUES (1);",
            "CREATE FUNCTION other.f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 ;",
        ]),
    );
}
