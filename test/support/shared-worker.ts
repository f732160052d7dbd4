// Files of this project share a worker and its modules: none may leak its environment, globals, spies or clock into the next.
import { afterAll, vi } from "vitest";

const before = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
