// The grammar, run by the same library that VS Code uses.

import assert from "node:assert/strict";
import * as path from "node:path";
import * as fs from "node:fs";
import { before, describe, test } from "node:test";
import * as oniguruma from "vscode-oniguruma";
import { type IGrammar, INITIAL, parseRawGrammar, Registry } from "vscode-textmate";
import { EXTENSION, invariantFiles, manifest, models, programs, read, REPOSITORY } from "./root";

let grammar: IGrammar;
/** The grammar for unwindings; it takes much from the one for programs. */
let unwindings: IGrammar;

before(async () => {
  const wasm = path.join(path.dirname(require.resolve("vscode-oniguruma")), "onig.wasm");
  await oniguruma.loadWASM(fs.readFileSync(wasm));
  const files = new Map(manifest().contributes.grammars.map((g) => [g.scopeName, path.join(EXTENSION, g.path)]));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = files.get(scope);
      return file === undefined ? null : parseRawGrammar(read(file), file);
    },
  });
  const load = async (scope: string): Promise<IGrammar> => {
    const loaded = await registry.loadGrammar(scope);
    assert.ok(loaded, scope);
    return loaded;
  };
  grammar = await load("source.ser");
  unwindings = await load("source.ser.unw");
});

interface Token {
  text: string;
  /** The innermost scope, without `.ser`. */
  scope: string;
  scopes: string[];
  line: number;
}

function tokens(text: string, by: IGrammar = grammar): Token[] {
  let state = INITIAL;
  return text.split("\n").flatMap((line, index) => {
    const result = by.tokenizeLine(line, state);
    state = result.ruleStack;
    return result.tokens
      .map(({ startIndex, endIndex, scopes }) => ({
        text: line.slice(startIndex, endIndex),
        scope: (scopes.at(-1) ?? "").replace(/\.ser$/, ""),
        scopes,
        line: index + 1,
      }))
      .filter((token) => token.text.trim() !== "");
  });
}

/** Pairs of a text and its scope, without brackets and separators. */
function scopes(text: string, by: IGrammar = grammar): [string, string][] {
  return tokens(text, by)
    .filter((token) => !token.scope.startsWith("punctuation.s"))
    .map((token) => [token.text.trim(), token.scope]);
}

const KEYWORDS: Record<string, string> = {
  abort: "keyword.control.abort",
  and: "keyword.operator.logical",
  assume: "keyword.control.assume",
  choose: "keyword.other.choose",
  const: "storage.type.const",
  else: "keyword.control.conditional",
  if: "keyword.control.conditional",
  in: "keyword.other.in",
  not: "keyword.operator.logical",
  or: "keyword.operator.logical",
  request: "storage.type.request",
  return: "keyword.control.return",
  while: "keyword.control.loop",
  assert: "keyword.control.assert",
  break: "keyword.control.loop",
  continue: "keyword.control.loop",
  false: "constant.language.boolean",
  for: "keyword.control.loop",
  loop: "keyword.control.loop",
  match: "keyword.control.conditional",
  true: "constant.language.boolean",
  with: "keyword.control.with",
  yield: "keyword.control.yield",
  exit: "invalid.illegal.reserved",
};

