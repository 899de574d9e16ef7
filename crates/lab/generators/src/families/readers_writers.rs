//! Readers and writers of n cells.
//!
//! Writers write one value to all cells, one by one; readers read all cells, one by one, and
//! respond the value, or 2 if the cells differ.
//!
//! *Serializable*: a lock for one writer or two readers. No cell changes while a reader is on its
//! way, and nobody reads while a writer is.
//!
//! *Broken*: readers do not lock. A writer has written 1 to the first cell and pauses; a reader
//! finds 1, then 0 in the next (n is at least 2), and responds 2. Serially all cells are equal.
//!
//! The number of readers is 0, 1 or 2. Leaving sets it to 1 or 0 instead of subtracting, so that it
//! has three values even for an analysis that does not see that who leaves has entered.

use super::{Program, Variant, body};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "Writers write a value to all cells, one by one; readers read all cells, one by one, and
             respond the value, or TORN if the cells differ. A lock lets in one writer or up to two
             readers.

             Why it holds: no cell changes while a reader is on its way, and nobody reads while a
             writer is."
        }
        Variant::Broken => {
            "Writers write a value to all cells, one by one; readers read all cells, one by one, and
             respond the value, or TORN if the cells differ. Writers lock each other out, but readers
             forget to lock.

             Why it breaks: a reader comes while a writer is half way, and responds TORN. Serially
             all cells are equal."
        }
    });
    program.items(&["const TORN = 2".into()]);
    let broken = variant.is_broken();
    let mut read = Vec::new();
    if !broken {
        read.extend(body![
            "while (Writing == 1 || Readers == 2) { yield }",
            "Readers := Readers + 1"
        ]);
    }
    read.push("seen := Cell1".into());
    for i in 2..=n {
        read.extend(body!["yield", format!("if (Cell{i} != seen) {{ seen := TORN }}")]);
    }
    if !broken {
        read.push("if (Readers == 2) { Readers := 1 } else { Readers := 0 }".into());
    }
    read.push("seen".into());
    program.request("read", &read);

    let others = if broken { "Writing == 1" } else { "Writing == 1 || Readers > 0" };
    let mut write =
        body![format!("while ({others}) {{ yield }}"), "Writing := 1", "Cell1 := value"];
    for i in 2..=n {
        write.extend(body!["yield", format!("Cell{i} := value")]);
    }
    write.extend(body!["Writing := 0", "value"]);
    program.request("write(value in 0..1)", &write);
    program.finish()
}
