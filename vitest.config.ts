import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { findChromium } from "./scripts/find-chromium.mjs";

const chromium = findChromium();
const react18 = fileURLToPath(new URL("test/react-18/node_modules", import.meta.url));

const inChromium = () => ({
  enabled: true,
  headless: true,
  screenshotFailures: false,
  instances: [{ browser: "chromium" as const }],
  provider: playwright({
    launchOptions: {
      ...(chromium === undefined ? {} : { executablePath: chromium }),
      args: ["--no-sandbox", "--headless=new", "--disable-dev-shm-usage"],
    },
  }),
});

/** The apps import the package by its name; tests run before it is built. */
const ofSources = {
  alias: [
    { find: /^pagewire\/ai-agent$/, replacement: source("element") },
    { find: /^pagewire\/(wire|link|toolbox|page|agent-window|hub-client|ai)$/, replacement: source("$1") },
  ],
};

function source(folder: string): string {
  return fileURLToPath(new URL(`src/${folder}/index.ts`, import.meta.url));
}

/** Found late, they would be bundled in the middle of a run, and pages loaded again. */
const reacts = ["react", "react-dom", "react-dom/client", "react-dom/server.browser", "react-refresh/runtime"];
const frameworks = [...reacts, "vue"];

export default defineConfig({
  test: {
    projects: [
      {
        resolve: ofSources,
        test: {
          name: "node",
          maxWorkers: Math.max(2, availableParallelism() - 1),
          include: ["src/**/*.test.ts", "apps/*/src/**/*.test.ts"],
          exclude: ["src/**/*.browser.test.ts", "apps/*/src/**/*.browser.test.ts"],
        },
      },
      {
        resolve: ofSources,
        optimizeDeps: { include: frameworks },
        test: {
          name: "browser",
          include: ["src/**/*.browser.test.ts", "apps/*/src/**/*.browser.test.ts"],
          provide: { react: 19 },
          browser: inChromium(),
        },
      },
      {
        // The oldest React that src/react works with.
        resolve: { alias: [{ find: /^(?=react(-dom)?(\/|$))/, replacement: `${react18}/` }] },
        optimizeDeps: { include: reacts },
        test: {
          name: "react-18",
          include: ["src/react/**/*.browser.test.ts", "src/bindable/react.browser.test.ts"],
          exclude: ["src/react/activity.browser.test.ts"],
          provide: { react: 18 },
          browser: inChromium(),
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", "test/seeds/**/*.test.ts"],
          // Each file waits for its own browser most of the time.
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "conformance",
          include: ["test/conformance/**/*.test.ts"],
          fileParallelism: false,
          hookTimeout: 300_000,
          testTimeout: 60_000,
        },
      },
      { test: { name: "package", include: ["test/package/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 120_000 } },
    ],
  },
});
