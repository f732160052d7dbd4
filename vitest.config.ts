import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { BrowserCommand, TestSpecification } from "vitest/node";
import { chatStylesModule } from "./scripts/lib/chat-styles.mjs";
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

/** The build makes this module; tests run before it. */
const chatStyles = {
  name: "chat-styles",
  enforce: "pre" as const,
  resolveId: (id: string) => (id === "./styles.js" ? "\0chat-styles" : undefined),
  load: (id: string) => (id === "\0chat-styles" ? chatStylesModule() : undefined),
};

const inChromium = ({ features = [] }: { readonly features?: readonly string[] } = {}) => ({
  enabled: true,
  headless: true,
  screenshotFailures: false,
  // Several projects start their browsers and bundle their dependencies at once.
  connectTimeout: 600_000,
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
    { find: /^pagewire\/page\/(actions|dialog)$/, replacement: source("page/$1") },
    { find: /^pagewire\/chat\/(dom|highlight)$/, replacement: source("chat/$1") },
    // Node cannot start a thread from a source: they are bundled before the tests.
    { find: /^\.\/thread-url\.ts$/, replacement: support("store-thread-url.ts") },
    {
      find: /^pagewire\/(wire|link|toolbox|page|agent-window|hub-client|ai|chat|extension)$/,
      replacement: source("$1"),
    },
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
const preact = [
  "preact",
  "preact/hooks",
  "preact/jsx-dev-runtime",
  "@preact/signals",
  "axe-core",
  "highlight.js/lib/core",
];
const foundLate = [...reacts, ...xterm, ...preact, "fast-check", "vue", "@modelcontextprotocol/client"];

/** A test fails when it hangs, not when the machine is busy. A wait that fails says more than a test's end: it is shorter. */
const patient = {
  expect: { poll: { timeout: 60_000, interval: 20 } },
  setupFiles: ["test/support/patient.ts", "test/support/properties.ts"],
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

/** Its files wait two thirds of their time. */
const nodeWorkers = Math.max(3, availableParallelism() - 1);

/**
 * Files that need modules or globals of their own: they mock some, set global providers, count timers or on a fresh server, or
 * are a page.
 */
const alone = [
  "src/agent-window/agent-bridge.test.ts",
  "src/ai/{loaded,retrying,stream}.test.ts",
  "src/hub/audit/re{corder,fusals}.test.ts",
  "src/hub/common/refusal-log.test.ts",
  "src/hub/tracing/**/*.test.ts",
  "src/mcp-client/refused-handshakes.test.ts",
  "src/page/calls/questions.test.ts",
  "src/{page,toolbox}/page-toolbox.test.ts",
  "src/react/server.test.ts",
  "src/switchboard/model.test.ts",
  "src/toolbox/rounds.test.ts",
  "src/webmcp/**/*.test.ts",
  "src/wire/errors.test.ts",
];

/** The files that take longest, by seconds; in a fresh clone nothing else tells. Begun last, all others would wait for them. */
const longest = [
  ...["e2e/agent-window-silence", "e2e/kills", "e2e/agent-home", "e2e/agent-window-life", "e2e/worker-faults"],
  ...["e2e/network", "e2e/worker-links", "e2e/chaos", "e2e/worker-mcp", "e2e/demo-assistant", "e2e/cli"],
  ...[
    "backpressure/slow-readers",
    "store/postgres-store",
    "store/store",
    "tracing/without-api",
    "git/push",
    "store/killed",
  ],
  ...["commands/mcp-processes", "switchboard/model"],
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? longest.length : at;
    };
    // Vitest ends a worker that files share where the next file wants one of its own: those come first.
    const sharing = ({ project }: TestSpecification) => Number(!project.config.isolate);
    return sorted.toSorted((one, other) => sharing(one) - sharing(other) || place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // Files that need no module or global of their own share workers: a process and its modules for each took a third of the time.
        resolve: ofSources,
        test: {
          name: "node",
          maxWorkers: nodeWorkers,
          isolate: false,
          include: ["{src,bench,test/chaos}/**/*.test.ts", "apps/*/src/**/*.test.ts"],
          exclude: [...alone, "**/*.browser.test.ts"],
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
          include: alone,
          exclude: ["**/*.browser.test.ts"],
          globalSetup: "test/support/bundle-threads.ts",
          ...patient,
        },
      },
      {
        resolve: ofSources,
        plugins: [chatStyles],
        optimizeDeps: { include: foundLate },
        test: {
          name: "browser",
          include: ["src/**/*.browser.test.ts", "apps/*/src/**/*.browser.test.{ts,tsx}"],
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
        optimizeDeps: { include: [...reacts, "fast-check", "@modelcontextprotocol/client"] },
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
          exclude: ["test/e2e/attack/**", "test/e2e/slow/**"],
          // Each file waits for its own browser most of the time.
          maxWorkers: 4,
          isolate: false,
          ...patient,
          setupFiles: [...patient.setupFiles, "test/support/shared-worker.ts"],
        },
      },
      // Several hubs in processes of their own, without a browser.
      { test: { name: "hubs", include: ["test/hubs/**/*.test.ts"], fileParallelism: false, ...patient } },
      {
        test: {
          name: "attack",
          include: ["test/e2e/attack/**/*.test.ts"],
          exclude: ["test/e2e/attack/floods/**"],
          maxWorkers: 2,
          isolate: false,
          ...patient,
          setupFiles: [...patient.setupFiles, "test/support/shared-worker.ts"],
        },
      },
      // Too slow for `npm test`; `npm run attack` runs them after the others.
      {
        test: { name: "floods", include: ["test/e2e/attack/floods/**/*.test.ts"], fileParallelism: false, ...patient },
      },
      // Waits for minutes; `npm run slow` runs it.
      { test: { name: "slow", include: ["test/e2e/slow/**/*.test.ts"], ...patient } },
      {
        test: {
          name: "conformance",
          include: ["test/conformance/**/*.test.ts"],
          fileParallelism: false,
          ...patient,
        },
      },
      // Real programs, which `npm run agents` installs.
      { test: { name: "agents", include: ["test/agents/**/*.test.ts"], fileParallelism: false, ...patient } },
      // What others wrote, which `npm run interop` installs.
      { resolve: ofSources, test: { name: "interop", include: ["test/interop/**/*.test.ts"], ...patient } },
      { test: { name: "package", include: ["test/package/**/*.test.ts"], ...patient } },
    ],
  },
});
