// Every program of the examples and of the book has a tree without an error in it, and what is no program has one.
// `TREE_SITTER` is the command, if it is not `tree-sitter`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const grammar = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const repository = path.resolve(grammar, "../..");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tree-sitter-ser-"));

/** The files among these that have an error in their trees. */
function wrong(files) {
  const list = path.join(folder, "files.txt");
  fs.writeFileSync(list, files.join("\n"));
  const command = process.env.TREE_SITTER ?? "tree-sitter";
  const run = spawnSync(command, ["parse", "--quiet", "--paths", list], { cwd: grammar, encoding: "utf8" });
  assert.ok(run.error === undefined, `${command}: ${run.error}`);
  const lines = run.stdout.split("\n").filter((line) => /\((ERROR|MISSING)/.test(line));
  assert.equal(run.status === 0, lines.length === 0, `${run.stdout}${run.stderr}`);
  return lines.map((line) => line.replaceAll(/\s+/g, " "));
}

function written(name, text) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
}

/** The programs in the book that are not there for their errors. */
function book() {
  return fs.readdirSync(path.join(repository, "docs")).filter((name) => name.endsWith(".md")).flatMap((name) => {
    const text = fs.readFileSync(path.join(repository, "docs", name), "utf8");
    const blocks = [...text.matchAll(/^```(ser\b[^\n]*)\n([\s\S]*?)^```/gm)];
    const right = blocks.filter(([, info]) => !/\berror\b/.test(info));
    return right.map(([, , program], index) => written(`${name}-${index}.ser`, program));
  });
}

try {
  const examples = fs.readdirSync(path.join(repository, "examples"), { recursive: true })
    .filter((name) => name.endsWith(".ser"))
    .map((name) => path.join(repository, "examples", name));
  assert.ok(examples.length > 100, "the examples");
  const programs = book();
  assert.ok(programs.length > 30, "the programs of the book");
  assert.deepEqual(wrong([...examples, ...programs]), []);
  for (const [index, text] of ["request { 1 }", "request a { x := }", "var X 0..1", "request a { 1"].entries()) {
    assert.equal(wrong([written(`wrong-${index}.ser`, text)]).length, 1, text);
  }
  console.log(`${examples.length} examples and ${programs.length} programs of the book have trees`);
} finally {
  fs.rmSync(folder, { recursive: true });
}
