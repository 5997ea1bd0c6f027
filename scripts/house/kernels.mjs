// @ts-check
/** Folders of what is compiled to WebAssembly: sources in assembly/, what they give in wasm.ts. */
export const KERNELS = ['src/ingest/kernel', 'src/profile/kernel', 'src/formats/kernel', 'src/privacy/kernel'];