function lexerWords(): string[] {
  const lexer = read(REPOSITORY, "crates/language/syntax/src/lexer.rs");
  const words = [...lexer.matchAll(/^ {4}\("([a-z]+)", TokenKind::/gm)].map((match) => match[1] ?? "");
  assert.ok(words.length > 10, "the table of words in the lexer");
  const parser = read(REPOSITORY, "crates/language/syntax/src/parser.rs");
  const reserved = /const RESERVED[^[]*\[&str; \d+\] =\s*\[([^\]]*)\]/.exec(parser)?.[1] ?? "";
  const more = [...reserved.matchAll(/"([a-z]+)"/g)].map((match) => match[1] ?? "");
  assert.ok(more.length > 5, "the reserved words in the parser");
  return [...words, ...more];
}

/** The words in the grammar at the top of a parser. */
function grammarWords(file: string): string[] {
  const text = read(REPOSITORY, "crates/language/syntax/src", file);
  const grammar = /```text\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
  const words = new Set([...grammar.matchAll(/"([a-z]+)"/g)].map((match) => match[1] ?? ""));
  assert.ok(words.size > 10, `the grammar in ${file}`);
  return [...words];
}

/** Where words are told from names only by what stands around them, each stands in one of these. */
const PROCESSES = `
enum Vote { none, yes }; const N = 2
var Q: queue[N] of 0..3  var V: Vote  var B: bool  var W: bits 8 = 3
process Put(id in 0..1) {
    for _ in 1..N { await(len(Q) < 2) { send id to Q } }
    while (not B) { x := recv Q; if (x == 1) { skip } else { return } }
    choose { atomic { V := yes } } or { x := x + 1 }
}
reach "both // of them": done(Put(1)) && V == yes  invariant small: N == 2`;
const WORDS_OF_PROCESSES = ["process", "queue", "of", "bits", "await", "len", "send", "to", "recv", "skip", "atomic",
  "reach", "done", "invariant"];
const UNWINDING = `
enum Vote { none, yes }; const N = 2
place p : 0..N, Vote, bits 3  place q : unit  place r : bool
transition t { var y : bool; in p(a, v, n); test q; out r(y); when a < 2 and v == yes }
target t`;

const MESSAGES = `
set Q >= 1; index I; enum Colour { Red, Green }
msg Work = Task(Q, int, bool) | None; // one
server process master { loop { Task(w, _, _) := recv Work from q; send None to w; x := choose(int); } }
process worker for q in Q {
    for i in I { if ? { skip; } else { assert false; } }
    match m { None => { assert self == y; } _ => { } }
}`;

describe("processes, unwindings, messages and threads", () => {
  const both = [
    { name: "unwindings", file: "unwindings.rs", vim: "ser-unw.vim", text: UNWINDING, by: () => unwindings },
  ];
  for (const { name, file, vim, text, by } of both) {
    test(`every word of the grammar of ${name} is one, and nothing is invalid`, () => {
      const found = new Map(scopes(text, by()));
      for (const word of grammarWords(file)) {
        assert.match(found.get(word) ?? "", /^(?:keyword|storage|support)/, word);
      }
      for (const { text: piece, scopes: all, line } of tokens(text, by())) {
        assert.ok(!all.some((s) => s.startsWith("invalid")), `line ${line}: ${piece}`);
      }
    });
    test(`Vim and Emacs know the words of ${name}`, () => {
      const sources = {
        Vim: read(REPOSITORY, "editors/vim/syntax", vim) + read(REPOSITORY, "editors/vim/syntax/ser.vim"),
        Emacs: read(REPOSITORY, "editors/emacs/ser-mode.el"),
      };
      for (const [editor, source] of Object.entries(sources)) {
        const words = new Set(source.replace(/^[";].*$/gm, "").match(/[a-z]+/g));
        grammarWords(file).forEach((word) => assert.ok(words.has(word), `${editor}: ${word}`));
      }
    });
  }

  test("the words of messages are words where they can stand", () => {
    const found = new Map(scopes(MESSAGES));
    for (const word of ["set", "index", "msg", "server", "process", "send", "to", "recv", "from", "skip", "match"]) {
      assert.match(found.get(word) ?? "", /^(?:keyword|storage)/, word);
    }
    for (const { text: piece, scopes: all, line } of tokens(MESSAGES)) {
      assert.ok(!all.some((s) => s.startsWith("invalid")), `line ${line}: ${piece}`);
    }
    assert.equal(new Map(scopes("index := set + msg;")).get("msg"), "variable.other.local");
  });

  test("every word of processes is one, and nothing is invalid", () => {
    const found = new Map(scopes(PROCESSES));
    for (const word of WORDS_OF_PROCESSES) {
      assert.match(found.get(word) ?? "", /^(?:keyword|storage|support)/, word);
    }
    for (const { text: piece, scopes: all, line } of tokens(PROCESSES)) {
      assert.ok(!all.some((s) => s.startsWith("invalid")), `line ${line}: ${piece}`);
    }
    const sources = [read(REPOSITORY, "editors/vim/syntax/ser.vim"), read(REPOSITORY, "editors/emacs/ser-mode.el")];
    for (const source of sources) {
      const words = new Set(source.replace(/^[";].*$/gm, "").match(/[a-z]+/g));
      WORDS_OF_PROCESSES.forEach((word) => assert.ok(words.has(word), word));
    }
  });

  for (const file of invariantFiles()) {
    test(`finds nothing invalid, and a scope for every word, in ${path.basename(file)}`, () => {
      const all = tokens(read(file), grammar);
      assert.ok(all.length > 0);
      for (const { text, scope, scopes, line } of all) {
        assert.ok(!scopes.some((s) => s.startsWith("invalid")), `line ${line}: ${text} is ${scope}`);
        assert.doesNotMatch(scope, /^source/, `line ${line}: ${text} has no scope`);
      }
    });
  }

  test("words are names where they cannot stand", () => {
    for (const word of ["await", "atomic", "skip", "send", "recv", "to", "done", "len", "of", "reach", "process", "invariant",
      "deadlock", "at"]) {
      assert.deepEqual(scopes(`${word} := 1`)[0], [word, "variable.other.local"]);
    }
  });

  test("names of goals, processes, transitions and places are told apart", () => {
    const of = (text: string, by: IGrammar, word: string) => new Map(scopes(text, by)).get(word);
    assert.equal(of(PROCESSES, grammar, '"both // of them"'), "string.quoted.double");
    assert.equal(scopes(PROCESSES).find(([text]) => text === "Put")?.[1], "entity.name.function.process");
    assert.equal(of(UNWINDING, unwindings, "t"), "entity.name.function.transition");
    assert.equal(of(UNWINDING, unwindings, "q"), "entity.name.type.place");
  });

  test("a half-written head does not colour what follows", () => {
    for (const start of ["process", "process P(", "process P(v in 0..", "const A"]) {
      assert.deepEqual(scopes(`${start}\nprocess Q { X }`).slice(-3), [
        ["process", "storage.type.process"],
        ["Q", "entity.name.function.process"],
        ["X", "variable.other.global"],
      ]);
    }
  });

  for (const file of models()) {
    test(`finds nothing invalid, and a scope for every word, in ${path.basename(file)}`, () => {
      const all = tokens(read(file), file.endsWith(".unw") ? unwindings : grammar);
      assert.ok(all.length > 0);
      for (const { text, scope, scopes, line } of all) {
        assert.ok(!scopes.some((s) => s.startsWith("invalid")), `line ${line}: ${text} is ${scope}`);
        assert.doesNotMatch(scope, /^source/, `line ${line}: ${text} has no scope`);
      }
    });
  }
});

describe("the words of the book", () => {
  /** The words in the grammar of the book. */
  function bookWords(): string[] {
    const grammar = /```ebnf\n([\s\S]*?)```/.exec(read(REPOSITORY, "docs/language.md"))?.[1] ?? "";
    const words = new Set([...grammar.matchAll(/"([a-z]+)"/g)].map((match) => match[1] ?? ""));
    assert.ok(words.size > 60, "the grammar in the book");
    return [...words];
  }

  test("each of them has a colour where it is a word", () => {
    const files = [...programs(), ...models().filter((file) => file.endsWith(".ser")), ...invariantFiles()];
    const texts = [...files.map((file) => read(file)), PROCESSES, MESSAGES];
    texts.push("type Row = 0..2 index I deadlock fn f(a) { continue } var B: bits 8 proof acyclic { }");
    texts.push("invariant for all i in 0..2: A[i] == 0\nreach for some i in 0..2: A[i] == 1");
    const coloured = new Set<string>();
    for (const [word, scope] of texts.flatMap((text) => scopes(text))) {
      if (/^(?:keyword|storage|support|constant\.language)/.test(scope)) coloured.add(word);
    }
    assert.deepEqual(bookWords().filter((word) => !coloured.has(word)), []);
  });

  for (const file of ["vim/syntax/ser.vim", "emacs/ser-mode.el", "tree-sitter-ser/queries/highlights.scm"]) {
    test(`each of them is in ${file}`, () => {
      const text = read(REPOSITORY, "editors", file).replace(/^[";] .*$/gm, "");
      const words = new Set(text.match(/[a-z]+/g));
      // Nodes of their own.
      const nodes: Record<string, string> = { true: "boolean", false: "boolean", int: "primitive", bool: "primitive" };
      const known = (word: string) => words.has(word) || (file.endsWith(".scm") && words.has(nodes[word] ?? ""));
      assert.deepEqual(bookWords().filter((word) => !known(word)), []);
    });
  }
});

describe("other editors", () => {
  for (const file of ["vim/syntax/ser.vim", "emacs/ser-mode.el"]) {
    test(`${file} knows every keyword of the lexer`, () => {
      // Without comments: `in` and `not` are English, too.
      const text = read(REPOSITORY, "editors", file).replace(/^[";].*$/gm, "");
      const words = new Set(text.match(/[a-z]+/g));
      lexerWords().forEach((word) => assert.ok(words.has(word), word));
    });
  }
});

describe("the grammar", () => {
  test("knows every keyword of the lexer, and no other", () => {
    assert.deepEqual(lexerWords().sort(), Object.keys(KEYWORDS).sort());
    for (const [word, scope] of Object.entries(KEYWORDS)) {
      assert.deepEqual(scopes(`1 + ${word}`).at(-1), [word, scope]);
    }
  });

  test("takes keywords as whole words only", () => {
    for (const name of ["iffy", "not_", "_if", "yield2", "requests", "constant", "in_", "exits"]) {
      assert.deepEqual(scopes(`${name} := 1`)[0], [name, "variable.other.local"]);
    }
  });

  test("tells global from local names by their first letter", () => {
    assert.deepEqual(scopes("X := y + _Z - camelCase * MAX_2"), [
      ["X", "variable.other.global"],
      [":=", "keyword.operator.assignment"],
      ["y", "variable.other.local"],
      ["+", "keyword.operator.arithmetic"],
      ["_Z", "variable.other.local"],
      ["-", "keyword.operator.arithmetic"],
      ["camelCase", "variable.other.local"],
      ["*", "keyword.operator.arithmetic"],
      ["MAX_2", "variable.other.global"],
    ]);
  });

  test("finds the parts of a request with parameters", () => {
    assert.deepEqual(scopes("request put(v in 0..2, w in LOW..(HIGH + 1)) { v }"), [
      ["request", "storage.type.request"],
      ["put", "entity.name.function.request"],
      ["(", "punctuation.definition.parameters.begin"],
      ["v", "variable.parameter"],
      ["in", "keyword.other.in"],
      ["0", "constant.numeric.decimal"],
      ["..", "keyword.operator.range"],
      ["2", "constant.numeric.decimal"],
      ["w", "variable.parameter"],
      ["in", "keyword.other.in"],
      ["LOW", "variable.other.global"],
      ["..", "keyword.operator.range"],
      ["HIGH", "variable.other.global"],
      ["+", "keyword.operator.arithmetic"],
      ["1", "constant.numeric.decimal"],
      [")", "punctuation.definition.parameters.end"],
      ["v", "variable.other.local"],
    ]);
  });

  test("finds a request whose head goes over lines and comments", () => {
    const text = "request // why\n  Put /* so */ (\n  v // small\n  in 0\n  ..2\n)\n{ v }";
    assert.deepEqual(
      scopes(text).filter(([, scope]) => !scope.startsWith("comment") && !scope.startsWith("punctuation")),
      [
        ["request", "storage.type.request"],
        ["Put", "entity.name.function.request"],
        ["v", "variable.parameter"],
        ["in", "keyword.other.in"],
        ["0", "constant.numeric.decimal"],
        ["..", "keyword.operator.range"],
        ["2", "constant.numeric.decimal"],
        ["v", "variable.other.local"],
      ],
    );
  });

  test("a half-written head does not colour what follows", () => {
    for (const start of ["request", "request put(", "request put(v in 0..", "const", "const A"]) {
      assert.deepEqual(scopes(`${start}\nrequest get { X }`).slice(-3), [
        ["request", "storage.type.request"],
        ["get", "entity.name.function.request"],
        ["X", "variable.other.global"],
      ]);
    }
  });

  test("finds the name of a constant, in any case", () => {
    assert.deepEqual(scopes("const MAX = 3 const small = MAX - 1"), [
      ["const", "storage.type.const"],
      ["MAX", "variable.other.constant"],
      ["=", "keyword.operator.assignment"],
      ["3", "constant.numeric.decimal"],
      ["const", "storage.type.const"],
      ["small", "variable.other.constant"],
      ["=", "keyword.operator.assignment"],
      ["MAX", "variable.other.global"],
      ["-", "keyword.operator.arithmetic"],
      ["1", "constant.numeric.decimal"],
    ]);
  });

  test("knows every operator, the longest first", () => {
    const operators: Record<string, string> = {
      ":=": "assignment",
      "==": "comparison",
      "!=": "comparison",
      "<=": "comparison",
      ">=": "comparison",
      "<": "comparison",
      ">": "comparison",
      "&&": "logical",
      "||": "logical",
      "!": "logical",
      "+": "arithmetic",
      "-": "arithmetic",
      "*": "arithmetic",
      "..": "range",
    };
    for (const [operator, scope] of Object.entries(operators)) {
      assert.deepEqual(scopes(`a${operator}1`)[1], [operator, `keyword.operator.${scope}`]);
    }
    assert.deepEqual(scopes("not a and b or !c").map(([, scope]) => scope), [
      "keyword.operator.logical",
      "variable.other.local",
      "keyword.operator.logical",
      "variable.other.local",
      "keyword.operator.logical",
      "keyword.operator.logical",
      "variable.other.local",
    ]);
  });

  test("knows free choices and assumptions", () => {
    assert.deepEqual(scopes("assume(X > 0); y := choose(1..2); z := ?"), [
      ["assume", "keyword.control.assume"],
      ["X", "variable.other.global"],
      [">", "keyword.operator.comparison"],
      ["0", "constant.numeric.decimal"],
      ["y", "variable.other.local"],
      [":=", "keyword.operator.assignment"],
      ["choose", "keyword.other.choose"],
      ["1", "constant.numeric.decimal"],
      ["..", "keyword.operator.range"],
      ["2", "constant.numeric.decimal"],
      ["z", "variable.other.local"],
      [":=", "keyword.operator.assignment"],
      ["?", "constant.language.choice"],
    ]);
  });

  test("ends comments where the lexer does", () => {
    const text = "a // b := 1\nc /* d\n/* e */ f /**/ g // /*\nh";
    const outside = tokens(text).filter(({ scopes }) => !scopes.some((s) => s.startsWith("comment")));
    assert.deepEqual(outside.map((token) => token.text.trim()), ["a", "c", "f", "g", "h"]);
    assert.ok(tokens("x /* never\nended").slice(1).every(({ scopes }) => scopes.includes("comment.block.ser")));
    assert.equal(tokens("// note")[0]?.scopes[1], "comment.line.double-slash.ser");
  });

  test("marks what the language does not have", () => {
    for (const bad of ["12ab", "größe", "Х", "$", "#", "&", "é1", "@"]) {
      const token = scopes(`1 + ${bad}`).at(-1);
      assert.equal(token?.[0], bad);
      assert.match(token?.[1] ?? "", /^invalid\.illegal/, bad);
    }
    for (const [text, scope] of scopes("a : b = c / d")) {
      assert.doesNotMatch(scope, /^invalid/, text);
    }
  });

  for (const file of programs()) {
    test(`finds nothing invalid, and a scope for every word, in ${path.basename(file)}`, () => {
      const all = tokens(read(file));
      assert.ok(all.length > 0);
      for (const { text, scope, scopes, line } of all) {
        assert.ok(!scopes.some((s) => s.startsWith("invalid")), `line ${line}: ${text} is ${scope}`);
        assert.notEqual(scope, "source", `line ${line}: ${text} has no scope`);
      }
      assert.ok(all.some(({ scope }) => scope === "entity.name.function.request"));
    });
  }
});
