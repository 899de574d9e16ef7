// The names that package.json and the language server know as well. Tests compare them.

/** All that the server knows: every file has verdicts and reports, and programs (`ser`) have repairs. */
export const LANGUAGES: readonly string[] = ["ser", "ser-unw"];

/** The section of the settings, and the id of the client: `ser.trace.server` is found through it. */
export const SECTION = "ser";

export const Command = {
  check: "ser.check",
  report: "ser.report",
  showInterleaving: "ser.showInterleaving",
  repair: "ser.repair",
  restartServer: "ser.restartServer",
  showOutput: "ser.showOutput",
} as const;

export type CommandName = (typeof Command)[keyof typeof Command];

/** Sent by the server after each check, see `Verdict`. */
export const VERDICT_NOTIFICATION = "ser/verdict";
