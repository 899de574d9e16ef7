// A stand-in for the client library: it records what it was made with. The real library and a real server are
// tried in protocol.test.ts and package.test.ts.

export const TransportKind = { stdio: 0 };

export class LanguageClient {
  static readonly all: LanguageClient[] = [];
  state: "new" | "running" | "stopped" = "new";
  private readonly handlers = new Map<string, (value: unknown) => void>();
  constructor(
    readonly id: string,
    readonly name: string,
    readonly server: { command: string; args: string[] },
    readonly options: { initializationOptions: unknown; documentSelector: unknown },
  ) {
    LanguageClient.all.push(this);
  }
  onNotification(method: string, handler: (value: unknown) => void): void {
    this.handlers.set(method, handler);
  }
  notify(method: string, value: unknown): void {
    this.handlers.get(method)?.(value);
  }
  async start(): Promise<void> {
    this.state = "running";
  }
  async dispose(): Promise<void> {
    this.state = "stopped";
  }
}
