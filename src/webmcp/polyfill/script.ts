// The hub's /webmcp-polyfill.js, for a script tag. What it loads lies where the page's script has its parts.
import type { ValidateJson } from "../../toolbox/index.ts";
import { installModelContext } from "./install-model-context.ts";

/** A script of another origin does not know its own address later; a module has none here, but knows it always. */
const address = (document.currentScript as HTMLScriptElement | null)?.src;

function load<Part>(name: string): Promise<Part> {
  const path = `./pagewire/${name}.js`;
  return import(/* @vite-ignore */ address ? new URL(path, address).href : path) as Promise<Part>;
}

installModelContext({
  validator: async () => (await load<{ readonly jsonSchemaValidator: ValidateJson }>("validator")).jsonSchemaValidator,
  formCall: () => load("form-call"),
});
