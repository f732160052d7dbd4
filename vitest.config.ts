import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { findChromium } from "./scripts/find-chromium.mjs";

const chromium = findChromium();

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: ["src/**/*.test.ts", "apps/*/src/**/*.test.ts"],
          exclude: ["src/**/*.browser.test.ts"],
        },
      },
      {
        test: {
          name: "browser",
          include: ["src/**/*.browser.test.ts"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: "chromium" }],
            provider: playwright({
              launchOptions: {
                ...(chromium === undefined ? {} : { executablePath: chromium }),
                args: ["--no-sandbox", "--headless=new", "--disable-dev-shm-usage"],
              },
            }),
          },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          fileParallelism: false,
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
