import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

/** The sources that a bundle of this one, split into chunks, loads at once. */
async function loadedWith(source: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL("../..", import.meta.url)),
    entryPoints: [source],
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const entry = Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint === source);
  const loaded = new Set([entry ?? ""]);
  for (const path of loaded) {
    for (const { kind, path: next } of metafile.outputs[path]?.imports ?? []) {
      if (kind === "import-statement") loaded.add(next);
    }
  }
  return [...loaded].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
}

test.each(["src/ai/core.ts", "src/element/script.ts"])(
  "%s loads no provider and nothing that only some sends need before it is asked for",
  async (source) => {
    const loaded = await loadedWith(source);
    expect(loaded).toContain("src/ai/ai-core.ts");
    const early = loaded.filter((path) => !/^src\/(ai\/[^/]*|element\/[^/]*|wire\/errors)\.ts$/.test(path));
    expect(early).toEqual([]);
    expect(
      loaded.filter((path) => /elaborate|use-tools|whole-answer|remote-agent|tool-call-reporter/.test(path)),
    ).toEqual([]);
  },
);
