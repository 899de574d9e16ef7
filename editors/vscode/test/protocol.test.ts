// The real server, if there is one: `SER`, or what cargo has built. Otherwise this is skipped.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { LSP, LSP_PROBE } from "../src/arguments";
import { Command, VERDICT_NOTIFICATION } from "../src/names";
import { DEFAULTS, initializationOptions } from "../src/settings";
import { plain } from "../src/repairs";
import { parseVerdict, type Verdict } from "../src/verdict";
import { findSer } from "./real";
import { EXAMPLES, read } from "./root";

test("a real server answers what the client asks", { timeout: 60_000 }, async (context) => {
  const server = await findSer(LSP_PROBE);
  if (server === undefined) {
    context.skip("no `ser` with a language server: set SER, or run `cargo build --release`");
    return;
  }
  const child = spawn(server, [...LSP], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  context.after(() => {
    connection.dispose();
    child.kill();
  });
  const verdicts = new Map<string, Verdict>();
  const diagnostics = new Map<string, unknown[]>();
  let arrived = (): void => {};
  connection.onNotification(VERDICT_NOTIFICATION, (value: unknown) => {
    const verdict = parseVerdict(value);
    assert.ok(verdict, "the verdict is what we agreed on");
    verdicts.set(verdict.uri, verdict);
    arrived();
  });
  connection.onNotification("textDocument/publishDiagnostics", (value: { uri: string; diagnostics: unknown[] }) => {
    diagnostics.set(value.uri, value.diagnostics);
    arrived();
  });
  // Whatever else the server asks of an editor.
  connection.onRequest(() => null);
  connection.listen();

  const { capabilities } = await connection.sendRequest<{ capabilities: Record<string, unknown> }>("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
    initializationOptions: initializationOptions(DEFAULTS),
  });
  assert.ok(capabilities.textDocumentSync !== undefined, "the server wants to know about edits");
  // Commands of the client must not be claimed by the server: the editor would register them twice.
  const claimed = (capabilities.executeCommandProvider as { commands?: string[] } | undefined)?.commands ?? [];
  assert.deepEqual(claimed.filter((name) => (Object.values(Command) as string[]).includes(name)), []);
  await connection.sendNotification("initialized", {});

  for (const [name, expected] of [
    ["lost_update.ser", "not serializable"],
    ["spin_lock.ser", "serializable"],
    ["processes/peterson.ser", "unreachable"],
  ] as const) {
    const uri = pathToFileURL(path.join(EXAMPLES, name)).href;
    const answered = new Promise<void>((resolve) => {
      arrived = () => (verdicts.has(uri) && diagnostics.has(uri) ? resolve() : undefined);
    });
    await connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "ser", version: 1, text: read(EXAMPLES, name) },
    });
    await answered;
    assert.equal(plain(verdicts.get(uri)?.verdict ?? ""), expected, name);
    const lenses = await connection.sendRequest<{ command?: { command: string } }[] | null>("textDocument/codeLens", {
      textDocument: { uri },
    });
    const known: string[] = [...Object.values(Command), ""];
    (lenses ?? []).forEach(({ command }) => assert.ok(known.includes(command?.command ?? ""), command?.command));
  }

  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  assert.equal(await ended, 0);
});
