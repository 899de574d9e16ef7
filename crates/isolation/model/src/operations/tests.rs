//! What statements do, as templates tell it.

use super::{Kind, Operations, Term};
use crate::read::read;

/// The templates of one function on two tables, a line for each operation.
fn of(body: &str) -> String {
    let text = format!(
        "CREATE TABLE a (id bigint PRIMARY KEY, x bigint NOT NULL, owner bigint NOT NULL);
         CREATE TABLE b (id bigint PRIMARY KEY, a_id bigint NOT NULL REFERENCES a (id));
         -- name: change :exec
         UPDATE a SET x = 0 WHERE id = $1;
         -- name: come :exec
         INSERT INTO a (id, x, owner) VALUES ($1, 0, 0);
         -- name: go :exec
         DELETE FROM b WHERE id = $1;
         CREATE FUNCTION f(p bigint, q bigint) RETURNS void LANGUAGE plpgsql AS $$
         DECLARE v bigint; w bigint;
         BEGIN
            {body}
         END $$;"
    );
    let read = read(&text);
    assert!(read.is_complete(), "{:?}", read.diagnostics);
    let operations = Operations::of(&read.program);
    let mut told = String::new();
    for template in operations.templates.iter().filter(|it| it.transaction == 3) {
        for it in &template.operations {
            let table = &read.program.tables[it.table.0 as usize];
            let row: Vec<String> = it
                .row
                .iter()
                .map(|(column, term)| {
                    let column = &table.columns[column.0 as usize].name.text;
                    match term {
                        Term::Value(value) => format!("{column} = {value}"),
                        Term::Free(term) => {
                            let variable = template.origins[*term as usize].variable.0 as usize;
                            let variables = &read.program.transactions[3].variables;
                            format!("{column} = {}#{term}", variables[variable].name)
                        }
                    }
                })
                .collect();
            let lock = match &it.kind {
                Kind::Read { lock: Some(lock), .. } => format!(" for {lock:?}"),
                _ => String::new(),
            };
            let certain = if it.found {
                " found"
            } else if it.certain {
                " certain"
            } else {
                ""
            };
            let (word, table, row) = (it.kind.word(), &table.name.text, row.join(", "));
            told +=
                &format!("{} {word} {table}({row}){lock}{certain} {:?}\n", it.statement, it.guards);
        }
        told += "--\n";
    }
    told
}

#[test]
fn an_update_by_key_is_one_operation_and_looks_for_the_row() {
    insta::assert_snapshot!(of("UPDATE a SET x = x + 1 WHERE id = p;"), @r"
    1 looks for a(id = p#0) certain []
    1 updates a(id = p#0) certain []
    --
    ");
}

#[test]
fn what_is_found_leaves_no_gap() {
    insta::assert_snapshot!(of("
        UPDATE a SET x = x - q WHERE id = p AND x >= q;
        IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF;"), @r"
    1 updates a(id = p#0) found []
    --
    ");
}

#[test]
fn a_condition_on_what_changes_is_read_without_a_lock() {
    insta::assert_snapshot!(of("
        SELECT id INTO v FROM a WHERE owner = p AND x > 0 FOR UPDATE;
        UPDATE a SET x = 1 WHERE id = v;"), @r"
    1 looks for a(owner = p#0) []
    1 reads a(owner = p#0) []
    1 locks a(owner = p#0) for Update []
    2 looks for a(id = v#4) certain []
    2 updates a(id = v#4) certain []
    --
    ");
}

#[test]
fn a_loop_is_there_twice_and_its_variables_are_new_in_each_round() {
    insta::assert_snapshot!(of("
        FOR i IN 1..p LOOP
            v := i + q;
            UPDATE a SET x = 1 WHERE id = v;
            EXIT WHEN q > 5;
            UPDATE a SET x = 2 WHERE id = q;
        END LOOP;"), @r"
    1 looks for a(id = v#7) certain [1]
    1 updates a(id = v#7) certain [1]
    2 looks for a(id = q#1) certain [1, 2]
    2 updates a(id = q#1) certain [1, 2]
    3 looks for a(id = v#10) certain [3]
    3 updates a(id = v#10) certain [3]
    4 looks for a(id = q#1) certain [3, 4]
    4 updates a(id = q#1) certain [3, 4]
    --
    ");
}

#[test]
fn a_child_locks_its_parent() {
    insta::assert_snapshot!(of("INSERT INTO b (id, a_id) VALUES (p, q);"), @r"
    1 locks a(id = q#1) for KeyShare []
    1 inserts b(id = p#0, a_id = q#1) found []
    --
    ");
}

#[test]
fn the_first_row_is_the_one_that_is_read() {
    insta::assert_snapshot!(of("
        LOOP
            SELECT min(id) INTO v FROM b WHERE a_id = p;
            EXIT WHEN v IS NULL;
            DELETE FROM b WHERE id = v AND a_id = p;
        END LOOP;"), @r"
    1 looks for b(a_id = p#0) [1]
    1 reads b(id = v#5, a_id = p#0) [1, 2]
    2 looks for b(id = v#5, a_id = p#0) [1, 2]
    2 deletes b(id = v#5, a_id = p#0) [1, 2]
    3 looks for b(a_id = p#0) [3]
    3 reads b(id = v#7, a_id = p#0) [3, 4]
    4 looks for b(id = v#7, a_id = p#0) [3, 4]
    4 deletes b(id = v#7, a_id = p#0) [3, 4]
    --
    ");
}

#[test]
fn a_variable_is_another_term_once_it_is_assigned() {
    insta::assert_snapshot!(of("
        v := p;
        UPDATE a SET x = 1 WHERE id = v;
        v := v + 1;
        UPDATE a SET x = 1 WHERE id = v;"), @r"
    1 looks for a(id = p#0) certain []
    1 updates a(id = p#0) certain []
    2 looks for a(id = v#4) certain []
    2 updates a(id = v#4) certain []
    --
    ");
}
