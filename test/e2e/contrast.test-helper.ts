/** Runs in a page: the texts whose contrast with what is behind them is below 4.5, each with its contrast. */
export function tooFaint(): string[] {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This browser has no canvas.");
  type Colour = readonly [number, number, number, number];

  /** Any colour that CSS can say, as the browser paints it. */
  function parse(css: string): Colour {
    if (!context) return [0, 0, 0, 0];
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = css;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  }

  function behind(element: Element | null): Colour {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return parse(getComputedStyle(document.documentElement).backgroundColor);
  }

  function luminance([red, green, blue]: Colour): number {
    const linear = (part: number): number => {
      const share = part / 255;
      return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  }

  const faint: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent?.trim() ?? "";
    if (!element || text === "" || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      continue;
    const [one, other] = [luminance(parse(getComputedStyle(element).color)), luminance(behind(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) faint.push(`${contrast.toFixed(2)} ${text}`);
  }
  return faint;
}
