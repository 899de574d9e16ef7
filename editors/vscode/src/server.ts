// The language server: starting, stopping, and what to say if that fails.

import * as os from "node:os";
import * as vscode from "vscode";
import {
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  TransportKind,
} from "vscode-languageclient/node";
import { LSP } from "./arguments";
import { findProblem, problemMessage, resolveExecutable } from "./executable";
import { LANGUAGES, SECTION, VERDICT_NOTIFICATION } from "./names";
import { initializationOptions, readSettings, type Settings } from "./settings";
import { parseVerdict, type Verdict } from "./verdict";

export function settings(scope?: vscode.Uri): Settings {
  const configuration = vscode.workspace.getConfiguration(SECTION, scope ?? null);
  return readSettings((name) => configuration.get(name));
}

/** The program to start, seen from a file or from the first folder of the workspace. */
export function executable(scope?: vscode.Uri): string {
  const folder =
    (scope === undefined ? undefined : vscode.workspace.getWorkspaceFolder(scope)) ??
    vscode.workspace.workspaceFolders?.[0];
  return resolveExecutable(settings(scope).path, folder?.uri.fsPath, os.homedir());
}

/** Says what is wrong with the program and how to get it; a button opens the setting. */
export async function sayProblem(message: string): Promise<void> {
  const open = "Open the Setting";
  if ((await vscode.window.showErrorMessage(message, open)) === open) {
    await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.path`);
  }
}

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  /** Starts and stops happen one after the other, however fast they are asked for. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly output: vscode.OutputChannel,
    private readonly onVerdict: (verdict: Verdict) => void,
  ) {}

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  dispose(): void {
    void this.stop();
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work).catch((error: unknown) => {
      this.output.appendLine(String(error));
    });
    return this.queue;
  }

  private async startNow(): Promise<void> {
    const command = executable();
    const problem = await findProblem(command);
    if (problem !== undefined) {
      const message = problemMessage(problem, command);
      this.output.appendLine(message);
      // Not awaited: the message stays until somebody reads it.
      void sayProblem(message);
      return;
    }
    const server: ServerOptions = { command, args: [...LSP], transport: TransportKind.stdio };
    const options: LanguageClientOptions = {
      documentSelector: LANGUAGES.flatMap((language) => [
        { scheme: "file", language },
        { scheme: "untitled", language },
      ]),
      initializationOptions: initializationOptions(settings()),
      outputChannel: this.output,
    };
    const client = new LanguageClient(SECTION, "ser", server, options);
    client.onNotification(VERDICT_NOTIFICATION, (value: unknown) => {
      const verdict = parseVerdict(value);
      if (verdict !== undefined) {
        this.onVerdict(verdict);
      }
    });
    this.client = client;
    await client.start();
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose();
  }
}
