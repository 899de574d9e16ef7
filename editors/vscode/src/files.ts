// Which file a command is about.

import * as vscode from "vscode";
import { LANGUAGES } from "./names";

/** Menus hand over a URI, code lenses of the server the text of one. */
export function fileOf(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) {
    return argument;
  }
  return typeof argument === "string" ? vscode.Uri.parse(argument) : undefined;
}

export function activeFile(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && LANGUAGES.includes(document.languageId) ? document.uri : undefined;
}

/** `ser` reads the file, so the file has to be what is on the screen. False if it cannot be saved. */
export async function save(file: vscode.Uri): Promise<boolean> {
  const open = vscode.workspace.textDocuments.find((d) => d.uri.toString() === file.toString());
  return open?.isDirty ? open.save() : true;
}
