// A stand-in for the editor, as small as the extension allows: it records what it is asked to do, and tests
// play the user.

import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

type Listener<T> = (event: T) => unknown;

class Signal<T> {
  private readonly listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>) => {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  };
  async fire(event: T): Promise<void> {
    await Promise.all([...this.listeners].map((listener) => listener(event)));
  }
}

export class Uri {
  private constructor(private readonly url: string) {}
  static parse(text: string): Uri {
    return new Uri(new URL(text).href);
  }
  static file(file: string): Uri {
    return new Uri(pathToFileURL(file).href);
  }
  get scheme(): string {
    return new URL(this.url).protocol.slice(0, -1);
  }
  get fsPath(): string {
    return fileURLToPath(this.url);
  }
  with({ scheme, query }: { scheme: string; query: string }): Uri {
    return new Uri(`${this.url.replace(/^[a-z]+:/, `${scheme}:`)}?${encodeURIComponent(query)}`);
  }
  toString(): string {
    return this.url;
  }
}

export class Document {
  isDirty = false;
  version = 1;
  readonly languageId: string;
  constructor(
    readonly uri: Uri,
    private text: string,
  ) {
    this.languageId = path.extname(uri.toString()) === ".ser" ? "ser" : "plaintext";
  }
  getText(): string {
    return this.text;
  }
  async type(text: string): Promise<void> {
    this.text = text;
    this.version += 1;
    this.isDirty = true;
    await signals.changed.fire({ document: this, contentChanges: [{ text }] });
  }
  async save(): Promise<boolean> {
    fs.writeFileSync(this.uri.fsPath, this.text);
    this.isDirty = false;
    await signals.saved.fire(this);
    return true;
  }
}

export class Range {
  constructor(
    readonly startLine: number,
    readonly startCharacter: number,
    readonly endLine: number,
    readonly endCharacter: number,
  ) {}
}

export class WorkspaceEdit {
  readonly edits: { uri: string; range: Range; text: string }[] = [];
  replace(uri: Uri, range: Range, text: string): void {
    this.edits.push({ uri: uri.toString(), range, text });
  }
}

export class ThemeColor {
  constructor(readonly id: string) {}
}
export class ThemeIcon {
  constructor(readonly id: string) {}
}
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ViewColumn = { Active: -1, Beside: -2 };
export const ProgressLocation = { Notification: 15 };

class Panel {
  readonly webview = { html: "" };
  private readonly gone = new Signal<void>();
  readonly onDidDispose = this.gone.event;
  constructor(
    readonly title: string,
    readonly options: Record<string, unknown>,
  ) {}
  reveal(): void {}
  dispose(): void {
    void this.gone.fire();
  }
}

interface Item {
  label: string;
  description: string;
  detail: string;
}

class QuickPick {
  title = "";
  placeholder = "";
  items: Item[] = [];
  selectedItems: Item[] = [];
  private readonly accepted = new Signal<void>();
  private readonly hidden = new Signal<void>();
  private readonly button = new Signal<{ item: Item }>();
  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;
  readonly onDidTriggerItemButton = this.button.event;
  show(): void {
    seen.picks.push(this.items.map(({ label, description, detail }) => ({ label, description, detail })));
    void user.pick(this);
  }
  async accept(index: number): Promise<void> {
    this.selectedItems = this.items.slice(index, index + 1);
    await this.accepted.fire();
  }
  async press(index: number): Promise<void> {
    const item = this.items[index];
    if (item !== undefined) {
      await this.button.fire({ item });
    }
  }
  hide(): void {
    void this.hidden.fire();
  }
  dispose(): void {}
}

export interface StatusItem {
  text: string;
  tooltip: string;
  command: string;
  name: string;
  backgroundColor: ThemeColor | undefined;
  visible: boolean;
  show(): void;
  hide(): void;
  dispose(): void;
}

/** What the extension did. */
export const seen = {
  commands: new Map<string, (argument?: unknown) => unknown>(),
  settingsRead: new Set<string>(),
  executed: [] as unknown[][],
  errors: [] as string[],
  information: [] as string[],
  outputs: new Map<string, { text: string; shown: boolean }>(),
  panels: [] as Panel[],
  picks: [] as Item[][],
  edits: [] as WorkspaceEdit[],
  providers: new Map<string, { provideTextDocumentContent(uri: Uri): string }>(),
  status: undefined as StatusItem | undefined,
};

