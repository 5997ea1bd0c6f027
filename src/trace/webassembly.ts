/** The part of the WebAssembly API used here: the types of this project know no browser, where TypeScript keeps it. */
interface Api {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** The memory of an instance. Growing it makes its buffer anew: views of the old one are empty from then on. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

declare const WebAssembly: Api | undefined;

/** A WebAssembly module given as base64, compiled when it is first wanted. */
export class WasmModule<Exports> {
  private readonly base64: string;
  private compiled: object | undefined;

  constructor(base64: string) {
    this.base64 = base64;
  }

  /** Whether this runtime runs it: WebAssembly may be switched off, or too old for an instruction in it. */
  runs(): boolean {
    try {
      return this.module() !== undefined;
    } catch {
      return false;
    }
  }

  /** Throws where `runs` is false. */
  instance(): Exports {
    const module = this.module();
    return new (WebAssembly as Api).Instance(module).exports as Exports;
  }

  private module(): object {
    if (typeof WebAssembly === 'undefined') throw new Error('this runtime has no WebAssembly');
    this.compiled ??= new WebAssembly.Module(Uint8Array.from(atob(this.base64), each => each.charCodeAt(0)));
    return this.compiled;
  }
}
