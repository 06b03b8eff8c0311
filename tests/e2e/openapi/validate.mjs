// Usage: node validate.mjs <description>: exit status 1, and the mistakes, if it is no valid OpenAPI 3.1.
import fs from "node:fs";

import { Validator } from "@seriousme/openapi-schema-validator";

const validator = new Validator();
const { valid, errors } = await validator.validate(JSON.parse(fs.readFileSync(process.argv[2], "utf8")));
console.log(valid ? `valid ${validator.version}` : JSON.stringify(errors));
process.exit(valid ? 0 : 1);
