//! What the tool says about models of threads whose types do not fit: one row per mistake, shown as
//! in `diagnostics.rs`.

use crate::shared::threads::{body, file, formula};

// Types of values.

#[test]
fn a_number_where_a_truth_value_is_wanted() {
    insta::assert_snapshot!(body("await x;"), @r"
    type-mismatch @ 2:7: expected a truth value, found a number
        2:7-2:8: this is a number (`int`)
        help: compare it with something, for example `x == 1`
    ");
}

#[test]
fn one_for_true() {
    insta::assert_snapshot!(body("await 1;"), @r"
    type-mismatch @ 2:7: expected a truth value, found a number
        2:7-2:8: this is a number (`int`)
        help: compare it with something, for example `x == 1`
        help: truth values are `true` and `false`
    ");
}

#[test]
fn a_truth_value_where_a_number_is_wanted() {
    insta::assert_snapshot!(body("x := true;"), @r"
    type-mismatch @ 2:6: expected a number, found a truth value
        2:6-2:10: this is a truth value (`bool`)
    ");
}

#[test]
fn an_address_where_a_number_is_wanted() {
    insta::assert_snapshot!(body("x := a;"), @r"
    type-mismatch @ 2:6: expected a number, found an address
        2:6-2:7: this is an address (`addr`)
    ");
}

#[test]
fn a_number_where_an_element_is_wanted() {
    insta::assert_snapshot!(body("e := 3;"), @r"
    type-mismatch @ 2:6: expected an element, found a number
        2:6-2:7: this is a number (`int`)
        help: elements have an order, and no arithmetic: there are `lowest` and `highest`
    ");
}

#[test]
fn an_element_where_an_address_is_wanted() {
    insta::assert_snapshot!(body("a := e;"), @r"
    type-mismatch @ 2:6: expected an address, found an element
        2:6-2:7: this is an element (`elem`)
        help: the data of a cell is `a.data`, the address `a`
    ");
}

#[test]
fn a_number_where_a_set_is_wanted() {
    insta::assert_snapshot!(body("s := x;"), @r"
    type-mismatch @ 2:6: expected a set of numbers, found a number
        2:6-2:7: this is a number (`int`)
        help: for the set with this one element, write `{...}` around it
    ");
}

#[test]
fn a_set_of_numbers_where_one_of_addresses_is_wanted() {
    insta::assert_snapshot!(body("as := s;"), @"
    type-mismatch @ 2:7: expected a set of addresses, found a set of numbers
        2:7-2:8: this is a set of numbers (`set of int`)
    ");
}

#[test]
fn a_number_where_a_thread_is_wanted() {
    insta::assert_snapshot!(body("t := 0;"), @"
    thread-constant @ 2:6: threads have no numbers: `0` is not a thread
        2:6-2:7: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `var chosen: Threads`
    ");
}

#[test]
fn nobody_is_no_number() {
    insta::assert_snapshot!(body("x := nobody;"), @"
    type-mismatch @ 2:6: expected a number, found a thread
        2:6-2:12: this is a thread (`Threads`)
    ");
}

#[test]
fn null_is_no_thread() {
    insta::assert_snapshot!(body("t := null;"), @r"
    type-mismatch @ 2:6: expected a thread, found an address
        2:6-2:10: this is an address (`addr`)
    ");
}

#[test]
fn adding_a_number_to_a_set() {
    insta::assert_snapshot!(body("s := s + x;"), @r"
    type-mismatch @ 2:8: a set of numbers and a number cannot be put together
        2:8-2:9: of different types
        2:6-2:7: this is a set of numbers
        2:10-2:11: this is a number
        help: for the set with one element, write `{x}`
    ");
}

#[test]
fn subtracting_truth_values() {
    insta::assert_snapshot!(body("x := b - b;"), @r"
    type-mismatch @ 2:6: expected a number, found a truth value
        2:6-2:7: this is a truth value (`bool`)
    ");
}

#[test]
fn a_negation_of_a_number() {
    insta::assert_snapshot!(body("await !x == 1;"), @r"
    type-mismatch @ 2:8: expected a truth value, found a number
        2:8-2:9: this is a number (`int`)
        help: compare it with something, for example `x == 1`
        help: `!` binds tightly: write `!(a == b)`, or `a != b`
    ");
}

#[test]
fn multiplying_variables() {
    insta::assert_snapshot!(body("x := x * y;"), @r"
    not-linear @ 2:8: two variables cannot be multiplied: only linear arithmetic is possible
        2:8-2:9: neither side is a constant
        2:6-2:7: not a constant
        2:10-2:11: not a constant
        help: multiply by a number, as in `2 * x`
    ");
}

#[test]
fn a_constant_product_that_is_too_large() {
    insta::assert_snapshot!(body("x := 4000000000 * 4000000000 * x;"), @r"
    number-out-of-range @ 2:6: the value of this does not fit into 64 bits
        2:6-2:29: too large
    ");
}

#[test]
fn comparing_different_types() {
    insta::assert_snapshot!(body("await x == b;"), @r"
    type-mismatch @ 2:9: a number cannot be compared with a truth value
        2:9-2:11: of different types
        2:7-2:8: this is a number
        2:12-2:13: this is a truth value
    ");
}

#[test]
fn comparing_an_address_with_a_thread() {
    insta::assert_snapshot!(body("await a == t;"), @r"
    type-mismatch @ 2:9: an address cannot be compared with a thread
        2:9-2:11: of different types
        2:7-2:8: this is an address
        2:12-2:13: this is a thread
    ");
}

#[test]
fn addresses_in_order() {
    insta::assert_snapshot!(body("await a < w;"), @r"
    address-order @ 2:9: addresses have no order
        2:9-2:10: cannot compare addresses by size
        2:7-2:8: this is an address
        help: compare what stands there: `a.data < b.data`
    ");
}

#[test]
fn sets_in_order() {
    insta::assert_snapshot!(body("await s <= s;"), @r"
    type-mismatch @ 2:9: sets are compared with `subset`, `==` and `!=`
        2:9-2:11: cannot compare sets by size
        2:7-2:8: this is a set of numbers
    ");
}

#[test]
fn truth_values_in_order() {
    insta::assert_snapshot!(body("await b < true;"), @r"
    type-mismatch @ 2:9: a truth value cannot be compared by size
        2:9-2:10: only numbers and elements have an order
        2:7-2:8: this is a truth value
    ");
}

#[test]
fn an_element_smaller_than_a_number() {
    insta::assert_snapshot!(body("await e < 3;"), @r"
    type-mismatch @ 2:9: an element cannot be compared with a number
        2:9-2:10: of different types
        2:7-2:8: this is an element
        2:11-2:12: this is a number
    ");
}

#[test]
fn a_number_in_a_set_of_addresses() {
    insta::assert_snapshot!(body("await x in as;"), @r"
    type-mismatch @ 2:9: a number is never in a set of addresses
        2:9-2:11: of different types
        2:7-2:8: this is a number
        2:12-2:14: this is a set of addresses
    ");
}

#[test]
fn a_set_in_a_set() {
    insta::assert_snapshot!(body("await s in s;"), @r"
    type-mismatch @ 2:9: a set of numbers is never in a set of numbers
        2:9-2:11: of different types
        2:7-2:8: this is a set of numbers
        2:12-2:13: this is a set of numbers
        help: write `s subset t`
    ");
}

#[test]
fn a_number_in_a_number() {
    insta::assert_snapshot!(body("await x in y;"), @r"
    type-mismatch @ 2:12: expected a set, found a number
        2:12-2:13: this is a number (`int`)
        help: sets look like `{a, b}`, or have a type like `set of int`
    ");
}

#[test]
fn a_subset_of_a_number() {
    insta::assert_snapshot!(body("await s subset x;"), @r"
    type-mismatch @ 2:16: expected a set, found a number
        2:16-2:17: this is a number (`int`)
        help: sets look like `{a, b}`, or have a type like `set of int`
    ");
}

#[test]
fn subsets_of_different_types() {
    insta::assert_snapshot!(body("await s subset as;"), @r"
    type-mismatch @ 2:9: a set of numbers cannot be compared with a set of addresses
        2:9-2:15: of different types
        2:7-2:8: this is a set of numbers
        2:16-2:18: this is a set of addresses
    ");
}

#[test]
fn conjunctions_of_numbers() {
    insta::assert_snapshot!(body("await x && y;"), @r"
    type-mismatch @ 2:7: expected a truth value, found a number
        2:7-2:8: this is a number (`int`)
        help: compare it with something, for example `x == 1`
    type-mismatch @ 2:12: expected a truth value, found a number
        2:12-2:13: this is a number (`int`)
        help: compare it with something, for example `x == 1`
    ");
}

#[test]
fn an_implication_from_an_address() {
    insta::assert_snapshot!(body("await a -> b;"), @r"
    type-mismatch @ 2:7: expected a truth value, found an address
        2:7-2:8: this is an address (`addr`)
    ");
}

#[test]
fn a_set_of_different_things() {
    insta::assert_snapshot!(body("s := {x, a};"), @r"
    type-mismatch @ 2:10: expected a number, found an address
        2:10-2:11: this is an address (`addr`)
        help: all elements of a set have the same type
    ");
}

#[test]
fn a_set_of_sets_in_a_value() {
    insta::assert_snapshot!(body("s := {s};"), @r"
    type-mismatch @ 2:7: sets have no elements like this: it is a set of numbers
        2:7-2:8: this is a set of numbers
        help: to put sets together, write `s + t`
    ");
}

#[test]
fn a_set_of_truth_values_in_a_value() {
    insta::assert_snapshot!(body("await {b} == {true};"), @"
    type-mismatch @ 2:8: sets have no elements like this: it is a truth value
        2:8-2:9: this is a truth value
        help: sets are `set of int`, `set of addr`, `set of elem`, and sets of threads
    type-mismatch @ 2:15: sets have no elements like this: it is a truth value
        2:15-2:19: this is a truth value
        help: sets are `set of int`, `set of addr`, `set of elem`, and sets of threads
    ");
}

#[test]
fn an_empty_set_without_a_type() {
    insta::assert_snapshot!(body("await {} == {};"), @r"
    type-mismatch @ 2:7: it is not clear of what this is a set
        2:7-2:9: a set without elements
        help: compare it with a variable, or assign it to one
    ");
}

#[test]
fn an_empty_set_where_a_number_is_wanted() {
    insta::assert_snapshot!(body("x := {};"), @r"
    type-mismatch @ 2:6: expected a number, found a set
        2:6-2:8: a set without elements
        help: `{}` is the empty set
    ");
}

#[test]
fn a_number_in_a_set_of_threads() {
    insta::assert_snapshot!(body("await 3 in {self, t};"), @"
    thread-constant @ 2:7: threads have no numbers: `3` is not a thread
        2:7-2:8: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `var chosen: Threads`
    ");
}

#[test]
fn a_set_of_threads_where_a_thread_is_wanted() {
    insta::assert_snapshot!(body("t := {self};"), @"
    type-mismatch @ 2:6: expected a thread, found a set of threads
        2:6-2:12: this is a set of threads (`set of Threads`)
    ");
}

#[test]
fn a_minimum_of_addresses() {
    insta::assert_snapshot!(body("x := min(as);"), @"
    type-mismatch @ 2:10: expected a set of numbers, found a set of addresses
        2:10-2:12: this is a set of addresses (`set of addr`)
    ");
}

#[test]
fn a_minimum_that_is_a_name() {
    insta::assert_snapshot!(body("x := max;"), @r"
    unknown-name @ 2:6: `max` is a function
        2:6-2:9: expected `(` behind this
        help: it looks like `max(...)`
    ");
}

#[test]
fn cells_of_a_set() {
    insta::assert_snapshot!(body("as := addr2set(as);"), @"
    type-mismatch @ 2:16: expected an address, found a set of addresses
        2:16-2:18: this is a set of addresses (`set of addr`)
    ");
}

#[test]
fn elements_of_an_address() {
    insta::assert_snapshot!(body("await e in set2elem(a);"), @r"
    type-mismatch @ 2:21: expected a set of addresses, found an address
        2:21-2:22: this is an address (`addr`)
        help: for the set with this one element, write `{...}` around it
    ");
}

#[test]
fn reaching_with_one_address() {
    insta::assert_snapshot!(body("await reach(a);"), @r"
    wrong-number-of-arguments @ 2:7: `reach` takes 2 arguments, found 1
        2:7-2:15: found 1
        help: it looks like `reach(a, b)`
    ");
}

#[test]
fn ordered_elements() {
    insta::assert_snapshot!(body("await ordered(e, e);"), @r"
    type-mismatch @ 2:15: expected an address, found an element
        2:15-2:16: this is an element (`elem`)
        help: the data of a cell is `a.data`, the address `a`
    type-mismatch @ 2:18: expected an address, found an element
        2:18-2:19: this is an element (`elem`)
        help: the data of a cell is `a.data`, the address `a`
    ");
}

#[test]
fn a_field_of_a_number() {
    insta::assert_snapshot!(body("x := y.next;"), @r"
    not-an-address @ 2:6: only cells have fields, and this is a number
        2:6-2:7: expected an address
    ");
}

#[test]
fn a_field_that_does_not_exist() {
    insta::assert_snapshot!(body("w := a.nxt;"), @r"
    unknown-field @ 2:8: there is no field `nxt`
        2:8-2:11: not known here
        help: did you mean `next`? [2:8-2:11 -> `next`]
    ");
}

#[test]
fn a_field_with_another_name() {
    insta::assert_snapshot!(body("w := a.previous;"), @r"
    unknown-field @ 2:8: there is no field `previous`
        2:8-2:16: not known here
        help: the fields of a cell are `next` (an address), `data` (an element) and `lockid` (a thread)
    ");
}

#[test]
fn locking_a_number() {
    insta::assert_snapshot!(body("lock x;"), @r"
    type-mismatch @ 2:6: expected an address, found a number
        2:6-2:7: this is a number (`int`)
    ");
}

#[test]
fn data_of_another_type() {
    insta::assert_snapshot!(body("a.data := x;"), @r"
    type-mismatch @ 2:11: expected an element, found a number
        2:11-2:12: this is a number (`int`)
        help: elements have an order, and no arithmetic: there are `lowest` and `highest`
    ");
}

#[test]
fn a_lock_that_is_assigned() {
    insta::assert_snapshot!(body("a.lockid := self;"), @"
    assigned-lock @ 2:1: `.lockid` is not assigned: it changes by `lock` and `unlock`
        2:1-2:9: who has locked the cell
        help: write `lock a` or `unlock a`
    ");
}

#[test]
fn a_cell_with_wrong_data() {
    insta::assert_snapshot!(body("w := malloc(1, self);"), @"
    type-mismatch @ 2:13: expected an element, found a number
        2:13-2:14: this is a number (`int`)
        help: elements have an order, and no arithmetic: there are `lowest` and `highest`
    type-mismatch @ 2:16: expected an address, found a thread
        2:16-2:20: this is a thread (`Threads`)
    ");
}

#[test]
fn a_new_cell_for_a_number() {
    insta::assert_snapshot!(body("x := malloc(e, null);"), @r"
    type-mismatch @ 2:1: expected an address, found a number
        2:1-2:2: this is a number (`int`)
        help: a new cell is known by its address
    ");
}

#[test]
fn a_field_that_becomes_anything() {
    insta::assert_snapshot!(body("a.next := choose(int);"), @"
    not-a-variable @ 2:1: `choose` gives a value to a variable, not to a field
        2:1-2:7: this is a field
        help: take a local: `atomic { x := choose(...); a.next := x }`
    ");
}

#[test]
fn a_new_cell_in_a_field() {
    insta::assert_snapshot!(body("a.next := malloc(e, null);"), @"
    not-a-variable @ 2:1: `malloc` gives a value to a variable, not to a field
        2:1-2:7: this is a field
        help: take a local: `atomic { x := malloc(...); a.next := x }`
    ");
}

#[test]
fn a_condition_of_havoc() {
    insta::assert_snapshot!(body("x := choose(int) where x;"), @"
    type-mismatch @ 2:24: expected a truth value, found a number
        2:24-2:25: this is a number (`int`)
        help: compare it with something, for example `x == 1`
    ");
}

#[test]
fn a_formula_that_is_a_number() {
    insta::assert_snapshot!(formula("x + y"), @r"
    type-mismatch @ 3:1: expected a truth value, found a number
        3:1-3:6: this is a number (`int`)
        help: compare it with something, for example `x == 1`
    ");
}

#[test]
fn an_initial_value_of_another_type() {
    insta::assert_snapshot!(file("var x: int = true; set Threads  process thread for self in Threads { var y: set of int = 3; skip; } invariant t: true;"), @"
    type-mismatch @ 1:14: expected a number, found a truth value
        1:14-1:18: this is a truth value (`bool`)
    type-mismatch @ 1:90: expected a set of numbers, found a number
        1:90-1:91: this is a number (`int`)
        help: for the set with this one element, write `{...}` around it
    ");
}

#[test]
fn an_assumption_that_is_no_formula() {
    insta::assert_snapshot!(file("var x: int; assume x; set Threads  process thread for self in Threads { skip; } invariant t: true;"), @"
    type-mismatch @ 1:20: expected a truth value, found a number
        1:20-1:21: this is a number (`int`)
        help: compare it with something, for example `x == 1`
    ");
}
