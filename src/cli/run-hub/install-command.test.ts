import { expect, test } from "vitest";
import { installCommand } from "./mount-terminals.ts";

const name = "@lydell/node-pty";
const inPackage = "pagewire/dist/cli/terminals/install-command.js";

test.each([
  ["/usr/lib/node_modules", [], "npm install --global @lydell/node-pty"],
  ["/home/a/app/node_modules", ["/home/a/app"], "npm install --prefix /home/a/app @lydell/node-pty"],
  ["/home/a/my app/node_modules", ["/home/a/my app"], 'npm install --prefix "/home/a/my app" @lydell/node-pty'],
  [
    "/home/a/.npm/_npx/12ab/node_modules",
    ["/home/a/.npm/_npx/12ab"],
    "npx --package=pagewire --package=@lydell/node-pty pagewire hub --terminal",
  ],
  [
    "/home/a/app/node_modules/.pnpm/pagewire@1.0.0/node_modules",
    ["/home/a/app"],
    "pnpm --dir /home/a/app add @lydell/node-pty",
  ],
  [
    "/home/a/.local/share/pnpm/global/5/node_modules/.pnpm/pagewire@1.0.0/node_modules",
    ["/home/a/.local/share/pnpm/global/5"],
    "pnpm add --global @lydell/node-pty",
  ],
])("for Pagewire in %s a package is added where that finds it", (folder, withManifest, command) => {
  const exists = (path: string) => withManifest.some((each) => path === `${each}/package.json`);
  expect(installCommand({ name, file: `${folder}/${inPackage}`, platform: "linux", exists })).toBe(command);
});

test("in a checkout, its own dependencies are installed, and on Windows, paths are quoted for it", () => {
  const exists = (path: string) => path === "/work/pagewire/package.json";
  const file = "/work/pagewire/dist/cli/terminals/install-command.js";
  expect(installCommand({ name, file, platform: "linux", exists })).toBe("npm install --prefix /work/pagewire");
  const onWindows = String.raw`C:\Users\A B\app\node_modules\pagewire\dist\cli\terminals\install-command.js`;
  const command = installCommand({ name, file: onWindows, platform: "win32", exists: () => true });
  expect(command).toBe('npm install --prefix "C:/Users/A B/app" @lydell/node-pty');
});
