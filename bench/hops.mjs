// `npm run hops`: counts the files and functions of Pagewire's own code that one warm call touches.
import { findChromium } from "../scripts/find-chromium.mjs";
import { compileBench } from "./compile.mjs";

const { runHops } = await import(await compileBench("hops"));
await runHops(process.argv.slice(2), findChromium());
