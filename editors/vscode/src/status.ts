// The item of the status bar: the verdict of the active file.

import * as vscode from "vscode";
import { Command, LANGUAGES } from "./names";
import { type Status, statusOf, type Verdict, WAITING } from "./verdict";

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly verdicts = new Map<string, Verdict>();
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    this.item = vscode.window.createStatusBarItem("ser.verdict", vscode.StatusBarAlignment.Left, 10);
    this.item.name = "ser verdict";
    this.item.command = Command.report;
    this.subscriptions = [
      this.item,
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
      // A verdict is about the text that was checked; another one comes after the next check.
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.contentChanges.length > 0) {
          this.forget(event.document);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)),
    ];
    this.update();
  }

  show(verdict: Verdict): void {
    this.verdicts.set(key(vscode.Uri.parse(verdict.uri)), verdict);
    this.update();
  }

  /** The server has stopped: nothing that it said holds any more. */
  clear(): void {
    this.verdicts.clear();
    this.update();
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => void subscription.dispose());
  }

  private forget(document: vscode.TextDocument): void {
    if (this.verdicts.delete(key(document.uri))) {
      this.update();
    }
  }

  private update(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || !LANGUAGES.includes(document.languageId)) {
      this.item.hide();
      return;
    }
    const verdict = this.verdicts.get(key(document.uri));
    const status: Status = verdict === undefined ? WAITING : statusOf(verdict);
    this.item.text = status.text;
    this.item.tooltip = status.tooltip;
    this.item.backgroundColor =
      status.background === undefined
        ? undefined
        : new vscode.ThemeColor(`statusBarItem.${status.background}Background`);
    this.item.show();
  }
}

/** Servers and editors escape URIs differently; parsed and printed again they are the same. */
function key(uri: vscode.Uri): string {
  return uri.toString();
}
