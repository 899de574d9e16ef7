// A stand-in for the program: a script that notes how it was called and answers as it is told.

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

export interface Answers {
  lsp?: number;
  repair?: unknown;
  html?: string;
  check?: string;
  /** What goes to the error output when there is no report. */
  complaint?: string;
}

export class FakeSer {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "ser-test-"));
  readonly program = path.join(this.folder, "ser");

  constructor(answers: Answers = {}) {
    this.answer(answers);
    fs.writeFileSync(
      this.program,
      `#!${process.execPath}
const fs = require("node:fs");
const path = require("node:path");
const answers = JSON.parse(fs.readFileSync(path.join(__dirname, "answers.json"), "utf8"));
const args = process.argv.slice(2);
fs.appendFileSync(path.join(__dirname, "calls"), JSON.stringify(args) + "\\n");
if (args[0] === "--version") console.log("ser 0.0.1");
if (args[0] === "lsp") process.exit(answers.lsp ?? 0);
if (args[0] === "repair") console.log(JSON.stringify(answers.repair));
const html = args.indexOf("--html");
if (html !== -1 && answers.html !== undefined) fs.writeFileSync(args[html + 1], answers.html);
if (args[0] === "check") process.stdout.write(answers.check ?? "");
if (answers.complaint) { console.error(answers.complaint); process.exit(2); }
`,
      { mode: 0o755 },
    );
  }

  answer(answers: Answers): void {
    fs.writeFileSync(path.join(this.folder, "answers.json"), JSON.stringify(answers));
  }

  calls(): string[][] {
    const file = path.join(this.folder, "calls");
    const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    return text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as string[]);
  }

  write(name: string, text: string): string {
    const file = path.join(this.folder, name);
    fs.writeFileSync(file, text);
    return file;
  }

  remove(): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
