import { useModelContextTool } from "pagewire/react";

/** Tools for things that only the page has: its document, its address, the user's view. */
export function usePageTools(): void {
  useModelContextTool({
    name: "page.scroll_to_top",
    description: "Scrolls the page back to its top.",
    execute() {
      window.scrollTo({ top: 0, behavior: "smooth" });
      return "The top of the page is on the screen.";
    },
  });

  useModelContextTool({
    name: "page.set_theme",
    description: "Sets the colors of the page.",
    inputSchema: {
      type: "object",
      properties: { theme: { enum: ["light", "dark", "light dark"], description: "Both: as the system has it." } },
      required: ["theme"],
    },
    execute({ theme }) {
      document.documentElement.style.colorScheme = theme;
      return `The theme is ${theme}.`;
    },
  });

  useModelContextTool({
    name: "page.get_url",
    description: "The address of the page.",
    annotations: { readOnlyHint: true },
    execute: () => location.href,
  });
}
