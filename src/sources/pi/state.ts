import type { OpenTool, Strand } from '../strand.ts';

/** What the reading of a file must remember between records: plain data. */
export interface FileState {
  strand: Strand | undefined;
  /** The file is a subagent's. */
  isSubagent: boolean;
  /** By tool call id. */
  tools: Map<string, OpenTool>;
  /** By tool call id: when it began, where that is told before the call itself. */
  started: Map<string, number>;
}

export function freshState(): FileState {
  return { strand: undefined, isSubagent: false, tools: new Map(), started: new Map() };
}
