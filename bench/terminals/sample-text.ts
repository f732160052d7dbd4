/** Lines of a log as long as this, about; every eighth has letters outside of ASCII, and every fourth a colour. */
export function sampleText(bytes: number): string {
  const lines: string[] = [];
  for (let length = 0; length < bytes; length += Buffer.byteLength(lines.at(-1) ?? "") + 1) {
    lines.push(lineOf(lines.length));
  }
  return `${lines.join("\n")}\n`;
}

function lineOf(index: number): string {
  const time = `12:${two(index / 60)}:${two(index)}.${index % 1000}`;
  if (index % 8 === 7) return `${time} bäckerei → order ${index} from “Café Zoë” is paid ✓`;
  const level = index % 4 === 1 ? "\u001b[33mwarn\u001b[0m" : "info";
  return `${time} ${level} request ${index} GET /api/orders/${index % 977} answered with 200 in ${index % 83} ms`;
}

function two(value: number): string {
  return String(Math.floor(value) % 60).padStart(2, "0");
}
