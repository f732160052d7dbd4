// By default `vi.waitFor` gives up after a second; a busy machine may not even run the test in that time.
import { vi } from "vitest";

const { waitFor, waitUntil } = vi;
const timeout = 60_000;

vi.waitFor = (look, options) => waitFor(look, { timeout, ...Object(options) });
vi.waitUntil = (look, options) => waitUntil(look, { timeout, ...Object(options) });
