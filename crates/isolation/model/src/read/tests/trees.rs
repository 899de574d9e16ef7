//! What statements mean, beside their text.

use super::{show, snapshot};
use crate::read::read;

/// The tables that the statements are about.
pub(super) const TABLES: &str = "
    CREATE TABLE account (id bigint PRIMARY KEY, owner text NOT NULL, balance numeric(12, 2) NOT NULL DEFAULT 0,
        opened timestamp NOT NULL DEFAULT now(), note varchar(20));
    CREATE TABLE owner (name text PRIMARY KEY, score int, since date, active bool);
";

fn show(text: &str) -> String {
    let text = format!("{TABLES}{text}");
    let read = read(&text);
    assert_eq!(read.diagnostics, [], "{text}");
    let shown = show::program(&read.program);
    let from = shown.find("seed").into_iter().chain(shown.find("transaction")).min();
    shown[from.expect("something is shown")..].to_owned()
}

fn section(statement: &str) -> String {
    let shown = show(&format!("-- name: it :exec\n{statement};"));
    shown.trim_start_matches("transaction ").to_owned()
}

fn body(text: &str) -> String {
    let head = "CREATE FUNCTION it(p bigint, q text) RETURNS bigint LANGUAGE plpgsql AS $$";
    show(&format!("{head}\n{text}\n$$;"))
}

#[test]
fn queries() {
    let all = [
        "SELECT * FROM account WHERE id = $1",
        "SELECT a.*, o.score AS points FROM account a JOIN owner o ON o.name = a.owner WHERE a.id = $1",
        "SELECT a.id FROM account AS a LEFT OUTER JOIN owner ON name = owner WHERE score IS NULL",
        "SELECT owner, sum(balance), count(*) FROM account GROUP BY owner HAVING sum(balance) > 10 ORDER BY 2 DESC, owner",
        "SELECT DISTINCT owner FROM public.account ORDER BY owner NULLS FIRST LIMIT 3 OFFSET $1",
        "SELECT id FROM account WHERE balance BETWEEN :low AND :high AND owner NOT IN ('a', 'b')",
        "SELECT id FROM account a WHERE NOT EXISTS (SELECT 1 FROM owner WHERE name = a.owner AND id = 3)",
        "SELECT id FROM account WHERE owner IN (SELECT name FROM owner WHERE score > balance)",
        "SELECT id, (SELECT max(score) FROM owner o WHERE o.name = account.owner) AS best FROM account",
        "SELECT id FROM account WHERE opened > '2024-01-31' AND opened IS DISTINCT FROM @at",
        "SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE OF account NOWAIT",
        "SELECT a.id FROM account a, owner o FOR UPDATE OF a SKIP LOCKED FOR KEY SHARE OF o",
        "SELECT CASE score WHEN 1 THEN 'one' ELSE note END FROM owner, account",
        "SELECT CASE WHEN active THEN 1 WHEN NOT active THEN 2.5 END FROM owner",
        "SELECT coalesce(note, ''), upper(owner) || '!', -balance * 2 + 1 FROM account",
        "SELECT count(DISTINCT owner), min(opened), avg(balance) FROM account",
        "SELECT sum(id) / 2, sum(score) / 2 FROM account, owner",
        "SELECT 1 + 2 * 3 - 4 % 5, 'it''s', E'a\\nb', 1.50, true, NULL, now()",
        "SELECT id FROM account WHERE NOT balance > 1 AND id = 1 OR id = 2 AND note IS NOT NULL",
        "SELECT id::text, CAST(balance AS bigint), '5'::numeric, $1::boolean FROM account",
        "SELECT \"id\" FROM \"account\", owner WHERE since = date '2024-02-03' AND active IS NOT TRUE",
    ];
    let mut text = String::new();
    for it in all {
        text += &format!("{it}\n    {}", section(it));
    }
    snapshot("queries", &text);
}

#[test]
fn changes() {
    let all = [
        "INSERT INTO account VALUES ($1, 'ann')",
        "INSERT INTO account (id, owner, balance) VALUES (1, $1, DEFAULT), ($2, 'bob', 5) RETURNING *",
        "INSERT INTO account AS a (id, owner) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET balance = a.balance + excluded.balance WHERE a.owner = excluded.owner RETURNING a.balance",
        "INSERT INTO account (id, owner) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT account_pkey DO NOTHING",
        "INSERT INTO account (id, owner) SELECT id + 100, upper(owner) FROM account WHERE balance > 0",
        "UPDATE account SET balance = balance - $2, note = NULL WHERE id = $1 RETURNING id, balance",
        "UPDATE account a SET balance = o.score FROM owner o WHERE o.name = a.owner AND a.id = $1",
        "UPDATE account SET balance = DEFAULT, owner = (SELECT min(name) FROM owner)",
        "DELETE FROM account WHERE balance = 0",
        "DELETE FROM account a USING owner WHERE name = a.owner RETURNING a.id, score",
    ];
    let text: String = all.iter().map(|it| format!("{it}\n    {}", section(it))).collect();
    snapshot("changes", &text);
}

