//! What the tool says about `.icet` files that are wrong: one row per mistake, shown as in
//! `diagnostics.rs`.

use crate::shared;

use ser_editing::icet::parse;

/// The messages about a file.
fn file(text: &str) -> String {
    shared::messages(text, &parse(text).diagnostics)
}

/// The messages about the statements of a process, which start at column 1 of line 2.
fn process(statements: &str) -> String {
    file(&format!(
        "procs Q; index I; enum Colour {{ Red, Green }} msg Ping = Ping; msg Work = Task(pid, int) | None; msg Id = Id(pid in Q); proc p {{\n{statements}\n}} proc server {{ recv Ping; recv Work; recv Id; }} proc worker for q in Q {{ skip; }}"
    ))
}

// What is missing.

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(file(""), @r"
    no-processes @ 1:1: this file is empty
        1:1-1:1: expected a process
        help: a small file is `msg Ping = Ping;  proc p { send Ping to q; }  proc q { recv Ping; }`
    ");
}

#[test]
fn nothing_but_comments() {
    insta::assert_snapshot!(file("// later\n"), @r"
    no-processes @ 1:9: this file has nothing but comments
        1:9-1:9: expected a process
        help: a small file is `msg Ping = Ping;  proc p { send Ping to q; }  proc q { recv Ping; }`
    ");
}

#[test]
fn no_process() {
    insta::assert_snapshot!(file("msg Ping = Ping;\n"), @r"
    no-processes @ 1:17: this file has no processes
        1:17-1:17: expected a process
        help: a small file is `msg Ping = Ping;  proc p { send Ping to q; }  proc q { recv Ping; }`
    ");
}

#[test]
fn a_file_of_another_kind() {
    insta::assert_snapshot!(file("request main {\n    X := 1;\n    yield;\n}"), @r"
    other-language @ 1:1: this looks like a `.ser` file, not like an `.icet` file
        1:1-1:8: this is how `.ser` files are written
        help: give it a name that ends with `.ser`, and run `ser check` on it
        help: the processes of an `.icet` file look like `proc p { send Ping to q; }`
    ");
}

#[test]
fn a_file_with_processes_over_variables() {
    insta::assert_snapshot!(file("X in 0..3\nprocess P { X := 1 }\nreach X == 1"), @"
    expected-item @ 1:1: expected `proc`, `msg`, `procs`, `index` or `enum`, found the name `X`
        1:1-1:2: not expected outside a process
        help: what a process does stands in its braces: `proc p { ... }`
    ");
}

#[test]
fn an_unwinding() {
    insta::assert_snapshot!(file("place p : 0..3\ntransition t { out p(1) }"), @r"
    other-language @ 1:1: this looks like a `.unw` file, not like an `.icet` file
        1:1-1:6: this is how `.unw` files are written
        help: give it a name that ends with `.unw`, and run `ser trace` on it
        help: the processes of an `.icet` file look like `proc p { send Ping to q; }`
    ");
}

#[test]
fn a_variable_outside_a_process() {
    insta::assert_snapshot!(file("x := 1;\nproc p { skip; }"), @r"
    expected-item @ 1:1: a variable belongs to a process, and gets its value there
        1:1-1:2: not expected outside a process
        help: move it into the braces of a `proc`
    ");
}

#[test]
fn a_misspelt_item() {
    insta::assert_snapshot!(file("mgs Ping = Ping;\nproc p { skip; }"), @r"
    expected-item @ 1:1: expected `proc`, `msg`, `procs`, `index` or `enum`, found the name `mgs`
        1:1-1:4: not expected outside a process
        help: did you mean `msg`? [1:1-1:4 -> `msg`]
    ");
}

#[test]
fn a_comment_without_an_end() {
    insta::assert_snapshot!(file("proc p { skip; }\n/* more"), @r"
    unterminated-comment @ 2:1: this comment is never closed
        2:1-2:3: opened here
        help: close it [2:8-2:8 -> ` */`]
    ");
}

// Declarations.

#[test]
fn a_set_without_a_name() {
    insta::assert_snapshot!(file("procs ;\nproc p { skip; }"), @r"
    expected-name @ 1:7: expected the name of a set, found `;`
        1:7-1:8: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    ");
}

#[test]
fn a_size_that_is_no_number() {
    insta::assert_snapshot!(file("procs Q >= n;\nproc w for q in Q { skip; }"), @r"
    expected-size @ 1:12: expected a number, found the name `n`
        1:12-1:13: expected how many members there are at least
        help: it looks like `procs Q >= 1;`
    ");
}

#[test]
fn a_size_that_is_too_large() {
    insta::assert_snapshot!(file("procs Q >= 99999999999;\nproc w for q in Q { skip; }"), @r"
    number-out-of-range @ 1:12: this number does not fit into 32 bits
        1:12-1:23: expected how many members there are at least
        help: it looks like `procs Q >= 1;`
    ");
}

#[test]
fn a_set_without_a_semicolon() {
    insta::assert_snapshot!(file("procs Q\nproc w for q in Q { skip; }"), @r"
    missing-semicolon @ 1:8: expected `;` after the set
        1:8-1:8: expected `;` here
        help: add it [1:8-1:8 -> `;`]
    ");
}

#[test]
fn a_message_type_without_constructors() {
    insta::assert_snapshot!(file("msg Ping;\nproc p { skip; }"), @r"
    malformed-msg @ 1:9: expected `=` and constructors, found `;`
        1:9-1:9: expected `=` here
        help: it looks like `msg Ping = Ping;`
        help: with fields: `msg Ping = Ping(pid, int);`
        help: add it [1:9-1:9 -> ` = Ping`]
    ");
}

#[test]
fn a_message_type_with_an_assignment() {
    insta::assert_snapshot!(file("msg Ping := Ping;\nproc p { send Ping to q; }\nproc q { recv Ping; }"), @r"
    malformed-msg @ 1:10: a message type is declared with `=`
        1:10-1:12: expected `=`
        help: write `=` [1:10-1:12 -> `=`]
    ");
}

#[test]
fn constructors_with_a_double_bar() {
    insta::assert_snapshot!(file("msg Vote = Yes || No;\nproc p { skip; }"), @r"
    malformed-msg @ 1:16: constructors are separated by `|`, not by `||`
        1:16-1:18: expected `|`
        help: write `|` [1:16-1:18 -> `|`]
    ");
}

#[test]
fn an_enumeration_without_values() {
    insta::assert_snapshot!(file("enum Colour { }\nproc p { skip; }"), @r"
    empty-enum @ 1:13: the enumeration `Colour` has no members
        1:13-1:16: expected names here
        help: it looks like `enum Colour { red, green }`
    ");
}

#[test]
fn a_process_without_a_body() {
    insta::assert_snapshot!(file("proc p;\nproc q { skip; }"), @r"
    expected-body @ 1:7: expected `{` and a body, found `;`
        1:7-1:7: expected `{` here
        help: a process looks like `proc p { ... }`
        help: one for each member of a set: `proc p for q in Q { ... }`
    ");
}

#[test]
fn a_member_without_a_set() {
    insta::assert_snapshot!(file("procs Q;\nproc w for q { skip; }"), @r"
    expected-in @ 2:13: expected `in` and a set, found `{`
        2:13-2:13: expected `in` here
        help: it looks like `for q in Q { ... }`
    ");
}

#[test]
fn a_type_that_does_not_exist() {
    insta::assert_snapshot!(file("enum Colour { Red }\nmsg M = M(Color, strng);\nproc p { skip; }"), @r"
    unknown-type @ 2:11: there is no type `Color`
        2:11-2:16: not known here
        help: did you mean `Colour`? [2:11-2:16 -> `Colour`]
    unknown-type @ 2:18: there is no type `strng`
        2:18-2:23: not known here
        help: types are `int`, `bool`, `pid`, `pid in SET` and the names of enumerations
    ");
}

#[test]
fn a_set_as_a_type() {
    insta::assert_snapshot!(file("procs Q; index I;\nmsg M = M(Q, I);\nproc w for q in Q { skip; }"), @r"
    not-a-type @ 2:11: `Q` is a set, not a type
        2:11-2:12: expected a type
        help: write `pid in Q` [2:11-2:12 -> `pid in Q`]
    not-a-type @ 2:14: `I` is a set, not a type
        2:14-2:15: expected a type
        help: its members are numbers: write `int` [2:14-2:15 -> `int`]
    ");
}

#[test]
fn a_message_inside_a_message() {
    insta::assert_snapshot!(file("msg A = A;\nmsg B = B(A);\nproc p { skip; }"), @r"
    not-a-type @ 2:11: `A` is a message type
        2:11-2:12: messages do not carry messages, and are not chosen by `any`
        1:5-1:6: declared here
        help: name the fields one by one, with types like `int` and `pid`
    ");
}

#[test]
fn a_set_of_processes_without_a_process() {
    insta::assert_snapshot!(file("procs Q;\nproc p { skip; }"), @r"
    set-without-process @ 1:7: the processes of the set `Q` have no code
        1:7-1:8: declared here, and that is all
        help: say what each of them does: `proc worker for q in Q { ... }`
        help: if these are numbers and no processes, write `index Q;`
    ");
}

#[test]
fn a_set_with_two_processes() {
    insta::assert_snapshot!(file("procs Q;\nproc one for q in Q { skip; }\nproc two for q in Q { skip; }"), @r"
    two-processes-of-set @ 3:6: the set `Q` has two processes
        3:6-3:9: a second one
        2:6-2:9: the first one
        help: all members of a set run the same code; declare another set for the others
    ");
}

#[test]
fn a_process_for_each_number() {
    insta::assert_snapshot!(file("index I;\nproc w for i in I { skip; }"), @r"
    wrong-kind-of-set @ 2:17: `I` is a set of numbers
        2:17-2:18: expected a set of processes
        1:7-1:8: declared here
        help: declare one with `procs ...;`
    ");
}

#[test]
fn an_address_in_a_set_of_numbers() {
    insta::assert_snapshot!(file("index I;\nmsg M = M(pid in I);\nproc p { skip; }"), @r"
    wrong-kind-of-set @ 2:18: `I` is a set of numbers
        2:18-2:19: expected a set of processes
        1:7-1:8: declared here
        help: declare one with `procs ...;`
    ");
}

#[test]
fn a_set_that_does_not_exist() {
    insta::assert_snapshot!(file("procs Workers;\nproc w for q in Worker { skip; }"), @r"
    unknown-set @ 2:17: there is no set `Worker`
        2:17-2:23: not known here
        help: did you mean `Workers`? [2:17-2:23 -> `Workers`]
    ");
}

#[test]
fn the_same_name_twice() {
    insta::assert_snapshot!(file("procs Q;\nmsg Q = A;\nproc A { skip; }\nproc w for A in Q { skip; }"), @r"
    name-clash @ 2:5: the name `Q` is taken
        2:5-2:6: used again here
        1:7-1:8: first used here
        help: choose another name
    name-clash @ 2:9: the name `A` is taken
        2:9-2:10: used again here
        3:6-3:7: first used here
        help: choose another name
    name-clash @ 4:12: the name `A` is taken
        4:12-4:13: used again here
        3:6-3:7: first used here
        help: choose another name
    ");
}

#[test]
fn one_constructor_of_two_types() {
    insta::assert_snapshot!(file("msg Ask = Go;\nmsg Answer = Go | Stop;\nproc p { skip; }"), @r"
    name-clash @ 2:14: the name `Go` is taken
        2:14-2:16: used again here
        1:11-1:13: first used here
        help: choose another name
    ");
}

#[test]
fn a_reserved_word_as_a_name() {
    insta::assert_snapshot!(file("proc index { skip; }"), @r"
    keyword-as-name @ 1:6: `index` is a keyword and cannot be a name
        1:6-1:11: a keyword
        help: choose another name, for example [1:6-1:11 -> `index_`]
    ");
}

// Who is sent to.

#[test]
fn a_process_that_does_not_exist() {
    insta::assert_snapshot!(process("send Ping to sarver;"), @r"
    unknown-name @ 2:14: there is no variable, process or constructor `sarver`
        2:14-2:20: not known here
        help: did you mean `server`? [2:14-2:20 -> `server`]
    ");
}

#[test]
fn something_that_does_not_exist_at_all() {
    insta::assert_snapshot!(process("send Ping to database;"), @r"
    unknown-name @ 2:14: there is no variable, process or constructor `database`
        2:14-2:22: not known here
        help: declare the process `proc database { ... }`, or give the variable a value
        help: every process has its own variables
    ");
}

#[test]
fn a_number_as_a_process() {
    insta::assert_snapshot!(process("x := 1; send Ping to x;"), @r"
    not-a-process @ 2:22: expected a process, found a number
        2:22-2:23: this is not the address of a process
        help: name a `proc`, a variable that holds an address, or the variable of a `for`
    ");
}

#[test]
fn a_message_as_a_process() {
    insta::assert_snapshot!(process("send Ping to Ping;"), @r"
    not-a-process @ 2:14: expected a process, found a message of type `Ping`
        2:14-2:18: this is not the address of a process
        help: name a `proc`, a variable that holds an address, or the variable of a `for`
    ");
}

#[test]
fn a_set_as_a_process() {
    insta::assert_snapshot!(process("send Ping to Q;"), @r"
    set-as-value @ 2:14: `Q` is a set of processes, not one process
        2:14-2:15: a whole set
        1:7-1:8: declared here
        help: for all of its processes, write `for x in Q { ... }`
        help: for one of them, write `x := pick Q;` before
    ");
}

#[test]
fn the_code_of_a_set_as_a_process() {
    insta::assert_snapshot!(process("send Ping to worker;"), @r"
    set-as-process @ 2:14: `worker` is the code of all members of `Q`, not one process
        2:14-2:20: which of them?
        3:55-3:61: declared here
        help: for all of them, write `for x in Q { ... }`
        help: to receive from any of them, write `from Q`
        help: a member tells others its address by sending `self`
    ");
}

#[test]
fn numbers_as_a_process() {
    insta::assert_snapshot!(process("send Ping to I;"), @r"
    set-as-value @ 2:14: `I` is a set of numbers, not a number
        2:14-2:15: a whole set
        1:16-1:17: declared here
        help: for all of its numbers, write `for x in I { ... }`
        help: for one of them, write `x := pick I;` before
    ");
}

#[test]
fn a_process_that_sends_to_itself() {
    insta::assert_snapshot!(process("send Ping to p;"), @r"
    self-send @ 2:14: a process cannot send to itself
        2:14-2:15: this is the process itself
        help: to remember something, assign it to a variable
    ");
}

#[test]
fn a_process_that_sends_to_self() {
    insta::assert_snapshot!(process("send Ping to self;"), @r"
    self-send @ 2:14: a process cannot send to itself
        2:14-2:18: this is the process itself
        help: to remember something, assign it to a variable
    ");
}

#[test]
fn a_member_that_sends_to_itself() {
    insta::assert_snapshot!(file("procs Q; msg Ping = Ping;\nproc w for q in Q { recv Ping; send Ping to q; }"), @r"
    self-send @ 2:45: a process cannot send to itself
        2:45-2:46: this is the process itself
        help: to remember something, assign it to a variable
    ");
}

#[test]
fn a_process_that_receives_from_itself() {
    insta::assert_snapshot!(process("recv Ping from self;"), @r"
    self-receive @ 2:16: a process gets no messages from itself
        2:16-2:20: this is the process itself
        help: leave `from` out, or name the sender
    ");
}

#[test]
fn messages_from_numbers() {
    insta::assert_snapshot!(process("recv Ping from I;"), @r"
    wrong-kind-of-set @ 2:16: `I` is a set of numbers
        2:16-2:17: expected a set of processes
        1:16-1:17: declared here
        help: declare one with `procs ...;`
    ");
}

#[test]
fn messages_from_the_code_of_a_set() {
    insta::assert_snapshot!(process("recv Ping from worker;"), @r"
    set-as-process @ 2:16: `worker` is the code of all members of `Q`, not one process
        2:16-2:22: which of them?
        3:55-3:61: declared here
        help: for all of them, write `for x in Q { ... }`
        help: to receive from any of them, write `from Q`
        help: a member tells others its address by sending `self`
    ");
}

#[test]
fn a_send_without_a_receiver() {
    insta::assert_snapshot!(process("send Ping;"), @r"
    expected-to @ 2:10: expected `to` and a process, found `;`
        2:10-2:10: expected `to` here
        help: it looks like `send Ping to p;`
    ");
}

#[test]
fn a_send_with_a_comma() {
    insta::assert_snapshot!(process("send Ping, server;"), @r"
    expected-to @ 2:10: expected `to` and a process, found `,`
        2:10-2:10: expected `to` here
        help: it looks like `send Ping to p;`
        help: write `to` [2:10-2:11 -> ` to`]
    ");
}

// What is sent and received.

#[test]
fn a_number_that_is_sent() {
    insta::assert_snapshot!(process("send 1 to server;"), @r"
    not-a-message @ 2:6: only messages can be sent, found a number
        2:6-2:7: this is a number
        help: declare `msg Value = Value(int);` at top level, and write `send Value(...) to ...`
    ");
}

#[test]
fn a_constructor_that_does_not_exist() {
    insta::assert_snapshot!(process("send Tusk(1, 2) to server;"), @r"
    unknown-constructor @ 2:6: there is no constructor `Tusk`
        2:6-2:10: not declared
        help: did you mean `Task`? [2:6-2:10 -> `Task`]
    ");
}

#[test]
fn a_message_type_that_is_sent() {
    insta::assert_snapshot!(process("send Work to server;"), @r"
    type-as-value @ 2:6: `Work` is a message type, not a message
        2:6-2:10: expected a message
        1:67-1:71: declared here
        help: its constructors are `Task`, `None`
    ");
}

#[test]
fn a_message_type_that_does_not_exist() {
    insta::assert_snapshot!(process("recv Pinge;"), @r"
    unknown-message-type @ 2:6: there is no message type `Pinge`
        2:6-2:11: not known here
        help: did you mean `Ping`? [2:6-2:11 -> `Ping`]
    ");
}

#[test]
fn a_constructor_that_is_received() {
    insta::assert_snapshot!(process("recv Task;"), @r"
    not-a-message-type @ 2:6: `Task` is a constructor; its message type is `Work`
        2:6-2:10: expected a message type
        1:74-1:78: declared here
        help: write `Work` [2:6-2:10 -> `Work`]
    ");
}

#[test]
fn a_process_that_is_received() {
    insta::assert_snapshot!(process("recv server;"), @r"
    not-a-message-type @ 2:6: `server` is not a message type
        2:6-2:12: expected a message type
        3:8-3:14: declared here
        help: to say who it is from, write `recv Ping from p;`
    ");
}

#[test]
fn fields_behind_recv() {
    insta::assert_snapshot!(process("recv Task(a, b);"), @r"
    fields-after-recv @ 2:10: the fields of a message are taken before `<-`
        2:10-2:11: unexpected fields here
        help: write the pattern first: `Task(x) <- recv ...;`
    ");
}

#[test]
fn too_few_fields() {
    insta::assert_snapshot!(process("send Task(server) to server;"), @r"
    wrong-number-of-fields @ 2:6: `Task` has 2 fields, found 1
        2:6-2:18: expected 2 fields
        1:74-1:78: declared here
        help: in a pattern, `_` stands for a field that is not needed
    ");
}

#[test]
fn too_many_fields_in_a_pattern() {
    insta::assert_snapshot!(process("Id(a, b) <- recv Id;"), @r"
    wrong-number-of-fields @ 2:1: `Id` has 1 field, found 2
        2:1-2:9: expected 1 field
        1:106-1:108: declared here
    ");
}

#[test]
fn a_field_of_the_wrong_type() {
    insta::assert_snapshot!(process("send Task(1, true) to server;"), @r"
    type-mismatch @ 2:11: expected an address, found a number
        2:11-2:12: this is a number
    type-mismatch @ 2:14: expected a number, found a truth value
        2:14-2:18: this is a truth value
    ");
}

#[test]
fn any_address_where_a_member_is_wanted() {
    insta::assert_snapshot!(process("send Id(server) to server;"), @r"
    type-mismatch @ 2:9: expected the address of a member of `Q`, found an address
        2:9-2:15: this is an address
        help: declare the field or variable as `pid in Q` where it comes from, or this one as `pid`
    ");
}

#[test]
fn a_pattern_of_another_type() {
    insta::assert_snapshot!(process("Id(a) <- recv Ping;"), @r"
    type-mismatch @ 2:1: `Id` makes messages of type `Id`, not of type `Ping`
        2:1-2:3: expected a constructor of `Ping`
        1:106-1:108: declared here
    ");
}

#[test]
fn a_number_in_a_pattern() {
    insta::assert_snapshot!(process("Task(m, 1) <- recv Work;"), @r"
    value-in-pattern @ 2:9: expected a variable or `_`, found the number `1`
        2:9-2:10: a pattern does not compare
        help: take the field into a variable, and compare it with `if` or `assert`
    ");
}

#[test]
fn one_variable_for_two_fields() {
    insta::assert_snapshot!(process("Task(m, m) <- recv Work;"), @r"
    name-clash @ 2:9: `m` takes two fields of one message
        2:9-2:10: used again here
        2:6-2:7: first used here
        help: write `_` for a field that is not needed [2:9-2:10 -> `_`]
    ");
}

#[test]
fn receive_for_recv() {
    insta::assert_snapshot!(process("v <- receive Ping;"), @r"
    misspelt-recv @ 2:6: `receive` is written `recv`
        2:6-2:13: expected `recv`
        help: write `recv` [2:6-2:13 -> `recv`]
    ");
}

#[test]
fn recieve_for_recv() {
    insta::assert_snapshot!(process("recieve Ping;"), @r"
    misspelt-recv @ 2:1: `recieve` is written `recv`
        2:1-2:8: expected `recv`
        help: write `recv` [2:1-2:8 -> `recv`]
    ");
}

#[test]
fn an_arrow_in_the_wrong_direction() {
    insta::assert_snapshot!(process("v -> recv Ping;"), @r"
    wrong-arrow @ 2:3: a message goes from right to left: the arrow is `<-`
        2:3-2:5: expected `<-`
        help: write `<-` [2:3-2:5 -> `<-`]
    ");
}

#[test]
fn an_arrow_from_another_keyboard() {
    insta::assert_snapshot!(process("v ← recv Ping;"), @r"
    wrong-arrow @ 2:3: a message goes from right to left: the arrow is `<-`
        2:3-2:4: expected `<-`
        help: write `<-` [2:3-2:4 -> `<-`]
    ");
}

#[test]
fn a_receive_that_is_assigned() {
    insta::assert_snapshot!(process("v := recv Ping;"), @r"
    assign-for-receive @ 2:3: a message is received with `<-`
        2:3-2:5: expected `<-`
        help: write `<-` [2:3-2:5 -> `<-`]
    ");
}

#[test]
fn an_arrow_without_recv() {
    insta::assert_snapshot!(process("v <- Ping;"), @r"
    expected-recv @ 2:6: expected `recv` after `<-`, found the name `Ping`
        2:6-2:10: expected `recv` here
        help: to receive, write `v <- recv Ping;`
        help: to assign, write `v := 1;`
    ");
}

// Types.

#[test]
fn a_condition_that_is_a_number() {
    insta::assert_snapshot!(process("x := 1; if x { skip; }"), @r"
    type-mismatch @ 2:12: expected a truth value, found a number
        2:12-2:13: this is a number
        help: compare it with something, for example `x == 1`
    ");
}

#[test]
fn a_sum_with_a_truth_value() {
    insta::assert_snapshot!(process("x := 1 + true;"), @r"
    type-mismatch @ 2:10: expected a number, found a truth value
        2:10-2:14: this is a truth value
    ");
}

#[test]
fn a_comparison_of_different_things() {
    insta::assert_snapshot!(process("x := 1; if x == true { skip; }"), @r"
    type-mismatch @ 2:14: a number cannot be compared with a truth value
        2:14-2:16: of different types
        2:12-2:13: this is a number
        2:17-2:21: this is a truth value
    ");
}

#[test]
fn a_message_compared_with_another_type() {
    insta::assert_snapshot!(process("v <- recv Ping; assert v == None;"), @r"
    type-mismatch @ 2:26: a message of type `Ping` cannot be compared with a message of type `Work`
        2:26-2:28: of different types
        2:24-2:25: this is a message of type `Ping`
        2:29-2:33: this is a message of type `Work`
    ");
}

#[test]
fn computing_with_addresses() {
    insta::assert_snapshot!(process("x := pick Q; y := x + 1;"), @r"
    address-arithmetic @ 2:19: addresses cannot be computed with
        2:19-2:20: this is an address
        help: addresses can be compared with `==` and `!=`, sent, and sent to
        help: for numbers, declare `index I;`
    ");
}

#[test]
fn an_order_of_addresses() {
    insta::assert_snapshot!(process("x := pick Q; assert x < server;"), @r"
    address-order @ 2:21: addresses have no order: they can be compared with `==` and `!=` only
        2:21-2:22: this is an address
        help: all members of a set are alike; for numbers, declare `index I;`
    address-order @ 2:25: addresses have no order: they can be compared with `==` and `!=` only
        2:25-2:31: this is an address
        help: all members of a set are alike; for numbers, declare `index I;`
    ");
}

#[test]
fn an_order_of_truth_values() {
    insta::assert_snapshot!(process("assert true < false;"), @r"
    type-mismatch @ 2:8: expected a number, found a truth value
        2:8-2:12: this is a truth value
        help: only numbers can be compared by size
    type-mismatch @ 2:15: expected a number, found a truth value
        2:15-2:20: this is a truth value
        help: only numbers can be compared by size
    ");
}

#[test]
fn a_variable_that_changes_its_type() {
    insta::assert_snapshot!(process("x := 1; x := true;"), @r"
    type-mismatch @ 2:14: `x` holds a number, and cannot become a truth value
        2:14-2:18: this is a truth value
        2:1-2:2: `x` is a number since its first value here
        help: a variable keeps its type: use another variable
    ");
}

#[test]
fn a_member_that_becomes_any_address() {
    insta::assert_snapshot!(process("x := pick Q; x := server;"), @r"
    type-mismatch @ 2:19: `x` holds the address of a member of `Q`, and cannot become an address
        2:19-2:25: this is an address
        2:1-2:2: `x` is the address of a member of `Q` since its first value here
        help: a variable for addresses of several kinds has to start with one of type `pid`
        help: use another variable, and send in both branches
    ");
}

#[test]
fn any_address() {
    insta::assert_snapshot!(process("x := any pid;"), @r"
    any-pid @ 2:10: `any` does not choose processes
        2:10-2:13: an address
        help: for some member of the set `Q`, write `pick Q`
    ");
}

#[test]
fn any_member() {
    insta::assert_snapshot!(process("x := any pid in Q;"), @r"
    any-pid @ 2:10: `any` does not choose processes
        2:10-2:18: an address
        help: for some member of the set `Q`, write `pick Q`
    ");
}

#[test]
fn any_message() {
    insta::assert_snapshot!(process("x := any Work;"), @r"
    not-a-type @ 2:10: `Work` is a message type
        2:10-2:14: messages do not carry messages, and are not chosen by `any`
        1:67-1:71: declared here
        help: name the fields one by one, with types like `int` and `pid`
    ");
}

#[test]
fn a_set_as_a_value() {
    insta::assert_snapshot!(process("x := Q;"), @r"
    set-as-value @ 2:6: `Q` is a set of processes, not one process
        2:6-2:7: a whole set
        1:7-1:8: declared here
        help: for all of its processes, write `for x in Q { ... }`
        help: for one of them, write `x := pick Q;` before
    ");
}

#[test]
fn a_number_that_is_too_large() {
    insta::assert_snapshot!(process("x := 99999999999999999999;"), @r"
    number-out-of-range @ 2:6: this number does not fit into 64 bits
        2:6-2:26: too large
        help: numbers go from -9223372036854775808 to 9223372036854775807
    ");
}

#[test]
fn digits_with_letters() {
    insta::assert_snapshot!(process("x := 12ab;"), @r"
    not-a-number @ 2:6: `12ab` is not a number
        2:6-2:10: numbers are written with the digits 0 to 9 only
    ");
}

#[test]
fn an_enumeration_as_a_value() {
    insta::assert_snapshot!(process("x := Colour;"), @r"
    type-as-value @ 2:6: `Colour` is an enumeration, not a value
        2:6-2:12: expected one of its values
        1:24-1:30: declared here
    ");
}

// Variables.

#[test]
fn a_variable_without_a_value() {
    insta::assert_snapshot!(process("assert x == 1;"), @r"
    unknown-name @ 2:8: there is no variable, process or constructor `x`
        2:8-2:9: not known here
        help: declare the process `proc x { ... }`, or give the variable a value
        help: every process has its own variables
    ");
}

#[test]
fn a_variable_that_gets_its_value_later() {
    insta::assert_snapshot!(process("loop { if * { assert x == 1; } x := 1; }"), @r"
    unassigned @ 2:22: `x` has no value yet
        2:22-2:23: read here
        2:32-2:33: gets its first value here
        help: give it a value before it is read, at the start of the process
    ");
}

#[test]
fn a_variable_that_gets_its_value_in_one_branch() {
    insta::assert_snapshot!(process("if * { x := 1; } assert x == 1;"), @r"
    unassigned @ 2:25: `x` may have no value here
        2:25-2:26: read here
        2:8-2:9: gets a value here, but not on every way that leads there
        help: give `x` a value before, for example at the start of the process
        help: the bodies of `for` and `while` may run zero times
    ");
}

#[test]
fn a_variable_that_gets_its_value_in_a_loop() {
    insta::assert_snapshot!(process("for i in I { x := 1; } assert x == 1;"), @r"
    unassigned @ 2:31: `x` may have no value here
        2:31-2:32: read here
        2:14-2:15: gets a value here, but not on every way that leads there
        help: give `x` a value before, for example at the start of the process
        help: the bodies of `for` and `while` may run zero times
    ");
}

#[test]
fn a_variable_that_gets_its_value_after_a_break() {
    insta::assert_snapshot!(process("loop { if * { break; } x := 1; break; } assert x == 1;"), @r"
    unassigned @ 2:48: `x` may have no value here
        2:48-2:49: read here
        2:24-2:25: gets a value here, but not on every way that leads there
        help: give `x` a value before, for example at the start of the process
        help: the bodies of `for` and `while` may run zero times
    ");
}

#[test]
fn a_variable_of_a_while() {
    insta::assert_snapshot!(process("while true { x := 1; } assert x == 1;"), @r"
    unassigned @ 2:31: `x` may have no value here
        2:31-2:32: read here
        2:14-2:15: gets a value here, but not on every way that leads there
        help: give `x` a value before, for example at the start of the process
        help: the bodies of `for` and `while` may run zero times
    ");
}

#[test]
fn a_loop_variable_that_is_assigned() {
    insta::assert_snapshot!(process("for i in I { i := 1; }"), @r"
    not-assignable @ 2:14: `i` is the variable of a loop and cannot be assigned
        2:14-2:15: cannot get a value here
        2:5-2:6: declared here
        help: use a variable with another name
    ");
}

#[test]
fn a_loop_variable_behind_its_loop() {
    insta::assert_snapshot!(process("for i in I { skip; } assert i == 1;"), @r"
    loop-variable-outside @ 2:29: `i` is known in its loop only
        2:29-2:30: the loop is over
        2:5-2:6: the variable of this loop
        help: keep the value in another variable inside the loop
    ");
}

#[test]
fn a_loop_variable_of_two_loops() {
    insta::assert_snapshot!(process("for i in I { for i in I { skip; } }"), @r"
    loop-variable-clash @ 2:18: `i` cannot be the variable of this loop
        2:18-2:19: needs a name of its own
        2:5-2:6: the variable of a loop around this one
        help: choose another name for the variable of the loop
    ");
}

#[test]
fn a_loop_variable_of_two_types() {
    insta::assert_snapshot!(process("for i in I { skip; } for i in Q { skip; }"), @r"
    type-mismatch @ 2:26: `i` was a number, and would now be the address of a member of `Q`
        2:26-2:27: now the address of a member of `Q`
        2:5-2:6: a number in this loop
        help: choose another name for one of the variables
    ");
}

#[test]
fn a_loop_variable_that_is_an_ordinary_one() {
    insta::assert_snapshot!(process("x := 1; for x in I { skip; }"), @r"
    loop-variable-clash @ 2:13: `x` cannot be the variable of this loop
        2:13-2:14: needs a name of its own
        2:1-2:2: an ordinary variable here
        help: choose another name for the variable of the loop
    ");
}

#[test]
fn an_ordinary_variable_that_is_a_loop_variable() {
    insta::assert_snapshot!(process("for x in I { skip; } x := 1;"), @r"
    not-assignable @ 2:22: `x` is the variable of a loop and cannot be assigned
        2:22-2:23: cannot get a value here
        2:5-2:6: declared here
        help: use a variable with another name
    ");
}

#[test]
fn a_loop_variable_with_the_name_of_a_process() {
    insta::assert_snapshot!(process("for server in Q { skip; }"), @r"
    name-clash @ 2:5: the name `server` is taken
        2:5-2:11: used again here
        3:8-3:14: first used here
        help: choose another name
    ");
}

#[test]
fn a_process_that_is_assigned() {
    insta::assert_snapshot!(process("server := 1;"), @r"
    not-assignable @ 2:1: `server` is a process and cannot be assigned
        2:1-2:7: cannot get a value here
        3:8-3:14: declared here
        help: use a variable with another name
    ");
}

#[test]
fn a_set_that_is_assigned() {
    insta::assert_snapshot!(process("Q := 1;"), @r"
    not-assignable @ 2:1: `Q` is a set and cannot be assigned
        2:1-2:2: cannot get a value here
        1:7-1:8: declared here
        help: use a variable with another name
    ");
}

#[test]
fn a_constructor_that_is_assigned() {
    insta::assert_snapshot!(process("Ping := 1;"), @r"
    not-assignable @ 2:1: `Ping` is a message type and cannot be assigned
        2:1-2:5: cannot get a value here
        1:50-1:54: declared here
        help: use a variable with another name
    ");
}

#[test]
fn a_member_that_is_assigned() {
    insta::assert_snapshot!(file("procs Q;\nproc w for q in Q { q := 1; }"), @r"
    not-assignable @ 2:21: `q` is the process itself and cannot be assigned
        2:21-2:22: cannot get a value here
        2:12-2:13: declared here
        help: use a variable with another name
    ");
}

// Loops and choices.

#[test]
fn a_loop_over_a_process() {
    insta::assert_snapshot!(process("for x in server { skip; }"), @r"
    not-a-set @ 2:10: `server` is not a set
        2:10-2:16: expected the name of a set
        3:8-3:14: declared here
        help: sets are declared with `procs Q;` (processes) and `index I;` (numbers)
    ");
}

#[test]
fn a_loop_over_numbers() {
    insta::assert_snapshot!(process("for i in 0..3 { skip; }"), @r"
    for-over-no-set @ 2:10: a loop goes over a set, found the number `0`
        2:10-2:11: expected the name of a set
        help: for numbers, declare `index I;` at top level and write `for i in I { ... }`
        help: for processes, declare `procs Q;` and write `for q in Q { ... }`
    ");
}

#[test]
fn a_loop_over_nothing_known() {
    insta::assert_snapshot!(process("for i in J { skip; }"), @r"
    unknown-set @ 2:10: there is no set `J`
        2:10-2:11: not known here
        help: declare it at top level: `procs Q;` for processes, `index I;` for numbers
    ");
}

#[test]
fn a_break_outside_a_loop() {
    insta::assert_snapshot!(process("break;"), @r"
    break-outside-loop @ 2:1: `break` outside a loop
        2:1-2:7: there is nothing to leave here
        help: `break` stands in `loop { ... }` and `while c { ... }`
    ");
}

#[test]
fn a_break_in_a_for() {
    insta::assert_snapshot!(process("loop { for i in I { break; } }"), @r"
    break-in-for @ 2:21: a `for` visits all members: there is no `break` out of it
        2:21-2:27: would leave the `for`
        2:12-2:13: this loop
        help: remember in a variable that the rest is not needed, and ask it with `if`
    ");
}

#[test]
fn a_while_with_a_star() {
    insta::assert_snapshot!(process("while * { skip; }"), @r"
    while-star @ 2:7: a `while` needs a condition
        2:7-2:8: `*` stands after `if` only
        help: to stop at any time, write `loop { if * { break; } ... }`
    ");
}

#[test]
fn a_while_without_a_condition() {
    insta::assert_snapshot!(process("while { skip; }"), @r"
    expected-condition @ 2:6: expected a condition, found `{`
        2:6-2:6: expected a condition here
        help: to repeat forever, write `loop { ... }`
    ");
}

#[test]
fn an_if_without_a_condition() {
    insta::assert_snapshot!(process("if { skip; }"), @r"
    expected-condition @ 2:3: expected a condition, found `{`
        2:3-2:3: expected a condition here
        help: if either may happen, write `if * { ... }`
    ");
}

#[test]
fn an_if_without_braces() {
    insta::assert_snapshot!(process("if true skip;"), @r"
    expected-block @ 2:9: expected `{` after the condition, found `skip`
        2:9-2:13: expected `{`
        help: write `if x == 1 { ... }`
    ");
}

#[test]
fn elif() {
    insta::assert_snapshot!(process("x := any int; if x == 1 { skip; } elif x == 2 { fail; }"), @r"
    misspelt-else-if @ 2:35: `elif` is written `else if`
        2:35-2:39: expected `else if`
        help: write `else if` [2:35-2:39 -> `else if`]
    ");
}

#[test]
fn an_else_without_an_if() {
    insta::assert_snapshot!(process("else { skip; }"), @r"
    else-without-if @ 2:1: this `else` belongs to no `if`
        2:1-2:5: no `if` ends right before this
    ");
}

#[test]
fn a_match_that_misses_a_constructor() {
    insta::assert_snapshot!(process("w <- recv Work; match w { None => { skip; } }"), @r"
    missing-arm @ 2:17: this `match` does not say what to do with `Task`
        2:17-2:22: not all constructors are covered
        help: add an arm for it; `_ => { skip; }` covers all the others
        help: if it cannot come, say so: `_ => { fail; }`
    ");
}

#[test]
fn a_match_with_an_arm_twice() {
    insta::assert_snapshot!(process("w <- recv Work; match w { None => { skip; } None => { fail; } Task(_, _) => { skip; } }"), @r"
    duplicate-arm @ 2:45: `None` has two arms
        2:45-2:49: the second one
        2:27-2:31: the first one
    ");
}

#[test]
fn a_match_with_an_arm_too_many() {
    insta::assert_snapshot!(process("w <- recv Work; match w { None => { skip; } Task(_, _) => { skip; } _ => { fail; } }"), @r"
    duplicate-arm @ 2:69: this arm is never reached: all constructors have one
        2:69-2:70: nothing is left for it
        help: leave it out
    ");
}

#[test]
fn a_match_with_an_arm_behind_the_rest() {
    insta::assert_snapshot!(process("w <- recv Work; match w { _ => { skip; } None => { fail; } }"), @r"
    duplicate-arm @ 2:42: this arm is never reached: `_` takes everything
        2:42-2:46: comes too late
        2:27-2:28: everything else is taken here
        help: `_ => { ... }` is the last arm
    ");
}

#[test]
fn a_match_on_a_number() {
    insta::assert_snapshot!(process("x := 1; match x { None => { skip; } }"), @r"
    match-no-message @ 2:15: `match` looks at messages, and `x` is a number
        2:15-2:16: not a message
        help: write `if x == ... { ... } else { ... }`
    ");
}

#[test]
fn a_match_on_an_expression() {
    insta::assert_snapshot!(process("match 1 + 1 { None => { skip; } }"), @r"
    malformed-match @ 2:7: expected a variable and `{` after `match`
        2:7-2:8: found the number `1`
        help: receive into a variable first: `w <- recv Work; match w { ... }`
    ");
}

#[test]
fn a_match_with_a_variable() {
    insta::assert_snapshot!(process("w <- recv Work; match w { x => { skip; } }"), @r"
    unknown-constructor @ 2:27: there is no constructor `x`
        2:27-2:28: not declared
        help: expected one of `None`, `Task`
        help: `_` stands for whatever else it may be
    ");
}

#[test]
fn an_arm_without_an_arrow() {
    insta::assert_snapshot!(process("w <- recv Work; match w { None { skip; } }"), @r"
    expected-double-arrow @ 2:32: expected `=>` after the pattern, found `{`
        2:32-2:33: expected `=>` here
        help: an arm looks like `Task(m, t) => { ... }`
    ");
}

#[test]
fn an_arm_without_braces() {
    insta::assert_snapshot!(process("w <- recv Work; match w { _ => skip; }"), @r"
    expected-block @ 2:32: expected `{` after `=>`, found `skip`
        2:32-2:36: expected `{`
        help: write `None => { ... }`, also around a single statement
    ");
}

// What other languages have.

#[test]
fn spawn() {
    insta::assert_snapshot!(process("spawn worker;"), @r"
    no-spawn @ 2:1: processes are declared, not spawned
        2:1-2:6: there is no `spawn`
        help: for any number of processes: `procs Q;` and `proc worker for q in Q { ... }`
        help: all of them are there from the start; one that waits in `recv` does nothing yet
    ");
}

#[test]
fn spawn_in_a_loop() {
    insta::assert_snapshot!(process("for i in I { x := spawn worker(i); }"), @r"
    no-spawn @ 2:19: processes are declared, not spawned
        2:19-2:24: there is no `spawn`
        help: for any number of processes: `procs Q;` and `proc worker for q in Q { ... }`
        help: all of them are there from the start; one that waits in `recv` does nothing yet
    ");
}

#[test]
fn spawn_at_top_level() {
    insta::assert_snapshot!(file("spawn worker;\nproc p { skip; }"), @r"
    no-spawn @ 1:1: processes are declared, not spawned
        1:1-1:6: there is no `spawn`
        help: for any number of processes: `procs Q;` and `proc worker for q in Q { ... }`
        help: all of them are there from the start; one that waits in `recv` does nothing yet
    ");
}

#[test]
fn a_call() {
    insta::assert_snapshot!(process("serve();"), @r"
    no-procedures @ 2:1: `serve` cannot be called: there are no procedures
        2:1-2:6: looks like a call
        help: write the statements out where they are needed; repeat with `loop { ... }`
    ");
}

#[test]
fn a_call_with_a_value() {
    insta::assert_snapshot!(process("x := serve(1);"), @r"
    unknown-constructor @ 2:6: there is no constructor `serve`
        2:6-2:11: not declared
        help: constructors are declared with their message type: `msg Work = Task(int) | None;`
        help: there are no procedures; repeat with `loop { ... }`
    ");
}

#[test]
fn a_message_that_is_just_there() {
    insta::assert_snapshot!(process("Task(server, 1);"), @r"
    no-procedures @ 2:1: `Task` alone does nothing
        2:1-2:5: looks like a call
        help: to send a message, write `send Task(...) to p;`
        help: to receive one, write `Task(x) <- recv Task;`
    ");
}

#[test]
fn a_return() {
    insta::assert_snapshot!(process("return;"), @r"
    no-return @ 2:1: there is no `return`
        2:1-2:7: a process ends where its block ends
        help: to leave a loop, write `break;`
    ");
}

#[test]
fn an_equals_sign_that_assigns() {
    insta::assert_snapshot!(process("x = 1;"), @r"
    equals-for-assignment @ 2:3: `=` does not assign; `:=` does
        2:3-2:4: expected `:=`
        help: write `:=` to assign [2:3-2:4 -> `:=`]
    ");
}

#[test]
fn an_equals_sign_that_compares() {
    insta::assert_snapshot!(process("x := 1; if x = 1 { skip; }"), @r"
    equals-for-comparison @ 2:14: `=` does not compare; `==` does
        2:14-2:15: expected `==`
        help: write `==` to compare [2:14-2:15 -> `==`]
    ");
}

#[test]
fn a_chain_of_comparisons() {
    insta::assert_snapshot!(process("x := any int; assert 1 < x < 3;"), @r"
    chained-comparison @ 2:28: comparisons cannot be chained
        2:28-2:29: a second comparison
        2:22-2:27: this is already a comparison
        help: to say both, write `1 < x && x < ...`
    ");
}

#[test]
fn an_increment() {
    insta::assert_snapshot!(process("x := 1; x++;"), @r"
    compound-assignment @ 2:10: there is no `++`
        2:10-2:12: unexpected
        help: write it out [2:10-2:12 -> ` := x + 1`]
    ");
}

#[test]
fn a_compound_assignment() {
    insta::assert_snapshot!(process("x := 1; x += 1;"), @r"
    compound-assignment @ 2:11: there is no `+=`
        2:11-2:13: unexpected
        help: write it out [2:11-2:13 -> `:= x +`]
    ");
}

#[test]
fn a_modulo() {
    insta::assert_snapshot!(process("x := 5 % 2;"), @r"
    unsupported-operator @ 2:8: `%` is not supported
        2:8-2:9: not supported
        help: there are `+`, `-`, `*` and comparisons
    ");
}

#[test]
fn an_await() {
    insta::assert_snapshot!(process("await(x == 1);"), @r"
    other-language @ 2:1: there is no `await` in `.icet` files
        2:1-2:6: a word of `.ser` and `.events` files
        help: to wait for a message, write `recv Ping;`
    ");
}

#[test]
fn a_misspelt_statement() {
    insta::assert_snapshot!(process("asert true;"), @r"
    expected-statement @ 2:1: expected a statement, found the name `asert`
        2:1-2:6: unexpected
        help: did you mean `assert`? [2:1-2:6 -> `assert`]
    ");
}

// Punctuation.

#[test]
fn a_missing_semicolon() {
    insta::assert_snapshot!(process("x := 1\ny := 2;"), @r"
    missing-semicolon @ 2:7: expected `;` after this statement
        2:7-2:7: expected `;` here
        help: add it [2:7-2:7 -> `;`]
    ");
}

#[test]
fn a_missing_semicolon_at_the_end() {
    insta::assert_snapshot!(process("skip"), @r"
    missing-semicolon @ 2:5: expected `;` after this statement
        2:5-2:5: expected `;` here
        help: add it [2:5-2:5 -> `;`]
    ");
}

#[test]
fn a_semicolon_too_many() {
    insta::assert_snapshot!(process("skip;;"), @r"
    stray-semicolon @ 2:6: there is no statement before this `;`
        2:6-2:7: unexpected
        help: remove it [2:6-2:7 -> ``]
        help: to do nothing, write `skip;`
    ");
}

#[test]
fn a_block_of_its_own() {
    insta::assert_snapshot!(process("{ skip; }"), @r"
    expected-statement @ 2:1: expected a statement, found `{`
        2:1-2:2: unexpected block here
        help: blocks follow words like `if`, `for` and `loop`
    ");
}

#[test]
fn an_unclosed_parenthesis() {
    insta::assert_snapshot!(process("x := (1 + 2;"), @r"
    unclosed-parenthesis @ 2:12: expected `)`, found `;`
        2:12-2:13: expected `)` here
        2:6-2:7: to close this
    ");
}

#[test]
fn an_unclosed_brace() {
    insta::assert_snapshot!(file("proc p { loop { skip; }\nproc q { skip; }"), @r"
    unclosed-brace @ 1:8: this `{` is never closed
        1:8-1:9: opened here
        2:1-2:5: expected `}` before this
        help: add a `}`
    ");
}

#[test]
fn a_brace_too_many() {
    insta::assert_snapshot!(file("proc p { skip; } }\nproc q { skip; }"), @r"
    stray-brace @ 1:18: this `}` closes nothing
        1:18-1:19: no `{` is open here
    ");
}

#[test]
fn several_mistakes_in_one_file() {
    insta::assert_snapshot!(file("proc p { x = 1; send 1 to q; y := x + ; }\nproc q { for i { skip; } v -> recv M; }\nmsg = M;"), @r"
    equals-for-assignment @ 1:12: `=` does not assign; `:=` does
        1:12-1:13: expected `:=`
        help: write `:=` to assign [1:12-1:13 -> `:=`]
    expected-expression @ 1:39: expected an expression, found `;`
        1:39-1:40: expected an expression here
    expected-in @ 2:15: expected `in` and a set, found `{`
        2:15-2:15: expected `in` here
        help: it looks like `for i in Q { ... }`
    wrong-arrow @ 2:28: a message goes from right to left: the arrow is `<-`
        2:28-2:30: expected `<-`
        help: write `<-` [2:28-2:30 -> `<-`]
    expected-name @ 3:5: expected the name of a message type, found `=`
        3:5-3:6: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    ");
}

#[test]
fn mistakes_of_both_kinds() {
    insta::assert_snapshot!(file("procs Q;\nproc p { x = 1; send 1 to r }\nproc q for w in Q { fail; }"), @r"
    equals-for-assignment @ 2:12: `=` does not assign; `:=` does
        2:12-2:13: expected `:=`
        help: write `:=` to assign [2:12-2:13 -> `:=`]
    not-a-message @ 2:22: only messages can be sent, found a number
        2:22-2:23: this is a number
        help: declare `msg Value = Value(int);` at top level, and write `send Value(...) to ...`
    unknown-name @ 2:27: there is no variable, process or constructor `r`
        2:27-2:28: not known here
        help: declare the process `proc r { ... }`, or give the variable a value
        help: every process has its own variables
    missing-semicolon @ 2:28: expected `;` after this statement
        2:28-2:28: expected `;` here
        help: add it [2:28-2:28 -> `;`]
    ");
}

// Warnings.

#[test]
fn a_message_type_that_nobody_uses() {
    insta::assert_snapshot!(file("msg Ping = Ping;\nproc p { skip; }"), @r"
    warning unused-message @ 1:5: nobody sends or receives `Ping`
        1:5-1:9: declared, and that is all
        help: leave it out, or use it
    ");
}

#[test]
fn an_active_server() {
    insta::assert_snapshot!(file("msg Id = Id(pid); msg Stop = Stop;\nproc p { Id(x) <- recv Id; send Stop to x; }\nserver proc w { loop { send Id(self) to p; recv Stop; } }"), @r"
    warning active-server @ 3:24: the server `w` is active: its loop begins with `send`
        3:24-3:43: sent before anybody asked
        3:13-3:14: declared as a server here
        help: a server waits first: begin the loop with `recv`, or leave `server` out
    ");
}
