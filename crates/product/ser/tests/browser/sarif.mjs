// Validates SARIF logs against the official schema, which comes with a package from npm.
//
// usage: node sarif.mjs FILE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv-draft-04";
import addFormats from "ajv-formats";

const require = createRequire(import.meta.url);
const schema = JSON.parse(
  readFileSync(require.resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"), "utf8"),
);
const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
addFormats(ajv);
const validate = ajv.compile(schema);

let failed = 0;
for (const file of process.argv.slice(2)) {
  if (validate(JSON.parse(readFileSync(file, "utf8")))) continue;
  failed += 1;
  console.error(`${file}: not valid SARIF`);
  for (const error of validate.errors.slice(0, 10)) console.error(`  ${error.instancePath}: ${error.message}`);
}
if (failed > 0) process.exit(1);
console.log(`${process.argv.length - 2} logs are valid`);
