import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { BrowserCommand, TestSpecification } from "vitest/node";
import { findChromium } from "./scripts/find-chromium.mjs";

const chromium = findChromium();
const react18 = fileURLToPath(new URL("test/react-18/node_modules", import.meta.url));

/** Has Node run an exported function of a module, whose address begins at the repository's folder; see test/support/in-node.ts. */
const inNode: BrowserCommand<[module: string, name: string, values: readonly unknown[]]> = async (
  { project },
  ...[module, name, values]
) => {
  const { [name]: run } =
    await project.import<Record<string, ((...given: readonly unknown[]) => unknown) | undefined>>(module);
  if (!run) throw new Error(`${module} exports no function "${name}".`);
  return run(...values);
};

const inChromium = ({ features = [] }: { readonly features?: readonly string[] } = {}) => ({
  enabled: true,
  headless: true,
  screenshotFailures: false,
  commands: { inNode },
  instances: [{ browser: "chromium" as const }],
  provider: playwright({
    launchOptions: {
      ...(chromium === undefined ? {} : { executablePath: chromium }),
      args: [
        "--no-sandbox",
        "--headless=new",
        "--disable-dev-shm-usage",
        ...features.map((feature) => `--enable-features=${feature}`),
      ],
    },
  }),
});

/** The apps import the package by its name; tests run before it is built. */
const ofSources = {
  alias: [
    { find: /^pagewire\/ai-agent$/, replacement: source("element") },
    { find: /^pagewire\/terminal$/, replacement: source("terminal-view") },
    { find: /^pagewire\/page\/actions$/, replacement: source("page/actions") },
    // Node cannot start a thread from a source: they are bundled before the tests.
    { find: /^\.\/thread-url\.ts$/, replacement: support("store-thread-url.ts") },
    { find: /^pagewire\/(wire|link|toolbox|page|agent-window|hub-client|ai)$/, replacement: source("$1") },
  ],
};

function support(file: string): string {
  return fileURLToPath(new URL(`test/support/${file}`, import.meta.url));
}

function source(folder: string): string {
  return fileURLToPath(new URL(`src/${folder}/index.ts`, import.meta.url));
}

/** Found late, they would be bundled in the middle of a run, and pages loaded again. */
const reacts = ["react", "react-dom", "react-dom/client", "react-dom/server.browser", "react-refresh/runtime"];
const xterm = ["@xterm/xterm", "@xterm/addon-fit", "@xterm/addon-search", "@xterm/addon-web-links"];
const foundLate = [...reacts, ...xterm, "vue", "@modelcontextprotocol/client"];

/** A test fails when it hangs, not when the machine is busy. A wait that fails says more than a test's end: it is shorter. */
const patient = {
  expect: { poll: { timeout: 60_000, interval: 20 } },
  setupFiles: ["test/support/patient.ts"],
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

const nodeWorkers = Math.max(2, availableParallelism() - 1);

/** Rooms whose tests share a worker; those of pages set globals, and have one each. */
const sharing = "cli,hub,hub-client,link,mcp,mcp-client,once,policy,state,switchboard,terminal,wire";

/** Their files that need modules of their own: they mock some, set global providers, or count on a fresh server. */
const alone = [
  "src/{link,mcp-client}/**/*.browser.test.ts",
  "src/hub/{store,tracing}/**/*.test.ts",
  "src/mcp-client/refused-handshakes.test.ts",
  "src/switchboard/model.test.ts",
  "src/wire/errors.test.ts",
];

/** A file that waits for minutes begins first: at the end all others would wait for it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/(agent-window-(silence|life)|chaos|kills|worker-links)\.test\.ts$/.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // Nothing in these rooms needs a module or a global of its own: loading all of them once for each file took a third of the time.
        resolve: ofSources,
        test: {
          name: "node",
          maxWorkers: nodeWorkers,
          isolate: false,
          include: [`src/{${sharing}}/**/*.test.ts`],
          exclude: alone,
          globalSetup: "test/support/bundle-threads.ts",
          ...patient,
          setupFiles: [...patient.setupFiles, "test/support/shared-worker.ts"],
        },
      },
      {
        resolve: ofSources,
        test: {
          name: "node-alone",
          maxWorkers: nodeWorkers,
          include: [
            ...alone,
            `src/!(${sharing.replaceAll(",", "|")})/**/*.test.ts`,
            "apps/*/src/**/*.test.ts",
            "bench/**/*.test.ts",
            "test/chaos/**/*.test.ts",
          ],
          exclude: ["src/**/*.browser.test.ts", "apps/*/src/**/*.browser.test.ts"],
          globalSetup: "test/support/bundle-threads.ts",
          ...patient,
        },
      },
      {
        resolve: ofSources,
        optimizeDeps: { include: foundLate },
        test: {
          name: "browser",
          include: ["src/**/*.browser.test.ts", "apps/*/src/**/*.browser.test.ts"],
          provide: { react: 19, native: false },
          ...patient,
          browser: inChromium(),
        },
      },
      {
        // What deals with document.modelContext, once more where the browser has one.
        resolve: ofSources,
        optimizeDeps: { include: foundLate },
        test: {
          name: "webmcp",
          include: ["src/webmcp/**/*.browser.test.ts", "src/{page,react}/**/*model-context*.browser.test.ts"],
          provide: { react: 19, native: true },
          ...patient,
          browser: inChromium({ features: ["WebMCP"] }),
        },
      },
      {
        // The oldest React that src/react works with.
        resolve: { alias: [{ find: /^(?=react(-dom)?(\/|$))/, replacement: `${react18}/` }] },
        optimizeDeps: { include: [...reacts, "@modelcontextprotocol/client"] },
        test: {
          name: "react-18",
          include: ["src/react/**/*.browser.test.ts", "src/bindable/react.browser.test.ts"],
          exclude: ["src/react/activity.browser.test.ts"],
          provide: { react: 18, native: false },
          ...patient,
          browser: inChromium(),
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", "test/seeds/**/*.test.ts"],
          exclude: ["test/e2e/attack/**"],
          // Each file waits for its own browser most of the time.
          maxWorkers: 4,
          ...patient,
        },
      },
      {
        test: {
          name: "attack",
          include: ["test/e2e/attack/**/*.test.ts"],
          exclude: ["test/e2e/attack/floods/**"],
          maxWorkers: 2,
          ...patient,
        },
      },
      // Too slow for `npm test`; `npm run attack` runs them after the others.
      {
        test: { name: "floods", include: ["test/e2e/attack/floods/**/*.test.ts"], fileParallelism: false, ...patient },
      },
      {
        test: {
          name: "conformance",
          include: ["test/conformance/**/*.test.ts"],
          fileParallelism: false,
          ...patient,
        },
      },
      { test: { name: "package", include: ["test/package/**/*.test.ts"], ...patient } },
    ],
  },
});
