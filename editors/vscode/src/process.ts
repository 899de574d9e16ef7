// Running a program to its end, without a shell.

import { execFile } from "node:child_process";

export interface Finished {
  /** The exit code; null if it was ended from outside. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program could not even be started. */
export class CannotStart extends Error {
  constructor(
    readonly command: string,
    readonly reason: string,
  ) {
    super(`cannot start ${command}: ${reason}`);
  }
}

export interface RunOptions {
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly milliseconds?: number | undefined;
}

const MOST_OUTPUT = 64 * 1024 * 1024;

export function run(
  command: string,
  args: readonly string[],
  { cwd, signal, milliseconds }: RunOptions = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const options = {
      encoding: "utf8" as const,
      maxBuffer: MOST_OUTPUT,
      windowsHide: true,
      ...(cwd === undefined ? {} : { cwd }),
      ...(signal === undefined ? {} : { signal }),
      ...(milliseconds === undefined ? {} : { timeout: milliseconds }),
    };
    execFile(command, [...args], options, (error, stdout, stderr) => {
      const code: unknown = error?.code;
      if (error === null) {
        resolve({ code: 0, stdout, stderr });
      } else if (typeof code === "number") {
        resolve({ code, stdout, stderr });
      } else if (error.killed || code === "ABORT_ERR" || error.signal) {
        resolve({ code: null, stdout, stderr });
      } else {
        reject(new CannotStart(command, typeof code === "string" ? code : error.message));
      }
    });
  });
}
