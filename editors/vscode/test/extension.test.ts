// The extension as a whole, in a stand-in for the editor and with a stand-in for `ser`.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { after, before, beforeEach, describe, test } from "node:test";
import type { ExtensionContext } from "vscode";
import { activate, deactivate } from "../src/extension";
import { Command, LANGUAGES, SECTION, VERDICT_NOTIFICATION } from "../src/names";
import { LanguageClient } from "./fake/client";
import { FakeSer } from "./fake/ser";
import * as vscode from "./fake/vscode";
import { seen, user } from "./fake/vscode";
import { manifest } from "./root";

const TEXT = "request main {\n    X := 1;\n    yield;\n    X\n}\n";
const REPORT = "<!doctype html><html><head></head><body><script>play()</script></body></html>";

const ser = new FakeSer();
const subscriptions: { dispose(): unknown }[] = [];
let document: vscode.Document;

const execute = async (name: string, argument?: unknown): Promise<void> => {
  const handler = seen.commands.get(name);
  assert.ok(handler, `${name} is registered`);
  await handler(argument);
};
const client = (): LanguageClient => {
  const latest = LanguageClient.all.at(-1);
  assert.ok(latest, "a client");
  return latest;
};
const configure = async (name: string, value: unknown): Promise<void> => {
  user.settings[name] = value;
  await vscode.signals.configuration.fire({ affectsConfiguration: (asked) => asked === name });
};

before(async () => {
  user.settings["ser.path"] = ser.program;
  document = await vscode.open(ser.write("a.ser", TEXT));
  await activate({ subscriptions } as unknown as ExtensionContext);
});

beforeEach(() => {
  seen.errors.length = seen.information.length = seen.executed.length = seen.edits.length = seen.picks.length = 0;
  user.button = undefined;
  user.pick = async (pick) => pick.hide();
});

after(async () => {
  await deactivate();
  assert.equal(client().state, "stopped");
  subscriptions.forEach((subscription) => subscription.dispose());
  ser.remove();
});

describe("what package.json promises", () => {
  test("every command is registered, and no other", () => {
    const promised = manifest().contributes.commands.map(({ command }) => command);
    assert.deepEqual([...seen.commands.keys()].sort(), promised.sort());
    assert.deepEqual(Object.values(Command).sort(), promised);
  });

  test("menus name commands that exist", () => {
    const names = Object.values(manifest().contributes.menus).flat().map(({ command }) => command);
    assert.ok(names.every((name) => seen.commands.has(name)));
  });

  test("every setting is read, and no other", () => {
    // The client library reads the trace setting of the section that is its id.
    assert.equal(client().id, SECTION);
    const read = [...seen.settingsRead, `${client().id}.trace.server`].sort();
    assert.deepEqual(read, Object.keys(manifest().contributes.configuration.properties).sort());
  });

  test("languages, grammars and icons are files", () => {
    const { languages, grammars } = manifest().contributes;
    const files = [
      ...languages.flatMap((language) => [language.configuration, ...Object.values(language.icon)]),
      ...grammars.map((grammar) => grammar.path),
    ];
    files.forEach((file) => assert.ok(fs.existsSync(file), file));
    for (const { path, scopeName } of grammars) {
      const grammar = JSON.parse(fs.readFileSync(path, "utf8")) as { scopeName: string };
      assert.equal(grammar.scopeName, scopeName);
    }
  });

  test("every language has a grammar, starts the extension and is known to the server", () => {
    const { contributes, activationEvents } = manifest();
    const ids = contributes.languages.map(({ id }) => id);
    assert.deepEqual(ids, [...LANGUAGES]);
    assert.deepEqual(contributes.grammars.map(({ language }) => language), ids);
    assert.deepEqual(activationEvents, ids.map((id) => `onLanguage:${id}`));
    const selector = client().options.documentSelector as { language: string }[];
    assert.deepEqual([...new Set(selector.map(({ language }) => language))], ids);
  });
});

describe("the language server", () => {
  test("is started with the options of the user", () => {
    assert.equal(client().state, "running");
    assert.deepEqual([client().server.command, ...client().server.args], [ser.program, "lsp"]);
    assert.deepEqual(client().options.initializationOptions, { timeout: 10, inlayHints: true, codeLens: true });
  });

  test("is started again when a setting changes or on command", async () => {
    const first = client();
    await configure("ser.timeout", 3);
    assert.equal(first.state, "stopped");
    assert.deepEqual(client().options.initializationOptions, { timeout: 3, inlayHints: true, codeLens: true });
    const second = client();
    await configure("editor.fontSize", 3);
    assert.equal(client(), second);
    await execute(Command.restartServer);
    assert.notEqual(client(), second);
    assert.equal(client().state, "running");
  });

  test("that is too old or missing gives a message and a way to the setting", async () => {
    const count = LanguageClient.all.length;
    user.button = "Open the Setting";
    ser.answer({ lsp: 2 });
    await execute(Command.restartServer);
    assert.match(seen.errors[0] ?? "", /\(ser 0\.0\.1\) has no language server/);
    await configure("ser.path", "/nowhere/ser");
    assert.match(seen.errors[1] ?? "", /was not found/);
    assert.deepEqual(seen.executed[0], ["workbench.action.openSettings", "ser.path"]);
    assert.equal(LanguageClient.all.length, count);
    ser.answer({});
    await configure("ser.path", ser.program);
    assert.equal(client().state, "running");
  });

  test("has an output", async () => {
    await execute(Command.showOutput);
    assert.ok(seen.outputs.get("ser language server")?.shown);
  });
});

