// How many warps would fit with another block size or register count, by the rules of
// daemon/model/occupancy_own.c. Used only if they give the daemon's value for the kernel
// as it is. Pure.
import type { Device, Kernel } from './openapi';

const registerUnit = 256; // a warp's registers are allocated in units of it
const schedulers = 4; // of an SM, since Volta
const registersPerThread = 255;

export interface Fit {
  warps: number; // resident on an SM
  ratio: number; // of the maximum
}

type Limits = Pick<Device, 'max_warps_per_sm' | 'max_threads_per_block' | 'max_blocks_per_sm' | 'max_threads_per_sm' | 'warp_size' | 'regs_per_sm' | 'regs_per_block'>;

function registerLimit(d: Limits, registers: number, warps: number): number {
  if (registers === 0) return Infinity;
  const perWarp = Math.ceil((registers * d.warp_size) / registerUnit) * registerUnit;
  const rounded = Math.ceil(warps / schedulers) * schedulers;
  if (registers > registersPerThread || perWarp * rounded > d.regs_per_block) return 0;
  return Math.floor((Math.floor(d.regs_per_sm / schedulers / perWarp) * schedulers) / warps);
}

// ${shared}: the number of blocks that fit into shared memory.
function blocksOf(d: Limits, threads: number, registers: number, shared: number): number {
  const warps = Math.ceil(threads / d.warp_size);
  if (threads > d.max_threads_per_block) return 0;
  return Math.min(Math.floor(d.max_threads_per_sm / d.warp_size / warps), d.max_blocks_per_sm, registerLimit(d, registers, warps), shared);
}

export function fit(d: Limits, threads: number, registers: number, shared: number): Fit {
  const warps = blocksOf(d, threads, registers, shared) * Math.ceil(threads / d.warp_size);
  return { warps, ratio: warps / d.max_warps_per_sm };
}

export interface WhatIf {
  blocks: number[]; // threads of a block
  registers: number[]; // of a thread
  at: [block: number, registers: number]; // the kernel's own
  fit: (block: number, registers: number) => Fit;
}

// null if the rules do not give the daemon's value, or the device's limits are unknown.
export function whatIf(d: Device, k: Pick<Kernel, 'block' | 'registers' | 'occupancy'>): WhatIf | null {
  const threads = k.block.reduce((n, side) => n * side, 1);
  const { limits, theoretical_ratio: said } = k.occupancy;
  if (!(d.warp_size > 0 && d.max_warps_per_sm > 0 && d.max_blocks_per_sm > 0 && threads > 0) || said === null) return null;
  const of = (block: number, registers: number) => fit(d, block, registers, limits.shared || Infinity);
  if (Math.abs(of(threads, k.registers).ratio - said) > 1e-6) return null;
  const near = (list: number[], own: number) => [...new Set([...list, own])].sort((a, b) => a - b);
  return {
    blocks: near([64, 128, 256, 512, 1024].filter((n) => n <= d.max_threads_per_block), threads),
    registers: near([32, 40, 48, 64, 96, 128, 168, 255], k.registers),
    at: [threads, k.registers],
    fit: of,
  };
}
