//! What the tool says about files with messages that are wrong: one row per mistake, shown as in
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
        "set Q; index I; enum Colour {{ Red, Green }} msg Ping = Ping; msg Work = Task(pid, int) | None; msg Id = Id(Q); process p {{\n{statements}\n}} process server {{ recv Ping; recv Work; recv Id; }} process worker for q in Q {{ skip; }}"
    ))
}

// What is missing.

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(file(""), @"
    no-processes @ 1:1: this file is empty
        1:1-1:1: expected a process
        help: a small file is `msg Ping = Ping  process p { send Ping to q }  process q { recv Ping }`
    ");
}

#[test]
fn nothing_but_comments() {
    insta::assert_snapshot!(file("// later\n"), @"
    no-processes @ 1:9: this file has nothing but comments
        1:9-1:9: expected a process
        help: a small file is `msg Ping = Ping  process p { send Ping to q }  process q { recv Ping }`
    ");
}

#[test]
fn no_process() {
    insta::assert_snapshot!(file("msg Ping = Ping;\n"), @"
    only-definitions @ 1:17: this file has no processes: there is nothing to check
        1:17-1:17: expected a process
        help: a file with processes can have them: write `use` and the path of this file in quotes
        help: a small file is `msg Ping = Ping  process p { send Ping to q }  process q { recv Ping }`
    ");
}

#[test]
fn a_file_of_another_kind() {
    insta::assert_snapshot!(file("request main {\n    X := 1;\n    yield;\n}"), @"
    not-for-messages @ 1:9: there are no requests beside messages
        1:9-1:13: not supported here
        help: requests that share variables are a file of their own
    ");
}

#[test]
fn a_file_with_processes_over_variables() {
    insta::assert_snapshot!(file("X in 0..3\nprocess P { X := 1 }\nreach X == 1"), @"
    missing-var @ 1:1: the variable `X` is declared with `var`
        1:1-1:2: expected `var` before this
        help: write `var X: 0..3` [1:1-1:10 -> `var X: 0..3`]
    ");
}

#[test]
fn an_unwinding() {
    insta::assert_snapshot!(file("place p : 0..3\ntransition t { out p(1) }"), @"
    expected-item @ 1:1: expected `request`, `fn`, `const`, `var` or an initial value like `X := 1`, found the name `place`
        1:1-1:6: not expected outside a request
        help: what a request does stands in its braces: `request main { ... }`
    ");
}

#[test]
fn a_variable_outside_a_process() {
    insta::assert_snapshot!(file("x := 1;\nprocess p { skip; }"), @"
    not-for-messages @ 1:1: a variable belongs to a process, and gets its value there
        1:1-1:2: not supported here
        help: move it into the braces of a process
    ");
}

#[test]
fn a_misspelt_item() {
    insta::assert_snapshot!(file("mgs Ping = Ping;\nprocess p { skip; }"), @"
    expected-item @ 1:1: expected `process`, `var`, `const`, `enum`, `set`, `fn` or a claim such as `reach`, found the name `mgs`
        1:1-1:4: not expected outside a process
        help: did you mean `msg`? [1:1-1:4 -> `msg`]
    ");
}

// Declarations.

#[test]
fn a_set_without_a_name() {
    insta::assert_snapshot!(file("set ;\nprocess p { skip; }"), @"
    expected-name @ 1:5: expected the name of a set, found `;`
        1:5-1:6: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    ");
}

#[test]
fn a_size_that_is_no_number() {
    insta::assert_snapshot!(file("set Q >= n;\nprocess w for q in Q { skip; }"), @"
    expected-number @ 1:10: expected a number, found the name `n`
        1:10-1:11: expected how many there are
        help: at least one: `set W >= 1`
        help: exactly two: `set W == 2`
    ");
}

#[test]
fn a_size_that_is_too_large() {
    insta::assert_snapshot!(file("set Q >= 99999999999;\nprocess w for q in Q { skip; }"), @"
    not-for-messages @ 1:10: this number does not fit into 32 bits
        1:10-1:21: not supported here
        help: at least one is written `>= 1`
    ");
}

#[test]
fn a_message_type_without_constructors() {
    insta::assert_snapshot!(file("msg Ping;\nprocess p { skip; }"), @"
    malformed-msg @ 1:9: expected `=` and constructors, found `;`
        1:9-1:9: expected `=` here
        help: it looks like `msg Ping = Job(int) | Done`
    ");
}

#[test]
fn a_message_type_with_an_assignment() {
    insta::assert_snapshot!(file("msg Ping := Ping;\nprocess p { send Ping to q; }\nprocess q { recv Ping; }"), @r"
    malformed-msg @ 1:10: a message type is declared with `=`
        1:10-1:12: expected `=`
        help: write `=` [1:10-1:12 -> `=`]
    ");
}

#[test]
fn constructors_with_a_double_bar() {
    insta::assert_snapshot!(file("msg Vote = Yes || No;\nprocess p { skip; }"), @r"
    malformed-msg @ 1:16: constructors are separated by `|`, not by `||`
        1:16-1:18: expected `|`
        help: write `|` [1:16-1:18 -> `|`]
    ");
}

#[test]
fn an_enumeration_without_values() {
    insta::assert_snapshot!(file("enum Colour { }\nprocess p { skip; }"), @r"
    empty-enum @ 1:13: the enumeration `Colour` has no members
        1:13-1:16: expected names here
        help: it looks like `enum Colour { red, green }`
    ");
}

#[test]
fn a_process_without_a_body() {
    insta::assert_snapshot!(file("process p;\nprocess q { skip; }"), @"
    expected-body @ 1:10: expected `{` and a body, found `;`
        1:10-1:10: expected `{` here
        help: a process looks like `process p { ... }`
    ");
}

#[test]
fn a_member_without_a_set() {
    insta::assert_snapshot!(file("set Q;\nprocess w for q { skip; }"), @"
    malformed-process @ 2:16: expected `in` and a set, found `{`
        2:16-2:16: expected `in` here
        help: it looks like `process w for w in Workers { ... }`
    ");
}

#[test]
fn a_type_that_does_not_exist() {
    insta::assert_snapshot!(file("enum Colour { Red }\nmsg M = M(Color, strng);\nprocess p { skip; }"), @"
    unknown-type @ 2:11: there is no type `Color`
        2:11-2:16: not known here
        help: did you mean `Colour`? [2:11-2:16 -> `Colour`]
    unknown-type @ 2:18: there is no type `strng`
        2:18-2:23: not known here
        help: types are `int`, `bool`, `pid`, and the names of enumerations and of sets of processes
    ");
}

#[test]
fn a_set_as_a_type() {
    insta::assert_snapshot!(file("set Q; index I;\nmsg M = M(Q, I);\nprocess w for q in Q { skip; }"), @"
    not-a-type @ 2:14: `I` is a set, not a type
        2:14-2:15: expected a type
        help: its members are numbers: write `int` [2:14-2:15 -> `int`]
    ");
}

#[test]
fn a_message_inside_a_message() {
    insta::assert_snapshot!(file("msg A = A;\nmsg B = B(A);\nprocess p { skip; }"), @"
    not-a-type @ 2:11: `A` is a message type
        2:11-2:12: messages do not carry messages, and are not chosen
        1:5-1:6: declared here
        help: name the fields one by one, with types like `int` and `pid`
    ");
}

#[test]
fn a_set_of_processes_without_a_process() {
    insta::assert_snapshot!(file("set Q;\nprocess p { skip; }"), @"
    set-without-process @ 1:5: the processes of the set `Q` have no code
        1:5-1:6: declared here, and that is all
        help: say what each of them does: `process worker for q in Q { ... }`
        help: if these are numbers and no processes, write `index Q`
    ");
}

#[test]
fn a_set_with_two_processes() {
    insta::assert_snapshot!(file("set Q;\nprocess one for q in Q { skip; }\nprocess two for q in Q { skip; }"), @"
    two-processes-of-set @ 3:9: the set `Q` has two processes
        3:9-3:12: a second one
        2:9-2:12: the first one
        help: all members of a set run the same code; declare another set for the others
    ");
}

#[test]
fn a_process_for_each_number() {
    insta::assert_snapshot!(file("index I;\nprocess w for i in I { skip; }"), @"
    wrong-kind-of-set @ 2:20: `I` is a set of numbers
        2:20-2:21: expected a set of processes
        1:7-1:8: declared here
        help: declare one with `set ...`
    ");
}

#[test]
fn an_address_in_a_set_of_numbers() {
    insta::assert_snapshot!(file("index I;\nmsg M = M(I);\nprocess p { skip; }"), @"
    not-a-type @ 2:11: `I` is a set, not a type
        2:11-2:12: expected a type
        help: its members are numbers: write `int` [2:11-2:12 -> `int`]
    ");
}

#[test]
fn a_set_that_does_not_exist() {
    insta::assert_snapshot!(file("set Workers;\nprocess w for q in Worker { skip; }"), @"
    unknown-set @ 2:20: there is no set `Worker`
        2:20-2:26: not known here
        help: did you mean `Workers`? [2:20-2:26 -> `Workers`]
    ");
}

#[test]
fn the_same_name_twice() {
    insta::assert_snapshot!(file("set Q;\nmsg Q = A;\nprocess A { skip; }\nprocess w for A in Q { skip; }"), @"
    name-clash @ 2:5: the name `Q` is taken
        2:5-2:6: used again here
        1:5-1:6: first used here
        help: choose another name
    name-clash @ 2:9: the name `A` is taken
        2:9-2:10: used again here
        3:9-3:10: first used here
        help: choose another name
    name-clash @ 4:15: the name `A` is taken
        4:15-4:16: used again here
        3:9-3:10: first used here
        help: choose another name
    ");
}

#[test]
fn one_constructor_of_two_types() {
    insta::assert_snapshot!(file("msg Ask = Go;\nmsg Answer = Go | Stop;\nprocess p { skip; }"), @r"
    name-clash @ 2:14: the name `Go` is taken
        2:14-2:16: used again here
        1:11-1:13: first used here
        help: choose another name
    ");
}

#[test]
fn a_reserved_word_as_a_name() {
    insta::assert_snapshot!(file("process while { skip; }"), @"
    keyword-as-name @ 1:9: `while` is a keyword and cannot be a name
        1:9-1:14: a keyword
        help: choose another name, for example [1:9-1:14 -> `while_`]
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
        help: declare the process `process database { ... }`, or give the variable a value
        help: every process has its own variables
    ");
}

#[test]
fn a_number_as_a_process() {
    insta::assert_snapshot!(process("x := 1; send Ping to x;"), @"
    not-a-process @ 2:22: expected a process, found a number
        2:22-2:23: this is not the address of a process
        help: name a process, a variable that holds an address, or the variable of a `for`
    ");
}

#[test]
fn a_message_as_a_process() {
    insta::assert_snapshot!(process("send Ping to Ping;"), @"
    not-a-process @ 2:14: expected a process, found a message of type `Ping`
        2:14-2:18: this is not the address of a process
        help: name a process, a variable that holds an address, or the variable of a `for`
    ");
}

#[test]
fn a_set_as_a_process() {
    insta::assert_snapshot!(process("send Ping to Q;"), @"
    set-as-value @ 2:14: `Q` is a set of processes, not one process
        2:14-2:15: a whole set
        1:5-1:6: declared here
        help: for all of its processes, write `for x in Q { ... }`
        help: for one of them, write `x := choose(Q)` before
    ");
}

#[test]
fn the_code_of_a_set_as_a_process() {
    insta::assert_snapshot!(process("send Ping to worker;"), @"
    set-as-process @ 2:14: `worker` is the code of all members of `Q`, not one process
        2:14-2:20: which of them?
        3:61-3:67: declared here
        help: for all of them, write `for x in Q { ... }`
        help: to receive from any of them, write `from Q`
        help: a member tells others its address by sending `self`
    ");
}

#[test]
fn numbers_as_a_process() {
    insta::assert_snapshot!(process("send Ping to I;"), @"
    set-as-value @ 2:14: `I` is a set of numbers, not a number
        2:14-2:15: a whole set
        1:14-1:15: declared here
        help: for all of its numbers, write `for x in I { ... }`
        help: for one of them, write `x := choose(I)` before
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
    insta::assert_snapshot!(file("set Q; msg Ping = Ping;\nprocess w for q in Q { recv Ping; send Ping to q; }"), @"
    self-send @ 2:48: a process cannot send to itself
        2:48-2:49: this is the process itself
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
    insta::assert_snapshot!(process("recv Ping from I;"), @"
    wrong-kind-of-set @ 2:16: `I` is a set of numbers
        2:16-2:17: expected a set of processes
        1:14-1:15: declared here
        help: declare one with `set ...`
    ");
}

#[test]
fn messages_from_the_code_of_a_set() {
    insta::assert_snapshot!(process("recv Ping from worker;"), @"
    set-as-process @ 2:16: `worker` is the code of all members of `Q`, not one process
        2:16-2:22: which of them?
        3:61-3:67: declared here
        help: for all of them, write `for x in Q { ... }`
        help: to receive from any of them, write `from Q`
        help: a member tells others its address by sending `self`
    ");
}

#[test]
fn a_send_without_a_receiver() {
    insta::assert_snapshot!(process("send Ping;"), @"
    expected-to @ 2:10: expected `to` and a receiver, found `;`
        2:10-2:10: expected `to` here
        help: it looks like `send Ping to p` or `send 1 to Q`
    ");
}

#[test]
fn a_send_with_a_comma() {
    insta::assert_snapshot!(process("send Ping, server;"), @"
    expected-to @ 2:10: expected `to` and a receiver, found `,`
        2:10-2:10: expected `to` here
        help: it looks like `send Ping to p` or `send 1 to Q`
        help: write `to` [2:10-2:11 -> ` to`]
    ");
}

// What is sent and received.

#[test]
fn a_number_that_is_sent() {
    insta::assert_snapshot!(process("send 1 to server;"), @"
    not-a-message @ 2:6: only messages can be sent, found a number
        2:6-2:7: this is a number
        help: declare `msg Value = Value(int)` at top level, and write `send Value(...) to ...`
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
    insta::assert_snapshot!(process("send Work to server;"), @"
    type-as-value @ 2:6: `Work` is a message type, not a message
        2:6-2:10: expected a message
        1:65-1:69: declared here
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
    insta::assert_snapshot!(process("recv Task;"), @"
    not-a-message-type @ 2:6: `Task` is a constructor; its message type is `Work`
        2:6-2:10: expected a message type
        1:72-1:76: declared here
        help: write `Work` [2:6-2:10 -> `Work`]
    ");
}

#[test]
fn a_process_that_is_received() {
    insta::assert_snapshot!(process("recv server;"), @"
    not-a-message-type @ 2:6: `server` is not a message type
        2:6-2:12: expected a message type
        3:11-3:17: declared here
        help: to say who it is from, write `recv Ping from p`
    ");
}

#[test]
fn fields_behind_recv() {
    insta::assert_snapshot!(process("recv Task(a, b);"), @"
    fields-after-recv @ 2:10: the fields of a message are taken before `:=`
        2:10-2:11: unexpected fields here
        help: write the pattern first: `Task(x) := recv ...`
    ");
}

#[test]
fn too_few_fields() {
    insta::assert_snapshot!(process("send Task(server) to server;"), @"
    wrong-number-of-fields @ 2:6: `Task` has 2 fields, found 1
        2:6-2:18: expected 2 fields
        1:72-1:76: declared here
        help: in a pattern, `_` stands for a field that is not needed
    ");
}

#[test]
fn too_many_fields_in_a_pattern() {
    insta::assert_snapshot!(process("Id(a, b) := recv Id;"), @"
    wrong-number-of-fields @ 2:1: `Id` has 1 field, found 2
        2:1-2:9: expected 1 field
        1:104-1:106: declared here
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
        help: declare the field or variable as `Q` where it comes from, or this one as `pid`
    ");
}

#[test]
fn a_pattern_of_another_type() {
    insta::assert_snapshot!(process("Id(a) := recv Ping;"), @"
    type-mismatch @ 2:1: `Id` makes messages of type `Id`, not of type `Ping`
        2:1-2:3: expected a constructor of `Ping`
        1:104-1:106: declared here
    ");
}

#[test]
fn a_number_in_a_pattern() {
    insta::assert_snapshot!(process("Task(m, 1) := recv Work;"), @"
    value-in-pattern @ 2:9: expected a variable or `_`
        2:9-2:10: a pattern does not compare
        help: take the field into a variable, and compare it with `if` or `assert`
    ");
}

#[test]
fn one_variable_for_two_fields() {
    insta::assert_snapshot!(process("Task(m, m) := recv Work;"), @r"
    name-clash @ 2:9: `m` takes two fields of one message
        2:9-2:10: used again here
        2:6-2:7: first used here
        help: write `_` for a field that is not needed [2:9-2:10 -> `_`]
    ");
}

#[test]
fn receive_for_recv() {
    insta::assert_snapshot!(process("v <- receive Ping;"), @"
    arrow-for-assign @ 2:3: a message is received with `:=`
        2:3-2:5: expected `:=`
        help: write `:=` [2:3-2:5 -> `:=`]
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
    insta::assert_snapshot!(process("v -> recv Ping;"), @"
    arrow-for-assign @ 2:3: a message is received with `:=`
        2:3-2:5: expected `:=`
        help: write `:=` [2:3-2:5 -> `:=`]
    ");
}

#[test]
fn an_arrow_from_another_keyboard() {
    insta::assert_snapshot!(process("v ← recv Ping;"), @"
    arrow-for-assign @ 2:3: a message is received with `:=`
        2:3-2:4: expected `:=`
        help: write `:=` [2:3-2:4 -> `:=`]
    ");
}

#[test]
fn an_arrow_without_recv() {
    insta::assert_snapshot!(process("v <- Ping;"), @"
    unknown-name @ 2:1: there is no variable, process or constructor `v`
        2:1-2:2: not known here
        help: declare the process `process v { ... }`, or give the variable a value
        help: every process has its own variables
    type-mismatch @ 2:6: expected a number, found a message of type `Ping`
        2:6-2:10: this is a message of type `Ping`
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
    insta::assert_snapshot!(process("v := recv Ping; assert v == None;"), @r"
    type-mismatch @ 2:26: a message of type `Ping` cannot be compared with a message of type `Work`
        2:26-2:28: of different types
        2:24-2:25: this is a message of type `Ping`
        2:29-2:33: this is a message of type `Work`
    ");
}

#[test]
fn computing_with_addresses() {
    insta::assert_snapshot!(process("x := choose(Q); y := x + 1;"), @"
    address-arithmetic @ 2:22: addresses cannot be computed with
        2:22-2:23: this is an address
        help: addresses can be compared with `==` and `!=`, sent, and sent to
        help: for numbers, declare `index I`
    ");
}

#[test]
fn an_order_of_addresses() {
    insta::assert_snapshot!(process("x := choose(Q); assert x < server;"), @"
    address-order @ 2:24: addresses have no order: they can be compared with `==` and `!=` only
        2:24-2:25: this is an address
        help: all members of a set are alike; for numbers, declare `index I`
    address-order @ 2:28: addresses have no order: they can be compared with `==` and `!=` only
        2:28-2:34: this is an address
        help: all members of a set are alike; for numbers, declare `index I`
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
    insta::assert_snapshot!(process("x := choose(Q); x := server;"), @"
    type-mismatch @ 2:22: `x` holds the address of a member of `Q`, and cannot become an address
        2:22-2:28: this is an address
        2:1-2:2: `x` is the address of a member of `Q` since its first value here
        help: a variable for addresses of several kinds has to start with one of type `pid`
        help: use another variable, and send in both branches
    ");
}

#[test]
fn any_address() {
    insta::assert_snapshot!(process("x := choose(pid);"), @"
    any-pid @ 2:13: `choose` does not choose any process
        2:13-2:16: an address
        help: for some member of a set, write `choose(Q)`
    ");
}

#[test]
fn any_member() {
    insta::assert_snapshot!(process("x := any pid in Q;"), @"
    other-language @ 2:6: `any` is written `choose(Q)`
        2:6-2:18: expected `choose(Q)`
        help: write `choose(Q)` [2:6-2:18 -> `choose(Q)`]
    ");
}

#[test]
fn any_message() {
    insta::assert_snapshot!(process("x := choose(Work);"), @"
    not-a-type @ 2:13: `Work` is a message type
        2:13-2:17: messages do not carry messages, and are not chosen
        1:65-1:69: declared here
        help: name the fields one by one, with types like `int` and `pid`
    ");
}

#[test]
fn a_set_as_a_value() {
    insta::assert_snapshot!(process("x := Q;"), @"
    set-as-value @ 2:6: `Q` is a set of processes, not one process
        2:6-2:7: a whole set
        1:5-1:6: declared here
        help: for all of its processes, write `for x in Q { ... }`
        help: for one of them, write `x := choose(Q)` before
    ");
}

#[test]
fn an_enumeration_as_a_value() {
    insta::assert_snapshot!(process("x := Colour;"), @"
    type-as-value @ 2:6: `Colour` is an enumeration, not a value
        2:6-2:12: expected one of its values
        1:22-1:28: declared here
    ");
}

// Variables.

#[test]
fn a_variable_without_a_value() {
    insta::assert_snapshot!(process("assert x == 1;"), @r"
    unknown-name @ 2:8: there is no variable, process or constructor `x`
        2:8-2:9: not known here
        help: declare the process `process x { ... }`, or give the variable a value
        help: every process has its own variables
    ");
}

#[test]
fn a_variable_that_gets_its_value_later() {
    insta::assert_snapshot!(process("loop { if ? { assert x == 1; } x := 1; }"), @r"
    unassigned @ 2:22: `x` has no value yet
        2:22-2:23: read here
        2:32-2:33: gets its first value here
        help: give it a value before it is read, at the start of the process
    ");
}

#[test]
fn a_variable_that_gets_its_value_in_one_branch() {
    insta::assert_snapshot!(process("if ? { x := 1; } assert x == 1;"), @r"
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
    insta::assert_snapshot!(process("loop { if ? { break; } x := 1; break; } assert x == 1;"), @r"
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
    insta::assert_snapshot!(process("for server in Q { skip; }"), @"
    name-clash @ 2:5: the name `server` is taken
        2:5-2:11: used again here
        3:11-3:17: first used here
        help: choose another name
    ");
}

#[test]
fn a_process_that_is_assigned() {
    insta::assert_snapshot!(process("server := 1;"), @"
    not-assignable @ 2:1: `server` is a process and cannot be assigned
        2:1-2:7: cannot get a value here
        3:11-3:17: declared here
        help: use a variable with another name
    ");
}

#[test]
fn a_set_that_is_assigned() {
    insta::assert_snapshot!(process("Q := 1;"), @"
    not-assignable @ 2:1: `Q` is a set and cannot be assigned
        2:1-2:2: cannot get a value here
        1:5-1:6: declared here
        help: use a variable with another name
    ");
}

#[test]
fn a_constructor_that_is_assigned() {
    insta::assert_snapshot!(process("Ping := 1;"), @"
    not-assignable @ 2:1: `Ping` is a message type and cannot be assigned
        2:1-2:5: cannot get a value here
        1:48-1:52: declared here
        help: use a variable with another name
    ");
}

#[test]
fn a_member_that_is_assigned() {
    insta::assert_snapshot!(file("set Q;\nprocess w for q in Q { q := 1; }"), @"
    not-assignable @ 2:24: `q` is the process itself and cannot be assigned
        2:24-2:25: cannot get a value here
        2:15-2:16: declared here
        help: use a variable with another name
    ");
}

// Loops and choices.

#[test]
fn a_loop_over_a_process() {
    insta::assert_snapshot!(process("for x in server { skip; }"), @"
    not-a-set @ 2:10: `server` is not a set
        2:10-2:16: expected the name of a set
        3:11-3:17: declared here
        help: sets are declared with `set Q` (processes) and `index I` (numbers)
    ");
}

#[test]
fn a_loop_over_numbers() {
    insta::assert_snapshot!(process("for i in 0..3 { skip; }"), @"
    for-over-no-set @ 2:10: a loop goes over a set
        2:10-2:14: expected the name of a set
        help: for numbers, declare `index I` at top level and write `for i in I { ... }`
        help: for processes, declare `set Q` and write `for q in Q { ... }`
    ");
}

#[test]
fn a_loop_over_nothing_known() {
    insta::assert_snapshot!(process("for i in J { skip; }"), @"
    unknown-set @ 2:10: there is no set `J`
        2:10-2:11: not known here
        help: declare it at top level: `set Q` for processes, `index I` for numbers
    ");
}

#[test]
fn a_break_outside_a_loop() {
    insta::assert_snapshot!(process("break;"), @"
    break-outside-loop @ 2:1: `break` outside a loop
        2:1-2:6: there is nothing to leave here
        help: `break` stands in `loop { ... }` and `while c { ... }`
    ");
}

#[test]
fn a_break_in_a_for() {
    insta::assert_snapshot!(process("loop { for i in I { break; } }"), @"
    break-in-for @ 2:21: a `for` visits all members: there is no `break` out of it
        2:21-2:26: would leave the `for`
        2:12-2:13: this loop
        help: remember in a variable that the rest is not needed, and ask it with `if`
    ");
}

#[test]
fn a_while_with_a_star() {
    insta::assert_snapshot!(process("while * { skip; }"), @"
    star-for-coin @ 2:7: where either may happen, the condition is `?`
        2:7-2:8: expected `?`
        help: write `?` [2:7-2:8 -> `?`]
    ");
}

#[test]
fn a_match_that_misses_a_constructor() {
    insta::assert_snapshot!(process("w := recv Work; match w { None => { skip; } }"), @"
    missing-arm @ 2:17: this `match` does not say what to do with `Task`
        2:17-2:22: not all constructors are covered
        help: add an arm for it; `_ => { }` covers all the others
        help: if it cannot come, say so: `_ => { assert false }`
    ");
}

#[test]
fn a_match_with_an_arm_twice() {
    insta::assert_snapshot!(process("w := recv Work; match w { None => { skip; } None => { assert false; } Task(_, _) => { skip; } }"), @r"
    duplicate-arm @ 2:45: `None` has two arms
        2:45-2:49: the second one
        2:27-2:31: the first one
    ");
}

#[test]
fn a_match_with_an_arm_too_many() {
    insta::assert_snapshot!(process("w := recv Work; match w { None => { skip; } Task(_, _) => { skip; } _ => { assert false; } }"), @r"
    duplicate-arm @ 2:69: this arm is never reached: all constructors have one
        2:69-2:70: nothing is left for it
        help: leave it out
    ");
}

#[test]
fn a_match_with_an_arm_behind_the_rest() {
    insta::assert_snapshot!(process("w := recv Work; match w { _ => { skip; } None => { assert false; } }"), @r"
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
    insta::assert_snapshot!(process("match 1 + 1 { None => { skip; } }"), @"
    malformed-match @ 2:7: expected a variable after `match`
        2:7-2:12: not a variable
        help: receive into a variable first: `w := recv Work; match w { ... }`
    ");
}

#[test]
fn a_match_with_a_variable() {
    insta::assert_snapshot!(process("w := recv Work; match w { x => { skip; } }"), @r"
    unknown-constructor @ 2:27: there is no constructor `x`
        2:27-2:28: not declared
        help: expected one of `None`, `Task`
        help: `_` stands for whatever else it may be
    ");
}

#[test]
fn an_arm_without_an_arrow() {
    insta::assert_snapshot!(process("w := recv Work; match w { None { skip; } }"), @r#"
    other-language @ 2:27: there is no `None`
        2:27-2:31: not part of the language
        help: use a number that means "nothing", such as -1, or a member of an `enum`: `enum Owner { nobody, alice, bob }`
    "#);
}

#[test]
fn an_arm_without_braces() {
    insta::assert_snapshot!(process("w := recv Work; match w { _ => skip; }"), @"
    malformed-match @ 2:36: the cases of a `match` are separated by `,`
        2:36-2:37: expected `,`
        help: write `,` [2:36-2:37 -> `,`]
    ");
}

// What other languages have.

#[test]
fn spawn() {
    insta::assert_snapshot!(process("spawn worker;"), @"
    no-spawn @ 2:1: processes are declared, not spawned
        2:1-2:6: there is no `spawn`
        help: for any number of processes: `set Q` and `process worker for q in Q { ... }`
        help: all of them are there from the start; one that waits in `recv` does nothing yet
    ");
}

#[test]
fn spawn_at_top_level() {
    insta::assert_snapshot!(file("spawn worker;\nprocess p { skip; }"), @"
    no-spawn @ 1:1: processes are declared, not spawned
        1:1-1:6: there is no `spawn`
        help: for any number of processes: `set Q` and `process worker for q in Q { ... }`
        help: all of them are there from the start; one that waits in `recv` does nothing yet
    ");
}

#[test]
fn a_call() {
    insta::assert_snapshot!(process("serve();"), @"
    no-procedures @ 2:1: `serve` cannot be called: there are no procedures
        2:1-2:8: looks like a call
        help: write the statements out where they are needed; repeat with `loop { ... }`
    ");
}

#[test]
fn a_call_with_a_value() {
    insta::assert_snapshot!(process("x := serve(1);"), @"
    unknown-constructor @ 2:6: there is no constructor `serve`
        2:6-2:11: not declared
        help: constructors are declared with their message type: `msg Work = Task(int) | None`
        help: there are no procedures; repeat with `loop { ... }`
    ");
}

#[test]
fn a_message_that_is_just_there() {
    insta::assert_snapshot!(process("Task(server, 1);"), @"
    no-procedures @ 2:1: `Task` alone does nothing
        2:1-2:16: looks like a call
        help: to send a message, write `send Task(...) to p`
        help: to receive one, write `Task(x) := recv Task`
    ");
}

#[test]
fn a_return() {
    insta::assert_snapshot!(process("return;"), @"
    no-return @ 2:1: there is no `return`
        2:1-2:7: a process ends where its block ends
        help: to leave a loop, write `break`
    ");
}

#[test]
fn an_equals_sign_that_assigns() {
    insta::assert_snapshot!(process("x = 1;"), @"
    equals-for-assignment @ 2:3: `=` does not assign; `:=` does
        2:3-2:4: expected `:=`
        help: write `:=` to assign [2:3-2:4 -> `:=`]
        help: write `==` to compare
    ");
}

#[test]
fn a_modulo() {
    insta::assert_snapshot!(process("x := 5 % 2;"), @"
    unsupported-operator @ 2:8: `%` is not supported
        2:8-2:9: not supported
        help: processes that send messages have `+`, `-`, `*` and comparisons
    ");
}

#[test]
fn an_await() {
    insta::assert_snapshot!(process("await(x == 1);"), @"
    not-for-messages @ 2:1: processes that send messages do not have `await`
        2:1-2:6: not supported here
        help: to wait for a message, write `recv Ping`
    ");
}

#[test]
fn a_misspelt_statement() {
    insta::assert_snapshot!(process("asert true;"), @"
    missing-semicolon @ 2:6: expected `;` between two statements
        2:6-2:6: expected `;` here
        help: add it [2:6-2:6 -> `;`]
    ");
}

// Punctuation.

#[test]
fn an_unclosed_parenthesis() {
    insta::assert_snapshot!(process("x := (1 + 2;"), @"
    unclosed-parenthesis @ 2:6: this `(` is never closed
        2:6-2:7: opened here
        3:1-3:2: expected `)` before this
        help: close it [2:12-2:12 -> `)`]
    ");
}

#[test]
fn several_mistakes_in_one_file() {
    insta::assert_snapshot!(file("process p { x = 1; send 1 to q; y := x + ; }\nprocess q { for i { skip; } v -> recv M; }\nmsg = M;"), @"
    equals-for-assignment @ 1:15: `=` does not assign; `:=` does
        1:15-1:16: expected `:=`
        help: write `:=` to assign [1:15-1:16 -> `:=`]
        help: write `==` to compare
    expected-expression @ 1:42: expected an expression, found `;`
        1:42-1:43: expected an expression here
    malformed-for @ 2:19: expected `in` and a range, found `{`
        2:19-2:20: expected `in`
        help: a loop over 0, 1 and 2 is `for i in 0..2 { ... }`
    equals-for-assignment @ 3:5: an initial value is given with `:=`, not with `=`
        3:5-3:6: expected `:=`
        help: write `:=` [3:5-3:6 -> `:=`]
        help: make it a constant: `const msg = ...`
    ");
}

#[test]
fn mistakes_of_both_kinds() {
    insta::assert_snapshot!(file("set Q;\nprocess p { x = 1; send 1 to r }\nprocess q for w in Q { assert false; }"), @"
    equals-for-assignment @ 2:15: `=` does not assign; `:=` does
        2:15-2:16: expected `:=`
        help: write `:=` to assign [2:15-2:16 -> `:=`]
        help: write `==` to compare
    ");
}

// Warnings.

#[test]
fn a_message_type_that_nobody_uses() {
    insta::assert_snapshot!(file("msg Ping = Ping;\nprocess p { skip; }"), @r"
    warning unused-message @ 1:5: nobody sends or receives `Ping`
        1:5-1:9: declared, and that is all
        help: leave it out, or use it
    ");
}

#[test]
fn an_active_server() {
    insta::assert_snapshot!(file("msg Id = Id(pid); msg Stop = Stop;\nprocess p { Id(x) := recv Id; send Stop to x; }\nserver process w { loop { send Id(self) to p; recv Stop; } }"), @"
    warning active-server @ 3:27: the server `w` is active: its loop begins with `send`
        3:27-3:45: sent before anybody asked
        3:16-3:17: declared as a server here
        help: a server waits first: begin the loop with `recv`, or leave `server` out
    ");
}

// How it was said before.

#[test]
fn old_items() {
    insta::assert_snapshot!(file("procs Q >= 1;\nmsg M = M(pid in Q);\nproc p { skip; }\nserver proc w for q in Q { skip; }\nspawn p;"), @"
    other-language @ 1:1: a set of processes is declared with `set`
        1:1-1:6: expected `set`
        help: write `set` [1:1-1:6 -> `set`]
    other-language @ 2:11: the members of a set are of the type with its name
        2:11-2:19: expected `Q`
        help: write `Q` [2:11-2:19 -> `Q`]
    other-language @ 3:1: a process is declared with `process`
        3:1-3:5: expected `process`
        help: write `process` [3:1-3:5 -> `process`]
    other-language @ 4:1: a process is declared with `process`
        4:1-4:12: expected `server process`
        help: write `server process` [4:1-4:12 -> `server process`]
    ");
}

#[test]
fn old_choices() {
    insta::assert_snapshot!(process("x := any int; y := pick Q;\nif * { skip; }"), @"
    other-language @ 2:6: `any` is written `choose(int)`
        2:6-2:13: expected `choose(int)`
        help: write `choose(int)` [2:6-2:13 -> `choose(int)`]
    other-language @ 2:20: `pick` is written `choose(Q)`
        2:20-2:26: expected `choose(Q)`
        help: write `choose(Q)` [2:20-2:26 -> `choose(Q)`]
    star-for-coin @ 3:4: where either may happen, the condition is `?`
        3:4-3:5: expected `?`
        help: write `?` [3:4-3:5 -> `?`]
    ");
}

#[test]
fn an_old_pattern() {
    insta::assert_snapshot!(process("Task(m, _) <- recv Work; _ <- recv Ping;"), @"
    arrow-for-assign @ 2:12: a message is received with `:=`
        2:12-2:14: expected `:=`
        help: write `:=` [2:12-2:14 -> `:=`]
    arrow-for-assign @ 2:28: a message is received with `:=`
        2:28-2:30: expected `:=`
        help: write `:=` [2:28-2:30 -> `:=`]
    ");
}

#[test]
fn an_old_source() {
    insta::assert_snapshot!(process("recv Ping from *;"), @"
    from-anybody @ 2:16: a message from anybody is received without `from`
        2:16-2:17: not needed
    ");
}

#[test]
fn old_words() {
    insta::assert_snapshot!(process("fail;\nhalt;\nsend None to server;"), @"
    other-language @ 2:1: `fail` is written `assert false`
        2:1-2:5: expected `assert false`
        help: write `assert false` [2:1-2:5 -> `assert false`]
    other-language @ 3:1: `halt` is written `break`
        3:1-3:5: expected `break`
        help: write `break` [3:1-3:5 -> `break`]
    ");
}

// What the language has, and messages do not.

#[test]
fn items_of_other_models() {
    insta::assert_snapshot!(file("request r { 0 }\nvar X: 0..1\nlock L\nfn f(x) { x }\nrecord R { a: int }\ntype T = int\nassume x == 1\nreach X == 1\ninvariant i: X == 1\nproof { i; }\nset Q == 2\ndeadlock\nmsg M = M(0..3, (int, int))\nprocess p(x in 0..1) { skip }\nprocess w for q in Q { skip }"), @"
    not-for-messages @ 1:9: there are no requests beside messages
        1:9-1:10: not supported here
        help: requests that share variables are a file of their own
    not-for-messages @ 2:5: a variable belongs to a process, and gets its value there
        2:5-2:6: not supported here
        help: move it into the braces of a process
    not-for-messages @ 3:6: there are no locks: processes share nothing but messages
        3:6-3:7: not supported here
        help: a process of its own can hand out a lock: with messages
    not-for-messages @ 4:4: processes that send messages have no functions
        4:4-4:5: not supported here
        help: write the statements out where they are needed
    not-for-messages @ 5:8: there are no records beside messages
        5:8-5:9: not supported here
        help: a message has fields: `msg Order = Order(int, bool)`
    not-for-messages @ 6:6: types have no other names here
        6:6-6:7: not supported here
        help: types are `int`, `bool`, `pid`, and the names of enumerations and of sets of processes
    not-for-messages @ 7:8: processes that send messages share nothing to assume something of
        7:8-7:14: not supported here
        help: what a process starts with is said in its first statements
    not-for-messages @ 8:1: goals are for processes that share variables
        8:1-8:13: not supported here
        help: what has to hold is said with `assert` in a process; whether somebody can wait forever is asked of every file with messages
    not-for-messages @ 9:1: invariants are for threads that share variables
        9:1-9:20: not supported here
        help: what has to hold is said with `assert` in a process; whether somebody can wait forever is asked of every file with messages
    not-for-messages @ 10:1: there is nothing to prove by hand here
        10:1-10:6: not supported here
        help: leave it out
    not-for-messages @ 11:10: sets have any number of members here
        11:10-11:11: not supported here
        help: what holds is shown for all sizes; at least one is written `>= 1`
    not-for-messages @ 13:11: messages do not carry values of this type
        13:11-13:15: not supported here
        help: numbers have no bounds here: write `int`
    not-for-messages @ 13:17: messages do not carry values of this type
        13:17-13:27: not supported here
        help: write the fields of a message one by one
    not-for-messages @ 14:11: processes that send messages have no parameters
        14:11-14:20: not supported here
        help: for any number of processes, write `set Q` and `process p for q in Q { ... }`
    ");
}

#[test]
fn statements_of_other_models() {
    insta::assert_snapshot!(process("yield;\natomic { x := 1 };\nawait x == 1;\nassume x == 1;\nabort;\nwith L { x := 1 }\nlock x;\nunlock x;\nplace: x := 1;\nall: { x := 1 }\nx := 1 ghost { y := 1 };\nghost var g: int = 1;\nloop { continue }\nreturn 1;"), @"
    not-for-messages @ 2:1: processes that send messages do not have `yield`
        2:1-2:6: not supported here
        help: processes share nothing but messages: leave it out
    not-for-messages @ 3:1: processes that send messages do not have `atomic`
        3:1-3:7: not supported here
        help: processes share nothing but messages: leave it out
    not-for-messages @ 4:1: processes that send messages do not have `await`
        4:1-4:6: not supported here
        help: to wait for a message, write `recv Ping`
    not-for-messages @ 5:1: processes that send messages do not have `assume`
        5:1-5:7: not supported here
        help: processes share nothing but messages: leave it out
    not-for-messages @ 6:1: processes that send messages do not have `abort`
        6:1-6:6: not supported here
        help: a process ends where its block ends
    not-for-messages @ 7:1: processes that send messages do not have `with`
        7:1-7:5: not supported here
        help: processes share nothing but messages: leave it out
    not-for-messages @ 8:1: processes that send messages do not have `lock`
        8:1-8:5: not supported here
        help: processes share nothing but messages: leave it out
    not-for-messages @ 9:1: processes that send messages do not have `unlock`
        9:1-9:7: not supported here
        help: processes share nothing but messages: leave it out
    not-for-messages @ 10:1: processes that send messages do not have a statement with a name
        10:1-10:14: not supported here
        help: statements need no names: leave it out
    not-for-messages @ 11:1: processes that send messages do not have a statement with a name
        11:1-11:16: not supported here
        help: statements need no names: leave it out
    not-for-messages @ 12:1: processes that send messages do not have `ghost`
        12:1-12:24: not supported here
        help: this is for proofs: leave it out
    not-for-messages @ 13:1: there are no ghost variables here
        13:1-13:6: not supported here
        help: an ordinary variable does the same
    not-for-messages @ 14:8: processes that send messages do not have `continue`
        14:8-14:16: not supported here
        help: put the rest of the round into an `if`
    no-return @ 15:1: there is no `return`
        15:1-15:7: a process ends where its block ends
        help: to leave a loop, write `break`
    ");
}

#[test]
fn values_of_other_models() {
    insta::assert_snapshot!(process("a := b[1];\nc := (1, 2);\nd := [1, 2];\ne := f.g;\ng := choose(1..2);\nh := choose(int) where h > 1;\ni := {1, 2};\nj := 1 in k;\nl := at(m, n);\no := if ? { 1 } else { 2 };\np_ := 1 + choose(int);\nq_ := ? && true;\nr := 1 / 2;\ns := t := 1;\nu := recv Ping == Ping;\nv := (1; 2);\nfor w in 0..2 { skip }\nif (recv Ping) { skip }"), @"
    not-for-messages @ 2:6: processes that send messages do not have an element of an array
        2:6-2:10: not supported here
        help: for any number of values, use one process for each: `set Q`
    not-for-messages @ 3:6: processes that send messages do not have a tuple
        3:6-3:12: not supported here
        help: a message has fields: `msg Order = Order(int, bool)`
    not-for-messages @ 4:6: processes that send messages do not have a list
        4:6-4:12: not supported here
        help: for any number of values, use one process for each: `set Q`
    not-for-messages @ 5:6: processes that send messages do not have a field
        5:6-5:9: not supported here
        help: a message has fields: `msg Order = Order(int, bool)`
    not-for-messages @ 6:13: messages do not carry values of this type
        6:13-6:17: not supported here
        help: numbers have no bounds here: write `int`
    not-for-messages @ 7:6: processes that send messages do not have `where`
        7:6-7:29: not supported here
        help: choose first, and look at the value with `if`
    not-for-messages @ 8:6: processes that send messages do not have a set
        8:6-8:12: not supported here
        help: there are `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||` and `!`
    not-for-messages @ 9:6: processes that send messages do not have `in`
        9:6-9:12: not supported here
        help: there are `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||` and `!`
    not-for-messages @ 10:6: processes that send messages do not have `at`
        10:6-10:8: not supported here
        help: this is for proofs: leave it out
    statement-as-value @ 11:6: `if` has no value here
        11:6-11:8: a statement of its own
        help: assign in its blocks: `if c { x := 1 } else { x := 2 }`
    statement-as-value @ 12:11: `choose` has no value here
        12:11-12:17: a statement of its own
        help: `choose` stands alone behind `:=`, as in `x := choose(int)`
    statement-as-value @ 13:7: `?` has no value here
        13:7-13:8: a statement of its own
        help: for any truth value, write `x := ?` before; alone, `if ? { ... }`
    unsupported-operator @ 14:8: `/` is not supported
        14:8-14:9: not supported
        help: processes that send messages have `+`, `-`, `*` and comparisons
    statement-as-value @ 15:6: an assignment has no value here
        15:6-15:12: a statement of its own
        help: write `x := 1` before it; to compare, write `==`
    statement-as-value @ 16:6: `recv` has no value here
        16:6-16:10: a statement of its own
        help: to receive is a statement of its own: `v := recv Ping`
    statement-as-value @ 17:6: statements cannot stand inside an expression
        17:6-17:12: has no value
        help: write them before it, one after the other
    for-over-no-set @ 18:10: a loop goes over a set
        18:10-18:14: expected the name of a set
        help: for numbers, declare `index I` at top level and write `for i in I { ... }`
        help: for processes, declare `set Q` and write `for q in Q { ... }`
    statement-as-value @ 19:5: `recv` has no value here
        19:5-19:9: a statement of its own
        help: to receive is a statement of its own: `v := recv Ping`
    ");
}

#[test]
fn statements_that_do_nothing() {
    insta::assert_snapshot!(process("x := 1;\nx == 1;\nx;\n5;\nchoose(int);\npass;\nchoose { skip };\nwhile ? { skip }"), @"
    no-effect @ 3:1: this does nothing
        3:1-3:7: a value that nobody uses
        help: statements look like `x := 1`, `send Ping to p`, `v := recv Ping`
    no-effect @ 4:1: this does nothing
        4:1-4:2: a value that nobody uses
        help: statements look like `x := 1`, `send Ping to p`, `v := recv Ping`
    no-effect @ 5:1: this does nothing
        5:1-5:2: a value that nobody uses
        help: statements look like `x := 1`, `send Ping to p`, `v := recv Ping`
    no-effect @ 6:1: this does nothing
        6:1-6:12: a value that nobody uses
        help: statements look like `x := 1`, `send Ping to p`, `v := recv Ping`
    other-language @ 7:1: `pass` is written `skip`
        7:1-7:5: expected `skip`
        help: write `skip` [7:1-7:5 -> `skip`]
    one-choice @ 8:1: there is nothing to choose from
        8:1-8:7: one block
        help: several are written `choose { ... } or { ... }`
    while-coin @ 9:7: a `while` needs a condition
        9:7-9:8: `?` stands after `if` only
        help: to stop at any time, write `loop { if ? { break } ... }`
    ");
}

#[test]
fn patterns_of_other_models() {
    insta::assert_snapshot!(process("(a, b) := recv Work;\nTask(m, t) := None;\nTask(m: a, t: b) := recv Work;\nw := recv Work;\nmatch w { 0 => skip, _ => skip }\nmatch w { 0..1 => skip, _ => skip }\nmatch w { Task(x, _) | None => skip }\nmatch 1 + 1 { _ => skip }"), @"
    malformed-pattern @ 2:1: a message is taken apart with its constructor
        2:1-2:7: which constructor?
        help: it looks like `Task(a, b) := recv Work`
    malformed-pattern @ 3:1: only what is received can be taken apart here
        3:1-3:11: a message, not a variable
        help: for a message in a variable, write `match m { Task(...) => { ... } }`
    named-field @ 4:6: the fields of a message have no names
        4:6-4:7: not known here
        help: write the values alone, in the order of the declaration: `Task(p, 1)`
    malformed-pattern @ 6:11: expected a variable or a constructor
        6:11-6:12: not a pattern
        help: a message is taken apart with its constructor: `Task(m, _)`
    malformed-pattern @ 7:11: `match` looks at messages, and this is a range of numbers
        7:11-7:15: expected a constructor
        help: compare numbers with `if`
    variable-of-alternatives @ 8:16: an arm for several constructors has no variables
        8:16-8:17: not there in the others
        help: write `_` for a field that is not needed [8:16-8:17 -> `_`]
        help: write an arm for each of the constructors
    malformed-match @ 9:7: expected a variable after `match`
        9:7-9:12: not a variable
        help: receive into a variable first: `w := recv Work; match w { ... }`
    ");
}

#[test]
fn variables_that_are_declared() {
    insta::assert_snapshot!(process("var a: int;\nvar b: Ping = 1;\nvar c: bool = 1;\nvar d = 1; var d = 2;\nvar self = 1;\nvar e: int = choose(bool);\nvar f: Q = p;"), @"
    no-first-value @ 2:5: `a` has no value yet
        2:5-2:6: declared here
        help: say what it starts with: `var a = 0`
    not-a-type @ 3:8: `Ping` is a message type
        3:8-3:12: messages do not carry messages, and are not chosen
        1:48-1:52: declared here
        help: name the fields one by one, with types like `int` and `pid`
    type-mismatch @ 4:15: expected a truth value, found a number
        4:15-4:16: this is a number
        help: compare it with something, for example `x == 1`
    name-clash @ 5:16: the name `d` is taken
        5:16-5:17: used again here
        5:5-5:6: first used here
        help: choose another name
    not-assignable @ 6:5: `self` is the process itself and cannot be assigned
        6:5-6:9: cannot get a value here
        help: use a variable with another name
    type-mismatch @ 7:21: expected a number, found a truth value
        7:21-7:25: this is a truth value
    type-mismatch @ 8:12: expected the address of a member of `Q`, found an address
        8:12-8:13: this is an address
        help: declare the field or variable as `Q` where it comes from, or this one as `pid`
    ");
}

#[test]
fn names_with_a_meaning() {
    insta::assert_snapshot!(file("msg pid = self\nconst N = N + 1\nconst p = 1\nprocess p { self := N }"), @"
    name-clash @ 1:5: `pid` is the type of addresses
        1:5-1:8: used again here
        help: choose another name
    name-clash @ 1:11: `self` is what a process calls itself
        1:11-1:15: used again here
        help: choose another name
    constant-used-early @ 2:11: the constant `N` is used before it is defined
        2:11-2:12: used here
        2:7-2:8: defined here
        help: a constant is defined by numbers and the constants above it
    name-clash @ 3:7: the name `p` is taken
        3:7-3:8: used again here
        4:9-4:10: first used here
        help: choose another name
    not-assignable @ 4:13: `self` is the process itself and cannot be assigned
        4:13-4:17: cannot get a value here
        help: use a variable with another name
    ");
}
