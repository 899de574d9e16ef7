// The real program, if there is one, does what our command lines ask for.

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, test } from "node:test";
import { checkArguments, repairArguments, reportArguments } from "../src/arguments";
import { contentSecurityPolicy } from "../src/page";
import { run } from "../src/process";
import { changedText, changesOf, nothingToRepair, parseRepairs } from "../src/repairs";
import { DEFAULTS } from "../src/settings";
import { findSer } from "./real";
import { EXAMPLES, read } from "./root";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ser-test-"));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
}

describe("ser repair", { timeout: 120_000 }, () => {
  const missing = "no `ser` with `repair`: set SER, or run `cargo build --release`";
  const emoji = "request main { /* \u{1F600} */ X := 1; yield; y := X; X := 0; y }\n";
  const texts: Record<string, string> = {
    "lost_update.ser": read(EXAMPLES, "lost_update.ser"),
    "write_skew.ser": read(EXAMPLES, "write_skew.ser"),
    "with CRLF.ser": read(EXAMPLES, "lost_update.ser").replaceAll("\n", "\r\n"),
    "emoji.ser": emoji,
  };

  for (const [name, text] of Object.entries(texts)) {
    test(`gives edits that, applied by us, make ${name} serializable`, async (context) => {
      const ser = await findSer(["repair", "--help"]);
      if (ser === undefined) {
        context.skip(missing);
        return;
      }
      const answer = await run(ser, repairArguments(write(name, text), DEFAULTS));
      const { repairs } = parseRepairs(answer.stdout);
      assert.ok(repairs.length > 0);
      for (const [index, repair] of repairs.entries()) {
        assert.ok(repair.title !== "" && repair.proof !== "");
        const repaired = write(`repaired ${index}.ser`, changedText(changesOf(repair.edits, text), text));
        const { code, stdout } = await run(ser, checkArguments(repaired, DEFAULTS));
        assert.equal(code, 0, `${repair.title}\n${read(repaired)}\n${stdout}`);
      }
    });
  }

  test("says why there is nothing to repair", async (context) => {
    const ser = await findSer(["repair", "--help"]);
    if (ser === undefined) {
      context.skip(missing);
      return;
    }
    const words = async (text: string): Promise<string> => {
      const answer = await run(ser, repairArguments(write("a.ser", text), DEFAULTS));
      return nothingToRepair(parseRepairs(answer.stdout));
    };
    assert.match(await words("request main { 1 }"), /is serializable/);
    assert.match(await words("request main { f(1) }"), /verdict is error \(.*f/);
  });
});

test("ser check --html writes a page whose scripts we let run", { timeout: 60_000 }, async (context) => {
  const ser = await findSer(["check", "--html", "x", "--help"]);
  if (ser === undefined) {
    context.skip("no `ser` with `check --html`: set SER, or run `cargo build --release`");
    return;
  }
  const html = path.join(folder, "report.html");
  const { code } = await run(ser, reportArguments(html, path.join(EXAMPLES, "lost_update.ser"), DEFAULTS));
  assert.equal(code, 1);
  const page = read(html);
  assert.match(contentSecurityPolicy(page), /script-src 'sha256-/);
  // Handlers in attributes would not run under our policy, so there must be none.
  const tags = page.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, "").match(/<[a-z][^>]*>/gi) ?? [];
  assert.deepEqual(tags.filter((tag) => /\son[a-z]+\s*=/i.test(tag)), []);
  // One page, no network.
  assert.deepEqual(tags.filter((tag) => /\s(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i.test(tag)), []);
});
