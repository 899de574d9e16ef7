// What `ser repair --format json` says, and where its edits are in a text.
//
// `ser` counts lines and columns from 1, and columns in characters (Unicode scalar values). Editors
// count from 0, and in UTF-16 code units: a comment with an emoji in front of an edit makes the
// difference. Lines end at a line feed, as in the lexer.

export interface Repair {
  readonly title: string;
  readonly kind: string;
  readonly diff: string;
  readonly edits: readonly Edit[];
  /** The reason why the repaired program is serializable, in one line. */
  readonly proof: string;
}

/** A change of the text between two places. */
export interface Edit {
  readonly start: Place;
  readonly end: Place;
  readonly text: string;
}

/** Counted from 1; columns in characters. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Repairs {
  readonly verdict: string;
  readonly repairs: readonly Repair[];
  readonly tried: readonly string[];
  /** Why there is no verdict: an error in the source, or a limit. */
  readonly reason: string;
}

/** As editors count: from 0, in UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Change {
  readonly start: Position;
  readonly end: Position;
  readonly text: string;
}

export class BadRepairs extends Error {}

/** Reads the output of `ser repair --format json`; throws `BadRepairs` if it is something else. */
export function parseRepairs(output: string): Repairs {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    throw new BadRepairs("the answer is not JSON");
  }
  const object = record(value, "the answer");
  return {
    verdict: string(object.verdict, "verdict"),
    // A program that needs no repair, or cannot be read, has none.
    repairs: object.repairs === undefined ? [] : list(object.repairs, "repairs").map(parseRepair),
    tried: object.tried === undefined ? [] : list(object.tried, "tried").map(triedText),
    reason: optionalString(object.reason),
  };
}

function parseRepair(value: unknown): Repair {
  const object = record(value, "a repair");
  return {
    title: string(object.title, "title"),
    kind: optionalString(object.kind),
    diff: optionalString(object.diff),
    proof: optionalString(object.proof),
    edits: list(object.edits, "edits").map((value) => {
      const edit = record(value, "an edit");
      return { start: place(edit.start), end: place(edit.end), text: string(edit.text, "text") };
    }),
  };
}

/** An attempt is a sentence, or an object that has one. */
function triedText(value: unknown): string {
  if (typeof value === "string") {
    return value;
  }
  if (typeof value === "object" && value !== null) {
    for (const name of ["title", "what", "summary", "message"]) {
      const text: unknown = (value as Record<string, unknown>)[name];
      if (typeof text === "string") {
        return text;
      }
    }
  }
  return JSON.stringify(value) ?? "";
}

function place(value: unknown): Place {
  const object = record(value, "a place");
  return { line: count(object.line, "line"), column: count(object.column, "column") };
}

function count(value: unknown, what: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
    throw new BadRepairs(`${what} is not a number from 1 on`);
  }
  return value;
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new BadRepairs(`${what} is not an object`);
  }
  return value as Record<string, unknown>;
}

function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) {
    throw new BadRepairs(`${what} is not a list`);
  }
  return value;
}

function string(value: unknown, what: string): string {
  if (typeof value !== "string") {
    throw new BadRepairs(`${what} is not a text`);
  }
  return value;
}

function optionalString(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * The edits as changes of `text`, in the order of their places. Throws `BadRepairs` if one is outside of
 * the text or two overlap: the text is then not the one that was repaired, and must stay as it is.
 */
export function changesOf(edits: readonly Edit[], text: string): Change[] {
  const lines = text.split("\n");
  const changes = edits.map((edit) => ({
    start: position(lines, edit.start),
    end: position(lines, edit.end),
    text: edit.text,
  }));
  changes.sort((a, b) => compare(a.start, b.start) || compare(a.end, b.end));
  changes.forEach((change, index) => {
    const previous = changes[index - 1];
    const startsTooEarly = previous !== undefined && compare(change.start, previous.end) < 0;
    if (startsTooEarly || compare(change.end, change.start) < 0) {
      throw new BadRepairs("the edits overlap");
    }
  });
  return changes;
}

function position(lines: readonly string[], { line, column }: Place): Position {
  const text = lines[line - 1];
  if (text === undefined) {
    throw new BadRepairs(`the text has no line ${line}`);
  }
  let character = 0;
  for (let passed = 1; passed < column; passed++) {
    const code = text.codePointAt(character);
    if (code === undefined) {
      throw new BadRepairs(`line ${line} has no column ${column}`);
    }
    character += code > 0xffff ? 2 : 1;
  }
  return { line: line - 1, character };
}

function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** The text after all changes, for a preview. */
export function changedText(changes: readonly Change[], text: string): string {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  const offset = (p: Position): number => (starts[p.line] ?? text.length) + p.character;
  let result = "";
  let done = 0;
  for (const change of changes) {
    result += text.slice(done, offset(change.start)) + change.text;
    done = offset(change.end);
  }
  return result + text.slice(done);
}

/** What to say when there is nothing to choose from. */
export function nothingToRepair({ verdict, tried, reason }: Repairs): string {
  switch (plain(verdict)) {
    case "serializable":
      return "Nothing to repair: the program is serializable.";
    case "not serializable":
      return tried.length === 0
        ? "No repair was found."
        : `No repair was found. Tried: ${tried.join("; ")}.`;
    default:
      return `No repair: the verdict is ${plain(verdict)}${reason === "" ? "." : ` (${reason}).`}`;
  }
}

/** A verdict in words: `not_serializable` is `not serializable`. */
export function plain(verdict: string): string {
  return verdict.replaceAll("_", " ").toLowerCase();
}