/** What the user does. */
export const user = {
  settings: {} as Record<string, unknown>,
  /** The button pressed on an error message. */
  button: undefined as string | undefined,
  pick: async (pick: QuickPick): Promise<void> => pick.hide(),
};

export const signals = {
  changed: new Signal<{ document: Document; contentChanges: unknown[] }>(),
  saved: new Signal<Document>(),
  closed: new Signal<Document>(),
  active: new Signal<void>(),
  configuration: new Signal<{ affectsConfiguration(name: string): boolean }>(),
};

export async function open(file: string): Promise<Document> {
  const document = new Document(Uri.file(file), fs.readFileSync(file, "utf8"));
  workspace.textDocuments.push(document);
  window.activeTextEditor = { document };
  await signals.active.fire();
  return document;
}

export const commands = {
  registerCommand(name: string, handler: (argument?: unknown) => unknown) {
    if (seen.commands.has(name)) {
      throw new Error(`command ${name} is registered twice`);
    }
    seen.commands.set(name, handler);
    return { dispose: () => void seen.commands.delete(name) };
  },
  async executeCommand(...command: unknown[]): Promise<void> {
    seen.executed.push(command);
  },
};

export const window = {
  activeTextEditor: undefined as { document: Document } | undefined,
  onDidChangeActiveTextEditor: signals.active.event,
  createOutputChannel(name: string) {
    const channel = { text: "", shown: false };
    seen.outputs.set(name, channel);
    return {
      appendLine: (line: string) => void (channel.text += `${line}\n`),
      replace: (text: string) => void (channel.text = text),
      show: () => void (channel.shown = true),
      dispose: () => {},
    };
  },
  createStatusBarItem(): StatusItem {
    const item: StatusItem = {
      text: "",
      tooltip: "",
      command: "",
      name: "",
      backgroundColor: undefined,
      visible: false,
      show: () => void (item.visible = true),
      hide: () => void (item.visible = false),
      dispose: () => {},
    };
    seen.status = item;
    return item;
  },
  createWebviewPanel(_type: string, title: string, _column: unknown, options: Record<string, unknown>) {
    const panel = new Panel(title, options);
    seen.panels.push(panel);
    return panel;
  },
  createQuickPick: () => new QuickPick(),
  async showErrorMessage(message: string): Promise<string | undefined> {
    seen.errors.push(message);
    return user.button;
  },
  async showInformationMessage(message: string): Promise<void> {
    seen.information.push(message);
  },
  async showWarningMessage(message: string): Promise<void> {
    seen.information.push(message);
  },
  withProgress: (_options: unknown, work: (progress: unknown, token: unknown) => unknown) =>
    work({}, { onCancellationRequested: () => ({ dispose: () => {} }) }),
};

export const workspace = {
  textDocuments: [] as Document[],
  workspaceFolders: undefined as { uri: Uri }[] | undefined,
  getWorkspaceFolder: (_uri: Uri) => undefined,
  getConfiguration: (section: string) => ({
    get(name: string): unknown {
      seen.settingsRead.add(`${section}.${name}`);
      return user.settings[`${section}.${name}`];
    },
  }),
  onDidChangeTextDocument: signals.changed.event,
  onDidSaveTextDocument: signals.saved.event,
  onDidCloseTextDocument: signals.closed.event,
  onDidChangeConfiguration: signals.configuration.event,
  registerTextDocumentContentProvider(
    scheme: string,
    provider: { provideTextDocumentContent(uri: Uri): string },
  ) {
    seen.providers.set(scheme, provider);
    return { dispose: () => {} };
  },
  openTextDocument: async (uri: Uri): Promise<Document> =>
    workspace.textDocuments.find((d) => d.uri.toString() === uri.toString()) ?? open(uri.fsPath),
  async applyEdit(edit: WorkspaceEdit): Promise<boolean> {
    seen.edits.push(edit);
    return true;
  },
};
