/** Runs in a page: the texts with a contrast below 4.5 to their background, each with its contrast. */
export function tooFaint(): string[] {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This browser has no canvas.");
  type Colour = readonly [number, number, number, number];

  /** Parses any CSS colour into the values that the browser paints. */
  function parse(css: string): Colour {
    if (!context) return [0, 0, 0, 0];
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = css;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  }

  function parentOf(element: Element): Element | null {
    const { parentNode } = element;
    return element.assignedSlot ?? (parentNode instanceof ShadowRoot ? parentNode.host : element.parentElement);
  }

  function over([red, green, blue, alpha]: Colour, below: Colour): Colour {
    const mix = (part: number, other: number): number => part * alpha + other * (1 - alpha);
    return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1];
  }

  function behind(element: Element | null): Colour {
    if (element === null) return parse("Canvas");
    const colour = parse(getComputedStyle(element).backgroundColor);
    return colour[3] > 0.99 ? colour : over(colour, behind(parentOf(element)));
  }

  function opacityOf(element: Element | null): number {
    return element === null ? 1 : Number(getComputedStyle(element).opacity) * opacityOf(parentOf(element));
  }

  function* textsIn(root: Node): Generator<Node> {
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      if (!(node instanceof Element)) yield node;
      else if (node.shadowRoot) yield* textsIn(node.shadowRoot);
    }
  }

  function luminance([red, green, blue]: Colour): number {
    const linear = (part: number): number => {
      const share = part / 255;
      return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  }

  const faint: string[] = [];
  for (const node of textsIn(document.body)) {
    const element = node.parentElement;
    const text = node.textContent?.trim() ?? "";
    if (!element || text === "" || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      continue;
    // Disabled controls need no contrast, and fully transparent text is for screen readers only.
    if (element.closest(":disabled, [aria-disabled=true]")) continue;
    const [red, green, blue, alpha] = parse(getComputedStyle(element).color);
    if (alpha === 0) continue;
    const below = behind(element);
    const one = luminance(over([red, green, blue, alpha * opacityOf(element)], below));
    const other = luminance(below);
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) faint.push(`${contrast.toFixed(2)} ${text}`);
  }
  return faint;
}
