/**
 * The grammar of `docs/language.md`, for editors that colour and fold with tree-sitter.
 *
 * The rules have the names that they have in the book. It is more lenient than `ser`: what a file is a
 * model of decides which words mean something, and that is no matter of grammar; nor is the `;` between two
 * statements, which only the `}` before it makes optional. `ser check` is exact, and has better messages.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

// From loose to tight.
const ASSIGN = 1;
const EQUIVALENCE = 2;
const IMPLICATION = 3;
const DISJUNCTION = 4;
const CONJUNCTION = 5;
const COMPARISON = 6;
const RANGE = 7;
const SUM = 8;
const PRODUCT = 9;
const PREFIX = 10;
const POSTFIX = 11;

const list1 = (rule) => seq(rule, repeat(seq(",", rule)), optional(","));
const list = (rule) => optional(list1(rule));

module.exports = grammar({
  name: "ser",

  extras: ($) => [/\s/, $.line_comment, $.block_comment],

  word: ($) => $.identifier,

  supertypes: ($) => [$.expression, $.type, $.item],

  inline: ($) => [$._typed],

  conflicts: ($) => [
    [$.type_name, $._bound],
    // `(N) .. 3` starts like `(N, M)`.
    [$.expression, $.type_name],
    [$.expression, $._bound],
    // `name: { x }` and `=> { x }`: a block, or a set.
    [$.block, $.set],
    // `invariant safe(i): c` starts like `invariant safe(i)`, `invariant (i): c` like `invariant (i)`.
    [$.thread, $.expression],
    [$.conjunct, $.set],
  ],

  rules: {
    program: ($) => repeat(choice($.item, ";", ",")),

    item: ($) =>
      choice(
        $.use,
        $.use,
        $.constant,
        $.initial_value,
        $.variable,
        $.lock,
        $.enumeration,
        $.record,
        $.alias,
        $.function,
        $.request,
        $.set_of_processes,
        $.message,
        $.process,
        $.assumption,
        $.reach,
        $.deadlock,
        $.invariant,
        $.proof,
      ),

    use: ($) => seq("use", field("path", $.string)),
    use: ($) => seq("use", field("file", $.string)),
    constant: ($) => seq("const", field("name", $.identifier), "=", field("value", $.expression)),
    initial_value: ($) => seq(field("name", $.identifier), ":=", field("value", $.expression)),
    lock: ($) => seq("lock", field("name", $.identifier), optional(seq(":", "[", field("index", $.type), "]"))),
    enumeration: ($) => seq("enum", field("name", $.identifier), "{", list1(field("member", $.identifier)), "}"),
    record: ($) => seq("record", field("name", $.identifier), "{", list1($.field), "}"),
    field: ($) => seq(field("name", $.identifier), $._typed),
    alias: ($) => seq("type", field("name", $.identifier), "=", field("type", $.type)),
    function: ($) =>
      seq(
        "fn",
        field("name", $.identifier),
        optional(seq("(", list(alias($.function_parameter, $.parameter)), ")")),
        optional(seq(":", field("result", $.type))),
        choice(field("body", $.block), seq("=", field("body", $.expression))),
      ),
    function_parameter: ($) => seq(field("name", $.identifier), optional($._typed)),
    request: ($) => seq("request", field("name", $.identifier), optional($.parameters), field("body", $.block)),
    parameters: ($) => seq("(", list($.parameter), ")"),
    parameter: ($) => seq(field("name", $.identifier), $._typed),
    set_of_processes: ($) =>
      seq(choice("set", "index"), field("name", $.identifier), optional(seq(choice(">=", "=="), $.number))),
    message: ($) =>
      seq("msg", field("name", $.identifier), "=", $.constructor, repeat(seq("|", $.constructor))),
    constructor: ($) => seq(field("name", $.identifier), optional(seq("(", list($.type), ")"))),
    process: ($) =>
      seq(
        optional("server"),
        "process",
        field("name", $.identifier),
        optional($.parameters),
        optional(seq("for", field("member", $.identifier), "in", field("set", $.identifier))),
        field("body", $.block),
      ),

    assumption: ($) => seq("assume", $.expression),
    reach: ($) =>
      seq("reach", optional(seq(field("name", choice($.string, $.identifier)), ":")), $.expression),
    deadlock: (_) => "deadlock",
    invariant: ($) =>
      seq(
        "invariant",
        choice(
          $.expression,
          seq(field("name", $.string), ":", $.expression),
          seq($._head, choice(seq(":", $.expression), seq("{", optional($._conjuncts), "}"))),
          prec.dynamic(1, seq("{", $._conjuncts, "}")),
        ),
      ),
    _head: ($) =>
      choice(
        seq(field("name", $.identifier), optional(seq("(", list($.thread), ")"))),
        seq("(", list($.thread), ")"),
      ),
    thread: ($) => $.identifier,
    _conjuncts: ($) => seq($.conjunct, repeat(seq(";", $.conjunct)), optional(";")),
    conjunct: ($) => seq(optional(seq(field("name", $.identifier), ":")), $.expression),
    proof: ($) => seq("proof", optional("acyclic"), "{", repeat($.entry), "}"),
    entry: ($) =>
      seq(
        field("invariant", $.identifier),
        optional(seq(optional("follows"), "from", $._supports)),
        choice(";", seq("{", repeat($.case_of_proof), "}", optional(";"))),
      ),
    case_of_proof: ($) =>
      prec.right(
        seq("at", $._places, optional(choice("self", "other")), "use", $._supports, optional(";")),
      ),
    _supports: ($) => seq($.support, repeat(seq(",", $.support))),
    support: ($) => seq($.identifier, optional(seq(".", $.identifier))),
    _places: ($) => seq($.place_range, repeat(seq(",", $.place_range))),
    place_range: ($) => seq($.place, optional(seq("..", $.place))),
    place: ($) => seq($.identifier, optional(seq(".", $.identifier))),

    variable: ($) =>
      prec.right(
        seq(
          optional("ghost"),
          "var",
          field("name", $.identifier),
          choice(
            seq($._typed, optional(seq("=", field("value", $.expression)))),
            seq("=", field("value", $.expression)),
          ),
        ),
      ),
    _typed: ($) => seq(choice(":", "in"), field("type", $.type)),

    type: ($) =>
      choice(
        $.primitive_type,
        $.type_name,
        $.range,
        $.bits_type,
        $.set_type,
        $.queue_type,
        $.array_type,
        $.tuple_type,
      ),
    primitive_type: (_) => choice("int", "bool"),
    type_name: ($) => $.identifier,
    range: ($) => prec.left(RANGE, seq(field("low", $._bound), "..", field("high", $._bound))),
    _bound: ($) => choice($.identifier, $.number, $.boolean, $.unary, $.binary, $.field_expression, $.call, $.group),
    bits_type: ($) => prec(PREFIX, seq("bits", $.expression)),
    set_type: ($) => seq("set", "of", $.type),
    queue_type: ($) => seq("queue", "[", $.expression, "]", "of", $.type),
    array_type: ($) => seq("[", field("index", $.type), "]", "of", field("elements", $.type)),
    tuple_type: ($) => seq("(", list1($.type), ")"),

    block: ($) => prec.dynamic(1, seq("{", optional($._sequence), "}")),
    _sequence: ($) => repeat1(choice($.statement, ";")),
    // Where a block may stand, `{ x }` is one, and not a set.
    statement: ($) =>
      prec.right(
        1,
        choice(
          seq(optional(seq(field("label", $.identifier), ":")), $.expression, optional($.ghost)),
          seq(field("label", $.identifier), ":", $.block),
        ),
      ),
    ghost: ($) => seq("ghost", $.block),

    expression: ($) =>
      choice(
        $.assignment,
        $.binary,
        $.unary,
        $.index_expression,
        $.field_expression,
        $.call,
        $.tuple,
        $.group,
        $.set,
        $.list,
        $.identifier,
        alias($._word, $.identifier),
        $.number,
        $.boolean,
        $.coin,
        $.choose,
        $.either,
        $.receive,
        $.send,
        $.variable,
        $.skip,
        $.yield,
        $.abort,
        $.break,
        $.continue,
        $.return,
        $.claim,
        $.await,
        $.atomic,
        $.acquire,
        $.with,
        $.if,
        $.while,
        $.loop,
        $.for,
        $.quantified,
        $.match,
      ),

    assignment: ($) =>
      prec.right(ASSIGN, seq(field("place", $.expression), ":=", field("value", $.expression))),
    binary: ($) =>
      choice(
        ...[
          [EQUIVALENCE, ["<->"]],
          [DISJUNCTION, ["||", "or"]],
          [CONJUNCTION, ["&&", "and"]],
          [COMPARISON, ["==", "!=", "<", "<=", ">", ">=", "subset"]],
          [SUM, ["+", "-"]],
          [PRODUCT, ["*", "/", "%"]],
        ].map(([level, signs]) => {
          const operator = field("operator", signs.length > 1 ? choice(...signs) : signs[0]);
          return prec.left(level, seq(field("left", $.expression), operator, field("right", $.expression)));
        }),
        prec.left(
          COMPARISON,
          seq(
            field("left", $.expression),
            field("operator", "in"),
            field("right", choice($.expression, $.range)),
          ),
        ),
        prec.right(
          IMPLICATION,
          seq(field("left", $.expression), field("operator", "->"), field("right", $.expression)),
        ),
      ),
    unary: ($) => prec(PREFIX, seq(field("operator", choice("-", "!", "not")), $.expression)),
    index_expression: ($) =>
      prec(POSTFIX, seq(field("of", $.expression), "[", field("index", $.expression), "]")),
    field_expression: ($) => prec(POSTFIX, seq(field("of", $.expression), ".", field("field", $.identifier))),
    call: ($) => prec(POSTFIX, seq(field("function", $.identifier), "(", list($.argument), ")")),
    // `at(i, wait..crit)` has places for arguments.
    argument: ($) => seq(optional(seq(field("name", $.identifier), ":")), choice($.expression, $.range)),
    tuple: ($) => seq("(", $.expression, ",", list($.expression), ")"),
    group: ($) => seq("(", $._sequence, ")"),
    set: ($) => seq("{", list($.expression), "}"),
    list: ($) => seq("[", list($.expression), "]"),

    choose: ($) =>
      prec.right(seq("choose", "(", $.type, ")", optional(seq("where", $.expression)))),
    either: ($) => prec.right(POSTFIX, seq("choose", $.block, optional($._alternatives))),
    _alternatives: ($) => prec.right(POSTFIX, seq("or", $.block, optional($._alternatives))),
    receive: ($) => prec.right(RANGE, seq("recv", field("message", $.identifier), optional(seq("from", $.expression)))),
    send: ($) => prec.right(RANGE, seq("send", $.expression, "to", $.expression)),
    skip: (_) => "skip",
    yield: (_) => "yield",
    abort: (_) => "abort",
    break: (_) => "break",
    continue: (_) => "continue",
    return: ($) => prec.right(seq("return", optional($.expression))),
    claim: ($) => prec.right(seq(choice("assert", "assume"), $.expression)),
    await: ($) => prec.right(seq("await", $.expression, optional($.block))),
    atomic: ($) => seq("atomic", $.block),
    acquire: ($) => prec(PREFIX, seq(choice("lock", "unlock"), $.expression)),
    with: ($) => seq("with", field("lock", $.expression), $.block),
    if: ($) =>
      prec.right(
        seq("if", $._condition, $.block, optional(seq("else", choice($.if, $.block)))),
      ),
    while: ($) => seq("while", $._condition, $.block),
    _condition: ($) => seq(field("condition", $.expression), optional($.ghost)),
    loop: ($) => seq("loop", $.block),
    quantified: ($) =>
      prec.right(
        seq(
          "for",
          choice("all", "some"),
          field("name", $.identifier),
          "in",
          field("values", $.type),
          ":",
          field("condition", $.expression),
        ),
      ),
    // `all` and `some` may be names of variables.
    for: ($) =>
      seq(
        "for",
        field("name", choice($.identifier, alias(choice("all", "some"), $.identifier))),
        "in",
        field("values", $.type),
        $.block,
      ),
    match: ($) => seq("match", field("value", $.expression), "{", repeat(seq($.case, optional(","))), "}"),
    case: ($) =>
      prec.right(
        seq($._pattern, repeat(seq("|", $._pattern)), "=>", field("body", choice($.block, $.expression))),
      ),
    _pattern: ($) => field("pattern", choice($.expression, $.range)),

    identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*/,
    // Words of processes that are names where they cannot stand: `lock := 1` in a request.
    _word: (_) => prec(-1, choice("atomic", "await", "lock", "recv", "send", "skip", "unlock")),
    number: (_) => /[0-9]+/,
    string: (_) => /"[^"\n]*"/,
    boolean: (_) => choice("true", "false"),
    coin: (_) => "?",
    line_comment: (_) => token(seq("//", /[^\n]*/)),
    block_comment: (_) => token(seq("/*", /[^*]*\*+([^/*][^*]*\*+)*/, "/")),
  },
});
