// The parts that need no editor.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as path from "node:path";
import { describe, test } from "node:test";
import { checkArguments, repairArguments, reportArguments } from "../src/arguments";
import { findProblem, problemMessage, resolveExecutable } from "../src/executable";
import { contentSecurityPolicy, messagePage, securePage } from "../src/page";
import { CannotStart, run } from "../src/process";
import { BadRepairs, changedText, changesOf, nothingToRepair, parseRepairs } from "../src/repairs";
import { DEFAULTS, initializationOptions, readSettings } from "../src/settings";
import { duration, parseVerdict, statusOf } from "../src/verdict";
import { manifest } from "./root";

const edit = (from: [number, number], to: [number, number], text: string) => ({
  start: { line: from[0], column: from[1] },
  end: { line: to[0], column: to[1] },
  text,
});

describe("edits", () => {
  const text = "request a {\n    yield;\n    X := 1\n}\n";

  test("count from 1 in ser and from 0 in the editor", () => {
    assert.deepEqual(changesOf([edit([2, 5], [2, 11], "")], text), [
      { start: { line: 1, character: 4 }, end: { line: 1, character: 10 }, text: "" },
    ]);
  });

  test("count characters in ser and UTF-16 code units in the editor", () => {
    const emoji = "/* \u{1F600}é */ yield;";
    assert.deepEqual(changesOf([edit([1, 10], [1, 15], "")], emoji), [
      { start: { line: 0, character: 10 }, end: { line: 0, character: 15 }, text: "" },
    ]);
    assert.equal(changedText(changesOf([edit([1, 10], [1, 15], "0")], emoji), emoji), "/* \u{1F600}é */ 0;");
  });

  test("are applied together, in any order", () => {
    const edits = [edit([3, 5], [3, 5], "L := 1;\n    "), edit([2, 1], [3, 1], ""), edit([5, 1], [5, 1], "//")];
    assert.equal(
      changedText(changesOf(edits, text), text),
      "request a {\n    L := 1;\n    X := 1\n}\n//",
    );
  });

  test("keep the line ends of a file", () => {
    const crlf = text.replaceAll("\n", "\r\n");
    assert.equal(changedText(changesOf([edit([2, 5], [2, 11], "0;")], crlf), crlf), crlf.replace("yield;", "0;"));
  });

  test("outside of the text or over each other are refused", () => {
    for (const bad of [
      [edit([9, 1], [9, 1], "")],
      [edit([1, 99], [1, 99], "")],
      [edit([2, 5], [2, 4], "")],
      [edit([1, 1], [2, 5], ""), edit([2, 1], [2, 9], "")],
    ]) {
      assert.throws(() => changesOf(bad, text), BadRepairs);
    }
  });
});

describe("the answer of ser repair", () => {
  const repair = { title: "Remove it", kind: "remove", diff: "-x", edits: [edit([1, 1], [1, 2], "")], proof: "atomic" };

  test("is read", () => {
    const answer = { file: "a.ser", verdict: "not_serializable", repairs: [repair], tried: ["a", { title: "b" }, { n: 1 }] };
    assert.deepEqual(parseRepairs(JSON.stringify(answer)), {
      verdict: "not_serializable",
      repairs: [repair],
      tried: ["a", "b", '{"n":1}'],
      reason: "",
    });
    assert.deepEqual(parseRepairs('{"verdict": "serializable", "file": "a.ser"}').repairs, []);
  });

  test("is refused if it is something else", () => {
    for (const bad of [
      "",
      "nonsense",
      "null",
      "[]",
      "{}",
      '{"repairs": []}',
      '{"verdict": "x", "repairs": 1}',
      '{"verdict": "x", "repairs": [{"title": "t"}]}',
      '{"verdict": "x", "repairs": [{"title": "t", "edits": [{"start": {"line": 0, "column": 1}}]}]}',
    ]) {
      assert.throws(() => parseRepairs(bad), BadRepairs, bad);
    }
  });

  test("without repairs is put in words", () => {
    const words = (verdict: string, tried: string[] = [], reason = "") =>
      nothingToRepair({ verdict, repairs: [], tried, reason });
    assert.match(words("serializable"), /is serializable/);
    assert.equal(words("not_serializable", ["locks", "yields"]), "No repair was found. Tried: locks; yields.");
    assert.equal(words("not_serializable"), "No repair was found.");
    assert.equal(words("unknown"), "No repair: the verdict is unknown.");
    assert.equal(words("error", [], "`f` is not a function"), "No repair: the verdict is error (`f` is not a function).");
  });
});

