import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { compile } from "svelte/compiler";
import { compileScript, parse } from "vue/compiler-sfc";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** A component whose file another compiler turns into a script. */
const component = (filter, toScript) => ({
  name: "component",
  setup: ({ onLoad }) => {
    onLoad({ filter }, ({ path }) => toScript(readFileSync(path, "utf8"), basename(path)));
  },
});

const vue = component(/\.vue$/, (source, id) => {
  const compilerOptions = { isCustomElement: (tag) => tag.startsWith("ai-") };
  const { descriptor } = parse(source, { filename: id });
  const { content } = compileScript(descriptor, { id, inlineTemplate: true, templateOptions: { compilerOptions } });
  return { contents: content, loader: "ts" };
});

const svelte = component(/\.svelte$/, (source, filename) => ({
  contents: compile(source, { filename, generate: "client" }).js.code,
}));

export const kinds = ["plain", "react", "vue", "svelte"];

rmSync(`${folder}/dist`, { recursive: true, force: true });
for (const kind of kinds) {
  mkdirSync(`${folder}/dist/${kind}`, { recursive: true });
  const page = kind === "plain" ? "plain/index.html" : "framework.html";
  cpSync(`${folder}/${page}`, `${folder}/dist/${kind}/index.html`);
  cpSync(`${folder}/chat.css`, `${folder}/dist/${kind}/chat.css`);
}

await build({
  absWorkingDir: folder,
  entryPoints: { "react/main": "react/main.tsx", "vue/main": "vue/main.ts", "svelte/main": "svelte/main.ts" },
  outdir: "dist",
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  jsx: "automatic",
  conditions: ["browser"],
  define: {
    "process.env.NODE_ENV": '"production"',
    __VUE_OPTIONS_API__: "false",
    __VUE_PROD_DEVTOOLS__: "false",
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
  },
  plugins: [vue, svelte],
  logLevel: "warning",
});
