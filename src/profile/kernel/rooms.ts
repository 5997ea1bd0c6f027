import type { WasmMemory } from '../../trace/webassembly.ts';

export type Typed = Uint8Array | Uint16Array | Uint32Array | Float64Array | BigInt64Array;

interface Allocator {
  readonly memory: WasmMemory;
  /** The address of so many fresh bytes, which are zero, as 32 bits with a sign. */
  room(bytes: number): number;
}

/** Room in the memory of a kernel; what is released is given out again, cut to size. */
export class Rooms {
  private readonly kernel: Allocator;
  private readonly spare: { at: number; bytes: number }[] = [];

  constructor(kernel: Allocator) {
    this.kernel = kernel;
  }

  /** The address of so many bytes, all zero: those of the smallest spare room that holds them, or fresh ones. */
  take(length: number): number {
    const bytes = Math.ceil(length / 16) * 16;
    let found: { at: number; bytes: number } | undefined;
    for (const room of this.spare)
      if (room.bytes >= bytes && room.bytes < (found?.bytes ?? Number.POSITIVE_INFINITY)) found = room;
    if (!found) return this.kernel.room(bytes) >>> 0;
    const { at } = found;
    found.at += bytes;
    found.bytes -= bytes;
    new Uint8Array(this.kernel.memory.buffer, at, bytes).fill(0);
    return at;
  }

  release(at: number, length: number): void {
    this.spare.push({ at, bytes: Math.ceil(length / 16) * 16 });
  }
}

/** Room that is used again for whatever is handed in or needed meanwhile. */
export class Room {
  private readonly kernel: Allocator;
  private readonly rooms: Rooms;
  private at = 0;
  private bytes = 0;
  private last: Typed | undefined;

  constructor(kernel: Allocator, rooms: Rooms) {
    this.kernel = kernel;
    this.rooms = rooms;
  }

  /** The address of so many bytes, which hold anything. */
  of(bytes: number): number {
    this.last = undefined;
    if (bytes > this.bytes) {
      if (this.bytes > 0) this.rooms.release(this.at, this.bytes);
      this.bytes = bytes;
      this.at = this.rooms.take(bytes);
    }
    return this.at;
  }

  zeros(bytes: number): number {
    const at = this.of(bytes);
    new Uint8Array(this.kernel.memory.buffer, at, bytes).fill(0);
    return at;
  }

  /** The address of a copy. */
  copyOf(cells: Typed): number {
    const at = this.of(cells.byteLength);
    const from = new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength);
    new Uint8Array(this.kernel.memory.buffer, at, cells.byteLength).set(from);
    return at;
  }

  /** The same for cells that never change: what was handed in last is there still. */
  holding(cells: Typed): number {
    if (this.last !== cells) this.copyOf(cells);
    this.last = cells;
    return this.at;
  }
}
