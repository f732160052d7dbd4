import { afterEach, expect, test, vi } from "vitest";
import { whyUnreachable } from "./unreachable.ts";

/** The states of this browser's permissions, by name. The browser does not know a name that is missing. */
function setPermissions(states: Readonly<Record<string, PermissionState>>): void {
  vi.spyOn(navigator.permissions, "query").mockImplementation(async ({ name }) => {
    const state = states[name];
    if (state === undefined) throw new TypeError(`No permission is named ${name}.`);
    return { state } as PermissionStatus;
  });
}

afterEach(() => {
  vi.restoreAllMocks();
});

const hubs = ["http://127.0.0.1:7337", "http://localhost:7337", "http://[::1]:7337", "http://pagewire.localhost:7337"];

test("a permission that was denied is told with what to do, for every address of this computer", async () => {
  setPermissions({ "loopback-network": "denied" });
  for (const hub of hubs) {
    expect(await whyUnreachable(hub)).toMatchObject({
      code: "local-network-denied",
      message: expect.stringContaining("settings") as string,
    });
  }
});

test("the permission is known by an older name too", async () => {
  setPermissions({ "local-network-access": "denied" });
  expect(await whyUnreachable("http://127.0.0.1:7337")).toMatchObject({ code: "local-network-denied" });
});

test("a hub elsewhere in the local network has a permission of its own", async () => {
  setPermissions({ "loopback-network": "granted", "local-network": "denied" });
  const inNetwork = [
    "http://192.168.1.7:7337",
    "http://10.0.0.7",
    "http://172.20.0.7",
    "http://[fe80::1]",
    "http://nas.local",
  ];
  for (const hub of inNetwork) expect(await whyUnreachable(hub)).toMatchObject({ code: "local-network-denied" });
  expect(await whyUnreachable("http://127.0.0.1:7337")).toBeUndefined();
});

test("where the browser grants it, asks, or knows no such permission, it is the hub that does not answer", async () => {
  for (const states of [{ "loopback-network": "granted" }, { "loopback-network": "prompt" }, {}] as const) {
    setPermissions(states);
    expect(await whyUnreachable("http://127.0.0.1:7337")).toBeUndefined();
  }
});

test("a hub in the internet needs no permission for the local network", async () => {
  setPermissions({ "loopback-network": "denied", "local-network": "denied", "local-network-access": "denied" });
  for (const hub of ["https://hub.example", "https://172.15.0.1", "https://11.0.0.1", "https://local.example"]) {
    expect(await whyUnreachable(hub)).toBeUndefined();
  }
});

test("an insecure page is told that only secure ones are let through", async () => {
  setPermissions({ "loopback-network": "denied" });
  const insecure = { location, isSecureContext: false };
  const { message } = (await whyUnreachable("http://127.0.0.1:7337", insecure)) ?? {};
  expect(message).toContain("only secure pages");
});

test("a secure page is told that it cannot reach an insecure hub in the internet", async () => {
  const secure = { location: { protocol: "https:" }, isSecureContext: true };
  expect(await whyUnreachable("http://hub.example", secure)).toMatchObject({ code: "hub-unreachable" });
  expect(await whyUnreachable("https://hub.example", secure)).toBeUndefined();
});
