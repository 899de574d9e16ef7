// The verdict of a file, as the server tells it, and how the status bar shows it.

import { plain } from "./repairs";

export interface Verdict {
  readonly uri: string;
  readonly verdict: string;
  readonly summary: string;
  readonly timeMs: number | undefined;
}

/** Reads the parameters of `ser/verdict`; undefined if they are something else. */
export function parseVerdict(value: unknown): Verdict | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const { uri, verdict, summary, time_ms: time } = value as Record<string, unknown>;
  if (typeof uri !== "string" || typeof verdict !== "string") {
    return undefined;
  }
  return {
    uri,
    verdict,
    summary: typeof summary === "string" ? summary : "",
    timeMs: typeof time === "number" && Number.isFinite(time) ? time : undefined,
  };
}

export interface Status {
  readonly text: string;
  readonly tooltip: string;
  /** A colour that makes people look, only where they should. */
  readonly background: "error" | "warning" | undefined;
}

/** Before the first check, and between an edit and the check after it. */
export const WAITING: Status = {
  text: "$(ellipsis) ser",
  tooltip: "ser: not checked yet",
  background: undefined,
};

export function statusOf(verdict: Verdict): Status {
  const words = plain(verdict.verdict);
  const [icon, background] = look(words);
  const time = verdict.timeMs === undefined ? "" : ` (${duration(verdict.timeMs)})`;
  const summary = verdict.summary === "" ? "" : `\n${verdict.summary}`;
  return { text: `$(${icon}) ${words}`, tooltip: `ser: ${words}${time}${summary}`, background };
}

function look(words: string): [string, Status["background"]] {
  switch (words) {
    case "serializable":
    case "unreachable":
    case "sequentialized":
    case "proved":
      return ["pass", undefined];
    case "not serializable":
    case "reachable":
    case "refuted":
      return ["error", "error"];
    case "error":
      return ["warning", "warning"];
    default:
      return ["question", undefined];
  }
}

/** `1.6 ms`, `420 ms`, `2.5 s`. */
export function duration(ms: number): string {
  if (ms < 10) {
    return `${ms.toFixed(1)} ms`;
  }
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
