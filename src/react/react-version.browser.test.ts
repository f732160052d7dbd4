import { version } from "react";
import { version as domVersion } from "react-dom";
import { expect, inject, test } from "vitest";

test("the tests of this folder run with each React that it is for", () => {
  expect([version, domVersion].map((each) => Number.parseInt(each, 10))).toEqual([inject("react"), inject("react")]);
});

declare module "vitest" {
  interface ProvidedContext {
    /** The version of React that a project of vitest.config.ts is for. */
    readonly react: number;
    /** Whether the browser has its own model context. */
    readonly native: boolean;
  }
}
