// A real `ser`: the one that `SER` names, or what cargo has built.

import * as fs from "node:fs";
import * as path from "node:path";
import { run } from "../src/process";
import { REPOSITORY } from "./root";

/** One that knows a command: it ends well when it is asked for help about it. */
export async function findSer(probe: readonly string[]): Promise<string | undefined> {
  const candidates = [
    process.env.SER,
    path.join(REPOSITORY, "target/release/ser"),
    path.join(REPOSITORY, "target/debug/ser"),
  ];
  for (const candidate of candidates) {
    if (candidate !== undefined && fs.existsSync(candidate) && (await run(candidate, probe)).code === 0) {
      return candidate;
    }
  }
  return undefined;
}
