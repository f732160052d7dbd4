import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSecretFile } from "./security-options.ts";

function secretFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-secret-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "secret");
  writeFileSync(path, "the-secret", { mode: 0o600 });
  return path;
}

test("a secret file that others can read or change is refused, with the command that fixes it", () => {
  const path = secretFile();
  for (const mode of [0o604, 0o644, 0o620, 0o777]) {
    chmodSync(path, mode);
    expect(() => readSecretFile(path, "The secret")).toThrow(
      `The secret is not read from ${path}: others can read or change the file (mode 0${mode.toString(8)}). Close it with: chmod 600 "${path}"`,
    );
  }
  for (const mode of [0o600, 0o400]) {
    chmodSync(path, mode);
    expect(readSecretFile(path, "The secret")).toBe("the-secret");
  }
});

test.runIf(process.getuid?.() === 0)(
  "a file of another user is refused, and one that root gives to a service by its group is not",
  () => {
    const path = secretFile();
    chmodSync(path, 0o640);
    expect(readSecretFile(path, "The secret", 1234)).toBe("the-secret");
    chmodSync(path, 0o644);
    expect(() => readSecretFile(path, "The secret", 1234)).toThrow("others can read or change the file");
  },
);
