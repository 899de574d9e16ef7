// The command that offers proved repairs and applies the chosen one as a single, undoable edit.

import * as path from "node:path";
import * as vscode from "vscode";
import { repairArguments } from "./arguments";
import { firstLine } from "./executable";
import { run } from "./process";
import {
  BadRepairs,
  changedText,
  changesOf,
  nothingToRepair,
  parseRepairs,
  type Repair,
  type Repairs,
} from "./repairs";
import { executable, settings } from "./server";

const PREVIEW_SCHEME = "ser-repair";

interface Choice extends vscode.QuickPickItem {
  readonly repair: Repair;
}

/** Shows a text of ours next to the real one, for the difference between them. */
export class Preview implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  static register(): [Preview, vscode.Disposable] {
    const preview = new Preview();
    return [preview, vscode.workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, preview)];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  async show(document: vscode.TextDocument, repair: Repair): Promise<void> {
    const text = document.getText();
    // The number of the version in the query: a text that was shown once is not asked for again.
    const uri = document.uri.with({
      scheme: PREVIEW_SCHEME,
      query: `${document.version} ${repair.title}`,
    });
    this.texts.clear();
    this.texts.set(uri.toString(), changedText(changesOf(repair.edits, text), text));
    await vscode.commands.executeCommand("vscode.diff", document.uri, uri, repair.title, {
      preview: true,
      preserveFocus: true,
    });
  }
}

export async function repair(file: vscode.Uri, preview: Preview): Promise<void> {
  const document = await vscode.workspace.openTextDocument(file);
  const version = document.version;
  const repairs = await search(file);
  if (repairs === undefined) {
    return;
  }
  if (repairs.repairs.length === 0) {
    await vscode.window.showInformationMessage(nothingToRepair(repairs));
    return;
  }
  const chosen = await choose(document, repairs, preview);
  if (chosen === undefined) {
    return;
  }
  if (document.version !== version) {
    await vscode.window.showWarningMessage("The text has changed meanwhile. Please repair again.");
    return;
  }
  await apply(document, chosen);
}

async function search(file: vscode.Uri): Promise<Repairs | undefined> {
  const finished = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: `Looking for repairs of ${path.basename(file.fsPath)}`,
      cancellable: true,
    },
    async (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return run(executable(file), repairArguments(file.fsPath, settings(file)), {
        cwd: path.dirname(file.fsPath),
        signal: abort.signal,
      });
    },
  );
  if (finished.code === null) {
    return undefined;
  }
  try {
    return parseRepairs(finished.stdout);
  } catch (error) {
    if (!(error instanceof BadRepairs)) {
      throw error;
    }
    const said = firstLine(finished.stderr);
    throw new Error(said === "" ? `ser repair gave an answer that I cannot read: ${error.message}` : said);
  }
}

/** A list of the repairs, best first as `ser` ranks them, with a button to see each difference. */
function choose(
  document: vscode.TextDocument,
  { repairs }: Repairs,
  preview: Preview,
): Promise<Repair | undefined> {
  const difference: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon("diff"),
    tooltip: "Show the difference",
  };
  const pick = vscode.window.createQuickPick<Choice>();
  pick.title = "Repairs, each proved serializable";
  pick.placeholder = "Choose one to apply it; undo takes it back";
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.ignoreFocusOut = true;
  pick.items = repairs.map((repair) => ({
    label: repair.title,
    description: repair.kind,
    detail: repair.proof,
    buttons: [difference],
    repair,
  }));
  return new Promise((resolve) => {
    pick.onDidTriggerItemButton(({ item }) => {
      preview.show(document, item.repair).then(undefined, (error: unknown) => {
        void vscode.window.showErrorMessage(`ser: ${error instanceof Error ? error.message : String(error)}`);
      });
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.repair);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

async function apply(document: vscode.TextDocument, chosen: Repair): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const { start, end, text } of changesOf(chosen.edits, document.getText())) {
    edit.replace(
      document.uri,
      new vscode.Range(start.line, start.character, end.line, end.character),
      text,
    );
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error("the editor did not accept the edit");
  }
}
