// A third JSON parser, from another language: it also takes the last of duplicate names, and accepts more than JSON.
import { spawnSync } from "node:child_process";

const program = `
import base64, json, sys
for line in sys.stdin:
    try:
        value = json.loads(base64.b64decode(line))
        print(json.dumps({"read": value}))
    except (ValueError, RecursionError):
        print("{}")
`;

/** How Python parses each text, without those that it rejects; empty on a machine without Python. */
export function readWithPython(texts: readonly string[]): readonly unknown[] {
  const input = texts.map((text) => `${Buffer.from(text).toString("base64")}\n`).join("");
  const { status, stdout } = spawnSync("python3", ["-c", program], { input, maxBuffer: 256 * 1024 * 1024 });
  if (status !== 0) return [];
  const lines = stdout.toString().trimEnd().split("\n");
  return lines
    .map((line) => (JSON.parse(line.replace(/\bNaN\b|-?\bInfinity\b/g, "null")) as { read?: unknown }).read)
    .filter((read) => read !== undefined);
}
