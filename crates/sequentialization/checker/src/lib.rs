//! The kernel: replays derivations that turn a protocol into a sequential program.
//!
//! A *protocol* (`.icet`, [`ser_syntax::icet`]) is a set of processes that send each other messages; sets of
//! processes have any number of members. A *derivation* ([`Step`]s) takes statements off the processes, one
//! by one or a whole loop at a time, in one particular order in which every message is received soon after
//! it was sent. If nothing is left in the end, then no process can wait for ever, whatever the sizes of the
//! sets, and what was taken off, in its order, is a sequential program ([`Sequential`]) with the same final
//! states (or more). The idea and most of the rules are those of Bakst, v. Gleissenthall, Kici and Jhala,
//! *Verifying Distributed Programs via Canonical Sequentialization* (OOPSLA 2017); where the rules differ,
//! it is said why.
//!
//! This crate knows nothing of the search that finds derivations. It reads a [`Certificate`], which holds
//! the text of the protocol and a derivation (or a concrete [`Run`] that goes wrong), and replays it.
//!
//! # Why an order may be chosen
//!
//! Fix a run of the protocol and, for each receive in it, whom its message came from. Then every receive
//! reads from one queue, only its owner reads from it, and sends never wait: a network of processes in the
//! sense of Kahn, whose histories do not depend on the order of steps. So a step that is possible now may be
//! taken now: every run has an equal one that takes it first. What remains is whom a receive reads from:
//!
//! - A receive that names its sender, or all of whose messages can come from one single process only, has no
//!   choice.
//! - Otherwise all messages that it can get are sent by the members of one set `S`, by one and the same
//!   statement `t` (the *tag*): *symmetric non-determinism*, checked for the protocol once
//!   ([below](#sources)). Then
//!   1. (*pivot*) if all members of `S` that have `t` still before them are in one and the same state, then the
//!      sender is one of them; it gets a name, and everything that is derived holds for whoever it is. Or
//!   2. (*reply*) if every message of tag `t` to this receiver, anywhere in the derivation, is sent because of
//!      something that the receiver itself did after the last such message that it received, then there is only one
//!      such message at a time, and so no choice.
//!
//! # Symbolic states
//!
//! A state has
//!
//! - for each single process and each unfolded member (a [`Slot`]) its *code*, and for each set of processes
//!   the code of all members that are not unfolded. Code is a list of items: a statement of the protocol, a
//!   *postponed send* (tag, type, receiver = a single process, ghost of the owner), or the marker *stop* at the end
//!   of an iteration. A `loop` or `while` that is entered puts its body in front of itself; `break` drops everything up
//!   to and with the statement that it leaves. Two codes are equal if their items are.
//! - for each variable of each [`Cell`] an abstract value: a constant (int, bool, enum), the address of a single
//!   process, of the member with some symbol or, in the cell of a set, of the member *itself*; a message with known
//!   constructor and abstract fields; a *choice* (numbered) of several constructors, each with abstract fields; an
//!   *unknown* (numbered: the same number is the same value); or, only in cells of sets, *top* (anything, another one
//!   for every member). Variables that were never assigned have no value. Ghosts have values like variables.
//! - *queues*: for each pair of slots and type the messages under way, oldest first; a message is a tag, a ghost
//!   of its sender, its abstract value, and whom it *knows of*.
//! - *bags*: [`Bag`], tag, sender (a single process or a set), receiver (a single process), type, the set that says how
//!   many messages there are, and an abstract value that covers all of them.
//! - for each slot whom it *knows of*: slots whose steps in the current frame it has heard of.
//! - for each set of processes whether it is *whole*: all members that are not unfolded are at the code of the set. Every set is
//!   at the start; it is not inside a loop or turn that moves its members on, nor in the frames inside a frame in which a member of it is unfolded.
//!   At most one member of a set is unfolded at any time.
//! - the sequential program so far.
//!
//! Symbols of members of one set may name the same member: whether two different symbols are equal is unknown;
//! symbols of different sets, and a symbol and a single process, are different.
//!
//! A *frame* is the derivation itself, the body of a [`Step::Loop`] or of a [`Step::Each`].
//!
//! # Evaluation
//!
//! Three-valued: operators on constants give constants (an overflow gives a new unknown); `==` and `!=` of equal abstract values
//! (same number, same symbol) is decided, of messages field by field, of a constant and a choice if no case of the
//! choice fits; `&&` and `||` are decided by one side; everything else gives a new unknown. A message whose fields are unknown is
//! still a message. A variable without a value is a new unknown whenever it is read. Two indices are equal if they have the same symbol, and nothing else is
//! known about them (not even if their sets differ: they are numbers).
//!
//! # Sources
//!
//! Every `send` is a tag with an owner (its process), a type and possible receivers: a single process; the set `S`
//! if the address has the type `pid in S` (so also a loop variable, `self` of a member and the like); anybody if it is a
//! `pid` that is no name. For a receive of type `T` by the process `r` (single or a set) the tags are the sends of type `T` whose
//! receivers can be `r` (or a member of it) and whose owner fits the source that is written. A receive
//! - `from` an expression reads from that process;
//! - all of whose tags are owned by one single process reads from it;
//! - with exactly one tag, owned by a set, reads from this set;
//! - without any tag never ends;
//! - in all other cases is a *race*: the protocol is rejected. (Only a literal send to oneself is not counted. Sends from members of a set to members of
//!   the same set are.)
//!
//! # Rules
//!
//! **[`Step::Run`]** of a slot, by its first item:
//! - assignment, `any` (a new unknown), `skip`: the variable changes; the statement goes to the sequential program.
//! - `assert`: as a statement to the sequential program, `holds` if the condition is decided and true. `fail`: never `holds`.
//! - `send`: the address must be that of a single process or of an unfolded member, and not the sender's own (such sends are no tags, see [Sources](#sources)). `g := payload` goes to the
//!   sequential program, with `g` a new ghost of the sender: the value is the one of now, whatever is assigned later. The message is
//!   put at the end of its queue and knows of its sender and everybody that the sender knows of. The queue must not
//!   be *frozen* (see Loop), and there must be no bag from this sender to this receiver of this type. A postponed send is the same, without a new ghost, and its message knows of nobody: it was sent before, so nothing that its sender has done since is its cause.
//!   The kernel notes the tag as *told* if the sender did not know of the receiver.
//! - receive that reads from one process, whose queue has a message (not frozen, no bag of that sender): the oldest is taken, the variables of
//!   the pattern are assigned (a constructor pattern needs a value with a known, fitting constructor, or a type with only one), and the receiver knows of
//!   everybody that the message knows of.
//! - `if`, `match`, `while` whose condition is decided: replaced by the code of the case (`match` also assigns its variables). `loop`, `break`, as said.
//! - `pick`: not with `Run`, but with **[`Step::Pick`]**: the symbol is new, a member of the set, which must not be empty ([below](#sets-that-may-be-empty)).
//!
//! **[`Step::Take`]**: the first item is a receive that reads from the set `S` with tag `t`; `from` is the unfolded member `u` of `S`; the queue from `u` has a
//! message. No bag of that type to this receiver. Allowed as
//! - pivot: either the current frame is an `Each`, `u` is its member, and there was no pivot yet in this turn; or `u` was unfolded in the current frame with
//!   `sender_to` this slot for this very receive (then this is the pivot of `u`, its only one). The frame notes `t` as the pivot of `u`. A member that was unfolded by its name
//!   has no pivot: the order in which a loop names the members is not the order in which somebody else hears of them.
//! - reply: (if it is no pivot) the message knows of the receiver, no other queue holds a message of this type for the receiver. The kernel notes
//!   the tag as *reply*. From now on nobody (no slot, no message, also in the frames around this one) knows of this receiver.
//!
//! In the end no tag may be both *told* and *reply*, and if there are replies then no server may be *active* ([below](#the-end)).
//! A pivot is looked for first.
//!
//! **[`Step::Unfold`]** of `u`, of the set `S`, no member of which is unfolded: `u` gets the code of the set and its variables (*itself* becomes `u`, every top a new
//! unknown, every choice a new number), and knows of nobody.
//! - without `sender_to`: `u` is a symbol that is there already (loop variable, picked). Either `S` is whole, or `S` is the set of the loop that is the current
//!   frame, that loop has [`Advance::Named`], and `u` is the symbol of its first slot.
//! - with `sender_to`: `u` is new; the first item of that slot is a receive that reads from `S`; no queue has a message of that type for it from `S`, no bag either.
//!   Either `S` is whole and not empty, and then `pick u in S` goes to the sequential program; or `S` is the set of the loop that is the current frame
//!   and that loop has [`Advance::Sender`] with this `u`.
//!
//! **[`Step::Fold`]**: the unfolded `u` was unfolded in this frame and is not the member that moves on in it, has the code of its set, no queue from or to it has messages. If it was unfolded with
//! `sender_to`, that message was taken (else the next one that is chosen this way would be the sender of the same message). In the cell of the set, variables that `u` has assigned to since it
//! was unfolded become the join of what was there and what `u` has; all others stay.
//! Nobody knows of `u` any more: another name may mean the same member, and get a reply under that name.
//!
//! **[`Step::Fork`]**: each arm starts with the state in which the case was chosen: `if x == c`/`if x`/`if !x`/`match x` also refine: an unknown or a choice that is compared
//! with a constant, enum, bool or constructor becomes this value *everywhere* in the state in the arm where it holds; in the other arm a case of a choice
//! that cannot be is dropped (and if only one is left, it is known). A match on an unknown has an arm for each constructor of its type, with new unknowns as fields; one
//! on a choice for each of its cases. All arms must end with the same codes, the same unfolded members, queues of the
//! same tags, the same bags; a member that was unfolded in the arms is folded in them, or was unfolded in all of them by a name that was bound before. The states are joined: equal values stay; different constructors become a new
//! choice (fields joined case by case; at most 16 cases); anything else, and everything that mentions a symbol that was bound in an arm, a new unknown.
//! Members that are unfolded at the end were chosen alike in all arms (`sender_to`, and whether it was taken), and the arms have drawn from the same bags. Messages under way get one ghost for both (assigned at the end of each arm where they differ). Everybody knows of those that he knows of in all arms.
//!
//! **[`Step::Loop`]**: the first item of every one of `slots` is a `for` over the same set `D`. In the frame each has the body of its loop and then *stop* as its code, and its loop variable
//! is its symbol. With indices all symbols are the same one. With `Named` and `Sender`, `D` is a set of processes that is whole and of which nobody is unfolded; it is not whole
//! inside. Queues that hold messages are frozen: nobody sends to or receives from them inside. Nobody knows of anybody. Variables in `havoc` are new unknowns
//! (top in cells of sets). `draws` are bags whose count is `D`; each is drawn from exactly once in the frame. At the end of the frame
//! - every one of `slots` is at *stop*, all other slots and sets have the code that they had;
//! - with `Named` or `Sender(u)`, the member `x` (the first symbol, or `u`) is unfolded and still is at the end, with some code `C`; if it was unfolded with `sender_to`, that message was taken; it has at least one statement less than before (a
//!   postponed send counts as one, a statement with a block as itself and all inside). Messages that it sent to single processes and that are still under way become postponed sends
//!   in front of `C`, ordered by receiver, then type, then age. Neither `C` nor these sends contain the tag of its pivot. Afterwards the set has this code and the values of `x`
//!   (`x` becomes *itself*; symbols and unknowns that are new in the frame become top);
//! - members unfolded in the frame are folded, but for `x` and members that have the code of their set and messages in `leaves`, which are folded then;
//! - all queues are as they were, but for what was postponed and what is in `leaves`: exactly one message of each, in the frame that is the derivation itself only, to a single
//!   process; there must be no bag yet with this sender (or its set), receiver and type, and the receiver must not have received a message of this type from this sender (or its set) anywhere in the frame, as in
//!   later iterations what earlier ones have left comes first. It becomes a bag with the count `D`. `Put` goes to the sequential program at the end of the body;
//! - every variable that was assigned in the frame and is not in `havoc` has the value that it had at the start of the frame (a cell of a set too). (Loop variables, variables of members unfolded in the frame and ghosts do not matter.)
//!
//! The sequential program gets `for s in D { ... }`, `s` being the first symbol, or `u`; the other symbols, and with `Sender` also the first, are picked at its start (`pick`), and every loop variable
//! is assigned. Afterwards the slots are behind their loops, drawn bags are gone, and the variables in `havoc` are new unknowns (top in sets; but for the set that was advanced).
//!
//! **[`Step::Draw`]** in a loop with the bag in `draws`, whose `slots` contain this slot: the first item is a receive of the bag's type by the bag's receiver, which reads from the bag's sender. If the sender is a set, no code of
//! anybody contains the tag any more, and no queue has such a message. The value is that of the bag with new unknowns for its tops.
//!
//! **[`Step::Each`]** of a set of processes `S` that is whole and of which nobody is unfolded: as a loop with [`Advance::Named`], but without `slots`, bags and leaves; the member is unfolded at the start. Everybody else has its code of before at the end.
//! The sequential program gets `for u in S { ... }`.
//!
//! ## Sets that may be empty
//! `pick`, and unfolding with `sender_to` from a whole set, need a member: the set is declared with `>= 1`, or one of the frames is a loop over it or its `Each`.
//!
//! # The end
//!
//! No queue has messages, there are no bags, no member is unfolded. Every process that is no `server` has no code. A server has none either, or its first item is a `loop` or a receive. It is
//! *active* if it is a `loop` that does not begin with a receive (looking into nested `loop`s). There is at least one process that is no server.
//!
//! The result is the sequential program, the assertions of which it is not known whether they hold, and servers that nobody ever talked to or that are active. If a server is active, it goes on with
//! values that nobody has looked at, and may wake up other servers: then nothing is known about the assertions in the code that any server has left, nor about receives there that may get another
//! constructor than they expect.
//!
//! # Limits
//!
//! Work is counted, values have a largest size, and loops and arms are nested only so deep: a derivation that asks for more is refused.

