export { makeCalls } from "../../toolbox/index.ts";
export { createCallRunner } from "../call-runner.ts";
