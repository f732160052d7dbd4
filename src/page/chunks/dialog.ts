export { approve } from "../dialog/approve.ts";
export { askUser } from "../dialog/ask-user.ts";
