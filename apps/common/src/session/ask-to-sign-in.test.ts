import { expect, test } from "vitest";
import { signInCommand } from "./ask-to-sign-in.tsx";

test.each(["http://127.0.0.1:7337", "http://localhost:7337", "https://hub.localhost", "http://[::1]:7337"])(
  "at %s one signs in by a command on this machine",
  (origin) => {
    expect(signInCommand(origin)).toEqual({
      where: "In a terminal on the hub's machine:",
      command: "npx pagewire open",
    });
  },
);

test.each(["https://hub.example.com", "http://10.0.0.7:7337", "https://localhost.evil.example"])(
  "at %s one signs in by a command that names the hub, and brings a token",
  (origin) => {
    const { where, command } = signInCommand(origin);
    expect(command).toBe(`PAGEWIRE_URL=${origin} PAGEWIRE_TOKEN=<token> npx pagewire open`);
    expect(where).not.toContain("machine");
  },
);
