import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** The files of which an app that uses these hooks has something before it loads more. */
async function filesOf(...hooks: readonly string[]): Promise<readonly string[]> {
  const {
    metafile: { outputs },
  } = await build({
    stdin: { contents: `export { ${hooks.join(", ")} } from "./index.ts";`, resolveDir: folder },
    bundle: true,
    splitting: true,
    format: "esm",
    external: ["react"],
    outdir: "out",
    write: false,
    metafile: true,
    absWorkingDir: folder,
  });
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === "<stdin>") ?? "";
  const scripts = new Set([entry]);
  for (const script of scripts) {
    for (const { kind, path } of outputs[script]?.imports ?? []) if (kind === "import-statement") scripts.add(path);
  }
  const inputs = [...scripts].flatMap((script) => Object.entries(outputs[script]?.inputs ?? {}));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
}

test("an app that uses neither hook has nothing of them in its bundle", async () => {
  const own = ["use-web-mcp.ts", "hold-web-mcp.ts", "use-model-context-tool.ts", "../webmcp/register-web-mcp.ts"];
  expect(await filesOf("useWebMcp", "useModelContextTool")).toEqual(expect.arrayContaining(own));
  const without = await filesOf("PagewireProvider", "useTool", "useConnection");
  expect(without).toContain("use-tool.ts");
  expect(without.filter((path) => own.includes(path))).toEqual([]);
});
