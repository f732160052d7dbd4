// highlight.js has types for its core only where it is required, not where it is imported.
declare module "highlight.js/lib/core" {
  import hljs from "highlight.js";
  export default hljs;
}
