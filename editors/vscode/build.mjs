// Bundles the extension into dist/extension.js; with `test`, bundles the tests and runs them.
//
// Tests of the extension as a whole run against a small stand-in for the editor, so that they need neither
// an editor nor a network.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));

const common = { bundle: true, platform: "node", target: "node18", format: "cjs", logLevel: "warning" };

if (process.argv[2] === "test") {
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await esbuild.build({
    ...common,
    entryPoints: tests.map((name) => `test/${name}`),
    outdir: "out",
    sourcemap: "inline",
    alias: {
      vscode: "./test/fake/vscode.ts",
      "vscode-languageclient/node": "./test/fake/client.ts",
    },
    // It finds its WebAssembly next to itself.
    external: ["vscode-oniguruma"],
  });
  const files = tests.map((name) => `out/${name.replace(/\.ts$/, ".js")}`);
  const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} else {
  const { metafile } = await esbuild.build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: true,
    metafile: true,
  });
  writeFileSync("dist/THIRD_PARTY_LICENSES.txt", licences(Object.keys(metafile.inputs)));
}

/** The licences of the packages in the bundle: they ask to go wherever their code goes. */
function licences(inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found !== null) {
      folders.add(found[1]);
    }
  }
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) {
      throw new Error(`${folder} has no licence file`);
    }
    return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}