#[test]
fn blocks() {
    let all = [
        "DECLARE
            r record;
            a account%ROWTYPE;
            v_total account.balance%TYPE := 0;
            v_other v_total%TYPE;
            k CONSTANT int = 5;
         BEGIN
            SELECT id, balance INTO r FROM account WHERE id = p;
            SELECT * INTO STRICT a FROM account WHERE id = it.p AND owner = q;
            v_total := r.balance + a.balance * k;
            a.note := 'x';
            INSERT INTO account (id, owner) VALUES (r.id, a.note) RETURNING balance INTO v_other;
            RETURN v_total;
         END",
        "DECLARE v bigint := (SELECT max(id) FROM account); w bigint := v + 1;
         BEGIN
            IF EXISTS (SELECT 1 FROM account WHERE id = p) THEN
                RETURN 1;
            ELSIF v > 3 THEN
                RETURN 2;
            ELSIF (SELECT count(*) FROM owner) > 3 AND w = 1 THEN
                NULL;
            ELSIF w = 2 THEN
                v := 1;
            ELSE
                v := 2;
            END IF;
            RETURN (SELECT count(*) FROM account);
         END",
        "DECLARE r record; n int; o text;
         BEGIN
            <<outer>>
            FOR r IN SELECT id, owner FROM account ORDER BY id FOR UPDATE LOOP
                FOR i IN REVERSE 10..1 BY 2 LOOP
                    CONTINUE outer WHEN i = r.id;
                    EXIT;
                END LOOP;
                UPDATE account SET note = r.owner WHERE id = r.id;
                GET DIAGNOSTICS n = ROW_COUNT;
            END LOOP outer;
            FOR n, o IN SELECT score, name FROM owner LOOP
                PERFORM 1 FROM owner WHERE name = o;
                IF NOT FOUND THEN EXIT; END IF;
            END LOOP;
            WHILE n < 5 LOOP n := n + 1; END LOOP;
            WHILE (SELECT count(*) FROM owner) < 5 LOOP
                INSERT INTO owner (name) VALUES (n::text);
            END LOOP;
            LOOP EXIT WHEN n > 3; END LOOP;
            RETURN NULL;
         END",
        "DECLARE v int;
         BEGIN
            CASE p WHEN 1, 2 THEN v := 1; WHEN 3 THEN v := 2; END CASE;
            CASE WHEN q = 'x' THEN v := 1; ELSE v := 2; END CASE;
            DECLARE v text := 'inner';
            BEGIN
                q := v;
            END;
            RAISE NOTICE 'is % %%', v;
            RAISE unique_violation USING MESSAGE = 'twice';
            ASSERT v > 1, 'too few';
            RAISE EXCEPTION 'no % for %', v, q USING ERRCODE = 'P0001';
         END",
        "BEGIN IF p = 1 THEN RETURN 1; END IF; END",
    ];
    let text: String = all.iter().map(|it| body(it)).collect();
    snapshot("blocks", &text);
}

/// `pg_dump` writes the same in other words.
#[test]
fn a_dump_of_a_schema() {
    let text = r"
        \restrict abc1
        SET lock_timeout = 0;
        SELECT pg_catalog.set_config('search_path', '', false);
        CREATE TYPE public.seat_state AS ENUM ('free', 'booked');
        ALTER TYPE public.seat_state OWNER TO e;
        CREATE FUNCTION public.book(p_id bigint) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE seat SET state = 'booked' WHERE id = p_id AND state = 'free';
            RETURN FOUND;
        END $$;
        CREATE TABLE public.seat (
            id bigint NOT NULL,
            state public.seat_state DEFAULT 'free'::public.seat_state NOT NULL,
            kind character varying(9),
            note text,
            CONSTRAINT kinds CHECK (((kind)::text = ANY ((ARRAY['a'::character varying,
                'b'::character varying])::text[]))),
            CONSTRAINT notes CHECK ((note = ANY (ARRAY['x'::text, 'y'::text])))
        );
        ALTER TABLE public.seat ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
            SEQUENCE NAME public.seat_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE
            CACHE 1
        );
        ALTER TABLE ONLY public.seat ADD CONSTRAINT seat_pkey PRIMARY KEY (id);
        COMMENT ON COLUMN public.seat.kind IS 'a or b';
        \unrestrict abc1
    ";
    let read = read(text);
    assert_eq!(read.diagnostics, []);
    snapshot("a_dump_of_a_schema", &show::program(&read.program));
}

/// Where a value would be taken for a part of what is beside it, it gets parentheses.
#[test]
fn values_are_kept_apart() {
    let section = "-- name: it :exec\nSELECT 1-:a FROM account WHERE:b=3-:c AND:d<>id LIMIT:e;";
    let text = format!("{TABLES}{section}");
    let read = read(&text);
    assert_eq!(read.diagnostics, []);
    let crate::ast::StatementKind::Sql(sql) = &read.program.transactions[0].body[0].kind else {
        panic!("a statement");
    };
    assert_eq!(
        sql.filled(&text, &mut |_| "-1".into()),
        "SELECT 1-(-1) FROM account WHERE(-1)=3-(-1) AND(-1)<>id LIMIT(-1)"
    );
    assert_eq!(
        sql.filled(&text, &mut |_| "2".into()),
        "SELECT 1-2 FROM account WHERE(2)=3-2 AND(2)<>id LIMIT(2)"
    );
}

