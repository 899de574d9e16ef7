// The extension: a language server, commands about files and servers, and an item in the status bar.

import * as path from "node:path";
import * as vscode from "vscode";
import { checkArguments } from "./arguments";
import { problemMessage } from "./executable";
import { activeFile, fileOf, save } from "./files";
import { Command, type CommandName, SECTION } from "./names";
import { CannotStart, run } from "./process";
import { Preview, repair } from "./repair";
import { Reports } from "./report";
import { executable, sayProblem, Server, settings } from "./server";
import { StatusBar } from "./status";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const serverOutput = vscode.window.createOutputChannel("ser language server");
  const checkOutput = vscode.window.createOutputChannel("ser check");
  const status = new StatusBar();
  const reports = new Reports();
  const [preview, previewRegistration] = Preview.register();
  const running = new Server(serverOutput, (verdict) => status.show(verdict));
  server = running;

  const restart = async (): Promise<void> => {
    status.clear();
    await running.restart();
  };

  const handlers: Record<CommandName, (argument?: unknown) => Promise<void>> = {
    [Command.check]: onFile((file) => check(file, checkOutput)),
    [Command.report]: onFile((file) => reports.show(file)),
    // The report has the interleaving, ready to be played.
    [Command.showInterleaving]: onFile((file) => reports.show(file)),
    [Command.repair]: onFile((file) => repair(file, preview)),
    [Command.restartServer]: restart,
    [Command.showOutput]: async () => serverOutput.show(true),
  };

  context.subscriptions.push(
    serverOutput,
    checkOutput,
    status,
    reports,
    previewRegistration,
    running,
    ...Object.entries(handlers).map(([name, handler]) =>
      vscode.commands.registerCommand(name, handler),
    ),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      const given = ["path", "timeout", "inlayHints.enable", "codeLens.enable"];
      if (given.some((name) => event.affectsConfiguration(`${SECTION}.${name}`))) {
        await restart();
      }
    }),
  );
  await running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
  server = undefined;
}

/** A command about the file that is named, or else about the one in the active editor. */
function onFile(act: (file: vscode.Uri) => Promise<void>): (argument?: unknown) => Promise<void> {
  return async (argument) => {
    const file = fileOf(argument) ?? activeFile();
    if (file === undefined) {
      await vscode.window.showInformationMessage("Open a file for ser first.");
      return;
    }
    if (file.scheme !== "file") {
      await vscode.window.showInformationMessage("Save the file first: ser reads it from disk.");
      return;
    }
    try {
      if (await save(file)) {
        await act(file);
      }
    } catch (error) {
      if (error instanceof CannotStart) {
        await sayProblem(problemMessage({ kind: "missing", reason: error.reason }, error.command));
        return;
      }
      await vscode.window.showErrorMessage(`ser: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
}

/** Runs the subcommand for the file and shows what it says, as in a terminal. */
async function check(file: vscode.Uri, output: vscode.OutputChannel): Promise<void> {
  const finished = await run(executable(file), checkArguments(file.fsPath, settings(file)), {
    cwd: path.dirname(file.fsPath),
  });
  output.replace(finished.stdout + finished.stderr);
  output.show(true);
}
