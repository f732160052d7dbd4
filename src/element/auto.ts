// Imported for its effect: the elements are there, with the default configuration.
import { bootstrapAi } from "./bootstrap-ai.ts";

bootstrapAi();
