// How a number and its unit are written. The convention is in daemon/base/number.h,
// the cases that both are tested on in tests/unit/number.cases.json. null is unknown.

export const none = '–';

type Unknown = null | undefined;

// Largest first; a value gets the first unit that it reaches.
type Unit = [from: number, scale: number, name: string];

const durations: Unit[] = [
  [7200, 3600, 'h'], [120, 60, 'min'], [0.9995, 1, 's'], [0.9995e-3, 1e-3, 'ms'], [0.9995e-6, 1e-6, 'µs'], [0, 1e-9, 'ns'],
];

const prefixes: Unit[] = [
  [999.5e12, 1e15, 'P'], [999.5e9, 1e12, 'T'], [999.5e6, 1e9, 'G'], [999.5e3, 1e6, 'M'], [999.5, 1e3, 'k'], [0, 1, ''],
];

const unitOf = (units: Unit[], value: number): Unit => units.find(([from]) => Math.abs(value) >= from)!;

const known = (value: number | Unknown): value is number => value != null && Number.isFinite(value);

const grouped = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 20 });

// Rounds the 15 decimal digits that a double keeps, not the double, so that a written half is rounded up.
function roundDigits(value: number, digits: number): number {
  const [kept = '', exponent] = Math.abs(value).toExponential(14).split('e');
  const first = Math.round(Number(kept.replace('.', '')) / 10 ** (15 - digits));
  return Math.sign(value) * Number(`${first}e${Number(exponent) - digits + 1}`);
}

// "3.9", "212", "0.078", "12,300"
export function plain(value: number | Unknown): string {
  if (!known(value)) return none;
  const size = Math.abs(value);
  if (size < 1e-9) return '0';
  const rounded = roundDigits(value, size < 1 ? 2 : 3);
  if (Math.abs(rounded) >= 1e-4 && Math.abs(rounded) < 1e15) return grouped(rounded);
  // Near the largest double the rounded value is infinite.
  const text = Number.isFinite(rounded) ? rounded.toExponential() : value.toExponential(2).replace(/0+e/, 'e');
  return text.replace('+', '');
}

function withUnit(value: number | Unknown, units: Unit[], space: string, rest: string): string {
  if (!known(value)) return none;
  const [, scale, name] = unitOf(units, value);
  return plain(value / scale) + space + name + rest;
}

// "4.57×", of a factor.
export function times(value: number | Unknown): string {
  return withUnit(value, [[0, 1, '×']], '', '');
}

// "3.9 s", "412 ms", "20.7 min"
export function seconds(value: number | Unknown): string {
  return known(value) && Math.abs(value) < 1e-12 ? '0 s' : withUnit(value, durations, ' ', '');
}

export function nanoseconds(value: number | Unknown): string {
  return seconds(value == null ? value : value / 1e9);
}

// "3.4 to 4.1" in the unit of seconds(about), next to which it is shown; "0 to 209 ms" if
// that is 0 or so small a unit that the bound would be ten thousand of it.
export function interval(about: number | Unknown, low: number | Unknown, high: number | Unknown): string {
  if (!known(about) || !known(low) || !known(high)) return '';
  const near = unitOf(durations, about);
  const own = !(about > 0) || high >= 10000 * near[1];
  const [, scale, name] = own ? unitOf(durations, high) : near;
  const [from, to] = [plain(low / scale), plain(high / scale)];
  return from === to ? '' : `${from} to ${to}${own ? ` ${name}` : ''}`;
}

// "61 %", "0.6 %"
export function percent(value: number | Unknown): string {
  const p = known(value) ? value * 100 : NaN;
  if (!known(p)) return none;
  if (Math.abs(p) < 0.05) return p > 0 ? '<0.1 %' : '0 %';
  return `${Math.abs(p) < 9.95 ? Math.sign(p) * Math.round(Math.abs(p) * 10) / 10 : count(p)} %`;
}

// "+3.1 %", "-95 %": a difference, as a ratio.
export function change(value: number | Unknown): string {
  return known(value) && value >= 0 ? `+${percent(value)}` : percent(value);
}

// "8.39 MB"
export function bytes(value: number | Unknown): string {
  return withUnit(value, prefixes, ' ', 'B');
}

// "4.1 TB/s", "33 TFLOP/s"
export function rate(value: number | Unknown, unit: string): string {
  return withUnit(value, prefixes, ' ', unit);
}

// "212,400"
export function count(value: number | Unknown): string {
  if (!known(value) || Math.abs(value) >= 1e15) return plain(value);
  return grouped(Math.sign(value) * Math.round(Math.abs(value)) + 0);
}

// "614k", "1.23M": for columns of large counts.
export function compact(value: number | Unknown): string {
  return withUnit(value, prefixes, '', '');
}

// The plural of a noun whose last word is regular.
function plural(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? noun.slice(0, -1) + 'ies' : noun + (/([sx]|[cs]h)$/.test(noun) ? 'es' : 's');
}

// "1 launch", "2 launches"; ${noun} is the singular.
export function counted(value: number, noun: string): string {
  const text = count(value);
  return `${text} ${text === '1' ? noun : plural(noun)}`;
}

// A value with the unit from the API: "4.5 sectors/request"; but neither "3 insts" nor "3 %s".
export function measure(value: number | null, unit: string | null): string {
  switch (unit) {
    case 'ns': return nanoseconds(value);
    case 's': return seconds(value);
    case 'B':
    case 'bytes': return bytes(value);
    case '%': return percent(value === null ? value : value / 100);
    case null:
    case '':
    case 'ratio': return plain(value);
  }
  const [noun = ''] = /^((?!inst$)[a-z ]{3,}|GPU|SM)$/.exec(unit.split('/')[0]!) ?? [];
  if (noun === '' && unit.length > 2 && unit.endsWith('/s')) return rate(value, unit.replace(/^1/, ''));
  if (!known(value)) return none;
  const text = Number.isInteger(value) && Math.abs(value) < 1e5 && !unit.includes('/') ? count(value) : plain(value);
  return `${text} ${noun === '' || text === '1' ? unit : plural(noun) + unit.slice(noun.length)}`;
}

// "256 × 4": a grid or a block, as it is launched.
export function shape(three: number[]): string {
  const used = three[2] !== 1 ? 3 : three[1] !== 1 ? 2 : 1;
  return three.slice(0, used).join(' × ');
}

// The last part of a path.
export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}

export function when(instant: string | null): string {
  if (instant === null) return none;
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return none;
  return date.toLocaleString(undefined, {
    year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit',
  });
}

// "4.123456789 s": a time of the run, to the ns, beside differences from it.
export function instant(ns: number | Unknown): string {
  return known(ns) ? `${(ns / 1e9).toFixed(9).replace(/\.?0+$/, '')} s` : none;
}
