// Numbers for people: a unit, and at most three significant digits.

export const none = '–';

export function digits(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(1);
  if (size >= 99.95) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(size >= 0.995 ? 3 : 2)));
}

// "4.6×", "16×".
export function times(value: number): string {
  return (value >= 9.95 ? Math.round(value).toLocaleString('en') : String(Number(value.toFixed(1)))) + '×';
}

export function count(value: number | null | undefined): string {
  return value == null ? none : Math.round(value).toLocaleString('en');
}

// Its last word is regular.
function plural(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? noun.slice(0, -1) + 'ies' : noun + (/([sx]|[cs]h)$/.test(noun) ? 'es' : 's');
}

// "1 launch", "2 launches": of the singular.
export function counted(value: number, noun: string): string {
  return `${count(value)} ${value === 1 ? noun : plural(noun)}`;
}

// "1.2 M": for columns of large counts.
export function compact(value: number): string {
  const units = ['', ' k', ' M', ' G', ' T', ' P'];
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return digits(value) + units[unit];
}

// A grid or a block.
export function shape(three: number[]): string {
  const used = three[2] !== 1 ? 3 : three[1] !== 1 ? 2 : 1;
  return three.slice(0, used).map((n) => n.toLocaleString('en')).join(' × ');
}

// The last part of a path.
export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}

export function seconds(value: number | null | undefined): string {
  if (value == null) return none;
  const size = Math.abs(value);
  if (size < 1e-12) return '0 s'; // what is left of a difference
  if (size >= 119.5) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  if (size >= 0.9995) return trim(value) + ' s';
  if (size >= 0.9995e-3) return trim(value * 1e3) + ' ms';
  if (size >= 0.9995e-6) return trim(value * 1e6) + ' µs';
  return trim(value * 1e9) + ' ns';
}

function trim(value: number): string {
  const size = Math.abs(value);
  return size >= 99.95 ? String(Math.round(value)) : size >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

export function nanoseconds(value: number | null | undefined): string {
  return value == null ? none : seconds(value / 1e9);
}

export function percent(value: number | null | undefined): string {
  if (value == null) return none;
  const p = value * 100;
  if (p > 0 && p < 0.1) return '< 0.1 %';
  return (p >= 9.95 || p === 0 ? Math.round(p).toString() : p.toFixed(1)) + ' %';
}

export function bytes(value: number | null | undefined): string {
  if (value == null) return none;
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${digits(value)} ${units[unit]}`;
}

// "4.1 TB/s", "33 TFLOP/s".
export function rate(value: number | null | undefined, unit: string): string {
  if (value == null) return none;
  const prefixes = ['', 'k', 'M', 'G', 'T'];
  let prefix = 0;
  while (value >= 999.5 && prefix < prefixes.length - 1) {
    value /= 1000;
    prefix++;
  }
  return `${digits(value)} ${prefixes[prefix]}${unit}`;
}

// A value with the unit that the API gave it.
export function measure(value: number | null, unit: string | null): string {
  if (value === null) return none;
  switch (unit) {
    case 'ns':
      return nanoseconds(value);
    case 's':
      return seconds(value);
    case 'B':
      return bytes(value);
    case 'B/s':
      return bytes(value) + '/s';
    case null:
    case '':
    case 'ratio':
      return digits(value);
    default:
      // "4.5 sectors/request"; but neither "3 insts" nor "3 %s".
      return `${digits(value)} ${value === 1 ? unit : unit.replace(/^(?!inst$|inst\/)([a-z ]{3,}|GPU|SM)(?![^/])/, plural)}`;
  }
}

export function when(instant: string | null): string {
  if (instant === null) return none;
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return none;
  return date.toLocaleString(undefined, {
    year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit',
  });
}
