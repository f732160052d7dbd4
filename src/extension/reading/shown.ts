import { attribute, boxOf, nameOf } from "./dom.ts";

/** How much of an element is shown: nothing, what its children show of themselves, or also its own text. */
export type Shown = "nothing" | "children" | "all";

/** Only the element itself is looked at: its ancestors are shown. */
export function shownOf(element: Element, style: CSSStyleDeclaration): Shown {
  if (style.display === "none" || style.opacity === "0" || attribute(element, "aria-hidden") === "true")
    return "nothing";
  if (style.contentVisibility === "hidden") return "nothing";
  if (isClipped(element, style)) return "nothing";
  return style.visibility === "visible" && style.fontSize !== "0px" ? "all" : "children";
}

/** Whether an element has no room, or is where one cannot scroll to: how pages hide what only screen readers say. */
function isClipped(element: Element, style: CSSStyleDeclaration): boolean {
  const isPlaced = style.position === "absolute" || style.position === "fixed";
  const hidesX = style.overflowX !== "visible";
  const hidesY = style.overflowY !== "visible";
  const isMoved = style.transform !== "none" || style.scale !== "none";
  if (!isPlaced && !hidesX && !hidesY && !isMoved) return false;
  // The whole document's scrolling belongs to its window.
  if (nameOf(element) === "body" || nameOf(element) === "html") return false;
  if (isPlaced && (emptyClip.test(style.clip) || emptyPath.test(style.clipPath))) return true;
  const { width, height, right, bottom } = boxOf(element);
  if (isMoved && (width === 0 || height === 0)) return true;
  if ((hidesX && width <= 1) || (hidesY && height <= 1))
    return style.display !== "contents" && style.display !== "inline";
  if (!isPlaced) return false;
  const { scrollX, scrollY } = element.ownerDocument.defaultView ?? self;
  return right + scrollX < 0 || bottom + scrollY < 0;
}

const emptyClip = /^rect\((0px|1px),? (0px|1px),? (0px|1px),? (0px|1px)\)$/;
const emptyPath = /^inset\((50|100)%\)$/;
