// Installs `document.modelContext` if the browser has none: importing this module is enough.
import { installPolyfill } from "./install-polyfill.ts";

installPolyfill();
