// By itself `vi.waitFor` gives up after a second, in which a busy machine may not come to run the test at all.
import { vi } from "vitest";

const { waitFor, waitUntil } = vi;
const timeout = 60_000;

vi.waitFor = (look, options) => waitFor(look, { timeout, ...Object(options) });
vi.waitUntil = (look, options) => waitUntil(look, { timeout, ...Object(options) });
