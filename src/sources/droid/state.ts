import type { OpenTool, Strand } from '../strand.ts';

/** What the reading of a file must remember between records: plain data. */
export interface FileState {
  strand: Strand | undefined;
  /** By tool call id. */
  tools: Map<string, OpenTool>;
}

export function freshState(): FileState {
  return { strand: undefined, tools: new Map() };
}
