// What the user can set, with defaults and limits: a settings file may hold anything.

export interface Settings {
  /** The program, as written by the user. */
  readonly path: string;
  /** Seconds that one check may take, a whole number. */
  readonly timeout: number;
  readonly inlayHints: boolean;
  readonly codeLens: boolean;
}

export const DEFAULTS: Settings = { path: "ser", timeout: 10, inlayHints: true, codeLens: true };

const LONGEST_TIMEOUT = 3600;

/** Reads the settings; `get` takes a name without the section, as in `timeout`. */
export function readSettings(get: (name: string) => unknown): Settings {
  const path = get("path");
  const timeout = get("timeout");
  return {
    path: typeof path === "string" && path.trim() !== "" ? path.trim() : DEFAULTS.path,
    timeout:
      typeof timeout === "number" && Number.isFinite(timeout)
        ? Math.min(Math.max(Math.round(timeout), 1), LONGEST_TIMEOUT)
        : DEFAULTS.timeout,
    inlayHints: flag(get("inlayHints.enable"), DEFAULTS.inlayHints),
    codeLens: flag(get("codeLens.enable"), DEFAULTS.codeLens),
  };
}

function flag(value: unknown, otherwise: boolean): boolean {
  return typeof value === "boolean" ? value : otherwise;
}

/** What the server is told when it starts. */
export interface InitializationOptions {
  readonly timeout: number;
  readonly inlayHints: boolean;
  readonly codeLens: boolean;
}

export function initializationOptions(settings: Settings): InitializationOptions {
  const { timeout, inlayHints, codeLens } = settings;
  return { timeout, inlayHints, codeLens };
}
