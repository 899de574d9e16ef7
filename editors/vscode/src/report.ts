// The report of a file, in a panel beside the editor. It is made again whenever the file is saved.

import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { reportArguments } from "./arguments";
import { messagePage, securePage } from "./page";
import { run } from "./process";
import { executable, settings } from "./server";

interface Panel {
  readonly panel: vscode.WebviewPanel;
  /** Ends the check under way when a newer one starts. */
  check: AbortController | undefined;
}

export class Reports implements vscode.Disposable {
  private readonly panels = new Map<string, Panel>();
  private readonly subscription: vscode.Disposable;

  constructor() {
    this.subscription = vscode.workspace.onDidSaveTextDocument((document) => {
      const panel = this.panels.get(document.uri.toString());
      if (panel !== undefined) {
        void this.refresh(panel, document.uri);
      }
    });
  }

  async show(file: vscode.Uri): Promise<void> {
    const key = file.toString();
    const known = this.panels.get(key);
    if (known !== undefined) {
      known.panel.reveal(undefined, true);
      await this.refresh(known, file);
      return;
    }
    const name = path.basename(file.fsPath);
    const panel = vscode.window.createWebviewPanel(
      "ser.report",
      `Report: ${name}`,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      {
        enableScripts: true,
        enableForms: false,
        enableFindWidget: true,
        localResourceRoots: [],
        // The step that somebody has gone to is worth keeping while another tab is in front.
        retainContextWhenHidden: true,
      },
    );
    const entry: Panel = { panel, check: undefined };
    this.panels.set(key, entry);
    panel.onDidDispose(() => {
      entry.check?.abort();
      this.panels.delete(key);
    });
    panel.webview.html = messagePage(name, "Checking ...");
    await this.refresh(entry, file);
  }

  dispose(): void {
    this.subscription.dispose();
    [...this.panels.values()].forEach(({ panel }) => void panel.dispose());
  }

  private async refresh(entry: Panel, file: vscode.Uri): Promise<void> {
    entry.check?.abort();
    const check = new AbortController();
    entry.check = check;
    const page = await makePage(file, check.signal);
    if (!check.signal.aborted) {
      entry.panel.webview.html = page;
      entry.check = undefined;
    }
  }
}

async function makePage(file: vscode.Uri, signal: AbortSignal): Promise<string> {
  const name = path.basename(file.fsPath);
  let folder: string | undefined;
  try {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), "ser-report-"));
    const html = path.join(folder, "report.html");
    const args = reportArguments(html, file.fsPath, settings(file));
    const cwd = path.dirname(file.fsPath);
    const finished = await run(executable(file), args, { cwd, signal });
    try {
      return securePage(await fs.readFile(html, "utf8"));
    } catch {
      // No report was written: `ser` has said why.
      const said = `${finished.stderr}\n${finished.stdout}`.trim();
      return messagePage(`No report for ${name}`, said === "" ? "ser said nothing." : said);
    }
  } catch (error) {
    return messagePage(`No report for ${name}`, error instanceof Error ? error.message : String(error));
  } finally {
    if (folder !== undefined) {
      await fs.rm(folder, { recursive: true, force: true });
    }
  }
}
