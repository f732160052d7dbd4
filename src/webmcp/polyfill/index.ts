// Installs `document.modelContext` if the browser has none: importing this module is enough.
import { loadJsonSchemaValidator } from "../../toolbox/one-tool.ts";
import { installModelContext } from "./install-model-context.ts";

installModelContext({ validator: loadJsonSchemaValidator, formCall: () => import("./forms/form-call.ts") });
