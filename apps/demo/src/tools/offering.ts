import type { Page } from "pagewire/page";
import type { CallContext } from "pagewire/toolbox";

/** Where a page's program registers what it offers. */
export type Offering = Pick<Page, "registerTool" | "registerResource" | "registerPrompt">;

/** An offering whose handlers tell, before they begin, what they were told of their call. */
export function createToldOffering(page: Offering, tell: (context: CallContext) => void): Offering {
  return {
    registerTool: (definition, options) =>
      page.registerTool(
        {
          ...definition,
          execute(input, context) {
            tell(context);
            return definition.execute(input, context);
          },
        },
        options,
      ),
    registerResource: (definition, options) =>
      page.registerResource(
        {
          ...definition,
          read(uri, context) {
            tell(context);
            return definition.read(uri, context);
          },
        },
        options,
      ),
    registerPrompt: (definition, options) =>
      page.registerPrompt(
        {
          ...definition,
          get(input, context) {
            tell(context);
            return definition.get(input, context);
          },
        },
        options,
      ),
  };
}
