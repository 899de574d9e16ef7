//! Programs that tests of several crates speak of.

/// A lock that knows nothing of its owner.
pub const FLAG_LOCK: &str = "\
var taken: bool = false;
set Threads  process thread for self in Threads {
    loop {
        take: atomic { await !taken; taken := true; }
        crit: {
            skip;
            leave: taken := false;
        }
    }
}
invariant held(i): at(i, crit) -> taken;
invariant mutex(i, j): i != j -> !(at(i, crit) && at(j, crit));
";

/// The ticket lock with nothing but its goal.
pub const TICKET_LOCK: &str = "\
var avail: int = 0; var serving: int = 0;
set Threads  process thread for self in Threads {
    var ticket: int = 0;
    loop {
        take: atomic { ticket := avail; avail := avail + 1; }
        wait: await serving == ticket;
        leave: serving := serving + 1;
    }
}
invariant mutex(i, j): i != j -> !(at(i, leave) && at(j, leave));
";

/// A cell that is read while somebody else may have taken it away.
pub const SHARED_CELL: &str = "\
var top: addr = null;
set Threads  process thread for self in Threads {
    var mine: addr = null;
    var value: elem = lowest;
    loop {
        choose {
            make: mine := malloc(value, top);
            push: top := mine;
        } or {
            pop: await top != null;
            read: value := top.data;
            drop: top := null;
        }
    }
}
invariant found(i): at(i, read, drop) -> top != null;
";

/// A ticket lock whose numbers grow forever. The response tells whether somebody else was inside.
pub const TICKET_REQUESTS: &str = "request enter {
    ticket := Next;
    Next := ticket + 1;
    while (Serving != ticket) { yield };
    crowded := Inside;
    Inside := 1;
    yield;
    Inside := 0;
    Serving := ticket + 1;
    crowded
}
";
