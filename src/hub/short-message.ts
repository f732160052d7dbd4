export { shortMessage } from "../wire/index.ts";
