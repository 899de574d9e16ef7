// Where `ser` is, and what to say if it is not there or too old to have a language server.

import * as path from "node:path";
import { LSP_PROBE, VERSION } from "./arguments";
import { CannotStart, run } from "./process";

/**
 * The program to start for what the user wrote in `ser.path`. A bare name is looked up on the `PATH`
 * by the system; a relative path would depend on where the editor was started, so it starts at the
 * folder of the workspace instead.
 */
export function resolveExecutable(setting: string, folder: string | undefined, home: string): string {
  if (setting.startsWith("~/") || setting.startsWith("~\\")) {
    return path.join(home, setting.slice(2));
  }
  const inFolder = setting.replace("${workspaceFolder}", () => folder ?? ".");
  const isBareName = !/[\\/]/.test(inFolder);
  if (isBareName || path.isAbsolute(inFolder) || folder === undefined) {
    return inFolder;
  }
  return path.join(folder, inFolder);
}

/** Why a program cannot be our language server. */
export type Problem =
  | { readonly kind: "missing"; readonly reason: string }
  | { readonly kind: "old"; readonly version: string };

const LONGEST_PROBE_MS = 10_000;

/** Undefined if all is well. */
export async function findProblem(executable: string): Promise<Problem | undefined> {
  try {
    const probe = await run(executable, LSP_PROBE, { milliseconds: LONGEST_PROBE_MS });
    if (probe.code === 0) {
      return undefined;
    }
    const version = await run(executable, VERSION, { milliseconds: LONGEST_PROBE_MS });
    return { kind: "old", version: firstLine(version.stdout) };
  } catch (error) {
    if (error instanceof CannotStart) {
      return { kind: "missing", reason: error.reason };
    }
    throw error;
  }
}

const HOW_TO_GET_IT =
  "Run `cargo install --path crates/product/ser` in the source folder of ser, or set `ser.path` to where it is.";

export function problemMessage(problem: Problem, executable: string): string {
  switch (problem.kind) {
    case "missing":
      return problem.reason === "ENOENT"
        ? `The program \`${executable}\` was not found. ${HOW_TO_GET_IT}`
        : `The program \`${executable}\` cannot be started (${problem.reason}). ${HOW_TO_GET_IT}`;
    case "old": {
      const what = problem.version === "" ? "" : ` (${problem.version})`;
      return `The program \`${executable}\`${what} has no language server; it is too old. ${HOW_TO_GET_IT}`;
    }
  }
}

export function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0] ?? "";
}
