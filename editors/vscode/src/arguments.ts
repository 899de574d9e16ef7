// The command lines that we run. Files are absolute paths, so none is taken for an option.

import * as path from "node:path";
import type { Settings } from "./settings";

export const LSP = ["lsp"] as const;

/** Ends well in every `ser` that has a language server, and in no older one. */
export const LSP_PROBE = ["lsp", "--help"] as const;

export const VERSION = ["--version"] as const;

const SUBCOMMANDS: Readonly<Record<string, string>> = {
  ".unw": "trace",
};

/** The subcommand that answers what a file asks. */
function subcommand(file: string): string {
  return SUBCOMMANDS[path.extname(file).toLowerCase()] ?? "check";
}

export function checkArguments(file: string, settings: Settings): string[] {
  return [subcommand(file), "--color", "never", "--timeout", String(settings.timeout), file];
}

export function reportArguments(html: string, file: string, settings: Settings): string[] {
  return [...checkArguments(file, settings).slice(0, -1), "--html", html, file];
}

export function repairArguments(file: string, settings: Settings): string[] {
  return ["repair", "--format", "json", "--timeout", String(settings.timeout), file];
}
