// The command lines that we run. Files are absolute paths, so none is taken for an option.

import type { Settings } from "./settings";

export const LSP = ["lsp"] as const;

/** Ends well in every `ser` that has a language server, and in no older one. */
export const LSP_PROBE = ["lsp", "--help"] as const;

export const VERSION = ["--version"] as const;

export function checkArguments(file: string, settings: Settings): string[] {
  return ["check", "--color", "never", "--timeout", String(settings.timeout), file];
}

export function reportArguments(html: string, file: string, settings: Settings): string[] {
  return ["check", "--color", "never", "--timeout", String(settings.timeout), "--html", html, file];
}

export function repairArguments(file: string, settings: Settings): string[] {
  return ["repair", "--format", "json", "--timeout", String(settings.timeout), file];
}
