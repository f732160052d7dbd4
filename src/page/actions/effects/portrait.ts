// "Bob", drawn by us: a man of an advertisement of the fifties, with his pipe, in one colour of ink.
const svg = "http://www.w3.org/2000/svg";
const ink = "#1d1208";
const paper = "#ffe9b8";
const rays = 24;

type Attributes = Readonly<Record<string, string | number>>;

/** Draws him anew. It has no styles of its own: classes say what may move. */
export function drawPortrait(): SVGSVGElement {
  const picture = document.createElementNS(svg, "svg");
  picture.setAttribute("viewBox", "0 0 300 300");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "“Bob”, who smiles and smokes a pipe");
  const sun = group("rays", [part("circle", { cx: 150, cy: 150, r: 150, fill: "#7a2d06" }), ...sunRays()]);
  picture.append(sun, group("face", [...disc(), ...suit(), ...head(), ...features(), ...pipe()]));
  return picture;
}

function sunRays(): readonly SVGElement[] {
  const at = (angle: number) => `${150 + 150 * Math.sin(angle)} ${150 - 150 * Math.cos(angle)}`;
  return Array.from({ length: rays }, (_none, index) => {
    const from = (index / rays) * 2 * Math.PI;
    return part("path", { d: `M150 150 L${at(from)} L${at(from + Math.PI / rays)} Z`, fill: "#e08a1e" });
  });
}

function disc(): readonly SVGElement[] {
  return [part("circle", { cx: 150, cy: 150, r: 118, fill: paper, stroke: ink, "stroke-width": 4 })];
}

function suit(): readonly SVGElement[] {
  return [
    // Shoulders, cut by the disc's edge.
    part("path", { d: "M54 218 Q80 202 122 194 L178 194 Q220 202 246 218 A118 118 0 0 1 54 218 Z", fill: ink }),
    part("path", { d: "M124 192 L150 236 L176 192 Z", fill: "#fff8e6" }),
    part("path", { d: "M143 208 L157 208 L153 220 L162 258 L150 267 L138 258 L147 220 Z", fill: "#a3280f" }),
    part("path", { d: "M122 192 L104 204 L138 250 M178 192 L196 204 L162 250", ...line(paper, 2) }),
  ];
}

function head(): readonly SVGElement[] {
  return [
    part("path", {
      d: "M126 172 L126 198 Q150 214 174 198 L174 172 Z",
      fill: "#f6cf93",
      stroke: ink,
      "stroke-width": 2.5,
    }),
    // Ears.
    part("path", { d: "M102 122 Q88 116 92 136 Q96 152 108 148", fill: "#f6cf93", ...line(ink, 2.5) }),
    part("path", { d: "M198 122 Q212 116 208 136 Q204 152 192 148", fill: "#f6cf93", ...line(ink, 2.5) }),
    // The face, with the jaw of a man who sells.
    part("path", {
      d: "M104 88 Q102 130 108 156 Q114 182 136 192 Q150 197 164 192 Q186 182 192 156 Q198 130 196 88 Q150 62 104 88 Z",
      fill: "#fbdca6",
      stroke: ink,
      "stroke-width": 3,
    }),
    // Hair, oiled and parted.
    part("path", {
      d: "M101 116 Q94 66 128 52 Q166 38 190 58 Q206 74 199 116 Q194 96 184 84 Q152 92 122 76 Q106 92 101 116 Z",
      fill: ink,
    }),
    part("path", { d: "M124 72 Q148 52 180 60 M132 66 Q156 52 186 68", ...line("#8a6a3c", 2) }),
  ];
}

function features(): readonly SVGElement[] {
  return [
    part("path", { d: "M116 106 Q126 99 138 105 M162 105 Q174 99 184 106", ...line(ink, 4.5) }),
    part("path", {
      d: "M117 119 Q127 111 137 119 Q127 124 117 119 Z M163 119 Q173 111 183 119 Q173 124 163 119 Z",
      fill: "#fff8e6",
      ...line(ink, 2),
    }),
    part("circle", { cx: 129, cy: 118.5, r: 3.6, fill: ink }),
    part("circle", { cx: 175, cy: 118.5, r: 3.6, fill: ink }),
    part("path", { d: "M150 116 Q146 134 142 142 Q150 149 158 142", ...line(ink, 2.5) }),
    // The smile.
    part("path", {
      d: "M122 156 Q150 164 178 154 Q172 178 150 179 Q130 178 122 156 Z",
      fill: "#fff8e6",
      ...line(ink, 3),
    }),
    part("path", {
      d: "M126 166 Q150 172 174 164 M138 161 L140 177 M150 162 L150 179 M162 160 L160 177",
      ...line(ink, 1),
    }),
    part("path", {
      d: "M116 146 Q112 156 118 164 M184 144 Q188 154 182 162 M140 187 Q150 191 160 187",
      ...line(ink, 2),
    }),
    // The shadow of his cheek, as printers drew it.
    part("path", { d: "M186 128 L193 134 M184 136 L192 143 M181 168 L186 172 M178 174 L182 178", ...line(ink, 1.2) }),
  ];
}

function pipe(): readonly SVGElement[] {
  return [
    part("path", { d: "M172 163 L214 178 Q222 180 224 170", ...line(ink, 6) }),
    part("path", {
      d: "M212 146 L242 146 L239 174 Q236 188 225 187 Q214 186 214 172 Z",
      fill: "#7a3a12",
      stroke: ink,
      "stroke-width": 3,
    }),
    part("ellipse", { cx: 227, cy: 146, rx: 15, ry: 4.5, fill: "#2c1406", stroke: ink, "stroke-width": 2 }),
    part("path", { class: "smoke", d: "M226 138 q-9 -8 0 -16 q9 -8 0 -17", ...line("#b08a5a", 5) }),
    part("path", { class: "smoke", d: "M232 136 q8 -7 0 -14 q-8 -8 1 -15", ...line("#c9a877", 4) }),
  ];
}

function line(stroke: string, width: number): Attributes {
  return { stroke, "stroke-width": width, "stroke-linecap": "round", "stroke-linejoin": "round" };
}

function group(name: string, parts: readonly SVGElement[]): SVGElement {
  const all = part("g", { class: name });
  all.append(...parts);
  return all;
}

function part(name: string, attributes: Attributes): SVGElement {
  const element = document.createElementNS(svg, name);
  for (const [key, value] of Object.entries({ fill: "none", ...attributes })) element.setAttribute(key, String(value));
  return element;
}