describe("the status bar", () => {
  const uri = (): string => document.uri.toString();
  const notify = (verdict: string, of = uri()): void =>
    client().notify(VERDICT_NOTIFICATION, { uri: of, verdict, summary: "why", time_ms: 1 });

  test("shows the verdict of the active file until the text changes", async () => {
    assert.equal(seen.status?.text, "$(ellipsis) ser");
    notify("serializable");
    assert.equal(seen.status?.text, "$(pass) serializable");
    assert.match(seen.status?.tooltip ?? "", /why/);
    notify("not_serializable", "file:///other.ser");
    assert.equal(seen.status?.text, "$(pass) serializable");
    await document.type(`${TEXT}// more\n`);
    assert.equal(seen.status?.text, "$(ellipsis) ser");
    notify("not_serializable");
    assert.equal(seen.status?.backgroundColor?.id, "statusBarItem.errorBackground");
    await document.type(TEXT);
    await document.save();
  });

  test("is for the files of ser only", async () => {
    assert.ok(seen.status?.visible);
    await vscode.open(ser.write("notes.txt", "x"));
    assert.ok(!seen.status?.visible);
    vscode.window.activeTextEditor = { document };
    await vscode.signals.active.fire();
    assert.ok(seen.status?.visible);
  });

  test("survives a notification that makes no sense", () => {
    client().notify(VERDICT_NOTIFICATION, { verdict: 1 });
  });
});

describe("commands", () => {
  test("check shows what ser says about the saved file", async () => {
    ser.answer({ check: "a.ser: serializable\n" });
    await document.type(`${TEXT} `);
    await execute(Command.check);
    assert.equal(document.isDirty, false);
    assert.deepEqual(seen.outputs.get("ser check"), { text: "a.ser: serializable\n", shown: true });
    assert.deepEqual(ser.calls().at(-1)?.slice(0, 3), ["check", "--color", "never"]);
    await document.type(TEXT);
    await document.save();
  });

  test("report shows a page that cannot reach the network, again after each save", async () => {
    ser.answer({ html: REPORT });
    await execute(Command.report, document.uri);
    const [panel] = seen.panels;
    assert.ok(panel);
    assert.match(panel.webview.html, /default-src 'none'; script-src 'sha256-/);
    assert.match(panel.webview.html, /<script>play\(\)<\/script>/);
    assert.deepEqual(panel.options.localResourceRoots, []);

    ser.answer({ html: REPORT.replace("play", "again") });
    await document.save();
    await until(() => panel.webview.html.includes("again()"));

    // The same panel for a code lens, which hands over text.
    await execute(Command.showInterleaving, document.uri.toString());
    assert.equal(seen.panels.length, 1);

    ser.answer({ complaint: "error: <here>" });
    await execute(Command.report);
    assert.match(panel.webview.html, /error: &lt;here&gt;/);
    panel.dispose();
    await execute(Command.report);
    assert.equal(seen.panels.length, 2);
  });

  test("repair offers what ser found and applies what is chosen", async () => {
    const place = (line: number, column: number) => ({ line, column });
    const edits = [{ start: place(3, 5), end: place(3, 11), text: "" }];
    const repair = { title: "Remove the yield in line 3", kind: "remove", diff: "", edits, proof: "atomic" };
    ser.answer({ repair: { file: "a.ser", verdict: "not_serializable", repairs: [repair], tried: [] } });
    user.pick = async (pick) => {
      await pick.press(0);
      await pick.accept(0);
    };
    await execute(Command.repair, document.uri.toString());
    assert.deepEqual(seen.errors, []);
    assert.deepEqual(seen.picks, [[{ label: repair.title, description: "remove", detail: "atomic" }]]);
    assert.deepEqual(seen.edits[0]?.edits, [
      { uri: document.uri.toString(), range: new vscode.Range(2, 4, 2, 10), text: "" },
    ]);
    const [name, left, right] = seen.executed[0] ?? [];
    assert.deepEqual([name, left], ["vscode.diff", document.uri]);
    const preview = seen.providers.get("ser-repair")?.provideTextDocumentContent(right as vscode.Uri);
    assert.equal(preview, TEXT.replace("yield;", ""));
  });

  test("repair changes nothing if the user leaves or the text has changed", async () => {
    await execute(Command.repair);
    assert.equal(seen.edits.length, 0);
    user.pick = async (pick) => {
      await document.type(`// new\n${TEXT}`);
      await pick.accept(0);
    };
    await execute(Command.repair);
    assert.equal(seen.edits.length, 0);
    assert.match(seen.information[0] ?? "", /has changed meanwhile/);
  });

  test("repair says why there is nothing to choose from", async () => {
    ser.answer({ repair: { verdict: "serializable", repairs: [] } });
    await execute(Command.repair);
    assert.match(seen.information[0] ?? "", /is serializable/);
    ser.answer({ complaint: "error: cannot read a.ser" });
    await execute(Command.repair);
    assert.deepEqual(seen.errors, ["ser: error: cannot read a.ser"]);
  });

  test("say what is missing", async () => {
    await configure("ser.path", "/nowhere/ser");
    seen.errors.length = 0;
    await execute(Command.check);
    await execute(Command.repair);
    assert.equal(seen.errors.length, 2);
    assert.match(seen.errors[0] ?? "", /cargo install --path crates\/product\/ser/);
    await configure("ser.path", ser.program);
    await execute(Command.check, "untitled:Untitled-1");
    assert.match(seen.information[0] ?? "", /Save the file first/);
    vscode.window.activeTextEditor = undefined;
    await execute(Command.check);
    assert.match(seen.information[1] ?? "", /Open a file for ser/);
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    assert.ok(waited < 10_000, "waited for too long");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
