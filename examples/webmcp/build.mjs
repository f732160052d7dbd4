import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));

rmSync(`${folder}/dist`, { recursive: true, force: true });
mkdirSync(`${folder}/dist`);
copyFileSync(`${folder}/index.html`, `${folder}/dist/index.html`);
await build({
  absWorkingDir: folder,
  entryPoints: ["src/main.tsx", "src/main.css"],
  outdir: "dist",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
});
