//! The `.inv` language: a program for any number of threads, invariants, and a proof.
//!
//! ```text
//! file      = { item } ;
//! item      = "system" name ";" | "threads" number ";"
//!           | [ "ghost" ] "global" name { "," name } ":" type [ "=" expr ] ";"
//!           | "assume" expr ";"
//!           | "thread" block | "proc" name "(" [ name ":" type { "," name ":" type } ] ")" [ ":" type ] block
//!           | "let" name [ "(" name { "," name } ")" ] "=" expr ";"                  (* a shorthand in invariants *)
//!           | "invariant" name "(" [ name { "," name } ] ")" ( "=" expr ";" | "{" { [ name ":" ] expr ";" } "}" )
//!           | "proof" [ "acyclic" ] "{" { entry } "}" ;
//! type      = scalar | "bool" | "set" "<" scalar ">" ;       scalar = "int" | "tid" | "addr" | "elem" ;
//! block     = "{" { local | statement } "}" ;                          (* locals first, in `thread` and `proc` only *)
//! local     = [ "ghost" ] "local" name { "," name } ":" type [ "=" expr ] ";" ;
//! statement = "label" name block | [ name ":" ] base ;
//! base      = ( action | "skip" ";" | "noncritical" ";" | "critical" ";" | "atomic" actions
//!             | [ place ":=" ] "call" name "(" [ expr { "," expr } ] ")" ";" | "return" [ expr ] ";" ) [ "ghost" actions ]
//!           | "if" expr [ "ghost" actions ] block [ "else" ( block | if-statement ) ]
//!           | "while" expr [ "ghost" actions ] block | "loop" block | "choice" block { "or" block } ;
//! actions   = "{" { action } "}" ;
//! action    = place ":=" ( expr | "havoc" [ "where" expr ] | "malloc" "(" expr "," expr ")" ) ";"
//!           | "await" expr ";" | "assert" expr ";" | "lock" expr ";" | "unlock" expr ";" | "skip" ";"
//!           | "if" expr actions [ "else" ( actions | if-action ) ] ;                       (* in `atomic` and `ghost` *)
//! place     = name | expr "." field ;                                             field = "next" | "data" | "lockid" ;
//! expr      = number | "true" | "false" | "null" | "nobody" | "lowest" | "highest" | "me"
//!           | name [ "[" name "]" ] | name "." name "[" name "]" | expr "." field
//!           | "at" "(" name "," places ")" | "{" [ expr { "," expr } ] "}" | "(" expr ")"
//!           | ( "min" | "max" | "addr2set" | "set2elem" ) "(" expr ")" | ( "reach" | "ordered" ) "(" expr "," expr ")"
//!           | name "(" name { "," name } ")"                                                  (* a `let` *)
//!           | ( "-" | "!" | "not" ) expr | expr operator expr ;
//! operator  = "<->" | "->" | "||" | "or" | "&&" | "and" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "subset"
//!           | "+" | "-" | "*" ;                                                       (* weakest first *)
//! places    = range { "," range } ;          range = where [ ".." where ] ;         where = name [ "." name ] ;
//! entry     = name [ "follows" ] [ "from" support { "," support } ] ( ";" | "{" { case } "}" ) ;
//! case      = "at" places [ "self" | "other" ] "use" support { "," support } ";" ;
//! support   = name [ "." name ] ;
//! ```
//!
//! (The rest of this text, and the functions, come with the parser.)

pub mod ast;

pub use ast::System;
