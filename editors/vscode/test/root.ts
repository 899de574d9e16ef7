// Where things are: tests run in the folder of the extension.

import * as fs from "node:fs";
import * as path from "node:path";

export const EXTENSION = process.cwd();
export const REPOSITORY = path.join(EXTENSION, "../..");
export const EXAMPLES = path.join(REPOSITORY, "examples");
const TEMPLATES = path.join(REPOSITORY, "crates/product/ser/src/templates");

export function read(...parts: string[]): string {
  return fs.readFileSync(path.join(...parts), "utf8");
}

/** Programs that are right: the examples, and those that `ser new` starts with. */
export function programs(): string[] {
  return [EXAMPLES, TEMPLATES].flatMap((folder) =>
    fs
      .readdirSync(folder)
      .filter((name) => name.endsWith(".ser"))
      .sort()
      .map((name) => path.join(folder, name)),
  );
}

/** Processes, unwindings and files with messages that are right. */
export function models(): string[] {
  return ["processes", "messages", "messages/broken"].flatMap((name) => {
    const folder = path.join(EXAMPLES, name);
    const files = fs.readdirSync(folder).filter((file) => /\.(?:ser|unw)$/.test(file));
    return files.sort().map((file) => path.join(folder, file));
  });
}

/** Threads with invariants. */
export function invariantFiles(): string[] {
  const folder = path.join(EXAMPLES, "threads");
  return fs.readdirSync(folder).filter((name) => name.endsWith(".ser")).sort().map((name) => path.join(folder, name));
}

export interface Manifest {
  name: string;
  version: string;
  main: string;
  activationEvents: string[];
  contributes: {
    languages: { id: string; extensions: string[]; configuration: string; icon: Record<string, string> }[];
    grammars: { language: string; scopeName: string; path: string }[];
    commands: { command: string; title: string }[];
    menus: Record<string, { command: string }[]>;
    configuration: { properties: Record<string, { type: string; default: unknown }> };
  };
  dependencies?: Record<string, string>;
  devDependencies: Record<string, string>;
}

export function manifest(): Manifest {
  return JSON.parse(read(EXTENSION, "package.json")) as Manifest;
}