describe("settings", () => {
  test("have the defaults that package.json promises", () => {
    const { properties } = manifest().contributes.configuration;
    assert.deepEqual(readSettings((name) => properties[`ser.${name}`]?.default), DEFAULTS);
    assert.deepEqual(readSettings(() => undefined), DEFAULTS);
  });

  test("that make no sense are put right", () => {
    const odd: Record<string, unknown> = { path: "  ", timeout: -3, "inlayHints.enable": "yes", "codeLens.enable": false };
    assert.deepEqual(readSettings((name) => odd[name]), { ...DEFAULTS, timeout: 1, codeLens: false });
    assert.equal(readSettings((name) => (name === "timeout" ? 2.4 : undefined)).timeout, 2);
    assert.equal(readSettings((name) => (name === "timeout" ? NaN : undefined)).timeout, DEFAULTS.timeout);
  });

  test("reach the server in its own words", () => {
    assert.deepEqual(initializationOptions({ path: "x", timeout: 7, inlayHints: false, codeLens: true }), {
      timeout: 7,
      inlayHints: false,
      codeLens: true,
    });
  });
});

describe("command lines", () => {
  test("are what ser takes", () => {
    const settings = { ...DEFAULTS, timeout: 7 };
    const common = ["check", "--color", "never", "--timeout", "7"];
    assert.deepEqual(checkArguments("/a b.ser", settings), [...common, "/a b.ser"]);
    assert.deepEqual(reportArguments("/t/r.html", "/a.ser", settings), [...common, "--html", "/t/r.html", "/a.ser"]);
    for (const [file, subcommand] of [
      ["/a.json", "check"],
      ["/a.ser", "check"],
      ["/a.UNW", "trace"],
    ] as const) {
      assert.equal(checkArguments(file, settings)[0], subcommand);
    }
    assert.deepEqual(repairArguments("/a.ser", settings), ["repair", "--format", "json", "--timeout", "7", "/a.ser"]);
  });
});

describe("the program", () => {
  test("is found where the setting says", () => {
    const at = (setting: string, folder?: string) => resolveExecutable(setting, folder, "/home/me");
    assert.equal(at("ser", "/work"), "ser");
    assert.equal(at("/usr/bin/ser", "/work"), "/usr/bin/ser");
    assert.equal(at("~/bin/ser"), path.join("/home/me", "bin/ser"));
    assert.equal(at("target/release/ser", "/work"), path.join("/work", "target/release/ser"));
    assert.equal(at("${workspaceFolder}/ser", "/a$&b"), "/a$&b/ser");
    assert.equal(at("./ser"), "./ser");
  });

  test("that is missing or too old is reported with a way out", async () => {
    const missing = await findProblem("/nowhere/ser");
    assert.deepEqual(missing, { kind: "missing", reason: "ENOENT" });
    const text = problemMessage({ kind: "missing", reason: "ENOENT" }, "ser");
    assert.match(text, /`ser` was not found\. .*cargo install --path crates\/product\/ser.*`ser\.path`/);
    assert.match(problemMessage({ kind: "missing", reason: "EACCES" }, "ser"), /cannot be started \(EACCES\)/);
    const old = problemMessage({ kind: "old", version: "ser 0.0.1" }, "ser");
    assert.match(old, /\(ser 0\.0\.1\) has no language server; it is too old\. .*cargo install/);
    // Node itself is no `ser`: it does not know the subcommand.
    assert.deepEqual(await findProblem(process.execPath), { kind: "old", version: process.version });
  });

  test("is run to its end, whatever the end is", async () => {
    const node = (script: string, options = {}) => run(process.execPath, ["-e", script], options);
    assert.deepEqual(await node("console.log('a'); console.error('b'); process.exit(3)"), {
      code: 3,
      stdout: "a\n",
      stderr: "b\n",
    });
    assert.equal((await node("")).code, 0);
    const wait = "setTimeout(() => {}, 60000)";
    assert.equal((await node(wait, { milliseconds: 50 })).code, null);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    assert.equal((await node(wait, { signal: abort.signal })).code, null);
    await assert.rejects(run("/nowhere/ser", []), CannotStart);
  });
});

