const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, DOT, ZERO] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e, 0x30];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The members of a JSON object, each with the bytes of its value, if the object is written as `JSON.stringify` does it:
 * without spaces, and with plain, unique names. Undefined for all other input, valid or not, and for deep nesting. Each
 * value is valid JSON on a single line, and can be embedded in other JSON unread; parsing and serializing a large
 * result takes many times as long.
 */
export function membersOf(json: Uint8Array, deepest: number): ReadonlyMap<string, Uint8Array> | undefined {
  const members = new Map<string, Uint8Array>();
  const isObject: boolean[] = [];
  let depth = 0;
  let at = 0;
  let name = "";
  let valueAt = 0;
  if (json[0] !== OPEN_OBJECT) return undefined;

  /** Skips a member's name and colon; returns false if there is none. */
  function passName(): boolean {
    const end = json[at] === QUOTE ? endOfString(json, at) : -1;
    if (end < 0 || json[end] !== COLON) return false;
    if (depth === 1) {
      name = String.fromCharCode(...json.subarray(at + 1, Math.min(end - 1, at + 64)));
      if (!plainName.test(name) || members.has(name)) return false;
      valueAt = end + 1;
    }
    at = end + 1;
    return true;
  }

  for (;;) {
    const first = json[at] ?? 0;
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      if (++depth > deepest) return undefined;
      isObject[depth] = first === OPEN_OBJECT;
      const next = json[++at];
      if (next !== CLOSE_OBJECT && next !== CLOSE_ARRAY) {
        if (first === OPEN_OBJECT && !passName()) return undefined;
        continue;
      }
    } else {
      at = first === QUOTE ? endOfString(json, at) : endOfWord(json, at);
      if (at < 0) return undefined;
    }
    // A value ends here, or an empty object or array.
    for (;;) {
      const closing = isObject[depth] ? CLOSE_OBJECT : CLOSE_ARRAY;
      const isLast = json[at] === closing;
      if (!isLast && json[at] !== COMMA) return undefined;
      if (depth === 1 && name !== "") members.set(name, json.subarray(valueAt, at));
      at++;
      if (isLast) {
        if (--depth > 0) continue;
        return at === json.length ? members : undefined;
      }
      if (isObject[depth] && !passName()) return undefined;
      break;
    }
  }
}

const plainName = /^\w{1,62}$/;

/** The position after a string; negative if there is no valid string. */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return -1;
    if (byte !== BACKSLASH) continue;
    const escaped = json[++at] ?? 0;
    if (escaped === 0x75) {
      for (let digits = 4; digits > 0; digits--) if (!isHex(json[++at] ?? 0)) return -1;
    } else if (!plainEscapes.includes(escaped)) {
      return -1;
    }
  }
  return -1;
}

const plainEscapes: readonly number[] = Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0));

function isHex(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

const words = ["true", "false", "null"].map((word) => Array.from(word, (letter) => letter.charCodeAt(0)));

/** The position after a number or keyword; negative if there is none. */
function endOfWord(json: Uint8Array, start: number): number {
  if (json[start] === MINUS || isDigit(json[start] ?? 0)) return endOfNumber(json, start);
  const word = words.find((each) => each.every((byte, offset) => json[start + offset] === byte));
  return word ? start + word.length : -1;
}

/** Rejects numbers that are too large for some JSON parsers. */
function endOfNumber(json: Uint8Array, start: number): number {
  const whole = json[start] === MINUS ? start + 1 : start;
  let at = endOfDigits(json, whole);
  if (at === whole || (json[whole] === ZERO && at > whole + 1)) return -1;
  if (json[at] === DOT) {
    const fraction = at + 1;
    at = endOfDigits(json, fraction);
    if (at === fraction) return -1;
  }
  if (((json[at] ?? 0) | 0x20) === 0x65) {
    const sign = json[at + 1];
    const exponent = sign === MINUS || sign === 0x2b ? at + 2 : at + 1;
    at = endOfDigits(json, exponent);
    if (at === exponent || at > exponent + 2) return -1;
  }
  return at - start > 40 ? -1 : at;
}

function endOfDigits(json: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(json[at] ?? 0)) at++;
  return at;
}
