// Reads an ExportTraceServiceRequest as JSON from standard input with the definitions of the
// protocol, and prints its spans. A member or a value that they do not have is a failure.
// Usage: node check.cjs <folder of npm packages>

const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const { Module } = require("node:module");
const { join } = require("node:path");

const packages = process.argv[2];
const resolve = Module._resolveFilename;
const bundle = join(packages, "protobufjs/dist/minimal/protobuf.js");
Module._resolveFilename = (name, ...more) =>
  name === "protobufjs/minimal" ? bundle : resolve(name, ...more);
const protobuf = require("protobufjs/minimal");
protobuf.util.Long = require(join(packages, "long/umd/index.js"));
protobuf.configure();
const root = require(join(packages, "@opentelemetry/otlp-transformer/build/src/generated/root.js"));
const Request = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

/** OTLP writes ids in hexadecimal, where JSON of protobuf has base64. */
function withIds(value, from, to) {
  const text = JSON.stringify(value, (key, member) =>
    /^(trace|span|parentSpan)Id$/.test(key) ? Buffer.from(member, from).toString(to) : member);
  return JSON.parse(text);
}

const sent = JSON.parse(readFileSync(0, "utf8"));
const message = Request.fromObject(withIds(sent, "hex", "base64"));
assert.strictEqual(Request.verify(message), null);
const read = Request.decode(Request.encode(message).finish());
const written = Request.toObject(read, { longs: String, bytes: String, arrays: false });
assert.deepStrictEqual(withoutEmpty(withIds(written, "base64", "hex")), withoutEmpty(sent));
console.log(JSON.stringify(sent.resourceSpans[0].scopeSpans[0].spans.length));

/** Lists without items are not on the wire. */
function withoutEmpty(value) {
  return JSON.parse(JSON.stringify(value, (_, member) =>
    Array.isArray(member) && member.length === 0 ? undefined : member));
}
