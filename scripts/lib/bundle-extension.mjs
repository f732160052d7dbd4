// The browser extension: a folder to load and a zip for a store, for each kind of browser.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "./files.mjs";
import { root } from "./root.mjs";
import { zip } from "./zip.mjs";

const app = "apps/extension";
const output = "dist/extension";

/** The public part of a key whose other part was thrown away: it makes the id the same wherever the folder is loaded from. */
const key =
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxXGzJGxFnPdkzP2l3uRhzmX+dppQfLjaur2c128GqaiXDPuYDVV8K1fwB4ShmedFLIMrNuX/b9THssdfBtYgPB7Iid+Yri1Ol3Q99+umWAE+n1fgldxW9b+rZGN3ztT1h5iyUFTnKb2Pl/JmDl/W0PmkWrORE6/iYbYq5KftUECEmkqbTlvujy+2nNLxbA/bAVgONQGtSmW2hvQMeXpDEtbmfELHsSNbd0VzvKBMjJ2i10dMc5Za0mR0q5FVAsm0mhL3nx0CYlbi0Ew+XPBgeJXj6LBfqCX0PSnvVlQAM39ckApE4uL+hmd9JEhzxi5CNpOQFGexjUD9TCKHTfkrVQIDAQAB";

const browsers = {
  chrome: (manifest) => ({
    ...manifest,
    key,
    background: { service_worker: "worker.js" },
    minimum_chrome_version: "120",
  }),
  firefox: (manifest) => ({
    ...manifest,
    background: { scripts: ["worker.js"] },
    browser_specific_settings: {
      gecko: {
        id: "extension@pagewire.dev",
        strict_min_version: "142.0",
        data_collection_permissions: { required: ["websiteContent", "websiteActivity"] },
      },
    },
  }),
};

/** Preact can set HTML, which no page of the extension does and stores' linters warn of: here it would be shown as text. */
const withoutHtml = {
  name: "without-html",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]preact[\\/]dist[\\/]preact\.(mjs|module\.js|js)$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace(/(\w+)\.innerHTML=(\w+\.__html)/, "$1.textContent=$2");
      if (contents === source) throw new Error(`${path} sets HTML in a way that is not known here.`);
      return { contents };
    });
  },
};

/** Before the sources are compiled, whose output has the same folder. */
export function removeExtension() {
  for (const name of Object.keys(browsers)) rmSync(join(root, output, name), { recursive: true, force: true });
}

/** `bundle` runs esbuild; `pages` are its options for pages with a view. */
export async function bundleExtension(bundle, { plugins, ...pages }) {
  const first = join(output, "chrome");
  const scripts = namesOf(["worker.ts", "probe.ts", "page.ts", "main-world.ts"]);
  // The browser runs them as scripts, which load nothing later: all is in them.
  await bundle({ outdir: first, entryPoints: scripts, format: "iife", plugins });
  const views = namesOf(["popup/main.tsx", "options/main.tsx", "ask/main.tsx"]);
  await bundle({
    ...pages,
    outdir: first,
    entryPoints: views,
    splitting: true,
    chunkNames: "parts/[name]-[hash]",
    plugins: [...plugins, withoutHtml],
  });
  cpSync(join(root, app, "public"), join(root, first), { recursive: true });
  cpSync(join(root, "apps/common/styles"), join(root, first, "styles/common"), { recursive: true });
  cpSync(join(root, first), join(root, output, "firefox"), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const manifest = { ...JSON.parse(readFileSync(join(root, app, "manifest.json"), "utf8")), version };
  for (const [name, adapt] of Object.entries(browsers)) {
    const folder = join(output, name);
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "manifest.json"), `${JSON.stringify(adapt(manifest), undefined, 2)}\n`);
    const files = filesBelow(folder).map((path) => [path.slice(folder.length + 1), readFileSync(join(root, path))]);
    writeFileSync(join(root, output, `pagewire-extension-${name}.zip`), zip(new Map(files)));
  }
}

/** Entry points by the names of their outputs. */
function namesOf(files) {
  const there = files.map((file) => `${app}/src/${file}`).filter((path) => existsSync(join(root, path)));
  return Object.fromEntries(there.map((path) => [/src\/([\w-]+)/.exec(path)[1], path]));
}

/** Everything in a folder of dist/, with forward slashes. */
function filesBelow(folder) {
  return filesIn(folder).map((path) => path.replaceAll("\\", "/"));
}