describe("the page of a report", () => {
  const script = "const a = 1 < 2;\nrun(a);";
  const html = `<!DOCTYPE html>\n<html><head lang="en"><title>t</title><style>p{}</style></head><body><script>${script}</script></body></html>`;
  const hash = createHash("sha256").update(script).digest("base64");

  test("may run its own scripts and nothing else, and reach no network", () => {
    const policy = new Map(
      contentSecurityPolicy(html).split("; ").map((rule): [string, string] => {
        const at = rule.indexOf(" ");
        return [rule.slice(0, at), rule.slice(at + 1)];
      }),
    );
    assert.equal(policy.get("default-src"), "'none'");
    assert.equal(policy.get("script-src"), `'sha256-${hash}'`);
    assert.equal(policy.get("style-src"), "'unsafe-inline'");
    assert.equal(policy.get("connect-src"), undefined, "the default holds");
    assert.doesNotMatch(contentSecurityPolicy(html), /https?:|\*|unsafe-eval/);
    assert.match(contentSecurityPolicy("<p onclick='x()'>"), /script-src 'none'/);
  });

  test("hashes a script as a browser does, with plain line feeds", () => {
    assert.equal(contentSecurityPolicy(html.replaceAll("\n", "\r\n")), contentSecurityPolicy(html));
  });

  test("does not let scripts from elsewhere in", () => {
    const outside = '<head></head><script src="https://example.org/x.js"></script>';
    assert.match(contentSecurityPolicy(outside), /script-src 'none'/);
  });

  test("says its policy before anything else", () => {
    const page = securePage(html);
    assert.match(page, /<head lang="en"><meta http-equiv="Content-Security-Policy" content="default-src 'none';/);
    assert.equal(page.replace(/<meta http-equiv[^>]*>/, ""), html, "the rest is untouched");
    assert.match(securePage("<!doctype html><p>x"), /^<!doctype html><head><meta http-equiv.*<\/head><p>x$/);
  });

  test("shows messages as text", () => {
    const page = messagePage("a & b", "<script>alert(1)</script>");
    assert.match(page, /a &amp; b/);
    assert.doesNotMatch(page, /<script/);
    assert.match(page, /script-src 'none'/);
  });
});

describe("verdicts", () => {
  test("are read, and what is none is ignored", () => {
    const value = { uri: "file:///a.ser", verdict: "unknown", summary: "too long", time_ms: 12 };
    assert.deepEqual(parseVerdict(value), { uri: "file:///a.ser", verdict: "unknown", summary: "too long", timeMs: 12 });
    for (const bad of [null, 1, {}, { uri: 1, verdict: "x" }, { uri: "file:///a" }]) {
      assert.equal(parseVerdict(bad), undefined);
    }
  });

  test("have a text, a reason, and a colour only where there is something to do", () => {
    const of = (verdict: string) => statusOf({ uri: "", verdict, summary: "two of `a`", timeMs: 1.61 });
    assert.deepEqual(of("not_serializable"), {
      text: "$(error) not serializable",
      tooltip: "ser: not serializable (1.6 ms)\ntwo of `a`",
      background: "error",
    });
    assert.equal(of("serializable").text, "$(pass) serializable");
    assert.equal(of("serializable").background, undefined);
    assert.deepEqual(["proved", "unreachable"].map((it) => of(it).background), [undefined, undefined]);
    assert.deepEqual(["refuted", "reachable"].map((it) => of(it).background), ["error", "error"]);
    assert.equal(of("not_inductive").text, "$(question) not inductive");
    assert.equal(of("unknown").text, "$(question) unknown");
    assert.equal(of("error").background, "warning");
  });

  test("say how long it took", () => {
    assert.deepEqual([0.04, 9.96, 420.4, 2500].map(duration), ["0.0 ms", "10.0 ms", "420 ms", "2.5 s"]);
  });
});
