export { loadJsonSchemaValidator as loadValidator } from "../../toolbox/index.ts";
