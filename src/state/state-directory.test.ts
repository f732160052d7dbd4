import { expect, test } from "vitest";
import { stateDirectory } from "./open-state.ts";

test.each([
  { platform: "linux", environment: { XDG_STATE_HOME: "/xdg" }, directory: "/xdg/pagewire" },
  { platform: "linux", environment: { XDG_STATE_HOME: "relative" }, directory: "/home/ada/.local/state/pagewire" },
  { platform: "linux", environment: {}, directory: "/home/ada/.local/state/pagewire" },
  { platform: "freebsd", environment: {}, directory: "/home/ada/.local/state/pagewire" },
  {
    platform: "darwin",
    environment: { XDG_STATE_HOME: "/xdg" },
    directory: "/home/ada/Library/Application Support/pagewire",
  },
  { platform: "win32", environment: { LOCALAPPDATA: "D:\\Local" }, directory: "D:\\Local\\pagewire" },
  { platform: "win32", environment: {}, directory: "\\home\\ada\\AppData\\Local\\pagewire" },
])("on $platform with $environment the state lives in $directory", ({ platform, environment, directory }) => {
  expect(stateDirectory(environment, platform, "/home/ada")).toBe(directory);
});

test("PAGEWIRE_HOME comes before everything else", () => {
  const environment = { PAGEWIRE_HOME: "/elsewhere", XDG_STATE_HOME: "/xdg" };
  for (const platform of ["linux", "darwin"]) {
    expect(stateDirectory(environment, platform, "/home/ada")).toBe("/elsewhere");
  }
});

test("a PAGEWIRE_HOME that would depend on the current folder is refused", () => {
  expect(() => stateDirectory({ PAGEWIRE_HOME: "here" }, "linux", "/home/ada")).toThrow(
    'PAGEWIRE_HOME must be an absolute path, not "here".',
  );
});
