//! A bank whose accounts have a lock each, after listings 1.9 and 1.10 of the paper.
//!
//! *Serializable*: two-phase locking, as in the family of that name.
//!
//! *Broken*: `transfer_0` takes no locks and pauses between withdrawal and deposit. Accounts 0 and
//! 1 start with 1 each, so with one `transfer_0` and one `check_0`, serially the check finds 2 in
//! them, before and after. In between it finds 1.
//!
//! In the broken variant a deposit waits for room, so that balances stay between 0 and 2.

use super::{Program, Variant, acquire, body, release};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "A bank: accounts in a ring, each with a lock and a balance from 0 to FULL. `transfer_i`
             moves 1 from account i to the next if it can, `check_i` responds what is in the two.

             Why it holds: both work with both locks in their hands, taken in the order of numbers."
        }
        Variant::Broken => {
            "A bank: accounts in a ring, each with a lock and a balance from 0 to FULL. `transfer_i`
             moves 1 from account i to the next if it can, but takes no locks; `check_i` responds
             what is in the two.

             Why it breaks: while `transfer_0` pauses between withdrawal and deposit, `check_0`
             finds 1 instead of 2."
        }
    });
    program.items(&["const FULL = 2".into()]);
    let accounts: Vec<String> = (0..n).map(|i| format!("Account{i} := 1")).collect();
    program.items(&accounts);
    for i in 0..n {
        let j = (i + 1) % n;
        let (first, second) = (format!("Lock{}", i.min(j)), format!("Lock{}", i.max(j)));
        let (from, to) = (format!("Account{i}"), format!("Account{j}"));
        program.request(
            &format!("transfer_{i}"),
            &if variant.is_broken() {
                body![
                    format!("if ({from} == 0 || {to} == FULL) {{ return 0 }}"),
                    format!("{from} := {from} - 1"),
                    "yield",
                    format!("while ({to} == FULL) {{ yield }}"),
                    format!("{to} := {to} + 1"),
                    "1"
                ]
            } else {
                body![
                    acquire(&first),
                    "yield",
                    acquire(&second),
                    format!("from := {from}"),
                    format!("to := {to}"),
                    "moved := from > 0 && to < FULL",
                    format!("if (moved) {{ {from} := from - 1; yield; {to} := to + 1 }}"),
                    release(&first),
                    release(&second),
                    "moved"
                ]
            },
        );
        program.request(
            &format!("check_{i}"),
            &body![
                acquire(&first),
                "yield",
                acquire(&second),
                format!("sum := {from}"),
                "yield",
                format!("sum := sum + {to}"),
                release(&first),
                release(&second),
                "sum"
            ],
        );
    }
    program.finish()
}
