// A property ends after this time, between two runs: on a slow machine with fewer runs, and where a run failed with the
// smallest case found so far. Otherwise the search for a smaller one hides the failure behind the end of the test's time. A run
// that hangs is not ended: that is a failure.
import { installGlobalPlugin, PreconditionFailure } from "fast-check";

const most = 60_000;
/** Tests replace the clock. */
const now = performance.now.bind(performance);
const installed = Symbol.for("pagewire.properties");

// Workers that several files share keep fast-check.
if (!(installed in globalThis)) {
  Object.assign(globalThis, { [installed]: true });
  installGlobalPlugin(() => {
    const end = now() + most;
    return { decorateRun: (run) => (value) => (now() < end ? run(value) : new PreconditionFailure(true)) };
  });
}