#[test]
fn functions_and_sections() {
    // The level of the file is before its first statement.
    let text = "
        CREATE FUNCTION f(bigint, q text) RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS $$
            SELECT balance FROM account WHERE id = $1 AND owner = q $$;
        CREATE OR REPLACE PROCEDURE g(IN p bigint) AS 'BEGIN DELETE FROM account WHERE id = p; END' LANGUAGE plpgsql;
        -- isolation: serializable
        CREATE FUNCTION h() RETURNS TABLE (a bigint, b text) AS $f$
        BEGIN
            RETURN QUERY SELECT account.id, account.owner FROM account;
            RETURN;
        END $f$ LANGUAGE plpgsql;
        CREATE FUNCTION i(n bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        BEGIN RETURN NEXT n + 1; RETURN QUERY DELETE FROM account WHERE account.id = n RETURNING account.id; END $$;
        -- name: one :one
        SELECT balance FROM account WHERE id = sqlc.arg(the_id) AND owner = sqlc.narg('whose');
        -- name: several :exec
        BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE;
        SELECT balance FROM account WHERE id = :id FOR UPDATE;
        UPDATE account SET balance = :new WHERE id = :id;
        COMMIT;
        -- name: set_level :exec
        START TRANSACTION;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        DELETE FROM owner WHERE name = $2 AND score < $1;
        END;";
    let text = format!("-- isolation: repeatable read\n{TABLES}{text}");
    let read = read(&text);
    assert_eq!(read.diagnostics, []);
    snapshot("functions_and_sections", &show::program(&read.program));
}

#[test]
fn tables() {
    let text = "
        SET client_encoding = 'UTF8';
        CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA public;
        DROP TABLE IF EXISTS parent CASCADE;
        CREATE TYPE mood AS ENUM ('good', 'bad');
        CREATE SEQUENCE public.child_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
        CREATE TABLE IF NOT EXISTS parent (
            a int UNIQUE, b character varying(10) DEFAULT 'x'::character varying, c mood NOT NULL DEFAULT 'good',
            d bigserial, e char(3), f jsonb, g timestamp with time zone);
        CREATE TABLE child (
            id bigint DEFAULT nextval('public.child_id_seq'::regclass) NOT NULL,
            a int REFERENCES parent (a) ON DELETE SET NULL CHECK (a > 0),
            n numeric(5) CONSTRAINT positive CHECK (n > 0 AND id > 0),
            m bigint GENERATED ALWAYS AS IDENTITY (START WITH 1) UNIQUE,
            CONSTRAINT two UNIQUE (a, n),
            CHECK (a < n),
            CHECK (a < id));
        ALTER TABLE public.child OWNER TO someone;
        ALTER TABLE ONLY public.child ADD CONSTRAINT child_pkey PRIMARY KEY (id);
        CREATE INDEX ON child USING btree (n DESC NULLS LAST, a);
        CREATE UNIQUE INDEX child_by_n ON child (n);
        COMMENT ON TABLE child IS 'a table';
        INSERT INTO parent (a) VALUES (1), (2);
        ";
    let read = read(text);
    assert_eq!(read.diagnostics, []);
    snapshot("tables", &show::program(&read.program));
}

#[test]
fn the_text_for_the_server_has_values_in_place_of_variables() {
    let text = format!(
        "{TABLES}
        CREATE FUNCTION it(p bigint, q numeric) RETURNS boolean LANGUAGE plpgsql AS $$
        DECLARE r record;
        BEGIN
            SELECT id, balance INTO STRICT r FROM account
                WHERE id = p AND balance BETWEEN q AND q + it.p AND (p) = 1;
            UPDATE account SET balance = r.balance - q WHERE id = r . id AND FOUND RETURNING id, balance
                INTO r;
            PERFORM 1 FROM account WHERE id = p;
            RETURN EXISTS (SELECT 1 FROM account WHERE id = p);
        END $$;"
    );
    let read = read(&text);
    assert_eq!(read.diagnostics, []);
    let transaction = &read.program.transactions[0];
    let mut filled = String::new();
    for statement in &transaction.body {
        if let crate::ast::StatementKind::Sql(sql) = &statement.kind {
            let it = sql.filled(&text, &mut |it| match it {
                Some(it) => format!("<{}>", transaction.variables[it.0 as usize].name),
                None => "<found>".into(),
            });
            filled += &it.split_whitespace().collect::<Vec<_>>().join(" ");
            filled.push('\n');
        }
    }
    snapshot("the_text_for_the_server_has_values_in_place_of_variables", &filled);
}
