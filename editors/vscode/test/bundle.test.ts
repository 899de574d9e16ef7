// What goes into the package: the real bundle, with the real client library in it.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import Module from "node:module";
import * as path from "node:path";
import { test } from "node:test";
import { EXTENSION, manifest, read, REPOSITORY } from "./root";

/** Answers to any name with something that can be called, constructed and extended. */
function anything(): unknown {
  const known = new Map<string | symbol, unknown>();
  return new Proxy(class {}, {
    get(target, name) {
      if (name === "prototype" || name === Symbol.toPrimitive) {
        return Reflect.get(target, name) as unknown;
      }
      if (!known.has(name)) {
        known.set(name, anything());
      }
      return known.get(name);
    },
    apply: () => anything(),
  });
}

test("the bundle needs nothing but the editor, and loads", () => {
  const file = path.join(EXTENSION, manifest().main);
  const loader = Module as unknown as { _load(name: string, ...rest: unknown[]): unknown };
  const load = loader._load;
  const asked = new Set<string>();
  loader._load = function (name, ...rest) {
    if (name !== file) {
      asked.add(name);
    }
    return name === "vscode" ? anything() : (load.call(this, name, ...rest) as unknown);
  };
  try {
    const extension = load.call(loader, file, undefined, false) as Record<string, unknown>;
    assert.equal(typeof extension.activate, "function");
    assert.equal(typeof extension.deactivate, "function");
  } finally {
    loader._load = load;
  }
  const foreign = [...asked].filter((name) => name !== "vscode" && !Module.isBuiltin(name));
  assert.deepEqual(foreign, []);
});

test("versions are pinned and hosts are not", () => {
  const { dependencies, devDependencies, version } = manifest();
  assert.equal(dependencies, undefined, "everything is bundled");
  Object.entries(devDependencies).forEach(([name, pinned]) => assert.match(pinned, /^\d+\.\d+\.\d+$/, name));
  assert.doesNotMatch(read(EXTENSION, "package-lock.json"), /"resolved":/);
  assert.match(read(EXTENSION, "CHANGELOG.md"), new RegExp(`^## ${version}`, "m"));
});

test("only files that exist and are meant to be are packed", () => {
  const wanted = read(EXTENSION, ".vscodeignore").split("\n").filter((line) => line.startsWith("!"));
  for (const line of wanted.filter((line) => !line.includes("*"))) {
    assert.ok(fs.existsSync(path.join(EXTENSION, line.slice(1))), line);
  }
});

test("the licences of what is bundled come along", () => {
  const licences = read(EXTENSION, "dist/THIRD_PARTY_LICENSES.txt");
  for (const name of ["vscode-languageclient", "vscode-jsonrpc", "semver"]) {
    assert.match(licences, new RegExp(`^${name} \\d`, "m"));
  }
});

test("the version is that of ser", () => {
  const version = /^version = "(.*)"$/m.exec(read(REPOSITORY, "Cargo.toml"))?.[1];
  assert.equal(manifest().version, version);
});