pub mod assertions;
mod check;
mod code;
pub mod derivation;
mod evaluate;
mod interpreter;
mod join;
mod kernel;
mod refine;
mod rejection;
mod replay;
mod rules;
pub mod run;
pub mod sequential;
pub mod sources;
mod state;
mod value;

pub use check::{ReadError, Verdict, check, read};
pub use derivation::{Advance, Bag, Cell, Leave, Loop, Slot, Step, Symbol};
pub use interpreter::replay_run;
pub use rejection::{Part, Path, Reason, Rejection};
pub use replay::{Left, Outcome, Prefix, UnderWay, replay, replay_prefix};
pub use run::Run;
pub use sequential::Sequential;

use serde::{Deserialize, Serialize};

/// What [`Certificate::format`] says.
pub const FORMAT: &str = "ser-protocol";

/// What [`Certificate::version`] says.
pub const VERSION: u32 = 1;

/// A protocol and what is known about it, with everything that is needed to check it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Certificate {
    /// Always `ser-protocol`.
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The text of the protocol.
    pub source: String,
    /// What is claimed, and why.
    pub claim: Claim,
}

/// What a certificate claims.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// It can be sequentialized, so no process waits for ever.
    Sequentialized {
        /// How.
        derivation: Vec<Step>,
        /// Statements `assert` and `fail`, by number, about which nothing is claimed; all others hold.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unproved: Vec<u32>,
    },
    /// This run goes wrong.
    Refuted(Run),
}
